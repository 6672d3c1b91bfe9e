package org.mortydb.workloads.rows;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.mortydb.check.journal.Stamp;
import org.mortydb.client.Codec;

/**
 * Encodes and decodes rows of one kind. A value is the kind's letter, the stamp, and the fields; by
 * convention numbers are varints, and text is UTF-8 behind its length.
 *
 * @param <R> the row's type
 */
public final class RowCodec<R> implements Codec<Stamped<R>> {
  private final String name;
  private final byte letter;
  private final int maxBytes;
  private final Writer<R> writer;
  private final Reader<R> reader;

  private RowCodec(String name, char letter, int maxBytes, Writer<R> writer, Reader<R> reader) {
    this.name = name;
    this.letter = (byte) letter;
    this.maxBytes = maxBytes;
    this.writer = writer;
    this.reader = reader;
  }

  /** Writes the fields of a row. */
  @FunctionalInterface
  public interface Writer<R> {
    /** Writes the fields. */
    void write(CodedOutputStream out, R row) throws IOException;
  }

  /** Reads the fields of a row. */
  @FunctionalInterface
  public interface Reader<R> {
    /**
     * Reads the fields.
     *
     * @throws CorruptRecordException when the bytes are no fields of such a row
     */
    R read(CodedInputStream in) throws IOException;
  }

  /**
   * A codec.
   *
   * @param name the kind's name in errors
   * @param letter the first byte of its values, in ASCII
   * @param maxBytes the size limit of a value, including letter and stamp
   */
  public static <R> RowCodec<R> of(
      String name, char letter, int maxBytes, Writer<R> writer, Reader<R> reader) {
    return new RowCodec<>(name, letter, maxBytes, writer, reader);
  }

  /** The kind's name. */
  public String name() {
    return name;
  }

  /** Encodes a row. */
  public Stamped<R> stamp(Stamp stamp, R row) {
    byte[] scratch = new byte[maxBytes];
    CodedOutputStream out = CodedOutputStream.newInstance(scratch);
    try {
      out.writeRawByte(letter);
      out.writeUInt32NoTag(stamp.session());
      out.writeUInt32NoTag(stamp.sequence());
      writer.write(out, row);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "a " + name + " record is longer than " + maxBytes + " bytes", e);
    }
    return new Stamped<>(stamp, row, Arrays.copyOf(scratch, out.getTotalBytesWritten()));
  }

  @Override
  public byte[] encode(Stamped<R> value) {
    return value.bytes();
  }

  /**
   * @throws CorruptRecordException when {@code bytes} are no row of this kind
   */
  @Override
  public Stamped<R> decode(byte[] bytes) {
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    try {
      byte first = in.readRawByte();
      if (first != letter) {
        throw new CorruptRecordException(
            "expected a " + name + " record, found one that begins with '" + (char) first + "'");
      }
      Stamp stamp = new Stamp(in.readUInt32(), in.readUInt32());
      R row = reader.read(in);
      if (!in.isAtEnd()) {
        throw new CorruptRecordException("bytes left over after a " + name + " record");
      }
      return new Stamped<>(stamp, row, bytes);
    } catch (IOException e) {
      throw new CorruptRecordException("not a whole " + name + " record", e);
    }
  }
}
