package org.mortydb.sim;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.mortydb.protocol.system.TransactionSystem;

/** The faults of simulated runs. */
public enum SimFault {
  /** Messages are lost. */
  LOSS("loss"),
  /** Messages arrive twice. */
  DUPLICATION("dup"),
  /** Messages overtake each other. */
  REORDERING("reorder"),
  /** Links carry nothing for a while, in one or both directions. */
  PARTITION("partition"),
  /** Links are slow for a while. */
  SLOW("slow"),
  /** Clocks are wrong by a constant. */
  SKEW("skew"),
  /** Clocks run too fast or too slow. */
  DRIFT("drift"),
  /** Clocks jump forward and back. */
  JUMP("jump"),
  /** Servers crash, within a step or between two, and restart with what their disks have kept. */
  CRASH("crash"),
  /** Some servers that crash lose their disks as well. */
  WIPE("wipe"),
  /** Processes stop for a while; events that reach them meanwhile wait. */
  PAUSE("pause"),
  /** Clients and single coordinators die for good, before any of their messages. */
  DEATH("death"),
  /** Clocks leap forward or back by a minute, an hour or a year, and are set right again. */
  LEAP("leap"),
  /** A client that writes nothing sends messages of every kind, in any order, with any numbers. */
  HOSTILE("hostile");

  /**
   * The faults that a system without durable state tolerates. Its clients must stay alive, and its
   * clocks must not go back.
   */
  private static final Set<SimFault> WITHOUT_CRASHES =
      Collections.unmodifiableSet(
          EnumSet.of(LOSS, DUPLICATION, REORDERING, PARTITION, SLOW, SKEW, DRIFT, PAUSE));

  private final String label;

  SimFault(String label) {
    this.label = label;
  }

  /** The name on the command line. */
  public String label() {
    return label;
  }

  /** The faults that a system tolerates, according to its capabilities. */
  public static Set<SimFault> toleratedBy(TransactionSystem system) {
    return system.isDurable() ? EnumSet.allOf(SimFault.class) : WITHOUT_CRASHES;
  }

  /**
   * Parses a list of names, {@code all}, or {@code none}.
   *
   * @throws IllegalArgumentException if a name is unknown; the message lists the known names
   */
  public static Set<SimFault> parse(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "all" -> EnumSet.allOf(SimFault.class);
      case "none" -> EnumSet.noneOf(SimFault.class);
      default ->
          Arrays.stream(text.split(",", -1))
              .map(SimFault::named)
              .collect(Collectors.toCollection(() -> EnumSet.noneOf(SimFault.class)));
    };
  }

  /** The text that {@link #parse} reads. */
  public static String format(Set<SimFault> faults) {
    if (faults.size() == values().length) {
      return "all";
    }
    return faults.isEmpty()
        ? "none"
        : faults.stream().sorted().map(SimFault::label).collect(Collectors.joining(","));
  }

  private static SimFault named(String name) {
    for (SimFault fault : values()) {
      if (fault.label.equals(name.trim().toLowerCase(Locale.ROOT))) {
        return fault;
      }
    }
    throw new IllegalArgumentException(
        "--faults: unknown fault '"
            + name.trim()
            + "'; the faults are all, none, "
            + Arrays.stream(values()).map(SimFault::label).collect(Collectors.joining(", ")));
  }
}
