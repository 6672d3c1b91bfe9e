package org.mortydb.faults.nemesis;

import java.util.Locale;

/** A kind of fault. */
public enum Fault {
  /** Servers die by SIGKILL and are started again. */
  KILL("servers killed"),
  /** Servers pause, by SIGSTOP and SIGCONT. */
  PAUSE("servers paused"),
  /** Messages between some processes are dropped, and their connections end. */
  PARTITION("bytes dropped by partitions"),
  /** Servers die by SIGKILL, lose their stored data, and join again from the others. */
  DISK("disks lost"),
  /** Client processes with their coordinators die by SIGKILL during transactions. */
  CLIENT("clients killed during transactions"),
  /** The map of the cluster changes: partitions are split, merged, and moved. */
  CHANGE("changes of the map completed");

  private final String seen;

  Fault(String seen) {
    this.seen = seen;
  }

  /** The evidence that is counted, for people. */
  public String seen() {
    return seen;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
