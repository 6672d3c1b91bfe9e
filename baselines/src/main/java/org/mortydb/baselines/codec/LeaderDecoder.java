package org.mortydb.baselines.codec;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;
import static org.mortydb.wire.PartDecoder.append;
import static org.mortydb.wire.PartDecoder.orEmpty;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.wire.PartDecoder;
import org.mortydb.wire.WireReader;

/** Decodes the messages of the systems with leaders. */
final class LeaderDecoder {
  private static final int TXN = 1 << 3 | BYTES;

  private final WireReader in;

  LeaderDecoder(WireReader in) {
    this.in = in;
  }

  /**
   * Decodes a message of a kind.
   *
   * @return null if there is no such kind
   */
  Message.@Nullable OfSystem message(int kind) throws IOException {
    return switch (kind) {
      case 1 -> transactionRead();
      case 2 -> snapshotRead();
      case 3 -> prepareCommit();
      case 4 -> new LeaderMessage.Rollback(PartDecoder.onlyTxn(in, "Rollback"));
      case 5 -> new LeaderMessage.KeepAlive(PartDecoder.onlyTxn(in, "KeepAlive"));
      case 6 -> PartDecoder.answer(in, "VersionReply", LeaderMessage.VersionReply::new);
      case 7 -> {
        Stamped s = stamped("Ballot");
        yield new LeaderMessage.Ballot(s.txn, s.micros);
      }
      case 8 -> {
        Stamped s = stamped("Verdict");
        yield new LeaderMessage.Verdict(s.txn, s.micros);
      }
      case 9 -> new LeaderMessage.VerdictAck(PartDecoder.onlyTxn(in, "VerdictAck"));
      case 10 -> appendMessage();
      case 11 -> appendReply();
      case 12 -> safeTimeQuery();
      case 13 -> new LeaderMessage.Blocked(PartDecoder.onlyTxn(in, "Blocked"));
      case 14 -> new LeaderMessage.GiveWay(PartDecoder.onlyTxn(in, "GiveWay"));
      default -> null;
    };
  }

  private record Stamped(TxnId txn, long micros) {}

  /** A message of a transaction and a time. */
  private Stamped stamped(String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    long micros = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> micros = count(message, "micros");
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Stamped(in.required(txn, message, "txn"), micros);
  }

  /** A time or an index: at most 2^63 - 1. */
  private long count(String message, String field) throws IOException {
    long value = in.fixed64();
    if (value < 0) {
      throw in.malformed(
          message + "." + field + " is " + Long.toUnsignedString(value) + ", at most 2^63-1");
    }
    return value;
  }

  private Message.OfSystem transactionRead() throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    long age = 0;
    int request = 0;
    Key key = PartDecoder.EMPTY_KEY;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "TransactionRead");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> age = count("TransactionRead", "age_micros");
        case 3 << 3 | VARINT -> request = in.number("TransactionRead", "request");
        case 4 << 3 | BYTES -> key = in.key("TransactionRead", "key");
        default -> throw in.unexpected("TransactionRead", tag);
      }
    }
    in.leave(outer);
    return new LeaderMessage.TransactionRead(
        in.required(txn, "TransactionRead", "txn"), age, request, key);
  }

  private Message.OfSystem snapshotRead() throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    Key key = PartDecoder.EMPTY_KEY;
    long at = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "SnapshotRead");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> request = in.number("SnapshotRead", "request");
        case 3 << 3 | BYTES -> key = in.key("SnapshotRead", "key");
        case 4 << 3 | FIXED64 -> at = count("SnapshotRead", "at_micros");
        default -> throw in.unexpected("SnapshotRead", tag);
      }
    }
    in.leave(outer);
    return new LeaderMessage.SnapshotRead(
        in.required(txn, "SnapshotRead", "txn"), request, key, at);
  }

  private Message.OfSystem prepareCommit() throws IOException {
    String message = "PrepareCommit";
    int outer = in.enter();
    TxnId txn = null;
    long age = 0;
    int coordinator = 0;
    boolean readOnly = false;
    List<Read> reads = null;
    List<Write> writes = null;
    List<Integer> participants = List.of();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (5 << 3 | BYTES)) {
        reads = append(in, reads, PartDecoder.read(in), message, "reads");
        continue;
      }
      if (tag == (6 << 3 | BYTES)) {
        writes = append(in, writes, PartDecoder.write(in), message, "writes");
        continue;
      }
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> age = count(message, "age_micros");
        case 3 << 3 | VARINT -> coordinator = in.number(message, "coordinator");
        case 4 << 3 | VARINT -> readOnly = in.bool();
        case 7 << 3 | BYTES -> participants = PartDecoder.participants(in, message);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new LeaderMessage.PrepareCommit(
        in.required(txn, message, "txn"),
        age,
        coordinator,
        readOnly,
        orEmpty(reads),
        orEmpty(writes),
        participants);
  }

  private Message.OfSystem appendMessage() throws IOException {
    int outer = in.enter();
    long first = 0;
    List<LogEntry> entries = null;
    long applied = 0;
    long safe = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (2 << 3 | BYTES)) {
        entries = append(in, entries, entry(), "Append", "entries");
        continue;
      }
      seen = in.once(seen, tag, "Append");
      switch (tag) {
        case 1 << 3 | FIXED64 -> first = count("Append", "first_index");
        case 3 << 3 | FIXED64 -> applied = count("Append", "applied_index");
        case 4 << 3 | FIXED64 -> safe = count("Append", "safe_micros");
        default -> throw in.unexpected("Append", tag);
      }
    }
    in.leave(outer);
    return new LeaderMessage.Append(first, orEmpty(entries), applied, safe);
  }

  private LogEntry entry() throws IOException {
    int outer = in.enter();
    LogEntry entry =
        switch (in.tag()) {
          case 1 << 3 | BYTES -> {
            Written w = written("PreparedEntry");
            yield new LogEntry.Prepared(w.txn, w.micros, w.writes);
          }
          case 2 << 3 | BYTES -> {
            Written w = written("CommittedEntry");
            yield new LogEntry.Committed(w.txn, w.micros, w.writes);
          }
          case 3 << 3 | BYTES -> new LogEntry.Aborted(PartDecoder.onlyTxn(in, "AbortedEntry"));
          default -> throw in.malformed("LogEntry.entry is missing, or none that is known");
        };
    if (in.tag() != 0) {
      throw in.malformed("LogEntry has more than one entry");
    }
    in.leave(outer);
    return entry;
  }

  private record Written(TxnId txn, long micros, List<Write> writes) {}

  private Written written(String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    long micros = 0;
    List<Write> writes = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        writes = append(in, writes, PartDecoder.write(in), message, "writes");
        continue;
      }
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> micros = count(message, "micros");
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Written(in.required(txn, message, "txn"), micros, orEmpty(writes));
  }

  private Message.OfSystem appendReply() throws IOException {
    int outer = in.enter();
    long last = 0;
    long applied = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "AppendReply");
      switch (tag) {
        case 1 << 3 | FIXED64 -> last = count("AppendReply", "last_index");
        case 2 << 3 | FIXED64 -> applied = count("AppendReply", "applied_index");
        default -> throw in.unexpected("AppendReply", tag);
      }
    }
    in.leave(outer);
    return new LeaderMessage.AppendReply(last, applied);
  }

  private Message.OfSystem safeTimeQuery() throws IOException {
    int outer = in.enter();
    long at = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "SafeTimeQuery");
      if (tag != (1 << 3 | FIXED64)) {
        throw in.unexpected("SafeTimeQuery", tag);
      }
      at = count("SafeTimeQuery", "at_micros");
    }
    in.leave(outer);
    return new LeaderMessage.SafeTimeQuery(at);
  }
}
