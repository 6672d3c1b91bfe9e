package org.mortydb.wire;

import static org.mortydb.wire.MessageFields.orEmpty;
import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.util.List;
import java.util.function.BiFunction;
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

  static Message put(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Put");
    TxnId txn = null;
    int execution = 0;
    Write write = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> execution = fields.number("execution");
        case 3 << 3 | BYTES -> write = PartDecoder.write(in);
        default -> fields.unknown();
      }
    }
    return new Message.Put(fields.required(txn, "txn"), execution, fields.required(write, "write"));
  }

  static Message retract(WireReader in) throws MalformedFrameException {
    return withKeys(in, "Retract", Message.Retract::new);
  }

  static Message drop(WireReader in) throws MalformedFrameException {
    return withKeys(
        in,
        "Drop",
        (txn, execution, keys) -> new Message.Drop(new ExecutionId(txn, execution), keys));
  }

  /** Creates a message about keys of an execution. */
  private interface WithKeys {
    Message of(TxnId txn, int execution, List<Key> keys);
  }

  private static Message withKeys(WireReader in, String message, WithKeys to)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    int execution = 0;
    List<Key> keys = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> execution = fields.number("execution");
        case 3 << 3 | BYTES -> keys = fields.append(keys, fields.key("keys"), "keys");
        default -> fields.unknown();
      }
    }
    return to.of(fields.required(txn, "txn"), execution, orEmpty(keys));
  }

  /** Creates a message or a log record of an execution. */
  interface OfExecution<M> {
    M of(
        ExecutionId id,
        List<Read> reads,
        List<KeyRange> ranges,
        List<Write> writes,
        List<Integer> participants);
  }

  static <M> M execution(WireReader in, String message, OfExecution<M> make)
      throws MalformedFrameException {
    return execution(
        in,
        message,
        false,
        (id, reads, ranges, writes, participants, _) ->
            make.of(id, reads, ranges, writes, participants));
  }

  static Message prepare(WireReader in) throws MalformedFrameException {
    return execution(in, "Prepare", true, Message.Prepare::new);
  }

  /** Creates a message of an execution whose transaction has a durability of its own. */
  private interface OfDurability<M> {
    M of(
        ExecutionId id,
        List<Read> reads,
        List<KeyRange> ranges,
        List<Write> writes,
        List<Integer> participants,
        boolean async);
  }

  private static <M> M execution(
      WireReader in, String message, boolean hasDurability, OfDurability<M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    boolean async = false;
    TxnId txn = null;
    int number = 0;
    List<Read> reads = null;
    List<KeyRange> ranges = null;
    List<Write> writes = null;
    List<Integer> participants = List.of();
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> number = fields.number("execution");
        case 3 << 3 | BYTES -> reads = fields.append(reads, PartDecoder.read(in), "reads");
        case 4 << 3 | BYTES -> writes = fields.append(writes, PartDecoder.write(in), "writes");
        case 5 << 3 | BYTES -> participants = fields.participants();
        case 6 << 3 | BYTES ->
            ranges = fields.append(ranges, PartDecoder.keyRange(in), "ranges", Limits.MAX_SCANS);
        case 7 << 3 | VARINT -> {
          if (hasDurability) {
            async = in.bool();
          } else {
            fields.unknown();
          }
        }
        default -> fields.unknown();
      }
    }
    return make.of(
        new ExecutionId(fields.required(txn, "txn"), number),
        orEmpty(reads),
        orEmpty(ranges),
        orEmpty(writes),
        participants,
        async);
  }

  static Message register(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Register");
    TxnId txn = null;
    int number = 0;
    List<Read> reads = null;
    List<KeyRange> ranges = null;
    int map = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> number = fields.number("execution");
        case 3 << 3 | BYTES -> reads = fields.append(reads, PartDecoder.read(in), "reads");
        case 6 << 3 | BYTES ->
            ranges = fields.append(ranges, PartDecoder.keyRange(in), "ranges", Limits.MAX_SCANS);
        case 7 << 3 | VARINT -> map = fields.number("map");
        default -> fields.unknown();
      }
    }
    return new Message.Register(
        new ExecutionId(fields.required(txn, "txn"), number), orEmpty(reads), orEmpty(ranges), map);
  }

  static ExecutionId executionId(WireReader in, String message) throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    int number = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> number = fields.number("execution");
        default -> fields.unknown();
      }
    }
    return new ExecutionId(fields.required(txn, "txn"), number);
  }

  /** Creates a message or a log record of an outcome that is proposed or accepted in a view. */
  interface OfProposal<M> {
    M of(TxnId txn, View view, Outcome value);
  }

  static <M> M proposal(WireReader in, String message, OfProposal<M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    View view = null;
    Outcome value = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        case 3 << 3 | BYTES -> value = PartDecoder.outcome(in);
        default -> fields.unknown();
      }
    }
    return make.of(
        fields.required(txn, "txn"),
        fields.required(view, "view"),
        fields.required(value, "value"));
  }

  static <M> M decision(WireReader in, String message, BiFunction<TxnId, Outcome, M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    Outcome outcome = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> outcome = PartDecoder.outcome(in);
        default -> fields.unknown();
      }
    }
    return make.apply(fields.required(txn, "txn"), fields.required(outcome, "outcome"));
  }

  static <M> M ballot(WireReader in, String message, BiFunction<TxnId, View, M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    View view = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        default -> fields.unknown();
      }
    }
    return make.apply(fields.required(txn, "txn"), fields.required(view, "view"));
  }

  static Message recoverReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("RecoverReply");
    TxnId txn = null;
    View view = null;
    RecoverAnswer answer = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        case 3 << 3 | BYTES -> answer = fields.oneOf(answer, promised(in), "answer");
        case 4 << 3 | BYTES ->
            answer = fields.oneOf(answer, new RecoverAnswer.Fenced(PartDecoder.view(in)), "answer");
        case 5 << 3 | BYTES ->
            answer =
                fields.oneOf(answer, new RecoverAnswer.Decided(PartDecoder.outcome(in)), "answer");
        default -> fields.unknown();
      }
    }
    return new Message.RecoverReply(
        fields.required(txn, "txn"),
        fields.required(view, "view"),
        fields.required(answer, "answer"));
  }

  static RecoverAnswer promised(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Promised");
    View acceptedView = null;
    Outcome acceptedValue = null;
    int execution = RecoverAnswer.NO_EXECUTION;
    boolean votedCommit = false;
    List<Integer> participants = List.of();
    boolean vague = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> acceptedView = PartDecoder.view(in);
        case 2 << 3 | BYTES -> acceptedValue = PartDecoder.outcome(in);
        case 3 << 3 | VARINT -> execution = fields.number("execution");
        case 4 << 3 | VARINT -> votedCommit = in.bool();
        case 5 << 3 | BYTES -> participants = fields.participants();
        case 6 << 3 | VARINT -> vague = in.bool();
        default -> fields.unknown();
      }
    }
    RecoverAnswer.Accepted accepted = null;
    if (acceptedView != null || acceptedValue != null) {
      accepted =
          new RecoverAnswer.Accepted(
              fields.required(acceptedView, "accepted_view"),
              fields.required(acceptedValue, "accepted_value"));
    }
    return new RecoverAnswer.Promised(accepted, execution, votedCommit, participants, vague);
  }

  /** Creates a message that sends a version to a reader. */
  interface OfVersion<M> {
    M of(
        TxnId txn,
        int request,
        int sequence,
        WriteId version,
        Value value,
        boolean settled,
        List<WriteId> below);
  }

  static <M> M shown(WireReader in, String message, OfVersion<M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    int request = 0;
    int sequence = 0;
    WriteId version = null;
    Value value = Value.ABSENT;
    boolean settled = false;
    int form = 0;
    List<WriteId> below = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> request = fields.number("request");
        case 3 << 3 | VARINT -> sequence = fields.number("sequence");
        case 4 << 3 | BYTES -> version = PartDecoder.writeId(in);
        case 5 << 3 | BYTES -> value = fields.value("value");
        case 6 << 3 | VARINT -> settled = in.bool();
        case 7 << 3 | VARINT -> form = fields.number("form");
        case 8 << 3 | BYTES -> below = fields.appendBelow(below);
        default -> fields.unknown();
      }
    }
    return make.of(
        fields.required(txn, "txn"),
        request,
        sequence,
        fields.required(version, "version"),
        fields.read(form, value),
        settled,
        MessageFields.orEmpty(below));
  }

  static Message prepareReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("PrepareReply");
    TxnId txn = null;
    int execution = 0;
    PrepareAnswer answer = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case EXECUTION -> execution = fields.number("execution");
        case 3 << 3 | BYTES ->
            answer = fields.oneOf(answer, new PrepareAnswer.Voted(PartDecoder.vote(in)), "answer");
        case 4 << 3 | VARINT ->
            answer =
                fields.oneOf(
                    answer, new PrepareAnswer.Superseded(fields.number("superseded")), "answer");
        case 5 << 3 | BYTES ->
            answer = fields.oneOf(answer, new PrepareAnswer.Fenced(PartDecoder.view(in)), "answer");
        case 6 << 3 | BYTES ->
            answer =
                fields.oneOf(answer, new PrepareAnswer.Decided(PartDecoder.outcome(in)), "answer");
        case 7 << 3 | BYTES ->
            answer =
                fields.oneOf(answer, in.empty("Written", new PrepareAnswer.Written()), "answer");
        default -> fields.unknown();
      }
    }
    return new Message.PrepareReply(
        new ExecutionId(fields.required(txn, "txn"), execution), fields.required(answer, "answer"));
  }

  static Message finalizeReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("FinalizeReply");
    TxnId txn = null;
    View view = null;
    FinalizeAnswer answer = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> view = PartDecoder.view(in);
        case 3 << 3 | BYTES ->
            answer =
                fields.oneOf(answer, in.empty("Accepted", new FinalizeAnswer.Accepted()), "answer");
        case 4 << 3 | BYTES ->
            answer =
                fields.oneOf(answer, new FinalizeAnswer.Fenced(PartDecoder.view(in)), "answer");
        case 5 << 3 | BYTES ->
            answer =
                fields.oneOf(answer, new FinalizeAnswer.Decided(PartDecoder.outcome(in)), "answer");
        default -> fields.unknown();
      }
    }
    return new Message.FinalizeReply(
        fields.required(txn, "txn"),
        fields.required(view, "view"),
        fields.required(answer, "answer"));
  }

  static Message refused(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Refused");
    TxnId txn = null;
    int reason = 0;
    long replicaClockMicros = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> reason = fields.number("reason");
        case 3 << 3 | FIXED64 -> replicaClockMicros = in.fixed64();
        default -> fields.unknown();
      }
    }
    Message.Refusal known = fields.known(EnumNumbers.refusal(reason), reason, "reason");
    return new Message.Refused(fields.required(txn, "txn"), known, replicaClockMicros);
  }
}
