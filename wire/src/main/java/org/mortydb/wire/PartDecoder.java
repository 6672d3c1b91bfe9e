package org.mortydb.wire;

import static org.mortydb.wire.MessageFields.orEmpty;

import java.util.List;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Decodes the parts of messages. A case label is the field's tag: {@code number << 3 | wire type},
 * where the wire type is 0 for a varint, 1 for a fixed64, and 2 for bytes with a length.
 */
public final class PartDecoder {
  public static final int VARINT = 0;
  public static final int FIXED64 = 1;
  public static final int BYTES = 2;

  public static final Key EMPTY_KEY = Key.wrap(new byte[0]);

  private PartDecoder() {}

  public static TxnId txnId(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TxnId");
    long timeMicros = 0;
    long clientId = 0;
    int home = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | FIXED64 -> timeMicros = in.fixed64();
        case 2 << 3 | FIXED64 -> clientId = in.fixed64();
        case 3 << 3 | VARINT -> home = fields.partition("home");
        default -> fields.unknown();
      }
    }
    if (timeMicros <= 0 || timeMicros > Limits.MAX_TIME_MICROS) {
      throw in.malformed(
          "TxnId.time_micros is "
              + Long.toUnsignedString(timeMicros)
              + ", not in 1.."
              + Limits.MAX_TIME_MICROS);
    }
    return new TxnId(timeMicros, clientId, home);
  }

  public static WriteId writeId(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("WriteId");
    TxnId writer = null;
    int valueId = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> writer = txnId(in);
        case 2 << 3 | VARINT -> valueId = fields.number("value_id");
        default -> fields.unknown();
      }
    }
    if (writer == null && valueId == 0) {
      return WriteId.INITIAL;
    }
    if (writer == null || valueId == 0) {
      throw in.malformed("WriteId has one of writer and value_id, must have both or none");
    }
    return new WriteId(writer, valueId);
  }

  public static Read read(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Read");
    Key key = EMPTY_KEY;
    WriteId version = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> key = fields.key("key");
        case 2 << 3 | BYTES -> version = writeId(in);
        default -> fields.unknown();
      }
    }
    return new Read(key, fields.required(version, "version"));
  }

  public static Write write(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Write");
    Key key = EMPTY_KEY;
    int valueId = 0;
    Value value = Value.ABSENT;
    int form = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> key = fields.key("key");
        case 2 << 3 | VARINT -> valueId = fields.number("value_id");
        case 3 << 3 | BYTES -> value = fields.value("value");
        case 4 << 3 | VARINT -> form = fields.number("form");
        default -> fields.unknown();
      }
    }
    if (valueId == 0) {
      throw in.malformed("Write.value_id is 0, must be positive");
    }
    return new Write(key, valueId, fields.ofForm(form, value));
  }

  static VersionedValue versionedValue(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("VersionedValue");
    Key key = EMPTY_KEY;
    WriteId version = null;
    Value value = Value.ABSENT;
    boolean settled = false;
    int form = 0;
    List<WriteId> below = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> key = fields.key("key");
        case 2 << 3 | BYTES -> version = writeId(in);
        case 3 << 3 | BYTES -> value = fields.value("value");
        case 4 << 3 | VARINT -> settled = in.bool();
        case 5 << 3 | VARINT -> form = fields.number("form");
        case 6 << 3 | BYTES -> below = fields.appendBelow(below);
        default -> fields.unknown();
      }
    }
    return new VersionedValue(
        key,
        fields.required(version, "version"),
        fields.read(form, value),
        settled,
        orEmpty(below));
  }

  static KeyRange keyRange(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("KeyRange");
    Key from = EMPTY_KEY;
    Key to = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> from = fields.bound("from");
        case 2 << 3 | BYTES -> to = fields.bound("to");
        default -> fields.unknown();
      }
    }
    return new KeyRange(from, to);
  }

  static View view(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("View");
    int round = 0;
    long proposer = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | VARINT -> round = fields.number("round");
        case 2 << 3 | FIXED64 -> proposer = in.fixed64();
        default -> fields.unknown();
      }
    }
    return round == 0 && proposer == 0 ? View.CLIENT : new View(round, proposer);
  }

  static Outcome outcome(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Outcome");
    Outcome outcome = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> outcome = fields.oneOf(outcome, commit(in), "outcome");
        case 2 << 3 | BYTES ->
            outcome = fields.oneOf(outcome, in.empty("Abort", Outcome.ABORT), "outcome");
        default -> fields.unknown();
      }
    }
    return fields.required(outcome, "outcome");
  }

  private static Outcome commit(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("CommitOutcome");
    int execution = 0;
    List<Integer> participants = List.of();
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | VARINT -> execution = fields.number("execution");
        case 2 << 3 | BYTES -> participants = fields.participants();
        default -> fields.unknown();
      }
    }
    return Outcome.commit(execution, participants);
  }

  static Vote vote(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Vote");
    Vote vote = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES ->
            vote = fields.oneOf(vote, in.empty("CommitVote", Vote.COMMIT), "vote");
        case 2 << 3 | BYTES -> vote = fields.oneOf(vote, abandon(in), "vote");
        case 3 << 3 | BYTES ->
            vote = fields.oneOf(vote, in.empty("CommitVote", Vote.COMMIT_ON_CONDITION), "vote");
        default -> fields.unknown();
      }
    }
    return fields.required(vote, "vote");
  }

  private static Vote abandon(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Abandon");
    boolean isFinal = false;
    int reason = 0;
    List<VersionedValue> fresh = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | VARINT -> isFinal = in.bool();
        case 2 << 3 | VARINT -> reason = fields.number("reason");
        case 3 << 3 | BYTES -> fresh = fields.append(fresh, versionedValue(in), "fresh");
        default -> fields.unknown();
      }
    }
    Vote.Reason known = fields.known(EnumNumbers.reason(reason), reason, "reason");
    return new Vote.Abandon(isFinal, known, orEmpty(fresh));
  }

  static ReplicaId replicaId(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("ReplicaId");
    int partition = 0;
    int index = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | VARINT -> partition = fields.number("partition");
        case 2 << 3 | VARINT -> index = fields.number("index");
        default -> fields.unknown();
      }
    }
    return new ReplicaId(partition, index);
  }

  // ---- messages of one shape ----------------------------------------------------------------

  /** Creates a message in which a transaction asks for a key. */
  public interface Question<M> {
    M of(TxnId txn, int request, Key key);
  }

  /** Creates a message that answers with a version. */
  public interface Answer<M> {
    M of(TxnId txn, int request, WriteId version, Value value);
  }

  public static TxnId onlyTxn(WireReader in, String message) throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> txn = txnId(in);
        default -> fields.unknown();
      }
    }
    return fields.required(txn, "txn");
  }

  public static <M> M question(WireReader in, String message, Question<M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    int request = 0;
    Key key = EMPTY_KEY;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> txn = txnId(in);
        case 2 << 3 | VARINT -> request = fields.number("request");
        case 3 << 3 | BYTES -> key = fields.key("key");
        default -> fields.unknown();
      }
    }
    return make.of(fields.required(txn, "txn"), request, key);
  }

  public static <M> M answer(WireReader in, String message, Answer<M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    int request = 0;
    WriteId version = null;
    Value value = Value.ABSENT;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> txn = txnId(in);
        case 2 << 3 | VARINT -> request = fields.number("request");
        case 3 << 3 | BYTES -> version = writeId(in);
        case 4 << 3 | BYTES -> value = fields.value("value");
        default -> fields.unknown();
      }
    }
    return make.of(
        fields.required(txn, "txn"), request, fields.required(version, "version"), value);
  }
}
