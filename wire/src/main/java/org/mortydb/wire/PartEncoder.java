package org.mortydb.wire;

import static com.google.protobuf.CodedOutputStream.computeUInt32SizeNoTag;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * The sizes and fields of parts of messages. Field numbers and types are those of morty.proto;
 * tests compare both. Field numbers here are below 16, so that every tag takes one byte.
 */
public final class PartEncoder {
  private static final int FIXED64 = 1 + Long.BYTES;
  private static final int BOOL = 2;

  private PartEncoder() {}

  // ---- fields -------------------------------------------------------------------------------

  /** The size of a uint32 field; 0 is omitted. */
  public static int uint32Size(int value) {
    return value == 0 ? 0 : 1 + computeUInt32SizeNoTag(value);
  }

  public static void uint32(CodedOutputStream out, int field, int value) throws IOException {
    if (value != 0) {
      out.writeUInt32(field, value);
    }
  }

  /** The size of a fixed64 field; 0 is omitted. */
  public static int fixed64Size(long value) {
    return value == 0 ? 0 : FIXED64;
  }

  public static void fixed64(CodedOutputStream out, int field, long value) throws IOException {
    if (value != 0) {
      out.writeFixed64(field, value);
    }
  }

  public static int boolSize(boolean value) {
    return value ? BOOL : 0;
  }

  public static void bool(CodedOutputStream out, int field, boolean value) throws IOException {
    if (value) {
      out.writeBool(field, true);
    }
  }

  /** The size of a field that holds {@code size} bytes, or a message of {@code size} bytes. */
  public static int nestedSize(int size) {
    return 1 + computeUInt32SizeNoTag(size) + size;
  }

  /** Writes the tag and the length of a nested message. */
  public static void nested(CodedOutputStream out, int field, int size) throws IOException {
    out.writeTag(field, 2);
    out.writeUInt32NoTag(size);
  }

  /** The size of a key's field; an empty key is omitted unless the field is repeated. */
  public static int keySize(Key key) {
    return key.size() == 0 ? 0 : nestedSize(key.size());
  }

  public static void key(CodedOutputStream out, int field, Key key) throws IOException {
    if (key.size() != 0) {
      out.writeByteArray(field, key.bytes());
    }
  }

  /** The size of an optional key's field; an empty key is not omitted. */
  static int optionalKeySize(@Nullable Key key) {
    return key == null ? 0 : nestedSize(key.size());
  }

  static void optionalKey(CodedOutputStream out, int field, @Nullable Key key) throws IOException {
    if (key != null) {
      out.writeByteArray(field, key.bytes());
    }
  }

  /** The size of a value's field; an absent value is omitted, an empty one is not. */
  public static int valueSize(Value value) {
    return value.isAbsent() ? 0 : nestedSize(value.size());
  }

  public static void value(CodedOutputStream out, int field, Value value) throws IOException {
    if (!value.isAbsent()) {
      out.writeByteArray(field, value.bytes());
    }
  }

  /** The size of the field for the form of a value; plain and absent ones have none. */
  public static int formSize(Value value) {
    return value.isAbsent() ? 0 : uint32Size(value.form());
  }

  public static void form(CodedOutputStream out, int field, Value value) throws IOException {
    if (!value.isAbsent()) {
      uint32(out, field, value.form());
    }
  }

  // ---- parts --------------------------------------------------------------------------------

  public static int txnIdSize(TxnId txn) {
    return fixed64Size(txn.timeMicros()) + fixed64Size(txn.clientId()) + uint32Size(txn.home());
  }

  public static void txnId(CodedOutputStream out, int field, TxnId txn) throws IOException {
    nested(out, field, txnIdSize(txn));
    fixed64(out, 1, txn.timeMicros());
    fixed64(out, 2, txn.clientId());
    uint32(out, 3, txn.home());
  }

  public static int writeIdSize(WriteId version) {
    return version.isInitial()
        ? 0
        : nestedSize(txnIdSize(version.writer())) + uint32Size(version.valueId());
  }

  public static void writeId(CodedOutputStream out, int field, WriteId version) throws IOException {
    nested(out, field, writeIdSize(version));
    if (!version.isInitial()) {
      txnId(out, 1, version.writer());
      uint32(out, 2, version.valueId());
    }
  }

  static int writeIdsSize(List<WriteId> versions) {
    int size = 0;
    for (int i = 0; i < versions.size(); i++) {
      size += nestedSize(writeIdSize(versions.get(i)));
    }
    return size;
  }

  static void writeIds(CodedOutputStream out, int field, List<WriteId> versions)
      throws IOException {
    for (int i = 0; i < versions.size(); i++) {
      writeId(out, field, versions.get(i));
    }
  }

  private static int readSize(Read read) {
    return keySize(read.key()) + nestedSize(writeIdSize(read.version()));
  }

  public static int readsSize(List<Read> reads) {
    int size = 0;
    for (Read read : reads) {
      size += nestedSize(readSize(read));
    }
    return size;
  }

  public static void reads(CodedOutputStream out, int field, List<Read> reads) throws IOException {
    for (Read read : reads) {
      nested(out, field, readSize(read));
      key(out, 1, read.key());
      writeId(out, 2, read.version());
    }
  }

  public static int writeSize(Write write) {
    return keySize(write.key())
        + uint32Size(write.valueId())
        + valueSize(write.value())
        + formSize(write.value());
  }

  public static void write(CodedOutputStream out, int field, Write write) throws IOException {
    nested(out, field, writeSize(write));
    key(out, 1, write.key());
    uint32(out, 2, write.valueId());
    value(out, 3, write.value());
    form(out, 4, write.value());
  }

  public static int writesSize(List<Write> writes) {
    int size = 0;
    for (Write write : writes) {
      size += nestedSize(writeSize(write));
    }
    return size;
  }

  public static void writes(CodedOutputStream out, int field, List<Write> writes)
      throws IOException {
    for (Write write : writes) {
      write(out, field, write);
    }
  }

  static int versionedValueSize(VersionedValue fresh) {
    return keySize(fresh.key())
        + nestedSize(writeIdSize(fresh.version()))
        + valueSize(fresh.value())
        + boolSize(fresh.settled())
        + formSize(fresh.value())
        + writeIdsSize(fresh.below());
  }

  static void versionedValue(CodedOutputStream out, int field, VersionedValue fresh)
      throws IOException {
    nested(out, field, versionedValueSize(fresh));
    key(out, 1, fresh.key());
    writeId(out, 2, fresh.version());
    value(out, 3, fresh.value());
    bool(out, 4, fresh.settled());
    form(out, 5, fresh.value());
    writeIds(out, 6, fresh.below());
  }

  static int versionedValuesSize(List<VersionedValue> rows) {
    int size = 0;
    for (VersionedValue row : rows) {
      size += nestedSize(versionedValueSize(row));
    }
    return size;
  }

  static void versionedValues(CodedOutputStream out, int field, List<VersionedValue> rows)
      throws IOException {
    for (VersionedValue row : rows) {
      versionedValue(out, field, row);
    }
  }

  static int keyRangeSize(KeyRange range) {
    return keySize(range.from()) + optionalKeySize(range.to());
  }

  static void keyRange(CodedOutputStream out, int field, KeyRange range) throws IOException {
    nested(out, field, keyRangeSize(range));
    key(out, 1, range.from());
    optionalKey(out, 2, range.to());
  }

  static int viewSize(View view) {
    return uint32Size(view.round()) + fixed64Size(view.proposer());
  }

  static void view(CodedOutputStream out, int field, View view) throws IOException {
    nested(out, field, viewSize(view));
    uint32(out, 1, view.round());
    fixed64(out, 2, view.proposer());
  }

  static int outcomeSize(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit commit -> nestedSize(commitSize(commit));
      case Outcome.Abort() -> nestedSize(0);
    };
  }

  private static int commitSize(Outcome.Commit commit) {
    return uint32Size(commit.execution()) + participantsSize(commit.participants());
  }

  static void outcome(CodedOutputStream out, int field, Outcome outcome) throws IOException {
    nested(out, field, outcomeSize(outcome));
    switch (outcome) {
      case Outcome.Commit commit -> {
        nested(out, 1, commitSize(commit));
        uint32(out, 1, commit.execution());
        participants(out, 2, commit.participants());
      }
      case Outcome.Abort() -> nested(out, 2, 0);
    }
  }

  static int voteSize(Vote vote) {
    return switch (vote) {
      case Vote.Commit ignored -> nestedSize(0);
      case Vote.Abandon abandon -> nestedSize(abandonSize(abandon));
    };
  }

  static void vote(CodedOutputStream out, int field, Vote vote) throws IOException {
    nested(out, field, voteSize(vote));
    switch (vote) {
      case Vote.Commit(boolean onCondition) -> nested(out, onCondition ? 3 : 1, 0);
      case Vote.Abandon abandon -> abandon(out, 2, abandon);
    }
  }

  private static int abandonSize(Vote.Abandon abandon) {
    return boolSize(abandon.isFinal())
        + uint32Size(EnumNumbers.of(abandon.reason()))
        + versionedValuesSize(abandon.fresh());
  }

  private static void abandon(CodedOutputStream out, int field, Vote.Abandon abandon)
      throws IOException {
    nested(out, field, abandonSize(abandon));
    bool(out, 1, abandon.isFinal());
    out.writeEnum(2, EnumNumbers.of(abandon.reason()));
    versionedValues(out, 3, abandon.fresh());
  }

  // ---- messages of one shape ----------------------------------------------------------------

  /** The size of a message that {@link PartDecoder#answer} reads, without its transaction. */
  public static int answerSize(int request, WriteId version, Value value) {
    return uint32Size(request) + nestedSize(writeIdSize(version)) + valueSize(value);
  }

  public static void answer(CodedOutputStream out, int request, WriteId version, Value value)
      throws IOException {
    uint32(out, 2, request);
    writeId(out, 3, version);
    value(out, 4, value);
  }

  // ---- participants and timestamps ----------------------------------------------------------

  public static int participantsSize(List<Integer> participants) {
    return participants.isEmpty() ? 0 : nestedSize(packedSize(participants));
  }

  public static void participants(CodedOutputStream out, int field, List<Integer> participants)
      throws IOException {
    if (!participants.isEmpty()) {
      nested(out, field, packedSize(participants));
      for (int participant : participants) {
        out.writeUInt32NoTag(participant);
      }
    }
  }

  private static int packedSize(List<Integer> numbers) {
    int size = 0;
    for (int number : numbers) {
      size += computeUInt32SizeNoTag(number);
    }
    return size;
  }

  /** The size of a timestamp's field; the initial timestamp is omitted. */
  public static int stampSize(TxnId stamp) {
    return stamp.equals(TxnId.INITIAL) ? 0 : nestedSize(txnIdSize(stamp));
  }

  public static void stamp(CodedOutputStream out, int field, TxnId stamp) throws IOException {
    if (!stamp.equals(TxnId.INITIAL)) {
      txnId(out, field, stamp);
    }
  }
}
