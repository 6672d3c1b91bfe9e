package org.mortydb.baselines.log;

import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.machine.Effects;

/** Receives the progress of a leader's log. Both methods are called in the order of the log. */
public interface ReplicationListener {

  /** A majority of the partition holds the entry. */
  void replicated(long nowMicros, LogEntry entry, Effects out);

  /** A majority holds the entry, and its commit wait is over. */
  void applied(long nowMicros, LogEntry entry, Effects out);
}
