package org.mortydb.baselines.twophase;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import org.mortydb.baselines.message.Conflicts;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** A leader's record of one transaction, as a participant and possibly as its coordinator. */
public final class Participation {

  /** The progress of the transaction at this partition. */
  enum Phase {
    /** The transaction reads. */
    ACTIVE,
    /** Its writes are known, and it waits for the right to prepare. */
    PREPARING,
    /** It can commit, and waits for the outcome. */
    PREPARED,
    /** At the coordinator: it commits, but the commit record is not durable yet. */
    COMMITTING,
    /** Its outcome is certain. */
    DONE
  }

  static final int NOBODY = -1;

  private final TxnId txn;
  private long ageMicros;
  Phase phase = Phase.ACTIVE;

  /** When a message of the client, or about the transaction, last arrived. */
  long heardMicros;

  // ---- as a participant

  /** Unanswered reads, by key. */
  final LinkedHashMap<Key, Integer> pendingReads = new LinkedHashMap<>();

  int coordinator = NOBODY;
  boolean readOnly;
  List<Read> reads = List.of();
  List<Write> writes = List.of();
  List<Integer> participants = List.of();

  /** The timestamp at which the transaction has read; 0 if it has no snapshot. */
  long snapshotMicros;

  /**
   * The conflicts known here: those of this partition, at the coordinator those of all participants
   * that have prepared, and everywhere those of all once the transaction has committed.
   */
  private Conflicts conflicts = Conflicts.NONE;

  /** The transaction's timestamp at this partition; 0 while it has none. */
  long prepareMicros;

  /** Whether its sums are in the {@link Escrow}. */
  boolean hasReserved;

  /** Whether a majority holds the entries that its ballot depends on. */
  boolean mayVote;

  long toldMicros;

  /** The commit timestamp, or 0 for an abort; valid in phase DONE. */
  long commitMicros;

  long doneMicros;

  /** Whether a majority holds the outcome, so that the coordinator may forget it. */
  boolean mayAcknowledge;

  // ---- as the coordinator

  /** The participants that have prepared. */
  final BitSet prepared = new BitSet();

  long latestPrepareMicros;

  /** The participants that wait before they can prepare. */
  final BitSet blocked = new BitSet();

  /** Whether an older transaction waits for this one at some participant. */
  boolean isInTheWay;

  /** The participants that have acknowledged a commit, or that know or were told of an abort. */
  final BitSet informed = new BitSet();

  Participation(TxnId txn, long ageMicros) {
    this.txn = txn;
    this.ageMicros = ageMicros;
  }

  /** The transaction. */
  public TxnId txn() {
    return txn;
  }

  /** The reads at this partition; known once the transaction prepares. */
  public List<Read> reads() {
    return reads;
  }

  /** The writes at this partition; known once the transaction prepares. */
  public List<Write> writes() {
    return writes;
  }

  /** The timestamp at which the transaction has read; 0 if it has no snapshot. */
  public long snapshotMicros() {
    return snapshotMicros;
  }

  /**
   * Whether it commits, which this partition has decided: its timestamp and its conflicts are
   * final.
   */
  public boolean isCommitting() {
    return phase == Phase.COMMITTING;
  }

  /** The conflicts with other transactions that are known here. */
  public Conflicts conflicts() {
    return conflicts;
  }

  /** Adds conflicts with other transactions. */
  public void add(Conflicts more) {
    conflicts = conflicts.and(more);
  }

  /** The commit timestamp; 0 while the transaction has not committed, or if it has aborted. */
  public long commitMicros() {
    return isDone() ? commitMicros : 0;
  }

  /** Whether its first attempt began before that of another transaction. */
  public boolean isOlderThan(Participation other) {
    int order = Long.compare(ageMicros, other.ageMicros);
    if (order == 0) {
      order = Long.compare(txn.clientId(), other.txn.clientId());
    }
    return order == 0 ? txn.isBefore(other.txn) : order < 0;
  }

  /** Whether this leader may abort the transaction on its own. */
  public boolean isWoundable() {
    return phase == Phase.ACTIVE || phase == Phase.PREPARING;
  }

  boolean isDone() {
    return phase == Phase.DONE;
  }

  boolean hasCommitted() {
    return isDone() && commitMicros != 0;
  }

  boolean hasAborted() {
    return isDone() && commitMicros == 0;
  }

  /** Records the client's request to commit. */
  void request(PrepareCommit m) {
    ageMicros = m.ageMicros();
    coordinator = m.coordinator();
    readOnly = m.readOnly();
    reads = m.readSet();
    writes = m.writeSet();
    participants = m.participants();
    snapshotMicros = m.snapshotMicros();
  }

  /** Drops the sets, which nobody needs after the outcome. */
  void forgetSets() {
    reads = List.of();
    writes = List.of();
  }

  boolean isPreparedEverywhere() {
    for (int partition : participants) {
      if (!prepared.get(partition)) {
        return false;
      }
    }
    return true;
  }

  /** Whether every other participant of a commit has acknowledged it. */
  boolean isAcknowledged(int self) {
    for (int partition : participants) {
      if (partition != self && !informed.get(partition)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return txn + " " + phase;
  }
}
