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

/** Decodes the messages of backups; tags are written as in {@link PartDecoder}. */
final class CutDecoder {
  private static final int CUT = 1 << 3 | BYTES;

  private CutDecoder() {}

  static Message readCut(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId cut = null;
    KeyRange range = null;
    int limit = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "ReadCut");
      switch (tag) {
        case CUT -> cut = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> range = PartDecoder.keyRange(in);
        case 3 << 3 | VARINT -> limit = in.number("ReadCut", "limit");
        default -> throw in.unexpected("ReadCut", tag);
      }
    }
    in.leave(outer);
    return new Message.ReadCut(
        in.required(cut, "ReadCut", "cut"), in.required(range, "ReadCut", "range"), limit);
  }

  static Message cutReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId cut = null;
    Key from = PartDecoder.EMPTY_KEY;
    int state = 0;
    TxnId watermark = TxnId.INITIAL;
    List<VersionedValue> rows = null;
    Key next = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (5 << 3 | BYTES)) {
        rows = PartDecoder.appendRow(in, rows, "CutReply");
        continue;
      }
      seen = in.once(seen, tag, "CutReply");
      switch (tag) {
        case CUT -> cut = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> from = in.bound("CutReply", "from");
        case 3 << 3 | VARINT -> state = in.number("CutReply", "state");
        case 4 << 3 | BYTES -> watermark = PartDecoder.txnId(in);
        case 6 << 3 | BYTES -> next = in.bound("CutReply", "next");
        default -> throw in.unexpected("CutReply", tag);
      }
    }
    in.leave(outer);
    Message.CutState known = Reasons.cutState(state);
    if (known == null) {
      throw in.malformed("CutReply.state is " + state + ", which is none");
    }
    return new Message.CutReply(
        in.required(cut, "CutReply", "cut"),
        from,
        known,
        watermark,
        PartDecoder.orEmpty(rows),
        next);
  }
}
