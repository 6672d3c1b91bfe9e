package org.mortydb.baselines.twophase;

import org.mortydb.protocol.model.TxnId;

/** Creates transactions for tests of concurrency control. */
public final class Make {
  private Make() {}

  /** A transaction that has only read. A lower age is older. */
  public static Participation active(long age) {
    return new Participation(new TxnId(age, 1, 0), age);
  }

  /** A prepared transaction. */
  public static Participation prepared(long age) {
    Participation prepared = active(age);
    prepared.phase = Participation.Phase.PREPARED;
    return prepared;
  }
}
