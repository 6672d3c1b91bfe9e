package org.mortydb.baselines.tapir;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** A replica's record of one attempt at a transaction. */
final class TxnState {
  final TxnId id;

  /** The latest proposed stamp; initial before the first. */
  TxnId stamp = TxnId.INITIAL;

  /** The result that was sent for this stamp. */
  PrepareResult result = PrepareResult.ABSTAIN;

  /** The read and write sets, from the first proposal until the outcome is known. */
  private List<Read> reads = List.of();

  private List<Write> writes = List.of();
  private boolean hasSets;

  /** Whether the transaction counts in the validation of others. */
  boolean prepared;

  /** Whether the transaction is in the queue of those that peers are asked about. */
  boolean watched;

  private boolean decided;
  private @Nullable TxnId committedAt;

  TxnState(TxnId id) {
    this.id = id;
  }

  List<Read> reads() {
    return reads;
  }

  List<Write> writes() {
    return writes;
  }

  /** Whether the read and write sets are here, as a commit requires. */
  boolean hasSets() {
    return hasSets;
  }

  void sets(List<Read> newReads, List<Write> newWrites) {
    reads = newReads;
    writes = newWrites;
    hasSets = true;
  }

  boolean isDecided() {
    return decided;
  }

  /** The stamp of the commit; null when the transaction has aborted or is undecided. */
  @Nullable TxnId committedAt() {
    return committedAt;
  }

  /**
   * Records the outcome and drops the sets. The stamp is that of a commit, or null for an abort.
   */
  void decide(@Nullable TxnId stampOrNull) {
    decided = true;
    committedAt = stampOrNull;
    reads = List.of();
    writes = List.of();
    hasSets = false;
  }
}
