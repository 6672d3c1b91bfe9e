package org.mortydb.wire;

import static org.mortydb.wire.PartEncoder.keyRangeSize;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.optionalKeySize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import org.mortydb.protocol.message.Message;

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
    return keySize(reply.from())
        + uint32Size(EnumNumbers.of(reply.state()))
        + PartEncoder.stampSize(reply.watermark())
        + PartEncoder.versionedValuesSize(reply.rows())
        + optionalKeySize(reply.next())
        + uint32Size(reply.map());
  }

  static void write(CodedOutputStream out, Message.CutReply reply) throws IOException {
    PartEncoder.key(out, 2, reply.from());
    uint32(out, 3, EnumNumbers.of(reply.state()));
    PartEncoder.stamp(out, 4, reply.watermark());
    PartEncoder.versionedValues(out, 5, reply.rows());
    PartEncoder.optionalKey(out, 6, reply.next());
    uint32(out, 7, reply.map());
  }
}
