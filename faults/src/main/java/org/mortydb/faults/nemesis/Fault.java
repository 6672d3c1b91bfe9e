package org.mortydb.faults.nemesis;

import java.util.Locale;

/** What can go wrong. */
public enum Fault {
  /** Servers die by SIGKILL and are started again. */
  KILL("servers killed"),
  /** Servers stand still, by SIGSTOP and SIGCONT. */
  PAUSE("servers stopped"),
  /** What some processes send to some others is lost, and their connections with it. */
  PARTITION("bytes dropped by partitions"),
  /** Servers die by SIGKILL with all that they have stored, and join again from the others. */
  DISK("disks lost"),
  /** Client processes, coordinators and all, die by SIGKILL amid their transactions. */
  CLIENT("clients killed amid transactions");

  private final String seen;

  Fault(String seen) {
    this.seen = seen;
  }

  /** What is counted when it happens, for people. */
  public String seen() {
    return seen;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
