package org.mortydb.protocol.machine;

import java.util.List;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/** How a transaction ended. A coordinator never guesses it. */
public sealed interface Completion {

  /** The transaction. */
  TxnId txn();

  /**
   * The transaction committed.
   *
   * @param position the unique place in the serial order, by time and client: the transaction's own
   *     id in systems that order by id, else an id with the commit timestamp as its time. Of two
   *     committed transactions that write the same key, the one with the lower position comes
   *     first. In most systems that holds for all that conflict: see {@link
   *     org.mortydb.protocol.system.Guarantee}
   * @param execution the execution that committed; older than the last one if a recovery decided so
   * @param path how the decision was reached
   * @param reads the versions that the execution read from the store, without its own writes; one
   *     for each key, but several if keys were read and scanned by themselves ({@link Path#LOCAL})
   * @param ranges the ranges that the execution scanned; a key in them that is not among the reads
   *     was read as never written
   * @param writes the writes of the execution
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

    /** Creates the completion of an execution without scans. */
    public Committed(
        TxnId txn,
        TxnId position,
        int execution,
        Path path,
        List<VersionedValue> reads,
        List<Write> writes) {
      this(txn, position, execution, path, reads, List.of(), writes);
    }

    /**
     * Whether the transaction had no operations, so that its place in the order is of no account.
     */
    public boolean isEmpty() {
      return reads.isEmpty() && ranges.isEmpty() && writes.isEmpty();
    }
  }

  /** The transaction aborted. Nothing of it remains. */
  record Aborted(TxnId txn, AbortReason reason) implements Completion {}

  /**
   * The transaction committed or aborted, but the coordinator could not learn which before the
   * deadline.
   *
   * @param writes the writes of all prepared executions; if the transaction committed, it wrote
   *     those of one execution
   */
  record Unknown(TxnId txn, List<Write> writes) implements Completion {}

  /** How a commit was decided (section 4). */
  enum Path {
    /** A majority in every participant registered the reads, and nothing was written. */
    READ_ONLY,
    /** All replicas of every participant voted to commit: one round trip. */
    FAST,
    /** A majority in every participant voted to commit, and the home partition accepted. */
    SLOW,
    /** Another process decided, and the coordinator learnt it. */
    LEARNT,
    /**
     * All replicas of every participant have written their votes to commit, and not all of them are
     * durable yet: a loss of power may undo the commit (section 8, Durability of a transaction).
     */
    ASYNC,
    /** All was read at one place of the past, where the order is over: nothing to decide. */
    PAST,
    /** Each key was read by itself: the transaction has no place in the order. */
    LOCAL
  }

  /** Why a transaction aborted. */
  enum AbortReason {
    /** The application aborted. */
    APPLICATION(false),
    /** A re-execution cannot resolve the conflict with a committed transaction. */
    CONFLICT(true),
    /**
     * A merge does not fit the value of its key: that is no number or no list, or the sum has no 64
     * bits, or the list is too long.
     */
    MERGE_FAILED(false),
    /** A key that the transaction merges into has too many merges that are not folded yet. */
    MERGE_LIMIT(true),
    /** The re-execution policy allows no further execution. */
    REEXECUTION_LIMIT(true),
    /** The deadline passed before an outcome was proposed. */
    DEADLINE(false),
    /** The transaction's id fell below a replica's fence. */
    TRUNCATED(true),
    /** A replica's clock is behind this client's by more than the allowed skew. */
    CLOCK_AHEAD(true),
    /** A replica refused the transaction's content, for instance its size. */
    REFUSED(false),
    /** A server refused the transaction because the client lacks the right to write. */
    NOT_AUTHORIZED(false),
    /** None of the replicas asked has joined its partition yet. */
    NOT_SERVING(true),
    /** The map of the cluster changes, and moves a key of the transaction (section 15). */
    MOVED(true),
    /** Another process decided to abort, and the coordinator learnt it. */
    LEARNT(true),
    /** No replica keeps the place of the past that the application wants to read. */
    PLACE_GONE(false),
    /** f+1 replicas have no place as new as the reader needs: another attempt asks for votes. */
    BEHIND(true),
    /** The client runs the transaction again under an id in longer slots (section 12). */
    RENUMBERED(true);

    private final boolean retryable;

    AbortReason(boolean retryable) {
      this.retryable = retryable;
    }

    /** The reason of an attempt that ends because a replica has refused it. */
    public static AbortReason of(Refusal refusal) {
      return switch (refusal) {
        case CLOCK_AHEAD -> CLOCK_AHEAD;
        case TRUNCATED -> TRUNCATED;
        case WRONG_PARTITION, OVERSIZED, INVALID -> REFUSED;
        case NOT_AUTHORIZED -> NOT_AUTHORIZED;
        case NOT_SERVING -> NOT_SERVING;
        case SEALED, MOVED -> MOVED;
      };
    }

    /** Whether the same transaction may succeed under a new id. */
    public boolean retryable() {
      return retryable;
    }
  }
}
