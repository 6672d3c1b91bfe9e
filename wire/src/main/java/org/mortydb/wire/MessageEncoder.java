package org.mortydb.wire;

import static com.google.protobuf.CodedOutputStream.computeUInt32SizeNoTag;
import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.fixed64Size;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nested;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.outcomeSize;
import static org.mortydb.wire.PartEncoder.readSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.valueSize;
import static org.mortydb.wire.PartEncoder.viewSize;
import static org.mortydb.wire.PartEncoder.voteSize;
import static org.mortydb.wire.PartEncoder.writeIdSize;
import static org.mortydb.wire.PartEncoder.writeSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The messages of the schema's envelope: their field numbers, sizes, and fields. */
final class MessageEncoder {
  private MessageEncoder() {}

  /** The number of the message's field in the envelope. */
  static int field(Message message) {
    return switch (message) {
      case Message.Get m -> 5;
      case Message.Put m -> 6;
      case Message.Retract m -> 7;
      case Message.Prepare m -> 8;
      case Message.Drop m -> 9;
      case Message.Finalize m -> 10;
      case Message.Decide m -> 11;
      case Message.GetReply m -> 12;
      case Message.Push m -> 13;
      case Message.PrepareReply m -> 14;
      case Message.FinalizeReply m -> 15;
      case Message.Refused m -> 16;
      case Message.Inquire m -> 17;
      case Message.InquireReply m -> 18;
      case Message.Fetch m -> 19;
      case Message.FetchReply m -> 20;
      case Message.Recover m -> 21;
      case Message.RecoverReply m -> 22;
      case Message.TruncatePrepare m -> 23;
      case Message.TruncateReply m -> 24;
      case Message.TruncateCommit m -> 25;
      case Message.TruncateAck m -> 26;
      case Message.Watermark m -> 27;
      case Message.Behind m -> 28;
      case Message.Copy m -> 29;
      case Message.CopyReply m -> 30;
      case Message.Found m -> 31;
      case Message.CopyOutcomes m -> 32;
      case Message.CopyOutcomesReply m -> 33;
      case Message.Scan m -> 34;
      case Message.ScanReply m -> 35;
      case Message.PushRow m -> 36;
      case Message.ReadCut m -> 37;
      case Message.CutReply m -> 38;
      case LeaderMessage m -> LeaderEncoder.field(m);
      case TapirMessage m -> TapirEncoder.field(m);
      case Message.OfSystem m -> throw unknown(m);
    };
  }

  /** The size of the message's fields, without what comes before them. */
  static int size(Message message) {
    int txn = GroupEncoder.stampSize(message.txn());
    return switch (message) {
      case Message.Get m -> txn + uint32Size(m.request()) + keySize(m.key());
      case Message.Put m -> txn + uint32Size(m.execution()) + nestedSize(writeSize(m.write()));
      case Message.Retract m -> {
        int size = txn + uint32Size(m.execution());
        for (Key key : m.keys()) {
          size += nestedSize(key.size());
        }
        yield size;
      }
      case Message.Prepare m ->
          txn + executionSize(m.execution(), m.reads(), m.ranges(), m.writes(), m.participants());
      case Message.Drop m -> txn + uint32Size(m.execution().number());
      case Message.Finalize m ->
          txn + nestedSize(viewSize(m.view())) + nestedSize(outcomeSize(m.value()));
      case Message.Decide m -> txn + nestedSize(outcomeSize(m.outcome()));
      case Message.GetReply m ->
          txn + readAnswerSize(m.request(), m.sequence(), m.version(), m.value(), m.settled());
      case Message.Push m ->
          txn + readAnswerSize(m.request(), m.sequence(), m.version(), m.value(), m.settled());
      case Message.PrepareReply m ->
          txn + uint32Size(m.execution().number()) + prepareAnswerSize(m.answer());
      case Message.FinalizeReply m ->
          txn + nestedSize(viewSize(m.view())) + finalizeAnswerSize(m.answer());
      case Message.Refused m ->
          txn + uint32Size(Reasons.number(m.reason())) + fixed64Size(m.replicaClockMicros());
      case Message.Inquire m -> txn;
      case Message.InquireReply m -> txn;
      case Message.Fetch m -> txn + uint32Size(m.execution().number());
      case Message.FetchReply m ->
          txn + executionSize(m.execution(), m.reads(), m.ranges(), m.writes(), m.participants());
      case Message.Recover m -> txn + nestedSize(viewSize(m.view()));
      case Message.RecoverReply m ->
          txn + nestedSize(viewSize(m.view())) + recoverAnswerSize(m.answer());
      case Message.TruncatePrepare m -> txn;
      case Message.TruncateReply m -> txn + GroupEncoder.size(m);
      case Message.TruncateCommit m -> txn + GroupEncoder.size(m);
      case Message.TruncateAck m -> txn;
      case Message.Watermark m -> txn + uint32Size(m.partition());
      case Message.Behind m -> txn + GroupEncoder.stampSize(m.watermark());
      case Message.Copy m -> uint32Size(m.slot());
      case Message.CopyReply m -> txn + GroupEncoder.size(m);
      case Message.Found m -> GroupEncoder.size(m);
      case Message.CopyOutcomes m -> txn;
      case Message.CopyOutcomesReply m -> txn + GroupEncoder.size(m);
      case Message.Scan m -> txn + ScanEncoder.size(m);
      case Message.ScanReply m -> txn + ScanEncoder.size(m);
      case Message.PushRow m -> txn + ScanEncoder.size(m);
      case Message.ReadCut m -> txn + CutEncoder.size(m);
      case Message.CutReply m -> txn + CutEncoder.size(m);
      case LeaderMessage m -> txn + LeaderEncoder.size(m);
      case TapirMessage m -> txn + TapirEncoder.size(m);
      case Message.OfSystem m -> throw unknown(m);
    };
  }

  /** Writes the message's fields. */
  static void write(CodedOutputStream out, Message message) throws IOException {
    GroupEncoder.stamp(out, 1, message.txn());
    switch (message) {
      case Message.Get m -> {
        uint32(out, 2, m.request());
        PartEncoder.key(out, 3, m.key());
      }
      case Message.Put m -> {
        uint32(out, 2, m.execution());
        PartEncoder.write(out, 3, m.write());
      }
      case Message.Retract m -> {
        uint32(out, 2, m.execution());
        for (Key key : m.keys()) {
          out.writeByteArray(3, key.bytes());
        }
      }
      case Message.Prepare m ->
          execution(out, m.execution(), m.reads(), m.ranges(), m.writes(), m.participants());
      case Message.Drop m -> uint32(out, 2, m.execution().number());
      case Message.Finalize m -> {
        PartEncoder.view(out, 2, m.view());
        PartEncoder.outcome(out, 3, m.value());
      }
      case Message.Decide m -> PartEncoder.outcome(out, 2, m.outcome());
      case Message.GetReply m ->
          readAnswer(out, m.request(), m.sequence(), m.version(), m.value(), m.settled());
      case Message.Push m ->
          readAnswer(out, m.request(), m.sequence(), m.version(), m.value(), m.settled());
      case Message.PrepareReply m -> {
        uint32(out, 2, m.execution().number());
        prepareAnswer(out, m.answer());
      }
      case Message.FinalizeReply m -> {
        PartEncoder.view(out, 2, m.view());
        finalizeAnswer(out, m.answer());
      }
      case Message.Refused m -> {
        out.writeEnum(2, Reasons.number(m.reason()));
        PartEncoder.fixed64(out, 3, m.replicaClockMicros());
      }
      case Message.Inquire m -> {}
      case Message.InquireReply m -> {}
      case Message.Fetch m -> uint32(out, 2, m.execution().number());
      case Message.FetchReply m ->
          execution(out, m.execution(), m.reads(), m.ranges(), m.writes(), m.participants());
      case Message.Recover m -> PartEncoder.view(out, 2, m.view());
      case Message.RecoverReply m -> {
        PartEncoder.view(out, 2, m.view());
        recoverAnswer(out, m.answer());
      }
      case Message.TruncatePrepare m -> {}
      case Message.TruncateReply m -> GroupEncoder.write(out, m);
      case Message.TruncateCommit m -> GroupEncoder.write(out, m);
      case Message.TruncateAck m -> {}
      case Message.Watermark m -> uint32(out, 2, m.partition());
      case Message.Behind m -> GroupEncoder.stamp(out, 2, m.watermark());
      case Message.Copy m -> uint32(out, 2, m.slot());
      case Message.CopyReply m -> GroupEncoder.write(out, m);
      case Message.Found m -> GroupEncoder.write(out, m);
      case Message.CopyOutcomes m -> {}
      case Message.CopyOutcomesReply m -> GroupEncoder.write(out, m);
      case Message.Scan m -> ScanEncoder.write(out, m);
      case Message.ScanReply m -> ScanEncoder.write(out, m);
      case Message.PushRow m -> ScanEncoder.write(out, m);
      case Message.ReadCut m -> CutEncoder.write(out, m);
      case Message.CutReply m -> CutEncoder.write(out, m);
      case LeaderMessage m -> LeaderEncoder.write(out, m);
      case TapirMessage m -> TapirEncoder.write(out, m);
      case Message.OfSystem m -> throw unknown(m);
    }
  }

  private static IllegalArgumentException unknown(Message message) {
    return new IllegalArgumentException("the schema has no " + message.getClass().getName());
  }

  // ---- Prepare and FetchReply ---------------------------------------------------------------

  static int executionSize(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    int size = uint32Size(execution.number()) + ScanEncoder.rangesSize(ranges);
    for (Read read : reads) {
      size += nestedSize(readSize(read));
    }
    for (Write write : writes) {
      size += nestedSize(writeSize(write));
    }
    return size + participantsSize(participants);
  }

  static int participantsSize(List<Integer> participants) {
    return participants.isEmpty() ? 0 : nestedSize(packedSize(participants));
  }

  static void execution(
      CodedOutputStream out,
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      throws IOException {
    uint32(out, 2, execution.number());
    for (Read read : reads) {
      PartEncoder.read(out, 3, read);
    }
    for (Write write : writes) {
      PartEncoder.write(out, 4, write);
    }
    participants(out, 5, participants);
    ScanEncoder.ranges(out, 6, ranges);
  }

  static void participants(CodedOutputStream out, int field, List<Integer> participants)
      throws IOException {
    if (!participants.isEmpty()) {
      nested(out, field, packedSize(participants));
      for (int participant : participants) {
        out.writeUInt32NoTag(participant);
      }
    }
  }

  private static int packedSize(List<Integer> numbers) {
    int size = 0;
    for (int number : numbers) {
      size += computeUInt32SizeNoTag(number);
    }
    return size;
  }

  // ---- GetReply and Push --------------------------------------------------------------------

  private static int readAnswerSize(
      int request, int sequence, WriteId version, Value value, boolean settled) {
    return uint32Size(request)
        + uint32Size(sequence)
        + nestedSize(writeIdSize(version))
        + valueSize(value)
        + boolSize(settled);
  }

  private static void readAnswer(
      CodedOutputStream out,
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled)
      throws IOException {
    uint32(out, 2, request);
    uint32(out, 3, sequence);
    PartEncoder.writeId(out, 4, version);
    PartEncoder.value(out, 5, value);
    PartEncoder.bool(out, 6, settled);
  }

  // ---- PrepareReply and FinalizeReply -------------------------------------------------------

  private static int prepareAnswerSize(PrepareAnswer answer) {
    return switch (answer) {
      case PrepareAnswer.Voted a -> nestedSize(voteSize(a.vote()));
      case PrepareAnswer.Superseded a -> 1 + computeUInt32SizeNoTag(a.execution());
      case PrepareAnswer.Fenced a -> nestedSize(viewSize(a.view()));
      case PrepareAnswer.Decided a -> nestedSize(outcomeSize(a.outcome()));
    };
  }

  private static void prepareAnswer(CodedOutputStream out, PrepareAnswer answer)
      throws IOException {
    switch (answer) {
      case PrepareAnswer.Voted a -> PartEncoder.vote(out, 3, a.vote());
      case PrepareAnswer.Superseded a -> out.writeUInt32(4, a.execution());
      case PrepareAnswer.Fenced a -> PartEncoder.view(out, 5, a.view());
      case PrepareAnswer.Decided a -> PartEncoder.outcome(out, 6, a.outcome());
    }
  }

  private static int finalizeAnswerSize(FinalizeAnswer answer) {
    return switch (answer) {
      case FinalizeAnswer.Accepted a -> nestedSize(0);
      case FinalizeAnswer.Fenced a -> nestedSize(viewSize(a.view()));
      case FinalizeAnswer.Decided a -> nestedSize(outcomeSize(a.outcome()));
    };
  }

  private static void finalizeAnswer(CodedOutputStream out, FinalizeAnswer answer)
      throws IOException {
    switch (answer) {
      case FinalizeAnswer.Accepted a -> nested(out, 3, 0);
      case FinalizeAnswer.Fenced a -> PartEncoder.view(out, 4, a.view());
      case FinalizeAnswer.Decided a -> PartEncoder.outcome(out, 5, a.outcome());
    }
  }

  // ---- RecoverReply -------------------------------------------------------------------------

  private static int recoverAnswerSize(RecoverAnswer answer) {
    return switch (answer) {
      case RecoverAnswer.Promised a -> nestedSize(promisedSize(a));
      case RecoverAnswer.Fenced a -> nestedSize(viewSize(a.view()));
      case RecoverAnswer.Decided a -> nestedSize(outcomeSize(a.outcome()));
    };
  }

  private static void recoverAnswer(CodedOutputStream out, RecoverAnswer answer)
      throws IOException {
    switch (answer) {
      case RecoverAnswer.Promised a -> promised(out, a);
      case RecoverAnswer.Fenced a -> PartEncoder.view(out, 4, a.view());
      case RecoverAnswer.Decided a -> PartEncoder.outcome(out, 5, a.outcome());
    }
  }

  private static int promisedSize(RecoverAnswer.Promised promised) {
    int size = boolSize(promised.votedCommit()) + participantsSize(promised.participants());
    RecoverAnswer.Accepted accepted = promised.accepted();
    if (accepted != null) {
      size += nestedSize(viewSize(accepted.view())) + nestedSize(outcomeSize(accepted.value()));
    }
    if (promised.execution() != RecoverAnswer.NO_EXECUTION) {
      size += 1 + computeUInt32SizeNoTag(promised.execution());
    }
    return size;
  }

  private static void promised(CodedOutputStream out, RecoverAnswer.Promised promised)
      throws IOException {
    nested(out, 3, promisedSize(promised));
    RecoverAnswer.Accepted accepted = promised.accepted();
    if (accepted != null) {
      PartEncoder.view(out, 1, accepted.view());
      PartEncoder.outcome(out, 2, accepted.value());
    }
    if (promised.execution() != RecoverAnswer.NO_EXECUTION) {
      out.writeUInt32(3, promised.execution());
    }
    PartEncoder.bool(out, 4, promised.votedCommit());
    participants(out, 5, promised.participants());
  }
}
