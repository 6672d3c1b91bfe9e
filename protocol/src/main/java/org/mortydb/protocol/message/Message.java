package org.mortydb.protocol.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Everything that crosses the network, as immutable values. The bare verb asks, {@code ...Reply}
 * answers. Every message may be lost, delayed, duplicated and reordered; every handler is
 * idempotent. The message table with the rules is in docs/protocol.md.
 */
public sealed interface Message {

  /** The transaction that the message is about, or the watermark; initial if about neither. */
  TxnId txn();

  // ---- coordinator to replica ---------------------------------------------------------------

  /**
   * Reads the newest version of {@code key} below {@code txn}, committed or not, and subscribes to
   * what it should see from now on (section 2).
   *
   * @param request names the read in its reply and in pushes; unique within the transaction
   */
  record Get(TxnId txn, int request, Key key) implements Message {}

  /**
   * Reads the newest version below {@code txn} of every key of the asked partition in a range,
   * committed or not, in the order of the keys, and subscribes to what it should see from now on
   * (section 2).
   *
   * @param request names the scan in its reply and in pushes; unique within the transaction
   * @param limit how many keys with a value to answer at most, positive
   */
  record Scan(TxnId txn, int request, KeyRange range, int limit) implements Message {}

  /**
   * Makes an uncommitted write visible to readers (section 2).
   *
   * @param execution the execution that issues it
   */
  record Put(TxnId txn, int execution, Write write) implements Message {}

  /**
   * Takes uncommitted writes back that a re-execution did not issue again (section 2).
   *
   * @param execution the re-execution; writes of a higher one stay
   */
  record Retract(TxnId txn, int execution, List<Key> keys) implements Message {}

  /**
   * Asks for a vote on one execution (section 3).
   *
   * @param reads the read set at the asked partition
   * @param ranges the ranges that were scanned, at every partition: a key in them that is not among
   *     {@code reads} was read as never written
   * @param writes the write set at the asked partition, with values
   * @param participants every partition that the execution read or wrote, and the home partition,
   *     ascending
   */
  record Prepare(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      implements Message {

    /** Of an execution that has scanned nothing. */
    public Prepare(
        ExecutionId execution, List<Read> reads, List<Write> writes, List<Integer> participants) {
      this(execution, reads, List.of(), writes, participants);
    }

    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /**
   * Advice that {@code execution} was given up and that the asked partition is no participant of
   * the next one, or will hear of it later (section 4).
   */
  record Drop(ExecutionId execution) implements Message {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** Proposes an outcome to the home partition in a view (section 4). */
  record Finalize(TxnId txn, View view, Outcome value) implements Message {}

  /** Tells the outcome (section 4). Sent by coordinators, and by replicas that were asked. */
  record Decide(TxnId txn, Outcome outcome) implements Message {}

  // ---- replica to coordinator ---------------------------------------------------------------

  /**
   * Answers a {@link Get}.
   *
   * @param sequence grows with every answer and push for one request; the highest one holds
   * @param settled see {@link org.mortydb.protocol.model.VersionedValue#settled}
   */
  record GetReply(
      TxnId txn, int request, int sequence, WriteId version, Value value, boolean settled)
      implements Message {}

  /**
   * Tells a subscribed reader, unasked, what its read should see now, or that what it has seen has
   * settled (section 2).
   *
   * @param sequence as in {@link GetReply}
   * @param settled see {@link org.mortydb.protocol.model.VersionedValue#settled}
   */
  record Push(TxnId txn, int request, int sequence, WriteId version, Value value, boolean settled)
      implements Message {}

  /**
   * Answers a {@link Scan}.
   *
   * @param rows the keys that have been written below the reader, ascending; those without a value
   *     among them, whose absence is a version as well
   * @param next where the answer ends: the lowest key of the range of which nothing was said; null
   *     when that is none
   */
  record ScanReply(TxnId txn, int request, List<VersionedValue> rows, @Nullable Key next)
      implements Message {}

  /**
   * Tells a reader that has scanned, unasked, what it should see of one key of the range now: one
   * that it was told of, or another.
   *
   * @param sequence grows with every push for one request, from 1; of one key, the highest holds
   * @param row the newest version below the reader; initial and absent if it is gone
   */
  record PushRow(TxnId txn, int request, int sequence, VersionedValue row) implements Message {}

  /** Answers a {@link Prepare}. */
  record PrepareReply(ExecutionId execution, PrepareAnswer answer) implements Message {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** Answers a {@link Finalize} of the same view. */
  record FinalizeReply(TxnId txn, View view, FinalizeAnswer answer) implements Message {}

  /**
   * Refuses to serve a transaction at all.
   *
   * @param replicaClockMicros the replica's clock, so that a client can see how far it is off
   */
  record Refused(TxnId txn, Refusal reason, long replicaClockMicros) implements Message {}

  /** Why a replica does not serve a transaction. */
  enum Refusal {
    /** The id is further ahead of the replica's clock than the allowed skew (section 8). */
    CLOCK_AHEAD,
    /** The id is at or below the replica's fence: too old to be served (section 6). */
    TRUNCATED,
    /** The key does not belong to the asked partition: client and server disagree on the layout. */
    WRONG_PARTITION,
    /** A key, value or set exceeds {@link org.mortydb.protocol.model.Limits}. */
    OVERSIZED,
    /** The client lacks the right to write. Said by servers, before a replica is asked. */
    NOT_AUTHORIZED,
    /** The replica has not joined its partition yet: another one has to be asked. */
    NOT_SERVING
  }

  // ---- anyone to replica or coordinator -----------------------------------------------------

  /** Asks for the outcome of a transaction that stays undecided here; answered by a Decide. */
  record Inquire(TxnId txn) implements Message {}

  /** Answers an {@link Inquire} whose answer is not known. */
  record InquireReply(TxnId txn) implements Message {}

  /**
   * Asks for a promise on behalf of a recovery (section 5).
   *
   * @param view the recovery's view, above {@link View#CLIENT}
   */
  record Recover(TxnId txn, View view) implements Message {}

  /** Answers a {@link Recover} of the same view. */
  record RecoverReply(TxnId txn, View view, RecoverAnswer answer) implements Message {}

  /** Asks a peer of the same partition for the committed execution that is missing here. */
  record Fetch(ExecutionId execution) implements Message {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** Answers a {@link Fetch}, by peers that hold the execution. */
  record FetchReply(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      implements Message {

    /** Of an execution that has scanned nothing. */
    public FetchReply(
        ExecutionId execution, List<Read> reads, List<Write> writes, List<Integer> participants) {
      this(execution, reads, List.of(), writes, participants);
    }

    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  // ---- replica to replica (section 6) -------------------------------------------------------

  /**
   * Asks every replica of the partition to fence all at or below the watermark, and to tell what it
   * knows of it.
   */
  record TruncatePrepare(TxnId watermark) implements Message {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * Answers a {@link TruncatePrepare}: the fence stands.
   *
   * @param applied the replica's own watermark; of what is at or below it nothing is told
   * @param standings the transactions at or below the watermark that may commit or have committed,
   *     and for a watermark ahead of the clock those above it that an outcome was accepted for
   */
  record TruncateReply(TxnId watermark, TxnId applied, List<Standing> standings)
      implements Message {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * What of a transaction is known to a replica.
   *
   * @param outcome null while it is not decided there
   */
  record Standing(TxnId txn, @Nullable Outcome outcome) {}

  /**
   * Tells the partition what is committed between two watermarks; nothing else is or will be.
   *
   * @param base the watermark that a replica must have reached to apply this
   * @param commits with commit outcomes
   */
  record TruncateCommit(TxnId base, TxnId watermark, List<Standing> commits) implements Message {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /** The replica knows everything at or below the watermark, durably. */
  record TruncateAck(TxnId watermark) implements Message {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /** Tells all partitions that f+1 replicas of one have reached a watermark. */
  record Watermark(int partition, TxnId watermark) implements Message {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /** Answers a question that only a replica asks that has fallen behind: it must catch up. */
  record Behind(TxnId txn, TxnId watermark) implements Message {}

  /**
   * Asks a peer for a part of its committed versions.
   *
   * @param slot where the part begins, 0 at first, then what the last reply said
   */
  record Copy(int slot) implements Message {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  /**
   * Answers a {@link Copy}.
   *
   * @param next where the next part begins, -1 at the end
   * @param watermark the peer's watermark: the copy is complete up to what it was at the first part
   */
  record CopyReply(int slot, int next, TxnId watermark, List<CopiedVersion> versions)
      implements Message {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * Asks a peer for a part of the commit outcomes that it has kept.
   *
   * @param after where the part begins: initial at first, then what the last reply said
   */
  record CopyOutcomes(TxnId after) implements Message {
    @Override
    public TxnId txn() {
      return after;
    }
  }

  /**
   * Answers a {@link CopyOutcomes}.
   *
   * @param next where the next part begins, initial at the end
   * @param forgotten what the peer has kept no outcomes of
   * @param outcomes the commits at or below the peer's watermark
   */
  record CopyOutcomesReply(TxnId after, TxnId next, TxnId forgotten, List<Standing> outcomes)
      implements Message {
    @Override
    public TxnId txn() {
      return after;
    }
  }

  /**
   * A committed version of a key: the newest one at or below the watermark of a copy, or the newest
   * of all.
   *
   * @param floor what is below it cannot be answered with the copied versions; initial when all can
   */
  record CopiedVersion(Key key, WriteId version, Value value, TxnId floor) {}

  /**
   * A replica that remembers nothing looks for others like it, to found the partition (section 9).
   *
   * @param incarnations one for each replica of the partition, 0 where it is not known
   * @param locked whether the sender founds with exactly these, and no others
   * @param serving whether the partition is founded with exactly these, and the sender serves
   */
  record Found(List<Long> incarnations, boolean locked, boolean serving) implements Message {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  // ---- backups (section 11) -----------------------------------------------------------------

  /**
   * Asks a replica for a part of what is committed at or below a cut of the serial order. The first
   * question has the replica hold the cut's versions, each further one for a while longer; it is
   * answered with rows once the replica's watermark has reached the cut. Whoever asks draws the cut
   * as the id of a transaction of his own, which never runs.
   *
   * @param range the keys to tell of; of one partition's, as every replica knows its own only
   * @param limit the most bytes of keys and values to answer with, at least one row; 0 asks for
   *     none and holds the versions only
   */
  record ReadCut(TxnId cut, KeyRange range, int limit) implements Message {
    @Override
    public TxnId txn() {
      return cut;
    }
  }

  /**
   * Answers a {@link ReadCut}.
   *
   * @param from where the range of the question began
   * @param watermark of the replica
   * @param rows the newest version of each key that was ever written, deletions too, ascending;
   *     empty unless {@link CutState#READ}
   * @param next nothing is told of this key and those above it; null: there are none
   */
  record CutReply(
      TxnId cut,
      Key from,
      CutState state,
      TxnId watermark,
      List<VersionedValue> rows,
      @Nullable Key next)
      implements Message {
    @Override
    public TxnId txn() {
      return cut;
    }
  }

  /** What a replica can tell of a cut. */
  enum CutState {
    /** Its versions are held, and not all of them are there yet. */
    HELD,
    /** The rows are those of the cut. */
    READ,
    /** Versions of the cut may have been forgotten: another replica, or a later cut, may do. */
    GONE,
    /** Too many cuts are held already. */
    BUSY
  }

  // ---- other systems ------------------------------------------------------------------------

  /**
   * A message of one of the systems that Morty is compared with. Morty's own machines drop it. Its
   * text form tells everything that it says: the simulator tells messages apart by it.
   */
  non-sealed interface Baseline extends Message {

    /** Whether clients send it; otherwise replicas do. */
    boolean isFromClient();

    /** Whether something may be written because of it, for which a client needs the right. */
    boolean writes();
  }
}
