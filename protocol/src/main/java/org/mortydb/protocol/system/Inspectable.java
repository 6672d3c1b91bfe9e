package org.mortydb.protocol.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** A replica of any system that tests and the simulator look into, between two of its steps. */
public interface Inspectable {

  /** The transactions that hinder others until they are decided, ascending. */
  List<TxnId> undecided();

  /** The newest committed version of a key that this replica knows, null if it knows none. */
  @Nullable VersionedValue newestCommitted(Key key);

  /**
   * Checks the whole state; nothing by default.
   *
   * @throws IllegalStateException when an invariant is broken; its message says which
   */
  default void checkInvariants() {}
}
