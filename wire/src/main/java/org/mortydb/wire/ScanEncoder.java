package org.mortydb.wire;

import static org.mortydb.wire.PartEncoder.keyRangeSize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.optionalKeySize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.versionedValueSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.KeyRange;

/** Encodes the messages of scans, and the scanned ranges of executions. */
final class ScanEncoder {
  private ScanEncoder() {}

  static int size(Message.Scan scan) {
    return uint32Size(scan.request())
        + nestedSize(keyRangeSize(scan.range()))
        + uint32Size(scan.limit())
        + uint32Size(scan.map());
  }

  static void write(CodedOutputStream out, Message.Scan scan) throws IOException {
    uint32(out, 2, scan.request());
    PartEncoder.keyRange(out, 3, scan.range());
    uint32(out, 4, scan.limit());
    uint32(out, 5, scan.map());
  }

  static int size(Message.ScanReply reply) {
    return uint32Size(reply.request())
        + PartEncoder.versionedValuesSize(reply.rows())
        + optionalKeySize(reply.next());
  }

  static void write(CodedOutputStream out, Message.ScanReply reply) throws IOException {
    uint32(out, 2, reply.request());
    PartEncoder.versionedValues(out, 3, reply.rows());
    PartEncoder.optionalKey(out, 4, reply.next());
  }

  static int size(Message.PushRow push) {
    return uint32Size(push.request())
        + uint32Size(push.sequence())
        + nestedSize(versionedValueSize(push.row()));
  }

  static void write(CodedOutputStream out, Message.PushRow push) throws IOException {
    uint32(out, 2, push.request());
    uint32(out, 3, push.sequence());
    PartEncoder.versionedValue(out, 4, push.row());
  }

  /** The size of the ranges of an execution; 0 if it has no scans. */
  static int rangesSize(List<KeyRange> ranges) {
    int size = 0;
    for (int i = 0; i < ranges.size(); i++) {
      size += nestedSize(keyRangeSize(ranges.get(i)));
    }
    return size;
  }

  static void ranges(CodedOutputStream out, int field, List<KeyRange> ranges) throws IOException {
    for (int i = 0; i < ranges.size(); i++) {
      PartEncoder.keyRange(out, field, ranges.get(i));
    }
  }
}
