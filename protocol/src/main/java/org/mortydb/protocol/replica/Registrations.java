package org.mortydb.protocol.replica;

import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.model.TxnId;

/**
 * How far registered reads may reach (docs/protocol.md, section 3, Read-only transactions). The
 * reads themselves are in their {@link KeyState}s, and in no log. The log has a bound on their
 * readers instead. A restarted replica has forgotten the reads, and votes on no writer at or below
 * the bound.
 *
 * <p>The bound is raised ahead of the readers, at most once in the time of the allowed skew. So the
 * answer to a reader waits for the disk only if no reader came for a while.
 */
final class Registrations {
  private final ReplicaState state;

  /** How far the bound is raised above the reader that needs it. */
  private final long leadMicros;

  /** The log has this bound; it may not be durable yet. */
  private TxnId logged = TxnId.INITIAL;

  /** This bound is durable. */
  private TxnId durable = TxnId.INITIAL;

  /** A restart may have forgotten readers up to here. */
  private TxnId forgotten = TxnId.INITIAL;

  /** The highest reader whose reads were registered since the start. */
  private TxnId highest = TxnId.INITIAL;

  Registrations(ReplicaState state) {
    this.state = state;
    this.leadMicros = leadMicros(state.options);
  }

  /** Twice the allowed skew. So a restart or going back costs writers no more than a join. */
  static long leadMicros(ReplicaOptions options) {
    return 2 * Math.max(options.allowedSkewMicros(), options.tickMicros());
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

  private void raise(TxnId reader, Effects out) {
    logged = new TxnId(reader.timeMicros() + leadMicros, Long.MAX_VALUE, 0);
    out.append(new LogRecord.Registering(logged));
  }

  /** A message to itself, which is held until the log is durable, tells this replica that it is. */
  private void confirm(Effects out) {
    state.holdUntilDurable(out);
    out.send(state.self, new RegistrationLogged(logged));
  }

  /** Asks again for the confirmation of a bound: the first one was lost, or none was asked for. */
  void onTick(Effects out) {
    if (logged.isAfter(durable)) {
      confirm(out);
    }
  }

  void onLogged(RegistrationLogged message) {
    if (message.upTo().isAfter(durable) && !message.upTo().isAfter(logged)) {
      durable = message.upTo();
    }
  }

  /** A vote follows from a registered read: it leaves once no restart can forget that read. */
  void holdUntilCovered(Effects out) {
    if (logged.isAfter(durable)) {
      state.holdUntilDurable(out);
    }
  }

  /** Whether a reader above a writer may have been registered, and forgotten by a restart. */
  boolean mayHaveForgotten(TxnId writer) {
    return !writer.isAfter(forgotten);
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

  /** Restores a bound from the log. */
  void restore(LogRecord.Registering record) {
    if (state.rules.remembersRegistrations() && record.upTo().isAfter(logged)) {
      logged = record.upTo();
      durable = logged;
      forgotten = logged;
    }
  }

  /** Copies the bound for a checkpoint. */
  void copy(Consumer<LogRecord> to) {
    if (logged.isAfter(TxnId.INITIAL)) {
      to.accept(new LogRecord.Registering(logged));
    }
  }
}
