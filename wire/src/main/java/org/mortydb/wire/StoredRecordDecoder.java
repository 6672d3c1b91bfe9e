package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** Reads the records of log.proto; tags are written as in {@link PartDecoder}. */
public final class StoredRecordDecoder {
  private final WireReader in;

  private StoredRecordDecoder(WireReader in) {
    this.in = in;
  }

  /**
   * Reads a record.
   *
   * @throws IOException when the bytes are not one, saying where and why
   */
  public static StoredRecord decode(ByteBuffer payload) throws IOException {
    return new StoredRecordDecoder(new WireReader(payload)).stored();
  }

  private StoredRecord stored() throws IOException {
    ReplicaId replica = null;
    LogRecord logged = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "StoredRecord");
      if (tag == (1 << 3 | BYTES)) {
        replica = PartDecoder.replicaId(in);
        continue;
      }
      LogRecord read = (tag & 7) == BYTES ? logged(tag >>> 3) : null;
      if (read == null) {
        throw in.unexpected("StoredRecord", tag);
      }
      if (logged != null) {
        throw in.malformed("StoredRecord has more than one record");
      }
      logged = read;
    }
    return new StoredRecord(
        in.required(replica, "StoredRecord", "replica"),
        in.required(logged, "StoredRecord", "record"));
  }

  private @Nullable LogRecord logged(int field) throws IOException {
    return switch (field) {
      case 2, 15 -> {
        MessageDecoder.Execution e = MessageDecoder.execution(in, "StoredExecution");
        yield new LogRecord.Prepared(
            e.id(), e.reads(), e.ranges(), e.writes(), e.participants(), field == 15);
      }
      case 3 -> {
        ExecutionId id = MessageDecoder.executionId(in, "StoredDrop");
        yield new LogRecord.Dropped(id.txn(), id.number());
      }
      case 4 -> {
        MessageDecoder.Ballot b = MessageDecoder.ballot(in, "StoredPromise");
        yield new LogRecord.Promised(b.txn(), b.view());
      }
      case 5 -> {
        MessageDecoder.Proposal p = MessageDecoder.proposal(in, "StoredAcceptance");
        yield new LogRecord.Accepted(p.txn(), p.view(), p.value());
      }
      case 6 -> {
        MessageDecoder.Decision d = MessageDecoder.decision(in, "StoredDecision");
        yield new LogRecord.Decided(d.txn(), d.outcome());
      }
      case 7 -> {
        MessageDecoder.Execution e = MessageDecoder.execution(in, "StoredExecution");
        yield new LogRecord.Executed(e.id(), e.reads(), e.ranges(), e.writes(), e.participants());
      }
      case 8 -> {
        TxnId[] bounds = bounds("StoredFence", 1);
        yield new LogRecord.Fenced(bounds[0]);
      }
      case 9 -> {
        TxnId[] bounds = bounds("StoredTruncation", 2);
        yield new LogRecord.Truncated(bounds[0], bounds[1]);
      }
      case 10 -> version();
      case 11 -> floor();
      case 12 -> {
        MessageDecoder.Decision d = MessageDecoder.decision(in, "StoredDecision");
        yield new LogRecord.Settled(d.txn(), d.outcome());
      }
      case 13 -> serving();
      case 14 -> locked();
      default -> null;
    };
  }

  private LogRecord serving() throws IOException {
    int outer = in.enter();
    boolean serving = false;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "StoredServing");
      if (tag != (1 << 3 | PartDecoder.VARINT)) {
        throw in.unexpected("StoredServing", tag);
      }
      serving = in.bool();
    }
    in.leave(outer);
    return new LogRecord.Serving(serving);
  }

  private LogRecord locked() throws IOException {
    int outer = in.enter();
    List<Long> incarnations = List.of();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "StoredLock");
      if (tag != (1 << 3 | BYTES)) {
        throw in.unexpected("StoredLock", tag);
      }
      incarnations = GroupDecoder.incarnations(in, "StoredLock");
    }
    in.leave(outer);
    return new LogRecord.Locked(incarnations);
  }

  /** Fields 1 to {@code count}, each below all transactions if it is absent. */
  private TxnId[] bounds(String message, int count) throws IOException {
    int outer = in.enter();
    TxnId[] bounds = new TxnId[count];
    Arrays.fill(bounds, TxnId.INITIAL);
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      int field = tag >>> 3;
      if ((tag & 7) != BYTES || field < 1 || field > count) {
        throw in.unexpected(message, tag);
      }
      bounds[field - 1] = PartDecoder.txnId(in);
    }
    in.leave(outer);
    return bounds;
  }

  private LogRecord version() throws IOException {
    int outer = in.enter();
    Key key = PartDecoder.EMPTY_KEY;
    WriteId version = null;
    Value value = Value.ABSENT;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "StoredVersion");
      switch (tag) {
        case 1 << 3 | BYTES -> key = in.key("StoredVersion", "key");
        case 2 << 3 | BYTES -> version = PartDecoder.writeId(in);
        case 3 << 3 | BYTES -> value = in.value("StoredVersion", "value");
        default -> throw in.unexpected("StoredVersion", tag);
      }
    }
    in.leave(outer);
    return new LogRecord.Version(key, in.required(version, "StoredVersion", "version"), value);
  }

  private LogRecord floor() throws IOException {
    int outer = in.enter();
    Key key = PartDecoder.EMPTY_KEY;
    TxnId floor = TxnId.INITIAL;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "StoredFloor");
      switch (tag) {
        case 1 << 3 | BYTES -> key = in.key("StoredFloor", "key");
        case 2 << 3 | BYTES -> floor = PartDecoder.txnId(in);
        default -> throw in.unexpected("StoredFloor", tag);
      }
    }
    in.leave(outer);
    return new LogRecord.Floor(key, floor);
  }
}
