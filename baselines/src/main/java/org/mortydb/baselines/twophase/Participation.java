package org.mortydb.baselines.twophase;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** What a leader knows of one transaction, as a participant and perhaps as its coordinator. */
public final class Participation {

  /** How far the transaction has come at this partition. */
  enum Phase {
    /** It may read here. */
    ACTIVE,
    /** Its writes are known; it waits for what it needs to prepare. */
    PREPARING,
    /** It can commit here, and does nothing more by itself. */
    PREPARED,
    /** At the coordinator: it commits; the log does not say so yet. */
    COMMITTING,
    /** Its outcome is certain. */
    DONE
  }

  static final int NOBODY = -1;

  private final TxnId txn;
  private long ageMicros;
  Phase phase = Phase.ACTIVE;

  /** When the client, or somebody who asks for it, was last heard. */
  long heardMicros;

  // ---- as a participant

  /** Reads that are not answered yet, by key. */
  final LinkedHashMap<Key, Integer> pendingReads = new LinkedHashMap<>();

  int coordinator = NOBODY;
  boolean readOnly;
  List<Read> reads = List.of();
  List<Write> writes = List.of();
  List<Integer> participants = List.of();

  /** Its timestamp here, 0 while it has none. */
  long prepareMicros;

  /** Whether a majority holds what its ballot rests on. */
  boolean mayVote;

  long toldMicros;

  /** The commit timestamp, or 0; counts when it is DONE. */
  long commitMicros;

  long doneMicros;

  /** Whether a majority holds the outcome, so that the coordinator may forget it. */
  boolean mayAcknowledge;

  // ---- as the coordinator

  /** Participants that have prepared. */
  final BitSet prepared = new BitSet();

  long latestPrepareMicros;

  /** Participants that wait before they can prepare. */
  final BitSet blocked = new BitSet();

  /** Whether an older transaction waits for it somewhere. */
  boolean isInTheWay;

  /** Participants that have acknowledged the outcome. */
  final BitSet acknowledged = new BitSet();

  Participation(TxnId txn, long ageMicros) {
    this.txn = txn;
    this.ageMicros = ageMicros;
  }

  /** The transaction. */
  public TxnId txn() {
    return txn;
  }

  /** What it has read at this partition; known when it prepares. */
  public List<Read> reads() {
    return reads;
  }

  /** What it writes at this partition; known when it prepares. */
  public List<Write> writes() {
    return writes;
  }

  /** Whether it began before another one, first attempts compared. */
  public boolean isOlderThan(Participation other) {
    int order = Long.compare(ageMicros, other.ageMicros);
    if (order == 0) {
      order = Long.compare(txn.clientId(), other.txn.clientId());
    }
    return order == 0 ? txn.isBefore(other.txn) : order < 0;
  }

  /** Whether this leader may abort it by itself. */
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

  /** Takes what the client wants to commit. */
  void request(PrepareCommit m) {
    ageMicros = m.ageMicros();
    coordinator = m.coordinator();
    readOnly = m.readOnly();
    reads = m.readSet();
    writes = m.writeSet();
    participants = m.participants();
  }

  /** Frees what nobody needs any more once it is over. */
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
      if (partition != self && !acknowledged.get(partition)) {
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
