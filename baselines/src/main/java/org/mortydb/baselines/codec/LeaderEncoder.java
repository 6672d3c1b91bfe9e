package org.mortydb.baselines.codec;

import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.fixed64;
import static org.mortydb.wire.PartEncoder.fixed64Size;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nested;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.txnId;
import static org.mortydb.wire.PartEncoder.txnIdSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.wire.PartEncoder;

/** The messages of the systems with leaders: their field numbers, sizes, and fields. */
final class LeaderEncoder {
  private LeaderEncoder() {}

  /** The number of a kind of message. */
  static int kind(LeaderMessage message) {
    return switch (message) {
      case LeaderMessage.TransactionRead m -> 1;
      case LeaderMessage.SnapshotRead m -> 2;
      case LeaderMessage.PrepareCommit m -> 3;
      case LeaderMessage.Rollback m -> 4;
      case LeaderMessage.KeepAlive m -> 5;
      case LeaderMessage.VersionReply m -> 6;
      case LeaderMessage.Ballot m -> 7;
      case LeaderMessage.Verdict m -> 8;
      case LeaderMessage.VerdictAck m -> 9;
      case LeaderMessage.Append m -> 10;
      case LeaderMessage.AppendReply m -> 11;
      case LeaderMessage.SafeTimeQuery m -> 12;
      case LeaderMessage.Blocked m -> 13;
      case LeaderMessage.GiveWay m -> 14;
    };
  }

  /** The size of the fields that follow the transaction. */
  static int size(LeaderMessage message) {
    return switch (message) {
      case LeaderMessage.TransactionRead m ->
          fixed64Size(m.ageMicros()) + uint32Size(m.request()) + keySize(m.key());
      case LeaderMessage.SnapshotRead m ->
          uint32Size(m.request()) + keySize(m.key()) + fixed64Size(m.atMicros());
      case LeaderMessage.PrepareCommit m ->
          fixed64Size(m.ageMicros())
              + uint32Size(m.coordinator())
              + boolSize(m.readOnly())
              + readsSize(m.readSet())
              + writesSize(m.writeSet())
              + PartEncoder.participantsSize(m.participants());
      case LeaderMessage.Rollback m -> 0;
      case LeaderMessage.KeepAlive m -> 0;
      case LeaderMessage.VersionReply m ->
          uint32Size(m.request())
              + nestedSize(PartEncoder.writeIdSize(m.version()))
              + PartEncoder.valueSize(m.value());
      case LeaderMessage.Ballot m -> fixed64Size(m.prepareMicros());
      case LeaderMessage.Verdict m -> fixed64Size(m.commitMicros());
      case LeaderMessage.VerdictAck m -> 0;
      case LeaderMessage.Append m -> {
        int size = fixed64Size(m.firstIndex());
        for (LogEntry entry : m.entries()) {
          size += nestedSize(nestedSize(entrySize(entry)));
        }
        yield size + fixed64Size(m.appliedIndex()) + fixed64Size(m.safeMicros());
      }
      case LeaderMessage.AppendReply m ->
          fixed64Size(m.lastIndex()) + fixed64Size(m.appliedIndex());
      case LeaderMessage.SafeTimeQuery m -> fixed64Size(m.atMicros());
      case LeaderMessage.Blocked m -> 0;
      case LeaderMessage.GiveWay m -> 0;
    };
  }

  /** Writes the fields that follow the transaction. */
  static void write(CodedOutputStream out, LeaderMessage message) throws IOException {
    switch (message) {
      case LeaderMessage.TransactionRead m -> {
        fixed64(out, 2, m.ageMicros());
        uint32(out, 3, m.request());
        PartEncoder.key(out, 4, m.key());
      }
      case LeaderMessage.SnapshotRead m -> {
        uint32(out, 2, m.request());
        PartEncoder.key(out, 3, m.key());
        fixed64(out, 4, m.atMicros());
      }
      case LeaderMessage.PrepareCommit m -> {
        fixed64(out, 2, m.ageMicros());
        uint32(out, 3, m.coordinator());
        PartEncoder.bool(out, 4, m.readOnly());
        for (Read read : m.readSet()) {
          PartEncoder.read(out, 5, read);
        }
        writes(out, 6, m.writeSet());
        PartEncoder.participants(out, 7, m.participants());
      }
      case LeaderMessage.Rollback m -> {}
      case LeaderMessage.KeepAlive m -> {}
      case LeaderMessage.VersionReply m -> {
        uint32(out, 2, m.request());
        PartEncoder.writeId(out, 3, m.version());
        PartEncoder.value(out, 4, m.value());
      }
      case LeaderMessage.Ballot m -> fixed64(out, 2, m.prepareMicros());
      case LeaderMessage.Verdict m -> fixed64(out, 2, m.commitMicros());
      case LeaderMessage.VerdictAck m -> {}
      case LeaderMessage.Append m -> {
        fixed64(out, 1, m.firstIndex());
        for (LogEntry entry : m.entries()) {
          entry(out, 2, entry);
        }
        fixed64(out, 3, m.appliedIndex());
        fixed64(out, 4, m.safeMicros());
      }
      case LeaderMessage.AppendReply m -> {
        fixed64(out, 1, m.lastIndex());
        fixed64(out, 2, m.appliedIndex());
      }
      case LeaderMessage.SafeTimeQuery m -> fixed64(out, 1, m.atMicros());
      case LeaderMessage.Blocked m -> {}
      case LeaderMessage.GiveWay m -> {}
    }
  }

  private static int entrySize(LogEntry entry) {
    int txn = nestedSize(txnIdSize(entry.txn()));
    return switch (entry) {
      case LogEntry.Prepared e -> txn + fixed64Size(e.prepareMicros()) + writesSize(e.writes());
      case LogEntry.Committed e -> txn + fixed64Size(e.commitMicros()) + writesSize(e.writes());
      case LogEntry.Aborted e -> txn;
    };
  }

  private static void entry(CodedOutputStream out, int field, LogEntry entry) throws IOException {
    int size = entrySize(entry);
    nested(out, field, nestedSize(size));
    TxnId txn = entry.txn();
    switch (entry) {
      case LogEntry.Prepared e -> {
        nested(out, 1, size);
        txnId(out, 1, txn);
        fixed64(out, 2, e.prepareMicros());
        writes(out, 3, e.writes());
      }
      case LogEntry.Committed e -> {
        nested(out, 2, size);
        txnId(out, 1, txn);
        fixed64(out, 2, e.commitMicros());
        writes(out, 3, e.writes());
      }
      case LogEntry.Aborted e -> {
        nested(out, 3, size);
        txnId(out, 1, txn);
      }
    }
  }

  private static int readsSize(List<Read> reads) {
    int size = 0;
    for (Read read : reads) {
      size += nestedSize(PartEncoder.readSize(read));
    }
    return size;
  }

  private static int writesSize(List<Write> writes) {
    int size = 0;
    for (Write write : writes) {
      size += nestedSize(PartEncoder.writeSize(write));
    }
    return size;
  }

  private static void writes(CodedOutputStream out, int field, List<Write> writes)
      throws IOException {
    for (Write write : writes) {
      PartEncoder.write(out, field, write);
    }
  }
}
