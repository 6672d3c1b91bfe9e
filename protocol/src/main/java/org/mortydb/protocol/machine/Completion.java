package org.mortydb.protocol.machine;

import java.util.List;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/** How a transaction ended, as its coordinator knows it. Never a guess. */
public sealed interface Completion {

  /** The transaction. */
  TxnId txn();

  /**
   * Committed.
   *
   * @param position its place in the serial order, by time and client: the transaction's own id in
   *     systems that order by id, else one whose time is the timestamp that it committed at. Of two
   *     committed transactions that conflict, the one with the lower position comes first. Unique
   * @param execution the execution that did; it can be older than the last one when a recovery
   *     decided
   * @param path how the decision was reached
   * @param reads what that execution read from the store, own writes left out
   * @param ranges what that execution has scanned: a key in it that is not among the reads was read
   *     as never written
   * @param writes what that execution wrote
   */
  record Committed(
      TxnId txn,
      TxnId position,
      int execution,
      Path path,
      List<VersionedValue> reads,
      List<KeyRange> ranges,
      List<Write> writes)
      implements Completion {

    /** Of an execution that has scanned nothing. */
    public Committed(
        TxnId txn,
        TxnId position,
        int execution,
        Path path,
        List<VersionedValue> reads,
        List<Write> writes) {
      this(txn, position, execution, path, reads, List.of(), writes);
    }
  }

  /** Aborted: nothing of it remains. */
  record Aborted(TxnId txn, AbortReason reason) implements Completion {}

  /**
   * Committed or aborted, and nobody could be asked before the deadline.
   *
   * @param writes what it has written if it committed: the writes of every execution that was
   *     prepared
   */
  record Unknown(TxnId txn, List<Write> writes) implements Completion {}

  /** How a commit was decided (section 4). */
  enum Path {
    /** All replicas of every participant voted to commit: one round trip. */
    FAST,
    /** A majority in every participant, and a Finalize at the home partition. */
    SLOW,
    /** Somebody else decided, and told. */
    LEARNT
  }

  /** Why a transaction aborted. */
  enum AbortReason {
    /** The application asked for it. */
    APPLICATION(false),
    /** A committed transaction conflicts in a way that no re-execution mends. */
    CONFLICT(true),
    /** The re-execution policy gave up. */
    REEXECUTION_LIMIT(true),
    /** The deadline passed before an outcome was proposed. */
    DEADLINE(false),
    /** The transaction's id fell below a replica's fence. */
    TRUNCATED(true),
    /** A replica's clock is too far behind this client's, by more than the allowed skew. */
    CLOCK_AHEAD(true),
    /** A replica refused the transaction for its content. */
    REFUSED(false),
    /** A server refused the transaction because the client lacks the right to write. */
    NOT_AUTHORIZED(false),
    /** No replica that was asked has joined its partition yet. */
    NOT_SERVING(true),
    /** Somebody else decided to abort, and told. */
    LEARNT(true);

    private final boolean retryable;

    AbortReason(boolean retryable) {
      this.retryable = retryable;
    }

    /** Whether the same transaction may succeed under a new id. */
    public boolean retryable() {
      return retryable;
    }
  }
}
