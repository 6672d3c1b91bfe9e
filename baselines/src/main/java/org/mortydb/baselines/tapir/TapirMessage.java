package org.mortydb.baselines.tapir;

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
 * The messages of TAPIR. {@code txn} identifies the attempt. {@code stamp} is its proposed position
 * in the serial order ({@link TxnId#at}). Every handler is idempotent. A replica that refuses a
 * request answers with a {@link Message.Refused}.
 */
public sealed interface TapirMessage extends Message.OfSystem {

  /** A message that replicas handle. */
  sealed interface ToReplica extends TapirMessage {}

  /** A message that clients send to replicas. Replicas send outcomes to their peers as well. */
  sealed interface FromClient extends ToReplica, ClientMessage {
    /** Messages without a write set concern only writes of earlier messages. */
    @Override
    default Access access() {
      return Access.READ;
    }
  }

  /** A message that coordinators handle. */
  sealed interface ToCoordinator extends TapirMessage {}

  /**
   * Reads the newest committed version of a key.
   *
   * @param request identifies the read in its reply; unique within the transaction
   */
  record Get(TxnId txn, int request, Key key) implements FromClient {}

  /** Answers a {@link Get}. */
  record GetReply(TxnId txn, int request, WriteId version, Value value) implements ToCoordinator {}

  /**
   * Proposes a position in the serial order. A consensus operation of inconsistent replication.
   *
   * @param readSet the reads at this partition, the same in every proposal
   * @param writeSet the writes at this partition, the same in every proposal
   */
  record Prepare(TxnId txn, TxnId stamp, List<Read> readSet, List<Write> writeSet)
      implements FromClient {
    @Override
    public Access access() {
      return writeSet.isEmpty() ? Access.READ : Access.WRITE;
    }
  }

  /** Answers a {@link Prepare} of the same stamp. */
  record PrepareReply(TxnId txn, TxnId stamp, PrepareResult result) implements ToCoordinator {}

  /** The partition's result is {@link PrepareResult#OK}, whatever this replica's own result was. */
  record Finalize(TxnId txn, TxnId stamp) implements FromClient {}

  /** Answers a {@link Finalize} of the same stamp: the transaction is prepared at the replica. */
  record FinalizeReply(TxnId txn, TxnId stamp) implements ToCoordinator {}

  /** The transaction has committed at this stamp. Sent by clients, and by replicas to peers. */
  record Commit(TxnId txn, TxnId stamp) implements FromClient {}

  /** The transaction has aborted. Sent by clients, and by replicas to peers. */
  record Abort(TxnId txn) implements FromClient {}

  /**
   * Answers {@link Commit}, {@link Abort} and {@link Install}.
   *
   * @param applied false if the transaction's read and write sets never arrived at the replica
   */
  record OutcomeReply(TxnId txn, boolean applied) implements ToCoordinator {}

  /** The transaction has committed at this stamp. For a replica without its read and write sets. */
  record Install(TxnId txn, TxnId stamp, List<Read> readSet, List<Write> writeSet)
      implements FromClient {
    @Override
    public Access access() {
      return writeSet.isEmpty() ? Access.READ : Access.WRITE;
    }
  }

  /**
   * Asks the other replicas of the partition for the outcome of a transaction that is prepared
   * here.
   */
  record Inquire(TxnId txn) implements ToReplica {}
}
