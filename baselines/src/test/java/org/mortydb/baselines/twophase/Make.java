package org.mortydb.baselines.twophase;

import java.util.List;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;

/** Creates transactions for tests of concurrency control. */
public final class Make {
  private Make() {}

  /** A transaction that has only read. A lower age is older. */
  public static Participation active(long age) {
    return new Participation(new TxnId(age, 1, 0), age);
  }

  /** A transaction that has read at a snapshot and asks to prepare. */
  public static Participation of(long age, long snapshotMicros, List<Read> reads) {
    Participation asking = active(age);
    asking.snapshotMicros = snapshotMicros;
    asking.reads = reads;
    return asking;
  }

  /** Versions of a partition without any. */
  public static Versions versions() {
    return new Versions(16, false);
  }

  /** A prepared transaction. */
  public static Participation prepared(long age) {
    Participation prepared = active(age);
    prepared.phase = Participation.Phase.PREPARED;
    return prepared;
  }
}
