package org.mortydb.faults.nemesis;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;

/** Reads and writes of registers; some writes are blind. */
final class Registers extends Transactions {
  private static final KeySpace<Long, Long> REGISTERS =
      KeySpace.of("register", Codecs.INT64, Codecs.INT64);

  Registers() {
    super("w");
  }

  @Override
  @Nullable Object read(DirectTransaction txn, long key) {
    return txn.get(REGISTERS.key(key));
  }

  @Override
  void write(DirectTransaction txn, long key, long value) {
    txn.put(REGISTERS.key(key), value);
  }
}
