package org.mortydb.workloads.retwis;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import org.mortydb.workloads.retwis.RetwisRecord.Followers;
import org.mortydb.workloads.retwis.RetwisRecord.Following;
import org.mortydb.workloads.retwis.RetwisRecord.Mention;
import org.mortydb.workloads.retwis.RetwisRecord.Profile;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.retwis.RetwisRecord.Tweet;
import org.mortydb.workloads.rows.CorruptRecordException;
import org.mortydb.workloads.rows.RowCodec;

/**
 * Encodes and decodes records: the fields in the order of their declaration, and lists behind their
 * length. Values have between 10 and {@value #MAX_BYTES} bytes.
 */
final class RetwisCodec {
  /** The size limit of a value, in bytes. */
  static final int MAX_BYTES = 256;

  private RetwisCodec() {}

  /** The codec of one kind of record. */
  static RowCodec<RetwisRecord> of(RecordKind kind) {
    return RowCodec.of(
        kind.toString(), kind.letter(), MAX_BYTES, RetwisCodec::write, in -> read(kind, in));
  }

  private static void write(CodedOutputStream out, RetwisRecord content) throws IOException {
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
  }

  private static RetwisRecord read(RecordKind kind, CodedInputStream in) throws IOException {
    return switch (kind) {
      case PROFILE -> new Profile(in.readUInt32(), in.readUInt32(), in.readString());
      case FOLLOWERS -> new Followers(in.readUInt32(), readList(in, RetwisRecord.MAX_USERS));
      case FOLLOWING -> new Following(readList(in, RetwisRecord.MAX_USERS));
      case TIMELINE -> {
        int[] authors = readList(in, RetwisRecord.MAX_TIMELINE);
        yield new Timeline(authors, readNumbers(in, authors.length));
      }
      case TWEET -> new Tweet(in.readUInt32(), in.readString());
      case MENTION -> new Mention(in.readUInt32(), in.readUInt32(), in.readString());
    };
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
