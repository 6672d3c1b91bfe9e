package org.mortydb.protocol.replica;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import org.mortydb.protocol.model.Key;

/**
 * The hash of names in the tables of a replica. It depends on a secret of the process. {@link
 * Key#hashCode} does not, because it places keys in buckets: a client can easily find very many
 * names for which it is the same. In a table by that hash, each look at one of them would go
 * through all of them.
 *
 * <p>Nothing that a replica does depends on this hash, but for the time that it takes.
 */
final class KeyHash {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long SECRET;
  private static final long OTHER_SECRET;

  static {
    SecureRandom random = new SecureRandom();
    SECRET = random.nextLong();
    OTHER_SECRET = random.nextLong();
  }

  private KeyHash() {}

  /** The hash of the name of a key. */
  static int of(Key name) {
    byte[] bytes = name.bytes();
    return of(bytes, 0, bytes.length);
  }

  /** The hash of a name of the bytes from one index, inclusive, to another, exclusive. */
  static int of(byte[] bytes, int from, int to) {
    long hash = SECRET ^ (to - from);
    int at = from;
    for (; to - at >= Long.BYTES; at += Long.BYTES) {
      hash = mix((long) WORDS.get(bytes, at) ^ OTHER_SECRET, hash);
    }
    long rest = 0;
    for (; at < to; at++) {
      rest = rest << Byte.SIZE | bytes[at] & 0xFF;
    }
    hash = mix(rest ^ OTHER_SECRET, hash);
    return (int) (hash ^ (hash >>> Integer.SIZE));
  }

  /** Both halves of a product. Who does not know the factors cannot tell which products agree. */
  private static long mix(long a, long b) {
    return a * b ^ Math.unsignedMultiplyHigh(a, b);
  }
}
