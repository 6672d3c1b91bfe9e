package org.mortydb.protocol.log;

import java.util.List;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * One thing that a replica must remember across a restart (docs/protocol.md, section 8). The log
 * has these records in the order in which they happened; checkpoints consist of them, too. Applying
 * a record twice does no harm.
 */
public sealed interface LogRecord {

  /**
   * The replica voted to commit this execution.
   *
   * @param onCondition whether the vote was conditional; the outcomes in the log decide the
   *     condition
   */
  record Prepared(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants,
      boolean onCondition)
      implements LogRecord {

    /** The record of an execution without scans. */
    public Prepared(
        ExecutionId execution,
        List<Read> reads,
        List<Write> writes,
        List<Integer> participants,
        boolean onCondition) {
      this(execution, reads, List.of(), writes, participants, onCondition);
    }
  }

  /**
   * The replica took back its vote on a lower execution, because {@code execution} exists. Without
   * this record, a vote that later votes have ignored would stand again after a restart.
   */
  record Dropped(TxnId txn, int execution) implements LogRecord {}

  /** The replica promised a view to a recovery. */
  record Promised(TxnId txn, View view) implements LogRecord {}

  /** The replica accepted an outcome of a transaction whose home is here. */
  record Accepted(TxnId txn, View view, Outcome value) implements LogRecord {}

  /** The replica learnt an outcome. */
  record Decided(TxnId txn, Outcome outcome) implements LogRecord {}

  /**
   * The outcome of a transaction whose writes, if it committed, are among the versions: there is
   * nothing left to install.
   */
  record Settled(TxnId txn, Outcome outcome) implements LogRecord {}

  /** The committed execution, if it is not the one that was prepared here. */
  record Executed(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      implements LogRecord {

    /** The record of an execution without scans. */
    public Executed(
        ExecutionId execution, List<Read> reads, List<Write> writes, List<Integer> participants) {
      this(execution, reads, List.of(), writes, participants);
    }
  }

  /**
   * The replica may have registered reads of transactions at or below a bound (section 3, Read-only
   * transactions). Registered reads are not logged: after a restart, no writer at or below the
   * bound gets a vote.
   *
   * @param written instead, coordinators may have heard of votes on transactions at or below the
   *     bound that were written, and not durable yet (section 8, Durability of a transaction)
   */
  record Registering(TxnId upTo, boolean written) implements LogRecord {

    /** A bound of registered reads. */
    public Registering(TxnId upTo) {
      this(upTo, false);
    }
  }

  /** Transactions at or below the fence get no votes any more. */
  record Fenced(TxnId fence) implements LogRecord {}

  /**
   * Everything at or below the watermark is decided, and known here (section 6).
   *
   * @param forgotten outcomes at or below it are forgotten
   */
  record Truncated(TxnId watermark, TxnId forgotten) implements LogRecord {}

  /** A committed version, in checkpoints and in copies of a peer. */
  record Version(Key key, WriteId version, Value value) implements LogRecord {}

  /**
   * The floor of a key, below which transactions are refused (section 6). In checkpoints and in
   * copies of a peer.
   */
  record Floor(Key key, TxnId floor) implements LogRecord {}

  /**
   * The replica holds no committed version of these keys at or below {@code upTo}, because they
   * were deleted (section 6). It may have dropped other deletions at or below {@code upTo}, too.
   * Without keys in checkpoints.
   */
  record Erased(TxnId upTo, List<Key> keys) implements LogRecord {}

  /**
   * From here on the replica may lack versions that belong only to cuts below this one: it can go
   * back to this cut, and to no lower one (section 9). Keys with a {@link Floor} may lack more. At
   * the end of a checkpoint and of a copy of a peer.
   */
  record HistoryFrom(TxnId cut) implements LogRecord {}

  /**
   * The replica's partition is new in this map, which need not be decided (section 15). The first
   * record of such a replica, in the log and in checkpoints: a server learns from it that it has
   * the replica.
   */
  record Hosted(ClusterMap map) implements LogRecord {}

  /**
   * The maps that the replica knows (section 15).
   *
   * @param maps ascending, each the successor of the one before
   * @param closed all changes with this number or a lower one have ended
   * @param dropped what moved away with changes up to this number may be missing
   */
  record MapsKnown(List<ClusterMap> maps, int closed, int dropped) implements LogRecord {}

  /**
   * The replica votes on nothing above the cut of a proposed map that this map moves to another
   * partition (section 15).
   *
   * @param acknowledged whether the replica may have acknowledged this, or may still do so
   */
  record Sealed(ClusterMap map, boolean acknowledged) implements LogRecord {}

  /**
   * The replica has locked a set of incarnations, one for each replica, to found the partition with
   * (section 9). A replica that finds its last lock again has forgotten nothing. An empty list
   * takes the lock back: the replica is no founder, or has forgotten what it did as a founder.
   *
   * @param founded whether all have locked the same set. Only replicas of partitions that a change
   *     of the map adds say so: they do not serve at once.
   */
  record Locked(List<Long> incarnations, boolean founded) implements LogRecord {
    /** A lock of a partition that is not founded, as far as the replica knows. */
    public Locked(List<Long> incarnations) {
      this(incarnations, false);
    }
  }

  /**
   * Whether the replica serves (section 9). If not, or without any such record, it has to found the
   * partition or to join.
   */
  record Serving(boolean serving) implements LogRecord {}
}
