package org.mortydb.client;

/**
 * Turns values of one type into bytes and back. Implementations are stateless or otherwise safe for
 * use by several threads at once, and deterministic: equal values have equal bytes, because a
 * re-execution that writes an equal value again is recognised by its bytes and disturbs nobody.
 *
 * @param <T> the type; never null, because absence is not a value
 */
public interface Codec<T> {

  /**
   * The bytes of {@code value}, in an array that nobody else holds or will change.
   *
   * @throws IllegalArgumentException when the value has no encoding
   */
  byte[] encode(T value);

  /**
   * The value of {@code bytes}, which must not be changed and not be kept.
   *
   * @throws IllegalArgumentException when the bytes are no encoding of a value
   */
  T decode(byte[] bytes);
}
