package org.mortydb.baselines.inspect;

import java.util.List;
import org.mortydb.protocol.model.TxnId;

/**
 * What tests and the simulator ask of a replica of any system between two steps; nothing in
 * production does.
 */
public interface ReplicaState {

  /** The transactions that hinder others until they are decided, ascending. */
  List<TxnId> undecided();

  /**
   * Checks the whole state.
   *
   * @throws IllegalStateException when an invariant is broken, saying which
   */
  void checkInvariants();
}
