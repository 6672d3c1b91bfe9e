package org.mortydb.baselines.message;

import java.util.List;
import org.mortydb.protocol.message.ClientMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * The messages of the systems with leaders, as immutable values. Every message may be lost,
 * delayed, duplicated and reordered, and every handler is idempotent. A replica that refuses a
 * request answers with a {@link Message.Refused}.
 */
public sealed interface LeaderMessage extends Message.OfSystem {

  /** The timestamp in place of a commit timestamp when the outcome is an abort. */
  long ABORTED = 0;

  /** A message that clients send to replicas. */
  sealed interface FromClient extends LeaderMessage, ClientMessage {
    @Override
    default Access access() {
      return Access.READ;
    }
  }

  /** A message that replicas send to clients or to each other. */
  sealed interface FromReplica extends LeaderMessage {}

  // ---- client to replica --------------------------------------------------------------------

  /**
   * Reads the newest committed version of a key, for a transaction that may write.
   *
   * @param ageMicros the timestamp of the transaction's first attempt, which is its priority
   * @param request identifies the read in its answer; unique within the transaction
   */
  record TransactionRead(TxnId txn, long ageMicros, int request, Key key) implements FromClient {}

  /**
   * Reads the newest version of a key below a timestamp, without a lock.
   *
   * @param atMicros the timestamp; odd, while commit timestamps are even
   */
  record SnapshotRead(TxnId txn, int request, Key key, long atMicros) implements FromClient {}

  /**
   * Asks for the right to write a key, before the transaction asks to commit. Has no answer: a
   * transaction that loses the key is told with a {@link Verdict}.
   *
   * @param ageMicros the timestamp of the transaction's first attempt, which is its priority
   * @param snapshotMicros the timestamp of the transaction's snapshot; 0 if it has not read yet
   */
  record Update(TxnId txn, long ageMicros, Key key, long snapshotMicros) implements FromClient {
    @Override
    public Access access() {
      return Access.WRITE;
    }
  }

  /**
   * Asks a participant's leader to prepare and to report to the coordinator group.
   *
   * @param ageMicros the timestamp of the transaction's first attempt, which is its priority
   * @param coordinator the partition that decides; one of the participants
   * @param readOnly whether the transaction writes at no partition
   * @param readSet the reads at this participant
   * @param writeSet the writes at this participant
   * @param participants all partitions that take part in the commit, ascending
   * @param snapshotMicros the timestamp at which the transaction has read, which is odd; 0 if it
   *     has read nothing, or not from a snapshot
   */
  record PrepareCommit(
      TxnId txn,
      long ageMicros,
      int coordinator,
      boolean readOnly,
      List<Read> readSet,
      List<Write> writeSet,
      List<Integer> participants,
      long snapshotMicros)
      implements FromClient {

    /** A transaction without a snapshot. */
    public PrepareCommit(
        TxnId txn,
        long ageMicros,
        int coordinator,
        boolean readOnly,
        List<Read> readSet,
        List<Write> writeSet,
        List<Integer> participants) {
      this(txn, ageMicros, coordinator, readOnly, readSet, writeSet, participants, 0);
    }

    @Override
    public Access access() {
      return writeSet.isEmpty() ? Access.READ : Access.WRITE;
    }
  }

  /**
   * Aborts the transaction unless it is prepared; at the coordinator group, unless it is decided.
   * The answer is a {@link Verdict}, or a refusal ({@link Message.Refusal#TRUNCATED}) when the
   * outcome may have been forgotten.
   */
  record Rollback(TxnId txn) implements FromClient {}

  /** Tells that the client still works on the transaction. Has no answer. */
  record KeepAlive(TxnId txn) implements FromClient {}

  // ---- replica to client --------------------------------------------------------------------

  /** Answers a read. */
  record VersionReply(TxnId txn, int request, WriteId version, Value value)
      implements FromReplica {}

  // ---- between leaders, and to clients ------------------------------------------------------

  /**
   * Tells the coordinator group whether a participant has prepared.
   *
   * @param prepareMicros the least timestamp at which the transaction may commit, or {@link
   *     #ABORTED} if the participant has aborted
   * @param conflicts the transaction's conflicts with others at this participant
   */
  record Ballot(TxnId txn, long prepareMicros, Conflicts conflicts) implements FromReplica {

    /** A ballot of a system that notes no conflicts. */
    public Ballot(TxnId txn, long prepareMicros) {
      this(txn, prepareMicros, Conflicts.NONE);
    }
  }

  /** Tells the coordinator group that a participant must wait before it can prepare. */
  record Blocked(TxnId txn) implements FromReplica {}

  /**
   * Tells the coordinator group that the transaction, which is prepared at a participant, delays an
   * older one. If the transaction is {@link Blocked} anywhere, it must abort.
   */
  record GiveWay(TxnId txn) implements FromReplica {}

  /**
   * The outcome, from the coordinator group to participants and client, or from a participant that
   * has aborted on its own to the client.
   *
   * @param commitMicros the commit timestamp, or {@link #ABORTED}
   * @param conflicts the transaction's conflicts with others at all participants
   */
  record Verdict(TxnId txn, long commitMicros, Conflicts conflicts) implements FromReplica {

    /** A verdict of a system that notes no conflicts. */
    public Verdict(TxnId txn, long commitMicros) {
      this(txn, commitMicros, Conflicts.NONE);
    }

    /** Whether the transaction has committed. */
    public boolean isCommit() {
      return commitMicros != ABORTED;
    }
  }

  /** Acknowledges that the participant's log holds the outcome. */
  record VerdictAck(TxnId txn) implements FromReplica {}

  // ---- between a leader and its followers ---------------------------------------------------

  /**
   * Appends to a follower's log.
   *
   * @param firstIndex the index of the first entry, counted from 1
   * @param entries the entries; may be empty
   * @param appliedIndex the index up to which entries may be applied
   * @param safeMicros every later entry has a timestamp above it; 0 when unknown
   */
  record Append(long firstIndex, List<LogEntry> entries, long appliedIndex, long safeMicros)
      implements FromReplica {

    /** The index of the last entry; without entries, the index before the first. */
    public long lastIndex() {
      return firstIndex + entries.size() - 1;
    }

    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  /**
   * Acknowledges all entries up to an index.
   *
   * @param appliedIndex the index of the last entry that the follower has applied
   */
  record AppendReply(long lastIndex, long appliedIndex) implements FromReplica {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  /** Asks the leader when the follower may serve a read at a timestamp. An Append is the answer. */
  record SafeTimeQuery(long atMicros) implements FromReplica {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }
}
