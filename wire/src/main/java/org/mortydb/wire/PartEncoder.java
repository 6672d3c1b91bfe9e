package org.mortydb.wire;

import static com.google.protobuf.CodedOutputStream.computeUInt32SizeNoTag;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
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
 * The messages of the schema that occur inside others: their sizes, and their fields. Field numbers
 * and types are those of morty.proto; tests hold both together. Field numbers here are below 16, so
 * that every tag takes one byte.
 */
final class PartEncoder {
  private static final int FIXED64 = 1 + Long.BYTES;
  private static final int BOOL = 2;

  private PartEncoder() {}

  // ---- fields -------------------------------------------------------------------------------

  /** Size of a uint32 field; 0 is left out. */
  static int uint32Size(int value) {
    return value == 0 ? 0 : 1 + computeUInt32SizeNoTag(value);
  }

  static void uint32(CodedOutputStream out, int field, int value) throws IOException {
    if (value != 0) {
      out.writeUInt32(field, value);
    }
  }

  /** Size of a fixed64 field; 0 is left out. */
  static int fixed64Size(long value) {
    return value == 0 ? 0 : FIXED64;
  }

  static void fixed64(CodedOutputStream out, int field, long value) throws IOException {
    if (value != 0) {
      out.writeFixed64(field, value);
    }
  }

  static int boolSize(boolean value) {
    return value ? BOOL : 0;
  }

  static void bool(CodedOutputStream out, int field, boolean value) throws IOException {
    if (value) {
      out.writeBool(field, true);
    }
  }

  /** Size of a field that holds {@code size} bytes or a message of {@code size} bytes. */
  static int nestedSize(int size) {
    return 1 + computeUInt32SizeNoTag(size) + size;
  }

  /** What comes before a nested message. */
  static void nested(CodedOutputStream out, int field, int size) throws IOException {
    out.writeTag(field, 2);
    out.writeUInt32NoTag(size);
  }

  /** Size of a key's field; an empty key is left out unless the field is repeated. */
  static int keySize(Key key) {
    return key.size() == 0 ? 0 : nestedSize(key.size());
  }

  static void key(CodedOutputStream out, int field, Key key) throws IOException {
    if (key.size() != 0) {
      out.writeByteArray(field, key.bytes());
    }
  }

  /** Size of the field of an optional key; the empty one is not left out. */
  static int optionalKeySize(@Nullable Key key) {
    return key == null ? 0 : nestedSize(key.size());
  }

  static void optionalKey(CodedOutputStream out, int field, @Nullable Key key) throws IOException {
    if (key != null) {
      out.writeByteArray(field, key.bytes());
    }
  }

  /** Size of a value's field; the absent value is left out, the empty one is not. */
  static int valueSize(Value value) {
    return value.isAbsent() ? 0 : nestedSize(value.size());
  }

  static void value(CodedOutputStream out, int field, Value value) throws IOException {
    if (!value.isAbsent()) {
      out.writeByteArray(field, value.bytes());
    }
  }

  // ---- parts --------------------------------------------------------------------------------

  static int txnIdSize(TxnId txn) {
    return fixed64Size(txn.timeMicros()) + fixed64Size(txn.clientId()) + uint32Size(txn.home());
  }

  static void txnId(CodedOutputStream out, int field, TxnId txn) throws IOException {
    nested(out, field, txnIdSize(txn));
    fixed64(out, 1, txn.timeMicros());
    fixed64(out, 2, txn.clientId());
    uint32(out, 3, txn.home());
  }

  static int writeIdSize(WriteId version) {
    return version.isInitial()
        ? 0
        : nestedSize(txnIdSize(version.writer())) + uint32Size(version.valueId());
  }

  static void writeId(CodedOutputStream out, int field, WriteId version) throws IOException {
    nested(out, field, writeIdSize(version));
    if (!version.isInitial()) {
      txnId(out, 1, version.writer());
      uint32(out, 2, version.valueId());
    }
  }

  static int readSize(Read read) {
    return keySize(read.key()) + nestedSize(writeIdSize(read.version()));
  }

  static void read(CodedOutputStream out, int field, Read read) throws IOException {
    nested(out, field, readSize(read));
    key(out, 1, read.key());
    writeId(out, 2, read.version());
  }

  static int writeSize(Write write) {
    return keySize(write.key()) + uint32Size(write.valueId()) + valueSize(write.value());
  }

  static void write(CodedOutputStream out, int field, Write write) throws IOException {
    nested(out, field, writeSize(write));
    key(out, 1, write.key());
    uint32(out, 2, write.valueId());
    value(out, 3, write.value());
  }

  static int versionedValueSize(VersionedValue fresh) {
    return keySize(fresh.key())
        + nestedSize(writeIdSize(fresh.version()))
        + valueSize(fresh.value())
        + boolSize(fresh.settled());
  }

  static void versionedValue(CodedOutputStream out, int field, VersionedValue fresh)
      throws IOException {
    nested(out, field, versionedValueSize(fresh));
    key(out, 1, fresh.key());
    writeId(out, 2, fresh.version());
    value(out, 3, fresh.value());
    bool(out, 4, fresh.settled());
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
    return uint32Size(commit.execution()) + MessageEncoder.participantsSize(commit.participants());
  }

  static void outcome(CodedOutputStream out, int field, Outcome outcome) throws IOException {
    nested(out, field, outcomeSize(outcome));
    switch (outcome) {
      case Outcome.Commit commit -> {
        nested(out, 1, commitSize(commit));
        uint32(out, 1, commit.execution());
        MessageEncoder.participants(out, 2, commit.participants());
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
    int size = boolSize(abandon.isFinal()) + uint32Size(Reasons.number(abandon.reason()));
    for (VersionedValue fresh : abandon.fresh()) {
      size += nestedSize(versionedValueSize(fresh));
    }
    return size;
  }

  private static void abandon(CodedOutputStream out, int field, Vote.Abandon abandon)
      throws IOException {
    nested(out, field, abandonSize(abandon));
    bool(out, 1, abandon.isFinal());
    out.writeEnum(2, Reasons.number(abandon.reason()));
    for (VersionedValue fresh : abandon.fresh()) {
      versionedValue(out, 3, fresh);
    }
  }
}
