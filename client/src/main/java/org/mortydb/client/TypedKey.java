package org.mortydb.client;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Value;

/**
 * A key together with the type of its value. Two typed keys are equal if their stored keys are.
 * Immutable.
 *
 * @param <V> the value's type
 */
public final class TypedKey<V> {
  private final Key key;
  private final Codec<V> codec;

  TypedKey(Key key, Codec<V> codec) {
    if (key.size() > Limits.MAX_KEY_BYTES) {
      throw new LimitExceededException(
          "key " + key + " has " + key.size() + " bytes, the limit is " + Limits.MAX_KEY_BYTES);
    }
    this.key = key;
    this.codec = Objects.requireNonNull(codec, "codec");
  }

  /**
   * Makes a key outside of any {@link KeySpace}. The caller takes care that it lies in none.
   *
   * @throws LimitExceededException when it is longer than {@link Limits#MAX_KEY_BYTES}
   */
  public static <V> TypedKey<V> of(Key key, Codec<V> codec) {
    return new TypedKey<>(key, codec);
  }

  /** The key as stored. */
  public Key key() {
    return key;
  }

  /**
   * Encodes {@code value} into its stored form.
   *
   * @throws LimitExceededException when it is longer than {@link Limits#MAX_VALUE_BYTES}
   * @throws IllegalArgumentException when the codec refuses the value
   */
  public Value encode(V value) {
    byte[] bytes = codec.encode(value);
    if (bytes.length > Limits.MAX_VALUE_BYTES) {
      throw new LimitExceededException(
          "the value for key "
              + key
              + " has "
              + bytes.length
              + " bytes, the limit is "
              + Limits.MAX_VALUE_BYTES);
    }
    return Value.wrap(bytes);
  }

  /**
   * Decodes a stored value; null when it is absent.
   *
   * @throws MalformedValueException when the codec refuses the stored bytes; names the key
   */
  public @Nullable V decode(Value value) {
    if (value.isAbsent()) {
      return null;
    }
    if (value.isFailed()) {
      throw new MalformedValueException(
          "a merge into key "
              + key
              + " has failed: the value was no INT64 or no list, or the sum was beyond 64 bits, or"
              + " the list too long; put or delete the key");
    }
    try {
      return codec.decode(value.bytes());
    } catch (RuntimeException e) {
      throw new MalformedValueException(
          "the value stored under key "
              + key
              + " ("
              + value.size()
              + " bytes) cannot be decoded; read it with the codec that wrote it: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * The operand of a merge as it is stored.
   *
   * @throws IllegalArgumentException when the key's codec is another one than {@link Codecs#INT64}
   */
  static long operand(TypedKey<Long> key, long n) {
    if (!Arrays.equals(key.encode(n).bytes(), Codecs.INT64.encode(n))) {
      throw new IllegalArgumentException(
          "key " + key + " has another codec than INT64, so no number can be merged into it");
    }
    return n;
  }

  /**
   * The merge that writes the key if it holds nothing.
   *
   * @throws LimitExceededException when the value is too long
   */
  public static <V> Value putIfAbsent(TypedKey<V> key, V value) {
    Objects.requireNonNull(value, "value; a key without a value needs no write");
    return Merge.putIfAbsent(key.encode(value));
  }

  /**
   * The merge that appends an item to the list at the key.
   *
   * @throws IllegalArgumentException when the key's codec is none of {@link Codecs#listOf}, or
   *     {@code atMost} is out of bounds
   * @throws LimitExceededException when a list of {@code atMost} such items is longer than a value
   */
  public static <T> Value append(TypedKey<List<T>> key, T item, int atMost) {
    if (!(key.codec instanceof Codecs.ListCodec<T> lists)) {
      throw new IllegalArgumentException(
          "key " + key + " has no codec of lists, so no item can be appended to it");
    }
    if (atMost < 1 || atMost > Limits.MAX_LIST_ITEMS) {
      throw new IllegalArgumentException(
          "an append to key "
              + key
              + " keeps "
              + atMost
              + " items; it must be from 1 to "
              + Limits.MAX_LIST_ITEMS);
    }
    byte[] bytes = lists.encodeItem(item);
    if (!Merge.mayAppend(bytes.length, atMost)) {
      throw new LimitExceededException(
          "the item for key "
              + key
              + " has "
              + bytes.length
              + " bytes, the limit is "
              + Merge.longestItem(atMost)
              + " in a list of at most "
              + atMost
              + " items");
    }
    return Merge.append(bytes, atMost);
  }

  /** The merge that adds a number to the key. */
  public static Value add(TypedKey<Long> key, long n) {
    return Merge.add(operand(key, n));
  }

  /** The merge that raises the key to a number. */
  public static Value max(TypedKey<Long> key, long n) {
    return Merge.max(operand(key, n));
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof TypedKey<?> other && key.equals(other.key);
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  /** The stored key as text. */
  @Override
  public String toString() {
    return key.toString();
  }
}
