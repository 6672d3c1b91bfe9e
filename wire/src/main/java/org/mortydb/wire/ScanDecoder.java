package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** Decodes the messages of scans. Tags are written as in {@link PartDecoder}. */
final class ScanDecoder {
  private static final int TXN = 1 << 3 | BYTES;
  private static final int REQUEST = 2 << 3 | VARINT;

  private ScanDecoder() {}

  static Message scan(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Scan");
    TxnId txn = null;
    int request = 0;
    KeyRange range = null;
    int limit = 0;
    int map = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = fields.number("request");
        case 3 << 3 | BYTES -> range = PartDecoder.keyRange(in);
        case 4 << 3 | VARINT -> limit = fields.number("limit");
        case 5 << 3 | VARINT -> map = fields.number("map");
        default -> fields.unknown();
      }
    }
    if (limit == 0) {
      throw in.malformed("Scan.limit is 0, must be positive");
    }
    return new Message.Scan(
        fields.required(txn, "txn"), request, fields.required(range, "range"), limit, map);
  }

  static Message scanReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("ScanReply");
    TxnId txn = null;
    int request = 0;
    List<VersionedValue> rows = null;
    Key next = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = fields.number("request");
        case 3 << 3 | BYTES -> rows = fields.appendRow(rows);
        case 4 << 3 | BYTES -> next = fields.bound("next");
        default -> fields.unknown();
      }
    }
    return new Message.ScanReply(
        fields.required(txn, "txn"), request, MessageFields.orEmpty(rows), next);
  }

  static Message pushRow(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("PushRow");
    TxnId txn = null;
    int request = 0;
    int sequence = 0;
    VersionedValue row = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = fields.number("request");
        case 3 << 3 | VARINT -> sequence = fields.number("sequence");
        case 4 << 3 | BYTES -> row = PartDecoder.versionedValue(in);
        default -> fields.unknown();
      }
    }
    return new Message.PushRow(
        fields.required(txn, "txn"), request, sequence, fields.required(row, "row"));
  }
}
