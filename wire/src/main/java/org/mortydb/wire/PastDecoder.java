package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastState;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** Decodes the messages of reads of the past. Tags are written as in {@link PartDecoder}. */
final class PastDecoder {
  private static final int TXN = 1 << 3 | BYTES;
  private static final int REQUEST = 2 << 3 | VARINT;
  private static final int LEVEL = 3 << 3 | VARINT;
  private static final int PLACE = 4 << 3 | BYTES;

  private PastDecoder() {}

  static Message readPast(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("ReadPast");
    TxnId txn = null;
    int request = 0;
    int level = 0;
    TxnId place = TxnId.INITIAL;
    List<Key> keys = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = fields.number("request");
        case LEVEL -> level = fields.number("level");
        case PLACE -> place = PartDecoder.txnId(in);
        case 5 << 3 | BYTES -> keys = fields.append(keys, fields.key("keys"), "keys");
        default -> fields.unknown();
      }
    }
    PastLevel known = fields.known(EnumNumbers.pastLevel(level), level, "level");
    return new Message.ReadPast(
        fields.required(txn, "txn"), request, known, place, MessageFields.orEmpty(keys));
  }

  static Message scanPast(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("ScanPast");
    TxnId txn = null;
    int request = 0;
    int level = 0;
    TxnId place = TxnId.INITIAL;
    KeyRange range = null;
    int limit = 0;
    int map = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = fields.number("request");
        case LEVEL -> level = fields.number("level");
        case PLACE -> place = PartDecoder.txnId(in);
        case 5 << 3 | BYTES -> range = PartDecoder.keyRange(in);
        case 6 << 3 | VARINT -> limit = fields.number("limit");
        case 7 << 3 | VARINT -> map = fields.number("map");
        default -> fields.unknown();
      }
    }
    if (limit == 0) {
      throw in.malformed("ScanPast.limit is 0, must be positive");
    }
    PastLevel known = fields.known(EnumNumbers.pastLevel(level), level, "level");
    return new Message.ScanPast(
        fields.required(txn, "txn"),
        request,
        known,
        place,
        fields.required(range, "range"),
        limit,
        map);
  }

  static Message pastReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("PastReply");
    TxnId txn = null;
    int request = 0;
    int state = 0;
    TxnId place = TxnId.INITIAL;
    TxnId newest = TxnId.INITIAL;
    List<VersionedValue> rows = null;
    Key next = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = fields.number("request");
        case 3 << 3 | VARINT -> state = fields.number("state");
        case PLACE -> place = PartDecoder.txnId(in);
        case 5 << 3 | BYTES -> newest = PartDecoder.txnId(in);
        case 6 << 3 | BYTES -> rows = fields.appendRow(rows);
        case 7 << 3 | BYTES -> next = fields.bound("next");
        default -> fields.unknown();
      }
    }
    PastState known = fields.known(EnumNumbers.pastState(state), state, "state");
    return new Message.PastReply(
        fields.required(txn, "txn"),
        request,
        known,
        place,
        newest,
        MessageFields.orEmpty(rows),
        next);
  }
}
