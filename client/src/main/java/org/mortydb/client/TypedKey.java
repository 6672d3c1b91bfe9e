package org.mortydb.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;

/**
 * A key together with the type of what it holds. Equality is that of the stored key alone.
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
   * A key outside of any {@link KeySpace}; the caller sees to it that it overlaps with none.
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
   * The stored form of {@code value}.
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
   * What {@code value} means to the application, null when it is absent.
   *
   * @throws MalformedValueException when the codec refuses the stored bytes
   */
  public @Nullable V decode(Value value) {
    if (value.isAbsent()) {
      return null;
    }
    try {
      return codec.decode(value.bytes());
    } catch (RuntimeException e) {
      throw new MalformedValueException(
          "the value stored under key "
              + key
              + " ("
              + value.size()
              + " bytes) was not written with the codec it is read with: "
              + e.getMessage(),
          e);
    }
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
