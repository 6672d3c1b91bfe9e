package org.mortydb.protocol.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable value of up to {@link Limits#MAX_VALUE_BYTES} bytes, or {@link #ABSENT}, which a key
 * holds before its first write and after a delete. What is written may also be a merge, which says
 * how the value below changes; what is read never is, but may be {@link #FAILED}.
 */
public final class Value {

  /** What a value is; the number is that of messages and of the log. */
  private enum Form {
    PLAIN,
    MERGE,
    FAILED,
    ABSENT
  }

  /** No value: the key was never written, or was deleted. Distinct from an empty value. */
  public static final Value ABSENT = new Value(new byte[0], Form.ABSENT);

  /** What a key holds after a merge that does not fit its value, until a put or a delete. */
  public static final Value FAILED = new Value(new byte[0], Form.FAILED);

  private final byte[] bytes;
  private final Form form;

  private Value(byte[] bytes, Form form) {
    this.bytes = bytes;
    this.form = form;
  }

  /** A value over a copy of {@code bytes}. */
  public static Value copyOf(byte[] bytes) {
    return new Value(bytes.clone(), Form.PLAIN);
  }

  /** A value over {@code bytes} itself; the caller must not change the array any more. */
  public static Value wrap(byte[] bytes) {
    return new Value(bytes, Form.PLAIN);
  }

  /** A value of the UTF-8 bytes of {@code text}. */
  public static Value of(String text) {
    return new Value(Utf8.encode(text), Form.PLAIN);
  }

  /** A merge: see {@link Merge}. */
  static Value merge(byte[] steps) {
    return new Value(steps, Form.MERGE);
  }

  /**
   * A value of a form that {@link #form} has told.
   *
   * @throws IllegalArgumentException if there is no such form, or the bytes do not fit it
   */
  public static Value ofForm(int form, byte[] bytes) {
    if (form == Form.PLAIN.ordinal()) {
      return wrap(bytes);
    }
    if (form == Form.MERGE.ordinal() && Merge.isWellFormed(bytes)) {
      return merge(bytes);
    }
    if (form == Form.FAILED.ordinal() && bytes.length == 0) {
      return FAILED;
    }
    throw new IllegalArgumentException(bytes.length + " bytes are no value of the form " + form);
  }

  /** The number of the form of a value that is not absent: 0 for a plain one. */
  public int form() {
    if (form == Form.ABSENT) {
      throw new IllegalStateException("an absent value has no form");
    }
    return form.ordinal();
  }

  /** True for {@link #ABSENT} alone. */
  public boolean isAbsent() {
    return form == Form.ABSENT;
  }

  /** Whether it is a merge, which only a write is. */
  public boolean isMerge() {
    return form == Form.MERGE;
  }

  /** True for {@link #FAILED} alone. */
  public boolean isFailed() {
    return form == Form.FAILED;
  }

  /** Whether it is a value that an application can put. */
  public boolean isPlain() {
    return form == Form.PLAIN;
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
        || (o instanceof Value other && form == other.form && Arrays.equals(bytes, other.bytes));
  }

  @Override
  public int hashCode() {
    return isAbsent() ? 0 : 31 * form.ordinal() + Arrays.hashCode(bytes);
  }

  /** The value as text where it is printable, else in hexadecimal; shortened when long. */
  @Override
  public String toString() {
    return switch (form) {
      case ABSENT -> "absent";
      case FAILED -> "failed merge";
      case MERGE -> Merge.show(this);
      case PLAIN -> Utf8.show(bytes);
    };
  }
}
