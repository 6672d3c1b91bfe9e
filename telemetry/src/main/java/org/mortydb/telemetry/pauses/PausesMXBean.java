package org.mortydb.telemetry.pauses;

import java.util.List;

/** What a process tells others of its pauses, by JMX. */
public interface PausesMXBean {

  /** Returns the latest pauses of a millisecond or more, the oldest first; some thousands. */
  List<Pause> getLatest();
}
