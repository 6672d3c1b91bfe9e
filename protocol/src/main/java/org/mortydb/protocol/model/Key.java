package org.mortydb.protocol.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable key of up to {@link Limits#MAX_KEY_BYTES} bytes, ordered as unsigned bytes. The hash
 * is part of the wire contract, because it chooses the {@link Bucket}: it is the same in every
 * process and every JVM.
 */
public final class Key implements Comparable<Key> {
  private final byte[] bytes;
  private final int hash;

  private Key(byte[] bytes) {
    this.bytes = bytes;
    this.hash = hash(bytes, 0, bytes.length);
  }

  /** A key over a copy of {@code bytes}. */
  public static Key copyOf(byte[] bytes) {
    return new Key(bytes.clone());
  }

  /** A key over {@code bytes} itself; the caller must not change the array any more. */
  public static Key wrap(byte[] bytes) {
    return new Key(bytes);
  }

  /** A key of the UTF-8 bytes of {@code text}. */
  public static Key of(String text) {
    return new Key(Utf8.encode(text));
  }

  /** The bytes themselves, not a copy: read only. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length in bytes. */
  public int size() {
    return bytes.length;
  }

  @Override
  public int compareTo(Key other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o == this
        || (o instanceof Key other && hash == other.hash && Arrays.equals(bytes, other.bytes));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** The key as text where it is printable, else in hexadecimal; shortened when long. */
  @Override
  public String toString() {
    return Utf8.show(bytes);
  }

  /** The hash of a key of the bytes from one index, inclusive, to another, exclusive. */
  public static int hash(byte[] bytes, int from, int to) {
    int h = 0x811C9DC5;
    for (int i = from; i < to; i++) {
      h = (h ^ (bytes[i] & 0xFF)) * 0x01000193;
    }
    h ^= h >>> 16;
    h *= 0x85EBCA6B;
    h ^= h >>> 13;
    h *= 0xC2B2AE35;
    return h ^ (h >>> 16);
  }
}
