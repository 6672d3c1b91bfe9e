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
 * What the systems with leaders send, as immutable values. Every message may be lost, delayed,
 * duplicated and reordered; every handler is idempotent. A refusal to serve a transaction is a
 * {@link Message.Refused}.
 */
public sealed interface LeaderMessage extends Message.OfSystem {

  /** The timestamp of no commit: the outcome is an abort. */
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
   * @param ageMicros the timestamp of the transaction's first attempt: its priority
   * @param request names the read in its answer; unique within the transaction
   */
  record TransactionRead(TxnId txn, long ageMicros, int request, Key key) implements FromClient {}

  /**
   * Reads the newest version of a key below a timestamp, with no lock.
   *
   * @param atMicros the timestamp: odd, as no commit's is
   */
  record SnapshotRead(TxnId txn, int request, Key key, long atMicros) implements FromClient {}

  /**
   * Asks a participant's leader to prepare, and to tell the coordinator group.
   *
   * @param ageMicros the timestamp of the transaction's first attempt: its priority
   * @param coordinator the partition that decides, one of the participants
   * @param readOnly whether the transaction writes nothing at any partition
   * @param readSet what was read at the asked partition
   * @param writeSet what is to be written there
   * @param participants every partition read or written, ascending
   */
  record PrepareCommit(
      TxnId txn,
      long ageMicros,
      int coordinator,
      boolean readOnly,
      List<Read> readSet,
      List<Write> writeSet,
      List<Integer> participants)
      implements FromClient {
    @Override
    public Access access() {
      return writeSet.isEmpty() ? Access.READ : Access.WRITE;
    }
  }

  /**
   * Aborts the transaction unless it is prepared; at the coordinator group unless it is decided.
   * Answered by a {@link Verdict}, or by a refusal ({@link Message.Refusal#TRUNCATED}) when its
   * outcome may have been forgotten.
   */
  record Rollback(TxnId txn) implements FromClient {}

  /** The client still works on the transaction. Not answered. */
  record KeepAlive(TxnId txn) implements FromClient {}

  // ---- replica to client --------------------------------------------------------------------

  /** Answers a read. */
  record VersionReply(TxnId txn, int request, WriteId version, Value value)
      implements FromReplica {}

  // ---- between leaders, and to clients ------------------------------------------------------

  /**
   * A participant tells the coordinator group whether it has prepared.
   *
   * @param prepareMicros the least timestamp at which the transaction may commit, or {@link
   *     #ABORTED} if the participant has aborted
   */
  record Ballot(TxnId txn, long prepareMicros) implements FromReplica {}

  /** A participant tells the coordinator group that it has to wait before it can prepare. */
  record Blocked(TxnId txn) implements FromReplica {}

  /**
   * A participant tells the coordinator group that the transaction, which is prepared there, keeps
   * an older one waiting: if it is itself {@link Blocked} anywhere, it must abort.
   */
  record GiveWay(TxnId txn) implements FromReplica {}

  /**
   * Tells the outcome: the coordinator group to participants and client, and a participant that has
   * aborted by itself to the client.
   *
   * @param commitMicros the commit timestamp, or {@link #ABORTED}
   */
  record Verdict(TxnId txn, long commitMicros) implements FromReplica {

    /** Whether the transaction has committed. */
    public boolean isCommit() {
      return commitMicros != ABORTED;
    }
  }

  /** The participant's log holds the outcome. */
  record VerdictAck(TxnId txn) implements FromReplica {}

  // ---- between a leader and its followers ---------------------------------------------------

  /**
   * Appends to a follower's log.
   *
   * @param firstIndex the index of the first entry, counted from 1
   * @param entries may be empty
   * @param appliedIndex entries up to it may be applied
   * @param safeMicros every entry that follows these has a timestamp above it; 0 when that is not
   *     known
   */
  record Append(long firstIndex, List<LogEntry> entries, long appliedIndex, long safeMicros)
      implements FromReplica {

    /** The index of the last entry, or of the one before the first if there is none. */
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
   * @param appliedIndex up to where the follower may apply
   */
  record AppendReply(long lastIndex, long appliedIndex) implements FromReplica {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  /** A follower has a read to serve at a timestamp, and asks when it may; an Append answers. */
  record SafeTimeQuery(long atMicros) implements FromReplica {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }
}
