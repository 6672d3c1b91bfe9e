package org.mortydb.client;

/**
 * Turns values of one type into bytes and back. Implementations are safe for use by several threads
 * at once. They are deterministic, so that equal values have equal bytes: a re-execution that
 * writes the same bytes again makes no reader re-execute.
 *
 * @param <T> the values' type; null is not a value, because it stands for absence
 */
public interface Codec<T> {

  /**
   * Returns the bytes of {@code value}, in a new array: the client keeps the array, and sends it
   * without copying it first.
   *
   * @throws IllegalArgumentException when the value has no encoding
   */
  byte[] encode(T value);

  /**
   * Returns the value of {@code bytes}. The array is the client's: do not change it and do not keep
   * it.
   *
   * @throws IllegalArgumentException when the bytes encode no value
   */
  T decode(byte[] bytes);
}
