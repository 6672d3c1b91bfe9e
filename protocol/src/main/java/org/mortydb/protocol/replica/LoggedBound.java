package org.mortydb.protocol.replica;

import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.model.TxnId;

/**
 * A bound in the log, for something that this replica tells others and does not log itself. A
 * restart may have forgotten it for transactions at or below the bound (docs/protocol.md, section
 * 3, Read-only transactions, and section 8, Durability of a transaction).
 *
 * <p>The bound is raised ahead of the transactions, at most once in the time of the allowed skew.
 * So it is durable already when most of them come.
 */
abstract sealed class LoggedBound permits Registrations, WrittenVotes {
  final ReplicaState state;

  /** How far the bound is raised above the transaction that needs it. */
  final long leadMicros;

  /** Whether this is the bound of written votes. */
  private final boolean written;

  /** The log has this bound; it may not be durable yet. */
  TxnId logged = TxnId.INITIAL;

  /** This bound is durable. */
  TxnId durable = TxnId.INITIAL;

  /** A restart may have forgotten what was told of transactions up to here. */
  TxnId forgotten = TxnId.INITIAL;

  LoggedBound(ReplicaState state, boolean written) {
    this.state = state;
    this.leadMicros = leadMicros(state.options);
    this.written = written;
  }

  /** Twice the allowed skew. So a restart or going back costs writers no more than a join. */
  static long leadMicros(ReplicaOptions options) {
    return 2 * Math.max(options.allowedSkewMicros(), options.tickMicros());
  }

  final void raise(TxnId txn, Effects out) {
    logged = new TxnId(txn.timeMicros() + leadMicros, Long.MAX_VALUE, 0);
    out.append(new LogRecord.Registering(logged, written));
  }

  /** A message to itself, which is held until the log is durable, tells this replica that it is. */
  final void confirm(Effects out) {
    state.holdUntilDurable(out);
    out.send(state.self, new RegistrationLogged(logged, written));
  }

  /** Asks again for the confirmation of a bound: the first one was lost, or none was asked for. */
  final void onTick(Effects out) {
    if (logged.isAfter(durable)) {
      confirm(out);
    }
  }

  final void onLogged(RegistrationLogged message) {
    if (message.upTo().isAfter(durable) && !message.upTo().isAfter(logged)) {
      durable = message.upTo();
    }
  }

  /** Whether a restart may have forgotten what was told of a transaction. */
  final boolean mayHaveForgotten(TxnId txn) {
    return !txn.isAfter(forgotten);
  }

  /** Restores a bound from the log. */
  void restore(LogRecord.Registering record) {
    if (record.upTo().isAfter(logged)) {
      logged = record.upTo();
      durable = logged;
      forgotten = logged;
    }
  }

  /** Copies the bound for a checkpoint. */
  final void copy(Consumer<LogRecord> to) {
    if (logged.isAfter(TxnId.INITIAL)) {
      to.accept(new LogRecord.Registering(logged, written));
    }
  }
}
