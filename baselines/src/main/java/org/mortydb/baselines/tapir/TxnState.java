package org.mortydb.baselines.tapir;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/** What a replica knows of one attempt at a transaction. */
final class TxnState {
  final TxnId id;

  /** The latest stamp that was proposed here; initial before the first. */
  TxnId stamp = TxnId.INITIAL;

  /** The result at that stamp, as it was told. */
  PrepareResult result = PrepareResult.ABSTAIN;

  /** The sets, from the first proposal on until the outcome is known. */
  private List<Read> reads = List.of();

  private List<Write> writes = List.of();
  private boolean hasSets;

  /** Whether it counts in the validation of others. */
  boolean prepared;

  /** Whether it waits in the queue of those that are asked about. */
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

  /** Whether the sets are here, which a commit needs. */
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

  /** The stamp at which it has committed, null when it has aborted or is undecided. */
  @Nullable TxnId committedAt() {
    return committedAt;
  }

  /** Notes the outcome, the stamp of the commit or null for an abort; the sets are forgotten. */
  void decide(@Nullable TxnId stampOrNull) {
    decided = true;
    committedAt = stampOrNull;
    reads = List.of();
    writes = List.of();
    hasSets = false;
  }
}
