package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** Decodes the messages of backups. Tags are written as in {@link PartDecoder}. */
final class CutDecoder {
  private static final int CUT = 1 << 3 | BYTES;

  private CutDecoder() {}

  static Message readCut(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("ReadCut");
    TxnId cut = null;
    KeyRange range = null;
    int limit = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case CUT -> cut = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> range = PartDecoder.keyRange(in);
        case 3 << 3 | VARINT -> limit = fields.number("limit");
        default -> fields.unknown();
      }
    }
    return new Message.ReadCut(fields.required(cut, "cut"), fields.required(range, "range"), limit);
  }

  static Message cutReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("CutReply");
    TxnId cut = null;
    Key from = PartDecoder.EMPTY_KEY;
    int state = 0;
    TxnId watermark = TxnId.INITIAL;
    List<VersionedValue> rows = null;
    Key next = null;
    int map = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case CUT -> cut = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> from = fields.bound("from");
        case 3 << 3 | VARINT -> state = fields.number("state");
        case 4 << 3 | BYTES -> watermark = PartDecoder.txnId(in);
        case 5 << 3 | BYTES -> rows = fields.appendRow(rows);
        case 6 << 3 | BYTES -> next = fields.bound("next");
        case 7 << 3 | VARINT -> map = fields.number("map");
        default -> fields.unknown();
      }
    }
    Message.CutState known = fields.known(EnumNumbers.cutState(state), state, "state");
    return new Message.CutReply(
        fields.required(cut, "cut"),
        from,
        known,
        watermark,
        MessageFields.orEmpty(rows),
        next,
        map);
  }
}
