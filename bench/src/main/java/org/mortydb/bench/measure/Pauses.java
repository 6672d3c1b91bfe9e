package org.mortydb.bench.measure;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * For how long processes stood still within a window, as they measured it themselves.
 *
 * @param longestOfServersMicros the longest pause of a server, of either kind; null if no server
 *     reports pauses
 * @param longestCollectionOfServersMicros the longest one that the garbage collector made; null as
 *     above
 * @param longestOfClientMicros the longest pause of the load generator's process
 * @param processes the figures of each process; servers first
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Pauses(
    @Nullable Long longestOfServersMicros,
    @Nullable Long longestCollectionOfServersMicros,
    long longestOfClientMicros,
    List<OfProcess> processes) {

  /** The name of the load generator's process. */
  public static final String CLIENT = "client";

  /** Copies the list. */
  public Pauses {
    processes = List.copyOf(processes);
  }

  /**
   * The pauses of a process.
   *
   * @param process the server's name, or {@link #CLIENT}
   * @param longestCollectionMicros the longest pause of the garbage collector
   * @param collectionMicros all of them
   * @param longestStallMicros the longest delay of an event loop, or of a timer in the client
   * @param stallMicros all of them
   * @param longest the longest pauses, in the order of time
   */
  public record OfProcess(
      String process,
      long longestCollectionMicros,
      long collectionMicros,
      long longestStallMicros,
      long stallMicros,
      List<Single> longest) {

    /** Copies the list. */
    public OfProcess {
      longest = List.copyOf(longest);
    }

    /** The longest pause of either kind. */
    public long longestMicros() {
      return Math.max(longestCollectionMicros, longestStallMicros);
    }

    /** The same pauses with another name of the process. */
    public OfProcess named(String other) {
      return new OfProcess(
          other,
          longestCollectionMicros,
          collectionMicros,
          longestStallMicros,
          stallMicros,
          longest);
    }
  }

  /**
   * One pause.
   *
   * @param kind {@code collection} or {@code stall}
   * @param endSeconds when it ended, from the begin of the window
   * @param micros how long it lasted
   */
  public record Single(String kind, double endSeconds, long micros) {}
}
