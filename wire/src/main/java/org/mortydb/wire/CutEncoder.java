package org.mortydb.wire;

import static org.mortydb.wire.PartEncoder.keyRangeSize;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.optionalKeySize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.versionedValueSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.VersionedValue;

/** Encodes the messages of backups. */
final class CutEncoder {
  private CutEncoder() {}

  static int size(Message.ReadCut ask) {
    return nestedSize(keyRangeSize(ask.range())) + uint32Size(ask.limit());
  }

  static void write(CodedOutputStream out, Message.ReadCut ask) throws IOException {
    PartEncoder.keyRange(out, 2, ask.range());
    uint32(out, 3, ask.limit());
  }

  static int size(Message.CutReply reply) {
    int size =
        keySize(reply.from())
            + uint32Size(Reasons.number(reply.state()))
            + PartEncoder.stampSize(reply.watermark())
            + optionalKeySize(reply.next());
    for (VersionedValue row : reply.rows()) {
      size += nestedSize(versionedValueSize(row));
    }
    return size;
  }

  static void write(CodedOutputStream out, Message.CutReply reply) throws IOException {
    PartEncoder.key(out, 2, reply.from());
    uint32(out, 3, Reasons.number(reply.state()));
    PartEncoder.stamp(out, 4, reply.watermark());
    for (VersionedValue row : reply.rows()) {
      PartEncoder.versionedValue(out, 5, row);
    }
    PartEncoder.optionalKey(out, 6, reply.next());
  }
}
