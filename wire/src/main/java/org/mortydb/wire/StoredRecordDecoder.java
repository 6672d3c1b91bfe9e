package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.nio.ByteBuffer;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** Decodes the records of log.proto. Tags are written as in {@link PartDecoder}. */
public final class StoredRecordDecoder {
  private StoredRecordDecoder() {}

  /**
   * Decodes a record.
   *
   * @throws MalformedFrameException when the bytes are no record; the message names the error and
   *     its place
   */
  public static StoredRecord decode(ByteBuffer payload) throws MalformedFrameException {
    WireReader in = new WireReader(payload, "record", true);
    MessageFields fields = in.fields("StoredRecord");
    ReplicaId replica = null;
    LogRecord logged = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> replica = PartDecoder.replicaId(in);
        default -> logged = fields.oneOf(logged, logged(in, fields), "record");
      }
    }
    return new StoredRecord(fields.required(replica, "replica"), fields.required(logged, "record"));
  }

  /**
   * Decodes the replica of a record, with which every record begins.
   *
   * @throws MalformedFrameException when the bytes are no record
   */
  public static ReplicaId replica(ByteBuffer payload) throws MalformedFrameException {
    WireReader in = new WireReader(payload, "record", true);
    MessageFields fields = in.fields("StoredRecord");
    if (!fields.next()) {
      return fields.required(null, "replica");
    }
    if (fields.tag() != (1 << 3 | BYTES)) {
      throw fields.unexpected();
    }
    return PartDecoder.replicaId(in);
  }

  private static LogRecord logged(WireReader in, MessageFields fields)
      throws MalformedFrameException {
    return switch (fields.tag()) {
      case 2 << 3 | BYTES -> prepared(in, false);
      case 3 << 3 | BYTES -> {
        ExecutionId id = MessageDecoder.executionId(in, "StoredDrop");
        yield new LogRecord.Dropped(id.txn(), id.number());
      }
      case 4 << 3 | BYTES -> MessageDecoder.ballot(in, "StoredPromise", LogRecord.Promised::new);
      case 5 << 3 | BYTES ->
          MessageDecoder.proposal(in, "StoredAcceptance", LogRecord.Accepted::new);
      case 6 << 3 | BYTES -> MessageDecoder.decision(in, "StoredDecision", LogRecord.Decided::new);
      case 7 << 3 | BYTES ->
          MessageDecoder.execution(in, "StoredExecution", LogRecord.Executed::new);
      case 8 << 3 | BYTES -> fenced(in);
      case 9 << 3 | BYTES -> truncated(in);
      case 10 << 3 | BYTES -> version(in);
      case 11 << 3 | BYTES -> floor(in);
      case 12 << 3 | BYTES -> MessageDecoder.decision(in, "StoredDecision", LogRecord.Settled::new);
      case 13 << 3 | BYTES -> serving(in);
      case 14 << 3 | BYTES -> locked(in);
      case 15 << 3 | BYTES -> prepared(in, true);
      case 16 << 3 | BYTES ->
          new LogRecord.HistoryFrom(GroupDecoder.onlyStamp(in, "StoredHistory"));
      case 17 << 3 | BYTES -> erased(in);
      case 18 << 3 | BYTES ->
          GroupDecoder.stampAndFlag(in, "StoredRegistering", LogRecord.Registering::new);
      case 19 << 3 | BYTES -> MapCodec.mapsKnown(in);
      case 20 << 3 | BYTES -> MapCodec.sealed(in);
      case 21 << 3 | BYTES -> MapCodec.hosted(in);
      default -> throw fields.unexpected();
    };
  }

  private static LogRecord erased(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredErasure");
    TxnId upTo = TxnId.INITIAL;
    List<Key> keys = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> upTo = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> keys = fields.append(keys, fields.key("keys"), "keys");
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Erased(upTo, MessageFields.orEmpty(keys));
  }

  private static LogRecord prepared(WireReader in, boolean onCondition)
      throws MalformedFrameException {
    return MessageDecoder.execution(
        in,
        "StoredExecution",
        (id, reads, ranges, writes, participants) ->
            new LogRecord.Prepared(id, reads, ranges, writes, participants, onCondition));
  }

  private static LogRecord fenced(WireReader in) throws MalformedFrameException {
    return new LogRecord.Fenced(GroupDecoder.onlyStamp(in, "StoredFence"));
  }

  private static LogRecord truncated(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredTruncation");
    TxnId watermark = TxnId.INITIAL;
    TxnId forgotten = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> forgotten = PartDecoder.txnId(in);
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Truncated(watermark, forgotten);
  }

  private static LogRecord serving(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredServing");
    boolean serving = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | VARINT -> serving = in.bool();
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Serving(serving);
  }

  private static LogRecord locked(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredLock");
    List<Long> incarnations = List.of();
    boolean founded = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> incarnations = GroupDecoder.incarnations(in, "StoredLock");
        case 2 << 3 | VARINT -> founded = in.bool();
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Locked(incarnations, founded);
  }

  private static LogRecord version(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredVersion");
    Key key = PartDecoder.EMPTY_KEY;
    WriteId version = null;
    Value value = Value.ABSENT;
    int form = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> key = fields.key("key");
        case 2 << 3 | BYTES -> version = PartDecoder.writeId(in);
        case 3 << 3 | BYTES -> value = fields.value("value");
        case 4 << 3 | VARINT -> form = fields.number("form");
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Version(
        key, fields.required(version, "version"), fields.ofForm(form, value));
  }

  private static LogRecord floor(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredFloor");
    Key key = PartDecoder.EMPTY_KEY;
    TxnId floor = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> key = fields.key("key");
        case 2 << 3 | BYTES -> floor = PartDecoder.txnId(in);
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Floor(key, floor);
  }
}
