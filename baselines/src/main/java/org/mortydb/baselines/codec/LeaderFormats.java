package org.mortydb.baselines.codec;

import static org.mortydb.wire.MessageFields.orEmpty;
import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;
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
import static org.mortydb.wire.PartEncoder.writesSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.baselines.message.Conflicts;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LeaderMessage.Ballot;
import org.mortydb.baselines.message.LeaderMessage.Blocked;
import org.mortydb.baselines.message.LeaderMessage.GiveWay;
import org.mortydb.baselines.message.LeaderMessage.KeepAlive;
import org.mortydb.baselines.message.LeaderMessage.PrepareCommit;
import org.mortydb.baselines.message.LeaderMessage.Rollback;
import org.mortydb.baselines.message.LeaderMessage.SafeTimeQuery;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.TransactionRead;
import org.mortydb.baselines.message.LeaderMessage.Update;
import org.mortydb.baselines.message.LeaderMessage.Verdict;
import org.mortydb.baselines.message.LeaderMessage.VerdictAck;
import org.mortydb.baselines.message.LeaderMessage.VersionReply;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.MessageFields;
import org.mortydb.wire.MessageTable;
import org.mortydb.wire.PartDecoder;
import org.mortydb.wire.PartEncoder;
import org.mortydb.wire.TableCodec;
import org.mortydb.wire.WireReader;

/** The messages of the systems with leaders, as baselines.proto defines them. */
public final class LeaderFormats {
  private static final int TXN = 1 << 3 | BYTES;

  private static final MessageTable MESSAGES =
      new MessageTable()
          .add(
              1,
              TransactionRead.class,
              m -> fixed64Size(m.ageMicros()) + uint32Size(m.request()) + keySize(m.key()),
              (out, m) -> {
                fixed64(out, 2, m.ageMicros());
                uint32(out, 3, m.request());
                PartEncoder.key(out, 4, m.key());
              },
              LeaderFormats::transactionRead)
          .add(
              2,
              SnapshotRead.class,
              m -> uint32Size(m.request()) + keySize(m.key()) + fixed64Size(m.atMicros()),
              (out, m) -> {
                uint32(out, 2, m.request());
                PartEncoder.key(out, 3, m.key());
                fixed64(out, 4, m.atMicros());
              },
              LeaderFormats::snapshotRead)
          .add(
              3,
              PrepareCommit.class,
              m ->
                  fixed64Size(m.ageMicros())
                      + uint32Size(m.coordinator())
                      + boolSize(m.readOnly())
                      + PartEncoder.readsSize(m.readSet())
                      + writesSize(m.writeSet())
                      + PartEncoder.participantsSize(m.participants())
                      + fixed64Size(m.snapshotMicros()),
              (out, m) -> {
                fixed64(out, 2, m.ageMicros());
                uint32(out, 3, m.coordinator());
                PartEncoder.bool(out, 4, m.readOnly());
                PartEncoder.reads(out, 5, m.readSet());
                PartEncoder.writes(out, 6, m.writeSet());
                PartEncoder.participants(out, 7, m.participants());
                fixed64(out, 8, m.snapshotMicros());
              },
              LeaderFormats::prepareCommit)
          .add(4, Rollback.class, in -> new Rollback(PartDecoder.onlyTxn(in, "Rollback")))
          .add(5, KeepAlive.class, in -> new KeepAlive(PartDecoder.onlyTxn(in, "KeepAlive")))
          .add(
              6,
              VersionReply.class,
              m -> PartEncoder.answerSize(m.request(), m.version(), m.value()),
              (out, m) -> PartEncoder.answer(out, m.request(), m.version(), m.value()),
              in -> PartDecoder.answer(in, "VersionReply", VersionReply::new))
          .add(
              7,
              Ballot.class,
              m -> fixed64Size(m.prepareMicros()) + conflictsSize(m.conflicts()),
              (out, m) -> {
                fixed64(out, 2, m.prepareMicros());
                conflicts(out, m.conflicts());
              },
              in -> timed(in, "Ballot", Ballot::new))
          .add(
              8,
              Verdict.class,
              m -> fixed64Size(m.commitMicros()) + conflictsSize(m.conflicts()),
              (out, m) -> {
                fixed64(out, 2, m.commitMicros());
                conflicts(out, m.conflicts());
              },
              in -> timed(in, "Verdict", Verdict::new))
          .add(9, VerdictAck.class, in -> new VerdictAck(PartDecoder.onlyTxn(in, "VerdictAck")))
          .add(10, Append.class, LeaderFormats::size, LeaderFormats::write, LeaderFormats::append)
          .add(
              11,
              AppendReply.class,
              m -> fixed64Size(m.lastIndex()) + fixed64Size(m.appliedIndex()),
              (out, m) -> {
                fixed64(out, 1, m.lastIndex());
                fixed64(out, 2, m.appliedIndex());
              },
              LeaderFormats::appendReply)
          .add(
              12,
              SafeTimeQuery.class,
              m -> fixed64Size(m.atMicros()),
              (out, m) -> fixed64(out, 1, m.atMicros()),
              LeaderFormats::safeTimeQuery)
          .add(13, Blocked.class, in -> new Blocked(PartDecoder.onlyTxn(in, "Blocked")))
          .add(14, GiveWay.class, in -> new GiveWay(PartDecoder.onlyTxn(in, "GiveWay")))
          .add(
              15,
              Update.class,
              m -> fixed64Size(m.ageMicros()) + keySize(m.key()) + fixed64Size(m.snapshotMicros()),
              (out, m) -> {
                fixed64(out, 2, m.ageMicros());
                PartEncoder.key(out, 3, m.key());
                fixed64(out, 4, m.snapshotMicros());
              },
              LeaderFormats::update);

  private LeaderFormats() {}

  /** The codec of these messages, for the system with this number. */
  public static MessageCodec codec(int number) {
    return new TableCodec(number, MESSAGES);
  }

  private static int conflictsSize(Conflicts conflicts) {
    return boolSize(conflicts.in()) + boolSize(conflicts.out());
  }

  private static void conflicts(CodedOutputStream out, Conflicts conflicts) throws IOException {
    PartEncoder.bool(out, 3, conflicts.in());
    PartEncoder.bool(out, 4, conflicts.out());
  }

  /** Makes a message of a transaction, a time and the transaction's conflicts. */
  private interface Timed {
    Message of(TxnId txn, long micros, Conflicts conflicts);
  }

  private static Message timed(WireReader in, String message, Timed make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    long micros = 0;
    boolean isIn = false;
    boolean isOut = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> micros = fields.count("micros");
        case 3 << 3 | VARINT -> isIn = in.bool();
        case 4 << 3 | VARINT -> isOut = in.bool();
        default -> throw fields.unexpected();
      }
    }
    return make.of(fields.required(txn, "txn"), micros, new Conflicts(isIn, isOut));
  }

  private static Message update(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Update");
    TxnId txn = null;
    long age = 0;
    Key key = PartDecoder.EMPTY_KEY;
    long snapshot = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> age = fields.count("age_micros");
        case 3 << 3 | BYTES -> key = fields.key("key");
        case 4 << 3 | FIXED64 -> snapshot = fields.count("snapshot_micros");
        default -> throw fields.unexpected();
      }
    }
    return new Update(fields.required(txn, "txn"), age, key, snapshot);
  }

  private static Message transactionRead(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TransactionRead");
    TxnId txn = null;
    long age = 0;
    int request = 0;
    Key key = PartDecoder.EMPTY_KEY;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> age = fields.count("age_micros");
        case 3 << 3 | VARINT -> request = fields.number("request");
        case 4 << 3 | BYTES -> key = fields.key("key");
        default -> throw fields.unexpected();
      }
    }
    return new TransactionRead(fields.required(txn, "txn"), age, request, key);
  }

  private static Message snapshotRead(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("SnapshotRead");
    TxnId txn = null;
    int request = 0;
    Key key = PartDecoder.EMPTY_KEY;
    long at = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> request = fields.number("request");
        case 3 << 3 | BYTES -> key = fields.key("key");
        case 4 << 3 | FIXED64 -> at = fields.count("at_micros");
        default -> throw fields.unexpected();
      }
    }
    return new SnapshotRead(fields.required(txn, "txn"), request, key, at);
  }

  private static Message prepareCommit(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("PrepareCommit");
    TxnId txn = null;
    long age = 0;
    int coordinator = 0;
    boolean readOnly = false;
    List<Read> reads = null;
    List<Write> writes = null;
    List<Integer> participants = List.of();
    long snapshot = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> age = fields.count("age_micros");
        case 3 << 3 | VARINT -> coordinator = fields.number("coordinator");
        case 4 << 3 | VARINT -> readOnly = in.bool();
        case 5 << 3 | BYTES -> reads = fields.append(reads, PartDecoder.read(in), "reads");
        case 6 << 3 | BYTES -> writes = fields.append(writes, PartDecoder.write(in), "writes");
        case 7 << 3 | BYTES -> participants = fields.participants();
        case 8 << 3 | FIXED64 -> snapshot = fields.count("snapshot_micros");
        default -> throw fields.unexpected();
      }
    }
    return new PrepareCommit(
        fields.required(txn, "txn"),
        age,
        coordinator,
        readOnly,
        orEmpty(reads),
        orEmpty(writes),
        participants,
        snapshot);
  }

  private static int size(Append m) {
    int size = fixed64Size(m.firstIndex());
    for (LogEntry entry : m.entries()) {
      size += nestedSize(nestedSize(entrySize(entry)));
    }
    return size + fixed64Size(m.appliedIndex()) + fixed64Size(m.safeMicros());
  }

  private static void write(CodedOutputStream out, Append m) throws IOException {
    fixed64(out, 1, m.firstIndex());
    for (LogEntry entry : m.entries()) {
      int size = entrySize(entry);
      nested(out, 2, nestedSize(size));
      switch (entry) {
        case LogEntry.Prepared e -> written(out, 1, size, e.txn(), e.prepareMicros(), e.writes());
        case LogEntry.Committed e -> written(out, 2, size, e.txn(), e.commitMicros(), e.writes());
        case LogEntry.Aborted e -> written(out, 3, size, e.txn(), 0, List.of());
      }
    }
    fixed64(out, 3, m.appliedIndex());
    fixed64(out, 4, m.safeMicros());
  }

  private static int entrySize(LogEntry entry) {
    int txn = nestedSize(txnIdSize(entry.txn()));
    return switch (entry) {
      case LogEntry.Prepared e -> txn + fixed64Size(e.prepareMicros()) + writesSize(e.writes());
      case LogEntry.Committed e -> txn + fixed64Size(e.commitMicros()) + writesSize(e.writes());
      case LogEntry.Aborted _ -> txn;
    };
  }

  private static void written(
      CodedOutputStream out, int field, int size, TxnId txn, long micros, List<Write> writes)
      throws IOException {
    nested(out, field, size);
    txnId(out, 1, txn);
    fixed64(out, 2, micros);
    PartEncoder.writes(out, 3, writes);
  }

  private static Message append(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Append");
    long first = 0;
    List<LogEntry> entries = null;
    long applied = 0;
    long safe = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | FIXED64 -> first = fields.count("first_index");
        case 2 << 3 | BYTES -> entries = fields.append(entries, entry(in), "entries");
        case 3 << 3 | FIXED64 -> applied = fields.count("applied_index");
        case 4 << 3 | FIXED64 -> safe = fields.count("safe_micros");
        default -> throw fields.unexpected();
      }
    }
    return new Append(first, orEmpty(entries), applied, safe);
  }

  private static LogEntry entry(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("LogEntry");
    LogEntry entry = null;
    while (fields.next()) {
      LogEntry read =
          switch (fields.tag()) {
            case 1 << 3 | BYTES -> written(in, "PreparedEntry", LogEntry.Prepared::new);
            case 2 << 3 | BYTES -> written(in, "CommittedEntry", LogEntry.Committed::new);
            case 3 << 3 | BYTES -> new LogEntry.Aborted(PartDecoder.onlyTxn(in, "AbortedEntry"));
            default -> throw fields.unexpected();
          };
      entry = fields.oneOf(entry, read, "entry");
    }
    return fields.required(entry, "entry");
  }

  /** Makes an entry of a transaction, a time and the transaction's writes. */
  private interface Written {
    LogEntry of(TxnId txn, long micros, List<Write> writes);
  }

  private static LogEntry written(WireReader in, String message, Written make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    long micros = 0;
    List<Write> writes = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> micros = fields.count("micros");
        case 3 << 3 | BYTES -> writes = fields.append(writes, PartDecoder.write(in), "writes");
        default -> throw fields.unexpected();
      }
    }
    return make.of(fields.required(txn, "txn"), micros, orEmpty(writes));
  }

  private static Message appendReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("AppendReply");
    long last = 0;
    long applied = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | FIXED64 -> last = fields.count("last_index");
        case 2 << 3 | FIXED64 -> applied = fields.count("applied_index");
        default -> throw fields.unexpected();
      }
    }
    return new AppendReply(last, applied);
  }

  private static Message safeTimeQuery(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("SafeTimeQuery");
    long at = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | FIXED64 -> at = fields.count("at_micros");
        default -> throw fields.unexpected();
      }
    }
    return new SafeTimeQuery(at);
  }
}
