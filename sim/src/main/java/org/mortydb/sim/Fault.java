package org.mortydb.sim;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.mortydb.protocol.system.TransactionSystem;

/** What can go wrong in a simulated run. */
public enum Fault {
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
  /** Clocks are set forward and back. */
  JUMP("jump"),
  /** Servers die, amid a step or between two, and start again with what their disks have kept. */
  CRASH("crash"),
  /** Some of the servers that die lose their disks as well. */
  WIPE("wipe"),
  /** Processes stop for a while; what happens to them meanwhile happens to them afterwards. */
  PAUSE("pause"),
  /** Clients, and single coordinators, die for good before any of their messages. */
  DEATH("death");

  /**
   * The faults that a system tolerates which keeps nothing across a crash. It needs its clients
   * alive, and its clocks must not be set back.
   */
  private static final Set<Fault> WITHOUT_CRASHES =
      Collections.unmodifiableSet(
          EnumSet.of(LOSS, DUPLICATION, REORDERING, PARTITION, SLOW, SKEW, DRIFT, PAUSE));

  private final String label;

  Fault(String label) {
    this.label = label;
  }

  /** The name used on the command line. */
  public String label() {
    return label;
  }

  /** The faults that a system tolerates, by its capabilities. */
  public static Set<Fault> toleratedBy(TransactionSystem system) {
    return system.isDurable() ? EnumSet.allOf(Fault.class) : WITHOUT_CRASHES;
  }

  /**
   * Reads a list of names, or {@code all}, or {@code none}.
   *
   * @throws IllegalArgumentException naming the first name that is not known, and those that are
   */
  public static Set<Fault> parse(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "all" -> EnumSet.allOf(Fault.class);
      case "none" -> EnumSet.noneOf(Fault.class);
      default ->
          Arrays.stream(text.split(",", -1))
              .map(Fault::named)
              .collect(Collectors.toCollection(() -> EnumSet.noneOf(Fault.class)));
    };
  }

  /** The text that {@link #parse} reads. */
  public static String format(Set<Fault> faults) {
    if (faults.size() == values().length) {
      return "all";
    }
    return faults.isEmpty()
        ? "none"
        : faults.stream().sorted().map(Fault::label).collect(Collectors.joining(","));
  }

  private static Fault named(String name) {
    for (Fault fault : values()) {
      if (fault.label.equals(name.trim().toLowerCase(Locale.ROOT))) {
        return fault;
      }
    }
    throw new IllegalArgumentException(
        "there is no fault '"
            + name.trim()
            + "'; known are all, none, and "
            + Arrays.stream(values()).map(Fault::label).collect(Collectors.joining(", ")));
  }
}
