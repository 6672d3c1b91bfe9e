package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.io.IOException;
import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** Decodes the messages of scans; tags are written as in {@link PartDecoder}. */
final class ScanDecoder {
  private static final int TXN = 1 << 3 | BYTES;
  private static final int REQUEST = 2 << 3 | VARINT;

  private ScanDecoder() {}

  static Message scan(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    KeyRange range = null;
    int limit = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Scan");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = in.number("Scan", "request");
        case 3 << 3 | BYTES -> range = PartDecoder.keyRange(in);
        case 4 << 3 | VARINT -> limit = in.number("Scan", "limit");
        default -> throw in.unexpected("Scan", tag);
      }
    }
    in.leave(outer);
    if (limit == 0) {
      throw in.malformed("Scan.limit is 0, must be positive");
    }
    return new Message.Scan(
        in.required(txn, "Scan", "txn"), request, in.required(range, "Scan", "range"), limit);
  }

  static Message scanReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    List<VersionedValue> rows = null;
    Key next = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        rows = PartDecoder.appendRow(in, rows, "ScanReply");
        continue;
      }
      seen = in.once(seen, tag, "ScanReply");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = in.number("ScanReply", "request");
        case 4 << 3 | BYTES -> next = in.bound("ScanReply", "next");
        default -> throw in.unexpected("ScanReply", tag);
      }
    }
    in.leave(outer);
    return new Message.ScanReply(
        in.required(txn, "ScanReply", "txn"), request, PartDecoder.orEmpty(rows), next);
  }

  static Message pushRow(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    int sequence = 0;
    VersionedValue row = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "PushRow");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case REQUEST -> request = in.number("PushRow", "request");
        case 3 << 3 | VARINT -> sequence = in.number("PushRow", "sequence");
        case 4 << 3 | BYTES -> row = PartDecoder.versionedValue(in);
        default -> throw in.unexpected("PushRow", tag);
      }
    }
    in.leave(outer);
    return new Message.PushRow(
        in.required(txn, "PushRow", "txn"), request, sequence, in.required(row, "PushRow", "row"));
  }
}
