package org.mortydb.protocol.replica;

import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.model.TxnId;

/**
 * How far votes may reach that this replica has told before they were durable (docs/protocol.md,
 * section 8, Durability of a transaction). A restart may have forgotten such votes. Nothing rests
 * on them, but a recovery must not take the replica's word that it never gave them.
 *
 * <p>The log has a bound on their transactions. It is raised ahead of them, at most once in the
 * time of the allowed skew. Votes above the durable bound are not told before they are durable
 * themselves.
 */
final class WrittenVotes {
  private final ReplicaState state;

  /** How far the bound is raised above the transaction that needs it. */
  private final long leadMicros;

  /** The log has this bound; it may not be durable yet. */
  private TxnId logged = TxnId.INITIAL;

  /** This bound is durable. */
  private TxnId durable = TxnId.INITIAL;

  /** A restart may have forgotten votes up to here. */
  private TxnId forgotten = TxnId.INITIAL;

  WrittenVotes(ReplicaState state) {
    this.state = state;
    this.leadMicros = Registrations.leadMicros(state.options);
  }

  /**
   * Whether a vote on a transaction may be told before it is durable. If not, the bound is raised
   * for later ones.
   */
  boolean covers(TxnId txn, Effects out) {
    if (txn.timeMicros() > logged.timeMicros() - leadMicros / 2) {
      logged = new TxnId(txn.timeMicros() + leadMicros, Long.MAX_VALUE, 0);
      out.append(new LogRecord.Registering(logged, true));
    }
    return !txn.isAfter(durable) || !state.rules.boundsWrittenVotes();
  }

  /** Asks for the confirmation of a bound: it holds what is sent after it. */
  void onTick(Effects out) {
    if (logged.isAfter(durable)) {
      state.holdUntilDurable(out);
      out.send(state.self, new RegistrationLogged(logged, true));
    }
  }

  void onLogged(RegistrationLogged message) {
    if (message.upTo().isAfter(durable) && !message.upTo().isAfter(logged)) {
      durable = message.upTo();
    }
  }

  /** Whether a vote on a transaction may be forgotten that was told before it was durable. */
  boolean mayHaveForgotten(TxnId txn) {
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
  void copy(Consumer<LogRecord> to) {
    if (logged.isAfter(TxnId.INITIAL)) {
      to.accept(new LogRecord.Registering(logged, true));
    }
  }
}
