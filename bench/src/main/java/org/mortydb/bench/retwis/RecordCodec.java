package org.mortydb.bench.retwis;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.mortydb.bench.history.Stamp;
import org.mortydb.bench.retwis.StoredRecord.Followers;
import org.mortydb.bench.retwis.StoredRecord.Following;
import org.mortydb.bench.retwis.StoredRecord.Mention;
import org.mortydb.bench.retwis.StoredRecord.Profile;
import org.mortydb.bench.retwis.StoredRecord.Timeline;
import org.mortydb.bench.retwis.StoredRecord.Tweet;
import org.mortydb.client.Codec;

/**
 * Records to values and back. A value is the kind's letter, the stamp, then the record's fields in
 * the order of their declaration: numbers as variable-length integers, text in UTF-8 behind its
 * length, a list behind its number of entries. Between 10 and {@value #MAX_BYTES} bytes.
 */
final class RecordCodec implements Codec<StampedRecord> {
  /** Longest value. */
  static final int MAX_BYTES = 256;

  private final RecordKind kind;

  /** The codec of one kind of record. */
  RecordCodec(RecordKind kind) {
    this.kind = kind;
  }

  @Override
  public byte[] encode(StampedRecord value) {
    return value.bytes();
  }

  /**
   * @throws CorruptRecordException when {@code bytes} are not a record of this kind
   */
  @Override
  public StampedRecord decode(byte[] bytes) {
    return decode(kind, bytes);
  }

  static byte[] encode(Stamp stamp, StoredRecord content) {
    byte[] scratch = new byte[MAX_BYTES];
    CodedOutputStream out = CodedOutputStream.newInstance(scratch);
    try {
      out.writeRawByte((byte) content.kind().letter());
      out.writeUInt32NoTag(stamp.session());
      out.writeUInt32NoTag(stamp.sequence());
      switch (content) {
        case Profile(int generation, int tweets, String name) -> {
          out.writeUInt32NoTag(generation);
          out.writeUInt32NoTag(tweets);
          out.writeStringNoTag(name);
        }
        case Followers(int cursor, int[] users) -> {
          out.writeUInt32NoTag(cursor);
          writeList(out, users);
        }
        case Following(int[] users) -> writeList(out, users);
        case Timeline(int[] authors, int[] numbers) -> {
          writeList(out, authors);
          for (int number : numbers) {
            out.writeUInt32NoTag(number);
          }
        }
        case Tweet(int number, String text) -> {
          out.writeUInt32NoTag(number);
          out.writeStringNoTag(text);
        }
        case Mention(int author, int number, String text) -> {
          out.writeUInt32NoTag(author);
          out.writeUInt32NoTag(number);
          out.writeStringNoTag(text);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a record is longer than " + MAX_BYTES + " bytes", e);
    }
    return Arrays.copyOf(scratch, out.getTotalBytesWritten());
  }

  private static StampedRecord decode(RecordKind kind, byte[] bytes) {
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    try {
      char letter = (char) in.readRawByte();
      if (letter != kind.letter()) {
        throw new CorruptRecordException(
            "expected a " + kind + " record, found one that begins with '" + letter + "'");
      }
      Stamp stamp = new Stamp(in.readUInt32(), in.readUInt32());
      StoredRecord content =
          switch (kind) {
            case PROFILE -> new Profile(in.readUInt32(), in.readUInt32(), in.readString());
            case FOLLOWERS -> new Followers(in.readUInt32(), readList(in, StoredRecord.MAX_USERS));
            case FOLLOWING -> new Following(readList(in, StoredRecord.MAX_USERS));
            case TIMELINE -> {
              int[] authors = readList(in, StoredRecord.MAX_TIMELINE);
              yield new Timeline(authors, readNumbers(in, authors.length));
            }
            case TWEET -> new Tweet(in.readUInt32(), in.readString());
            case MENTION -> new Mention(in.readUInt32(), in.readUInt32(), in.readString());
          };
      if (!in.isAtEnd()) {
        throw new CorruptRecordException("bytes left over after a " + kind + " record");
      }
      return new StampedRecord(stamp, content, bytes);
    } catch (IOException e) {
      throw new CorruptRecordException("not a whole " + kind + " record", e);
    }
  }

  private static void writeList(CodedOutputStream out, int[] list) throws IOException {
    out.writeUInt32NoTag(list.length);
    for (int entry : list) {
      out.writeUInt32NoTag(entry);
    }
  }

  private static int[] readList(CodedInputStream in, int limit) throws IOException {
    int length = in.readUInt32();
    if (length < 0 || length > limit) {
      throw new CorruptRecordException("a list of " + length + " entries, at most " + limit);
    }
    return readNumbers(in, length);
  }

  private static int[] readNumbers(CodedInputStream in, int length) throws IOException {
    int[] list = new int[length];
    for (int i = 0; i < length; i++) {
      list[i] = in.readUInt32();
    }
    return list;
  }
}
