package org.mortydb.baselines.twophase;

import org.mortydb.protocol.model.TxnId;

/** Transactions for tests of what keeps them apart. */
public final class Make {
  private Make() {}

  /** A transaction that has only read; the lower its age, the older it is. */
  public static Participation active(long age) {
    return new Participation(new TxnId(age, 1, 0), age);
  }

  /** One that is prepared. */
  public static Participation prepared(long age) {
    Participation prepared = active(age);
    prepared.phase = Participation.Phase.PREPARED;
    return prepared;
  }
}
