package org.mortydb.check.history;

import it.unimi.dsi.fastutil.HashCommon;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.mortydb.protocol.model.Value;

/** A 64-bit hash of values and bytes, equal in every JVM. */
public final class ValueHash {
  /** The hash of {@link Value#ABSENT}, and of nothing else. */
  public static final long ABSENT = 0;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SEED = 0x9E3779B97F4A7C15L;

  private ValueHash() {}

  /** The hash of a value; {@link #ABSENT} only if it is absent. */
  public static long of(Value value) {
    if (value.isAbsent()) {
      return ABSENT;
    }
    long hash = of(value.bytes());
    return hash == ABSENT ? 1 : hash;
  }

  /** The hash of bytes. */
  public static long of(byte[] bytes) {
    long hash = SEED ^ bytes.length;
    int i = 0;
    for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
      hash = combine(hash, (long) LONG.get(bytes, i));
    }
    long tail = 0;
    for (int shift = 0; i < bytes.length; i++, shift += 8) {
      tail |= (bytes[i] & 0xFFL) << shift;
    }
    return combine(hash, tail);
  }

  /** Adds a number to a hash. The order of numbers matters. */
  public static long combine(long hash, long next) {
    return HashCommon.murmurHash3(Long.rotateLeft(hash, 27) * SEED + next);
  }
}
