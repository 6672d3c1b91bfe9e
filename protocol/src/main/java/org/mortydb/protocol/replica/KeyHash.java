package org.mortydb.protocol.replica;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.mortydb.protocol.model.Key;

/**
 * The hash of names in the tables of a replica. It depends on a secret of the server. {@link
 * Key#hashCode} does not, because it places keys in buckets: a client can easily find very many
 * names for which it is the same. In a table by that hash, each look at one of them would go
 * through all of them.
 *
 * <p>Nothing that a replica does depends on this hash, but for the time that it takes.
 */
final class KeyHash {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final long secret;
  private final long otherSecret;

  /**
   * A hash.
   *
   * @param secret that clients do not know
   */
  KeyHash(long secret) {
    this.secret = mix(secret ^ 0x9E3779B97F4A7C15L, 0xC2B2AE3D27D4EB4FL);
    this.otherSecret = mix(secret ^ 0xBF58476D1CE4E5B9L, 0x94D049BB133111EBL);
  }

  /** The hash of the name of a key. */
  int of(Key name) {
    byte[] bytes = name.bytes();
    return of(bytes, 0, bytes.length);
  }

  /** The hash of a name of the bytes from one index, inclusive, to another, exclusive. */
  int of(byte[] bytes, int from, int to) {
    long hash = secret ^ (to - from);
    int at = from;
    for (; to - at >= Long.BYTES; at += Long.BYTES) {
      hash = mix((long) WORDS.get(bytes, at) ^ otherSecret, hash);
    }
    if (at < to) {
      hash = mix(last(bytes, from, to) ^ otherSecret, hash);
    }
    return (int) (hash ^ (hash >>> Integer.SIZE));
  }

  /** The last bytes, up to eight; some of them may be in words before. */
  private static long last(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length >= Long.BYTES) {
      return (long) WORDS.get(bytes, to - Long.BYTES);
    }
    if (length >= Integer.BYTES) {
      return (int) INTS.get(bytes, from) & 0xFFFF_FFFFL
          | (long) (int) INTS.get(bytes, to - Integer.BYTES) << Integer.SIZE;
    }
    return (bytes[from] & 0xFF)
        | (bytes[from + length / 2] & 0xFF) << Byte.SIZE
        | (bytes[to - 1] & 0xFF) << 2 * Byte.SIZE;
  }

  /** Both halves of a product. Who does not know the factors cannot tell which products agree. */
  private static long mix(long a, long b) {
    return a * b ^ Math.unsignedMultiplyHigh(a, b);
  }
}
