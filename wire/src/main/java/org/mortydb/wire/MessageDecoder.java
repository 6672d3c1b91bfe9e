package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;
import static org.mortydb.wire.PartDecoder.append;
import static org.mortydb.wire.PartDecoder.orEmpty;

import java.io.IOException;
import java.util.List;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Decodes the messages between clients and replicas, and those of recovery. Tags are written as in
 * {@link PartDecoder}.
 */
final class MessageDecoder {
  private static final int TXN = 1 << 3 | BYTES;

  private static final int EXECUTION = 2 << 3 | VARINT;

  private MessageDecoder() {}

  static Message put(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int execution = 0;
    Write write = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Put");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> execution = in.number("Put", "execution");
        case 3 << 3 | BYTES -> write = PartDecoder.write(in);
        default -> throw in.unexpected("Put", tag);
      }
    }
    in.leave(outer);
    return new Message.Put(
        in.required(txn, "Put", "txn"), execution, in.required(write, "Put", "write"));
  }

  static Message retract(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int execution = 0;
    List<Key> keys = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        keys = append(in, keys, in.key("Retract", "keys"), "Retract", "keys");
        continue;
      }
      seen = in.once(seen, tag, "Retract");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> execution = in.number("Retract", "execution");
        default -> throw in.unexpected("Retract", tag);
      }
    }
    in.leave(outer);
    return new Message.Retract(in.required(txn, "Retract", "txn"), execution, orEmpty(keys));
  }

  static Message prepare(WireReader in) throws IOException {
    Execution e = execution(in, "Prepare");
    return new Message.Prepare(e.id, e.reads, e.ranges, e.writes, e.participants);
  }

  static Message fetchReply(WireReader in) throws IOException {
    Execution e = execution(in, "FetchReply");
    return new Message.FetchReply(e.id, e.reads, e.ranges, e.writes, e.participants);
  }

  record Execution(
      ExecutionId id,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {}

  static Execution execution(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int number = 0;
    List<Read> reads = null;
    List<KeyRange> ranges = null;
    List<Write> writes = null;
    List<Integer> participants = List.of();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        reads = append(in, reads, PartDecoder.read(in), message, "reads");
        continue;
      }
      if (tag == (4 << 3 | BYTES)) {
        writes = append(in, writes, PartDecoder.write(in), message, "writes");
        continue;
      }
      if (tag == (6 << 3 | BYTES)) {
        ranges = append(in, ranges, PartDecoder.keyRange(in), message, "ranges", Limits.MAX_SCANS);
        continue;
      }
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> number = in.number(message, "execution");
        case 5 << 3 | BYTES -> participants = PartDecoder.participants(in, message);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Execution(
        new ExecutionId(in.required(txn, message, "txn"), number),
        orEmpty(reads),
        orEmpty(ranges),
        orEmpty(writes),
        participants);
  }

  static ExecutionId executionId(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int number = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> number = in.number(message, "execution");
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new ExecutionId(in.required(txn, message, "txn"), number);
  }

  static Message finalizeMessage(WireReader in) throws IOException {
    Proposal p = proposal(in, "Finalize");
    return new Message.Finalize(p.txn, p.view, p.value);
  }

  /** An outcome proposed or accepted in a view. */
  record Proposal(TxnId txn, View view, Outcome value) {}

  static Proposal proposal(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    View view = null;
    Outcome value = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        case 3 << 3 | BYTES -> value = PartDecoder.outcome(in);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Proposal(
        in.required(txn, message, "txn"),
        in.required(view, message, "view"),
        in.required(value, message, "value"));
  }

  static Message decide(WireReader in) throws IOException {
    Decision d = decision(in, "Decide");
    return new Message.Decide(d.txn, d.outcome);
  }

  /** A transaction and its outcome. */
  record Decision(TxnId txn, Outcome outcome) {}

  static Decision decision(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    Outcome outcome = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> outcome = PartDecoder.outcome(in);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Decision(in.required(txn, message, "txn"), in.required(outcome, message, "outcome"));
  }

  static Message recover(WireReader in) throws IOException {
    Ballot b = ballot(in, "Recover");
    return new Message.Recover(b.txn, b.view);
  }

  /** A transaction and a view of it. */
  record Ballot(TxnId txn, View view) {}

  static Ballot ballot(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    View view = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Ballot(in.required(txn, message, "txn"), in.required(view, message, "view"));
  }

  static Message recoverReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    View view = null;
    RecoverAnswer answer = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "RecoverReply");
      if (answer != null && tag > (2 << 3 | BYTES)) {
        throw in.malformed("RecoverReply has more than one answer");
      }
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        case 3 << 3 | BYTES -> answer = promised(in);
        case 4 << 3 | BYTES -> answer = new RecoverAnswer.Fenced(PartDecoder.view(in));
        case 5 << 3 | BYTES -> answer = new RecoverAnswer.Decided(PartDecoder.outcome(in));
        default -> throw in.unexpected("RecoverReply", tag);
      }
    }
    in.leave(outer);
    return new Message.RecoverReply(
        in.required(txn, "RecoverReply", "txn"),
        in.required(view, "RecoverReply", "view"),
        in.required(answer, "RecoverReply", "answer"));
  }

  static RecoverAnswer promised(WireReader in) throws IOException {
    int outer = in.enter();
    View acceptedView = null;
    Outcome acceptedValue = null;
    int execution = RecoverAnswer.NO_EXECUTION;
    boolean votedCommit = false;
    List<Integer> participants = List.of();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Promised");
      switch (tag) {
        case 1 << 3 | BYTES -> acceptedView = PartDecoder.view(in);
        case 2 << 3 | BYTES -> acceptedValue = PartDecoder.outcome(in);
        case 3 << 3 | VARINT -> execution = in.number("Promised", "execution");
        case 4 << 3 | VARINT -> votedCommit = in.bool();
        case 5 << 3 | BYTES -> participants = PartDecoder.participants(in, "Promised");
        default -> throw in.unexpected("Promised", tag);
      }
    }
    in.leave(outer);
    RecoverAnswer.Accepted accepted = null;
    if (acceptedView != null || acceptedValue != null) {
      accepted =
          new RecoverAnswer.Accepted(
              in.required(acceptedView, "Promised", "accepted_view"),
              in.required(acceptedValue, "Promised", "accepted_value"));
    }
    return new RecoverAnswer.Promised(accepted, execution, votedCommit, participants);
  }

  private record ReadAnswer(
      TxnId txn, int request, int sequence, WriteId version, Value value, boolean settled) {}

  static ReadAnswer readAnswer(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    int sequence = 0;
    WriteId version = null;
    Value value = Value.ABSENT;
    boolean settled = false;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> request = in.number(message, "request");
        case 3 << 3 | VARINT -> sequence = in.number(message, "sequence");
        case 4 << 3 | BYTES -> version = PartDecoder.writeId(in);
        case 5 << 3 | BYTES -> value = in.value(message, "value");
        case 6 << 3 | VARINT -> settled = in.bool();
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new ReadAnswer(
        in.required(txn, message, "txn"),
        request,
        sequence,
        in.required(version, message, "version"),
        value,
        settled);
  }

  static Message getReply(WireReader in) throws IOException {
    ReadAnswer a = readAnswer(in, "GetReply");
    return new Message.GetReply(a.txn, a.request, a.sequence, a.version, a.value, a.settled);
  }

  static Message push(WireReader in) throws IOException {
    ReadAnswer a = readAnswer(in, "Push");
    return new Message.Push(a.txn, a.request, a.sequence, a.version, a.value, a.settled);
  }

  static Message prepareReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int execution = 0;
    PrepareAnswer answer = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "PrepareReply");
      if (answer != null && tag > EXECUTION) {
        throw in.malformed("PrepareReply has more than one answer");
      }
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> execution = in.number("PrepareReply", "execution");
        case 3 << 3 | BYTES -> answer = new PrepareAnswer.Voted(PartDecoder.vote(in));
        case 4 << 3 | VARINT ->
            answer = new PrepareAnswer.Superseded(in.number("PrepareReply", "superseded"));
        case 5 << 3 | BYTES -> answer = new PrepareAnswer.Fenced(PartDecoder.view(in));
        case 6 << 3 | BYTES -> answer = new PrepareAnswer.Decided(PartDecoder.outcome(in));
        default -> throw in.unexpected("PrepareReply", tag);
      }
    }
    in.leave(outer);
    return new Message.PrepareReply(
        new ExecutionId(in.required(txn, "PrepareReply", "txn"), execution),
        in.required(answer, "PrepareReply", "answer"));
  }

  static Message finalizeReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    View view = null;
    FinalizeAnswer answer = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "FinalizeReply");
      if (answer != null && tag > (2 << 3 | BYTES)) {
        throw in.malformed("FinalizeReply has more than one answer");
      }
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        case 3 << 3 | BYTES -> {
          in.empty("Accepted");
          answer = new FinalizeAnswer.Accepted();
        }
        case 4 << 3 | BYTES -> answer = new FinalizeAnswer.Fenced(PartDecoder.view(in));
        case 5 << 3 | BYTES -> answer = new FinalizeAnswer.Decided(PartDecoder.outcome(in));
        default -> throw in.unexpected("FinalizeReply", tag);
      }
    }
    in.leave(outer);
    return new Message.FinalizeReply(
        in.required(txn, "FinalizeReply", "txn"),
        in.required(view, "FinalizeReply", "view"),
        in.required(answer, "FinalizeReply", "answer"));
  }

  static Message refused(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int reason = 0;
    long replicaClockMicros = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Refused");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> reason = in.number("Refused", "reason");
        case 3 << 3 | FIXED64 -> replicaClockMicros = in.fixed64();
        default -> throw in.unexpected("Refused", tag);
      }
    }
    in.leave(outer);
    Message.Refusal known = Reasons.refusal(reason);
    if (known == null) {
      throw in.malformed("Refused.reason is " + reason + ", which is none");
    }
    return new Message.Refused(in.required(txn, "Refused", "txn"), known, replicaClockMicros);
  }
}
