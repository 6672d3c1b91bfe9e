package org.mortydb.wire;

import static com.google.protobuf.CodedOutputStream.computeUInt32SizeNoTag;
import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.nested;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.outcomeSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.valueSize;
import static org.mortydb.wire.PartEncoder.viewSize;
import static org.mortydb.wire.PartEncoder.voteSize;
import static org.mortydb.wire.PartEncoder.writeIdSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The sizes and fields of parts of messages between clients and replicas. */
final class MessageEncoder {
  private MessageEncoder() {}

  // ---- keys of Retract and Drop --------------------------------------------------------------

  static int keysSize(List<Key> keys) {
    int size = 0;
    for (Key key : keys) {
      size += nestedSize(key.size());
    }
    return size;
  }

  static void keys(CodedOutputStream out, List<Key> keys) throws IOException {
    for (Key key : keys) {
      out.writeByteArray(3, key.bytes());
    }
  }

  // ---- Prepare and FetchReply ---------------------------------------------------------------

  static int executionSize(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    return uint32Size(execution.number())
        + PartEncoder.readsSize(reads)
        + PartEncoder.writesSize(writes)
        + PartEncoder.participantsSize(participants)
        + ScanEncoder.rangesSize(ranges);
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
    PartEncoder.reads(out, 3, reads);
    PartEncoder.writes(out, 4, writes);
    PartEncoder.participants(out, 5, participants);
    ScanEncoder.ranges(out, 6, ranges);
  }

  // ---- GetReply and Push --------------------------------------------------------------------

  static int readAnswerSize(
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled,
      List<WriteId> below) {
    return uint32Size(request)
        + uint32Size(sequence)
        + nestedSize(writeIdSize(version))
        + valueSize(value)
        + boolSize(settled)
        + PartEncoder.formSize(value)
        + PartEncoder.writeIdsSize(below);
  }

  static void readAnswer(
      CodedOutputStream out,
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled,
      List<WriteId> below)
      throws IOException {
    uint32(out, 2, request);
    uint32(out, 3, sequence);
    PartEncoder.writeId(out, 4, version);
    PartEncoder.value(out, 5, value);
    PartEncoder.bool(out, 6, settled);
    PartEncoder.form(out, 7, value);
    PartEncoder.writeIds(out, 8, below);
  }

  // ---- PrepareReply and FinalizeReply -------------------------------------------------------

  static int prepareAnswerSize(PrepareAnswer answer) {
    return switch (answer) {
      case PrepareAnswer.Voted a -> nestedSize(voteSize(a.vote()));
      case PrepareAnswer.Superseded a -> 1 + computeUInt32SizeNoTag(a.execution());
      case PrepareAnswer.Fenced a -> nestedSize(viewSize(a.view()));
      case PrepareAnswer.Decided a -> nestedSize(outcomeSize(a.outcome()));
      case PrepareAnswer.Written _ -> nestedSize(0);
    };
  }

  static void prepareAnswer(CodedOutputStream out, PrepareAnswer answer) throws IOException {
    switch (answer) {
      case PrepareAnswer.Voted a -> PartEncoder.vote(out, 3, a.vote());
      case PrepareAnswer.Superseded a -> out.writeUInt32(4, a.execution());
      case PrepareAnswer.Fenced a -> PartEncoder.view(out, 5, a.view());
      case PrepareAnswer.Decided a -> PartEncoder.outcome(out, 6, a.outcome());
      case PrepareAnswer.Written _ -> nested(out, 7, 0);
    }
  }

  static int finalizeAnswerSize(FinalizeAnswer answer) {
    return switch (answer) {
      case FinalizeAnswer.Accepted a -> nestedSize(0);
      case FinalizeAnswer.Fenced a -> nestedSize(viewSize(a.view()));
      case FinalizeAnswer.Decided a -> nestedSize(outcomeSize(a.outcome()));
    };
  }

  static void finalizeAnswer(CodedOutputStream out, FinalizeAnswer answer) throws IOException {
    switch (answer) {
      case FinalizeAnswer.Accepted a -> nested(out, 3, 0);
      case FinalizeAnswer.Fenced a -> PartEncoder.view(out, 4, a.view());
      case FinalizeAnswer.Decided a -> PartEncoder.outcome(out, 5, a.outcome());
    }
  }

  // ---- RecoverReply -------------------------------------------------------------------------

  static int recoverAnswerSize(RecoverAnswer answer) {
    return switch (answer) {
      case RecoverAnswer.Promised a -> nestedSize(promisedSize(a));
      case RecoverAnswer.Fenced a -> nestedSize(viewSize(a.view()));
      case RecoverAnswer.Decided a -> nestedSize(outcomeSize(a.outcome()));
    };
  }

  static void recoverAnswer(CodedOutputStream out, RecoverAnswer answer) throws IOException {
    switch (answer) {
      case RecoverAnswer.Promised a -> promised(out, a);
      case RecoverAnswer.Fenced a -> PartEncoder.view(out, 4, a.view());
      case RecoverAnswer.Decided a -> PartEncoder.outcome(out, 5, a.outcome());
    }
  }

  private static int promisedSize(RecoverAnswer.Promised promised) {
    int size =
        boolSize(promised.votedCommit())
            + PartEncoder.participantsSize(promised.participants())
            + boolSize(promised.vague());
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
    PartEncoder.participants(out, 5, promised.participants());
    PartEncoder.bool(out, 6, promised.vague());
  }
}
