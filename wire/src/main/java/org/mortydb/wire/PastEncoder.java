package org.mortydb.wire;

import static org.mortydb.wire.PartEncoder.keyRangeSize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.optionalKeySize;
import static org.mortydb.wire.PartEncoder.stampSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import org.mortydb.protocol.message.Message;

/** Encodes the messages of reads of the past. */
final class PastEncoder {
  private PastEncoder() {}

  static int size(Message.ReadPast ask) {
    int size =
        uint32Size(ask.request())
            + uint32Size(EnumNumbers.of(ask.level()))
            + stampSize(ask.place());
    for (int i = 0; i < ask.keys().size(); i++) {
      size += nestedSize(ask.keys().get(i).size());
    }
    return size;
  }

  static void write(CodedOutputStream out, Message.ReadPast ask) throws IOException {
    uint32(out, 2, ask.request());
    uint32(out, 3, EnumNumbers.of(ask.level()));
    PartEncoder.stamp(out, 4, ask.place());
    for (int i = 0; i < ask.keys().size(); i++) {
      out.writeByteArray(5, ask.keys().get(i).bytes());
    }
  }

  static int size(Message.ScanPast ask) {
    return uint32Size(ask.request())
        + uint32Size(EnumNumbers.of(ask.level()))
        + stampSize(ask.place())
        + nestedSize(keyRangeSize(ask.range()))
        + uint32Size(ask.limit())
        + uint32Size(ask.map());
  }

  static void write(CodedOutputStream out, Message.ScanPast ask) throws IOException {
    uint32(out, 2, ask.request());
    uint32(out, 3, EnumNumbers.of(ask.level()));
    PartEncoder.stamp(out, 4, ask.place());
    PartEncoder.keyRange(out, 5, ask.range());
    uint32(out, 6, ask.limit());
    uint32(out, 7, ask.map());
  }

  static int size(Message.PastReply reply) {
    return uint32Size(reply.request())
        + uint32Size(EnumNumbers.of(reply.state()))
        + stampSize(reply.place())
        + stampSize(reply.newest())
        + PartEncoder.versionedValuesSize(reply.rows())
        + optionalKeySize(reply.next());
  }

  static void write(CodedOutputStream out, Message.PastReply reply) throws IOException {
    uint32(out, 2, reply.request());
    uint32(out, 3, EnumNumbers.of(reply.state()));
    PartEncoder.stamp(out, 4, reply.place());
    PartEncoder.stamp(out, 5, reply.newest());
    PartEncoder.versionedValues(out, 6, reply.rows());
    PartEncoder.optionalKey(out, 7, reply.next());
  }
}
