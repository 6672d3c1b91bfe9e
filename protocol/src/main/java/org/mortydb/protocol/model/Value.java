package org.mortydb.protocol.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable value of up to {@link Limits#MAX_VALUE_BYTES} bytes, or {@link #ABSENT}, which a key
 * holds before its first write and after a delete.
 */
public final class Value {

  /** No value: the key was never written, or was deleted. Distinct from an empty value. */
  public static final Value ABSENT = new Value(new byte[0], true);

  private final byte[] bytes;
  private final boolean absent;

  private Value(byte[] bytes, boolean absent) {
    this.bytes = bytes;
    this.absent = absent;
  }

  /** A value over a copy of {@code bytes}. */
  public static Value copyOf(byte[] bytes) {
    return new Value(bytes.clone(), false);
  }

  /** A value over {@code bytes} itself; the caller must not change the array any more. */
  public static Value wrap(byte[] bytes) {
    return new Value(bytes, false);
  }

  /** A value of the UTF-8 bytes of {@code text}. */
  public static Value of(String text) {
    return new Value(Utf8.encode(text), false);
  }

  /** True for {@link #ABSENT} alone. */
  public boolean isAbsent() {
    return absent;
  }

  /** The bytes themselves, not a copy: read only. Empty when absent. */
  public byte[] bytes() {
    return bytes;
  }

  /** Length in bytes, 0 when absent. */
  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o == this
        || (o instanceof Value other
            && absent == other.absent
            && Arrays.equals(bytes, other.bytes));
  }

  @Override
  public int hashCode() {
    return absent ? 0 : Arrays.hashCode(bytes);
  }

  /** The value as text where it is printable, else in hexadecimal; shortened when long. */
  @Override
  public String toString() {
    return isAbsent() ? "absent" : Utf8.show(bytes);
  }
}
