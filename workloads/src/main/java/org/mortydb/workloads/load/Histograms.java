package org.mortydb.workloads.load;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/** Histograms of microseconds as text: HdrHistogram's own encoding (V2), in Base64. */
final class Histograms {
  /** Longer than a transaction can take, in microseconds. */
  private static final long MOST_MICROS = 1L << 42;

  /** The encoding's first bytes, without the word sizes that the cookie includes. */
  private static final int COOKIE = 0x1c849303 | 0x10;

  private static final int HEADER_BYTES = 40;

  private Histograms() {}

  static String encode(Histogram histogram) {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  /**
   * Adds an encoded histogram to another one.
   *
   * @throws IllegalArgumentException if the text is no such histogram, or has another resolution
   */
  static void add(String text, Histogram to) {
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
    // The header decides how much memory a histogram takes, so it is checked first.
    if (bytes.remaining() < HEADER_BYTES
        || bytes.getInt(0) != COOKIE
        || bytes.getInt(4) != bytes.remaining() - HEADER_BYTES
        || bytes.getInt(8) != 0
        || bytes.getInt(12) != to.getNumberOfSignificantValueDigits()
        || bytes.getLong(16) != to.getLowestDiscernibleValue()
        || bytes.getLong(24) < 2
        || bytes.getLong(24) > MOST_MICROS
        || bytes.getDouble(32) != 1.0) {
      throw new IllegalArgumentException("a histogram has another form");
    }
    try {
      to.add(Histogram.decodeFromByteBuffer(bytes, 0));
    } catch (ArrayIndexOutOfBoundsException | BufferUnderflowException e) {
      throw new IllegalArgumentException("a histogram is damaged", e);
    }
  }
}
