package org.mortydb.baselines.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/**
 * What tests and the simulator ask of a replica of any system between two steps; nothing in
 * production does.
 */
public interface ReplicaState {

  /** The transactions that hinder others until they are decided, ascending. */
  List<TxnId> undecided();

  /** The newest version of a key that this replica knows to be committed, null if it has none. */
  @Nullable VersionedValue newestCommitted(Key key);

  /**
   * Checks the whole state.
   *
   * @throws IllegalStateException when an invariant is broken, saying which
   */
  void checkInvariants();
}
