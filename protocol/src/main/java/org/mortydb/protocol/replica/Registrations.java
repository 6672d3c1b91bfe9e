package org.mortydb.protocol.replica;

import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.model.TxnId;

/**
 * How far registered reads may reach (docs/protocol.md, section 3, Read-only transactions). The
 * reads themselves are in their {@link KeyState}s, and in no log. The log has a bound on their
 * readers instead. A restarted replica has forgotten the reads, and votes on no writer at or below
 * the bound.
 *
 * <p>The answer to a reader waits for the disk only if no reader came for a while.
 */
final class Registrations extends LoggedBound {

  /** The highest reader whose reads were registered since the start. */
  private TxnId highest = TxnId.INITIAL;

  Registrations(ReplicaState state) {
    super(state, false);
  }

  /** A read is about to be registered: the bound must cover it when the reader hears of it. */
  void cover(TxnId reader, Effects out) {
    highest = ReplicaState.later(highest, reader);
    if (reader.isAfter(logged)) {
      raise(reader, out);
    }
    if (reader.isAfter(durable)) {
      state.holdUntilDurable(out);
    }
  }

  /** A read was registered, and the reader was told: the next ones need a higher bound soon. */
  void raiseAhead(TxnId reader, Effects out) {
    if (reader.timeMicros() > logged.timeMicros() - leadMicros / 2) {
      raise(reader, out);
      confirm(out);
    }
  }

  /** A vote follows from a registered read: it leaves once no restart can forget that read. */
  void holdUntilCovered(Effects out) {
    if (logged.isAfter(durable)) {
      state.holdUntilDurable(out);
    }
  }

  /** A restart may have forgotten readers up to here. */
  TxnId forgotten() {
    return forgotten;
  }

  /** The highest reader whose reads were registered since the start. */
  TxnId highest() {
    return highest;
  }

  /** No reader above it is registered. */
  TxnId bound() {
    return logged;
  }

  @Override
  void restore(LogRecord.Registering record) {
    if (state.rules.remembersRegistrations()) {
      super.restore(record);
    }
  }
}
