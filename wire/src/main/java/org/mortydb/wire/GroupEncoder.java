package org.mortydb.wire;

import static org.mortydb.wire.PartEncoder.bool;
import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nested;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.outcomeSize;
import static org.mortydb.wire.PartEncoder.txnId;
import static org.mortydb.wire.PartEncoder.txnIdSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.valueSize;
import static org.mortydb.wire.PartEncoder.writeIdSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Outcome;

/** The fields of messages between the replicas of a partition, without the first field. */
final class GroupEncoder {
  private GroupEncoder() {}

  static int size(Message.TruncateReply m) {
    return PartEncoder.stampSize(m.applied())
        + standingsSize(m.standings())
        + MapCodec.knowledgeSize(m.maps())
        + PartEncoder.stampSize(m.open())
        + uint32Size(m.change())
        + PartEncoder.stampSize(m.base())
        + PartEncoder.stampSize(m.upTo());
  }

  static void write(CodedOutputStream out, Message.TruncateReply m) throws IOException {
    PartEncoder.stamp(out, 2, m.applied());
    standings(out, m.standings());
    MapCodec.knowledge(out, 4, m.maps());
    PartEncoder.stamp(out, 5, m.open());
    uint32(out, 6, m.change());
    PartEncoder.stamp(out, 7, m.base());
    PartEncoder.stamp(out, 8, m.upTo());
  }

  static int size(Message.TruncateCommit m) {
    return PartEncoder.stampSize(m.base()) + standingsSize(m.commits()) + uint32Size(m.change());
  }

  static void write(CodedOutputStream out, Message.TruncateCommit m) throws IOException {
    PartEncoder.stamp(out, 2, m.base());
    standings(out, m.commits());
    uint32(out, 4, m.change());
  }

  private static int standingsSize(List<Standing> standings) {
    int size = 0;
    for (Standing standing : standings) {
      size += nestedSize(standingSize(standing));
    }
    return size;
  }

  private static void standings(CodedOutputStream out, List<Standing> standings)
      throws IOException {
    for (Standing standing : standings) {
      nested(out, 3, standingSize(standing));
      txnId(out, 1, standing.txn());
      Outcome outcome = standing.outcome();
      if (outcome != null) {
        PartEncoder.outcome(out, 2, outcome);
      }
    }
  }

  private static int standingSize(Standing standing) {
    Outcome outcome = standing.outcome();
    return nestedSize(txnIdSize(standing.txn()))
        + (outcome == null ? 0 : nestedSize(outcomeSize(outcome)));
  }

  static int size(Message.Copy m) {
    return keySize(m.from()) + PartEncoder.stampSize(m.upTo());
  }

  static void write(CodedOutputStream out, Message.Copy m) throws IOException {
    PartEncoder.key(out, 2, m.from());
    PartEncoder.stamp(out, 3, m.upTo());
  }

  static int size(Message.CopyReply m) {
    int size =
        keySize(m.from())
            + PartEncoder.optionalKeySize(m.next())
            + uint32Size(m.keys())
            + PartEncoder.stampSize(m.erased())
            + PartEncoder.stampSize(m.since())
            + uint32Size(m.examined())
            + uint32Size(m.dropped());
    for (CopiedVersion version : m.versions()) {
      size += nestedSize(copiedSize(version));
    }
    return size;
  }

  static void write(CodedOutputStream out, Message.CopyReply m) throws IOException {
    PartEncoder.key(out, 2, m.from());
    PartEncoder.optionalKey(out, 3, m.next());
    for (CopiedVersion version : m.versions()) {
      nested(out, 4, copiedSize(version));
      PartEncoder.key(out, 1, version.key());
      PartEncoder.writeId(out, 2, version.version());
      PartEncoder.value(out, 3, version.value());
      PartEncoder.stamp(out, 4, version.floor());
      PartEncoder.form(out, 5, version.value());
    }
    uint32(out, 5, m.keys());
    PartEncoder.stamp(out, 6, m.erased());
    PartEncoder.stamp(out, 7, m.since());
    uint32(out, 8, m.examined());
    uint32(out, 9, m.dropped());
  }

  private static int copiedSize(CopiedVersion version) {
    return keySize(version.key())
        + nestedSize(writeIdSize(version.version()))
        + valueSize(version.value())
        + PartEncoder.stampSize(version.floor())
        + PartEncoder.formSize(version.value());
  }

  static int size(Message.CopyOutcomesReply m) {
    return PartEncoder.stampSize(m.next())
        + standingsSize(m.outcomes())
        + PartEncoder.stampSize(m.forgotten())
        + PartEncoder.stampSize(m.watermark());
  }

  static void write(CodedOutputStream out, Message.CopyOutcomesReply m) throws IOException {
    PartEncoder.stamp(out, 2, m.next());
    standings(out, m.outcomes());
    PartEncoder.stamp(out, 4, m.forgotten());
    PartEncoder.stamp(out, 5, m.watermark());
  }

  static int size(Message.Found m) {
    return incarnationsSize(m.incarnations()) + boolSize(m.locked()) + boolSize(m.serving());
  }

  static void write(CodedOutputStream out, Message.Found m) throws IOException {
    incarnations(out, 2, m.incarnations());
    bool(out, 3, m.locked());
    bool(out, 4, m.serving());
  }

  static int incarnationsSize(List<Long> incarnations) {
    return incarnations.isEmpty() ? 0 : nestedSize(Long.BYTES * incarnations.size());
  }

  static void incarnations(CodedOutputStream out, int field, List<Long> incarnations)
      throws IOException {
    if (!incarnations.isEmpty()) {
      nested(out, field, Long.BYTES * incarnations.size());
    }
    for (long incarnation : incarnations) {
      out.writeFixed64NoTag(incarnation);
    }
  }
}
