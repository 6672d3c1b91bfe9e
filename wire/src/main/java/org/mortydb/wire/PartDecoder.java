package org.mortydb.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
 * Reads the messages of the schema that occur inside others. A case label is the field's tag:
 * {@code number << 3 | wire type}, where 0 is a varint, 1 is fixed64, 2 has a length.
 */
public final class PartDecoder {
  public static final int VARINT = 0;
  public static final int FIXED64 = 1;
  public static final int BYTES = 2;

  /** Elements that a list has room for at first. */
  private static final int FEW = 4;

  public static final Key EMPTY_KEY = Key.wrap(new byte[0]);

  /** Most elements of any repeated field: operations, and participants with the home partition. */
  private static final int MAX_ELEMENTS = Limits.MAX_OPERATIONS + 1;

  private PartDecoder() {}

  public static TxnId txnId(WireReader in) throws IOException {
    int outer = in.enter();
    long timeMicros = 0;
    long clientId = 0;
    int home = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "TxnId");
      switch (tag) {
        case 1 << 3 | FIXED64 -> timeMicros = in.fixed64();
        case 2 << 3 | FIXED64 -> clientId = in.fixed64();
        case 3 << 3 | VARINT -> home = in.number("TxnId", "home");
        default -> throw in.unexpected("TxnId", tag);
      }
    }
    in.leave(outer);
    if (timeMicros <= 0) {
      throw in.malformed(
          "TxnId.time_micros is " + Long.toUnsignedString(timeMicros) + ", not in 1..2^63-1");
    }
    return new TxnId(timeMicros, clientId, home);
  }

  public static WriteId writeId(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId writer = null;
    int valueId = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "WriteId");
      switch (tag) {
        case 1 << 3 | BYTES -> writer = txnId(in);
        case 2 << 3 | VARINT -> valueId = in.number("WriteId", "value_id");
        default -> throw in.unexpected("WriteId", tag);
      }
    }
    in.leave(outer);
    if (writer == null && valueId == 0) {
      return WriteId.INITIAL;
    }
    if (writer == null || valueId == 0) {
      throw in.malformed("WriteId has one of writer and value_id, must have both or none");
    }
    return new WriteId(writer, valueId);
  }

  public static Read read(WireReader in) throws IOException {
    int outer = in.enter();
    Key key = EMPTY_KEY;
    WriteId version = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Read");
      switch (tag) {
        case 1 << 3 | BYTES -> key = in.key("Read", "key");
        case 2 << 3 | BYTES -> version = writeId(in);
        default -> throw in.unexpected("Read", tag);
      }
    }
    in.leave(outer);
    return new Read(key, in.required(version, "Read", "version"));
  }

  public static Write write(WireReader in) throws IOException {
    int outer = in.enter();
    Key key = EMPTY_KEY;
    int valueId = 0;
    Value value = Value.ABSENT;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Write");
      switch (tag) {
        case 1 << 3 | BYTES -> key = in.key("Write", "key");
        case 2 << 3 | VARINT -> valueId = in.number("Write", "value_id");
        case 3 << 3 | BYTES -> value = in.value("Write", "value");
        default -> throw in.unexpected("Write", tag);
      }
    }
    in.leave(outer);
    return new Write(key, valueId, value);
  }

  public static VersionedValue versionedValue(WireReader in) throws IOException {
    int outer = in.enter();
    Key key = EMPTY_KEY;
    WriteId version = null;
    Value value = Value.ABSENT;
    boolean settled = false;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "VersionedValue");
      switch (tag) {
        case 1 << 3 | BYTES -> key = in.key("VersionedValue", "key");
        case 2 << 3 | BYTES -> version = writeId(in);
        case 3 << 3 | BYTES -> value = in.value("VersionedValue", "value");
        case 4 << 3 | VARINT -> settled = in.bool();
        default -> throw in.unexpected("VersionedValue", tag);
      }
    }
    in.leave(outer);
    return new VersionedValue(
        key, in.required(version, "VersionedValue", "version"), value, settled);
  }

  /** Decodes a row and appends it to those before it, which must have lower keys. */
  public static List<VersionedValue> appendRow(
      WireReader in, @Nullable List<VersionedValue> rows, String message) throws IOException {
    VersionedValue row = versionedValue(in);
    if (rows != null && rows.getLast().key().compareTo(row.key()) >= 0) {
      throw in.malformed(message + ".rows are not ascending");
    }
    return append(in, rows, row, message, "rows");
  }

  public static KeyRange keyRange(WireReader in) throws IOException {
    int outer = in.enter();
    Key from = EMPTY_KEY;
    Key to = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "KeyRange");
      switch (tag) {
        case 1 << 3 | BYTES -> from = in.bound("KeyRange", "from");
        case 2 << 3 | BYTES -> to = in.bound("KeyRange", "to");
        default -> throw in.unexpected("KeyRange", tag);
      }
    }
    in.leave(outer);
    return new KeyRange(from, to);
  }

  public static View view(WireReader in) throws IOException {
    int outer = in.enter();
    int round = 0;
    long proposer = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "View");
      switch (tag) {
        case 1 << 3 | VARINT -> round = in.number("View", "round");
        case 2 << 3 | FIXED64 -> proposer = in.fixed64();
        default -> throw in.unexpected("View", tag);
      }
    }
    in.leave(outer);
    return round == 0 && proposer == 0 ? View.CLIENT : new View(round, proposer);
  }

  public static Outcome outcome(WireReader in) throws IOException {
    int outer = in.enter();
    int tag = in.tag();
    Outcome outcome =
        switch (tag) {
          case 1 << 3 | BYTES -> commit(in);
          case 2 << 3 | BYTES -> {
            in.empty("Abort");
            yield Outcome.ABORT;
          }
          case 0 -> throw in.malformed("Outcome.outcome is missing");
          default -> throw in.unexpected("Outcome", tag);
        };
    end(in, "Outcome");
    in.leave(outer);
    return outcome;
  }

  private static Outcome commit(WireReader in) throws IOException {
    int outer = in.enter();
    int execution = 0;
    List<Integer> participants = List.of();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "CommitOutcome");
      switch (tag) {
        case 1 << 3 | VARINT -> execution = in.number("CommitOutcome", "execution");
        case 2 << 3 | BYTES -> participants = participants(in, "CommitOutcome");
        default -> throw in.unexpected("CommitOutcome", tag);
      }
    }
    in.leave(outer);
    return Outcome.commit(execution, participants);
  }

  public static List<Integer> participants(WireReader in, String message) throws IOException {
    int whole = in.enter();
    List<Integer> participants = null;
    while (in.hasMore()) {
      participants =
          append(in, participants, in.number(message, "participants"), message, "participants");
    }
    in.leave(whole);
    return orEmpty(participants);
  }

  public static Vote vote(WireReader in) throws IOException {
    int outer = in.enter();
    int tag = in.tag();
    Vote vote =
        switch (tag) {
          case 1 << 3 | BYTES -> {
            in.empty("CommitVote");
            yield Vote.COMMIT;
          }
          case 2 << 3 | BYTES -> abandon(in);
          case 3 << 3 | BYTES -> {
            in.empty("CommitVote");
            yield Vote.COMMIT_ON_CONDITION;
          }
          case 0 -> throw in.malformed("Vote.vote is missing");
          default -> throw in.unexpected("Vote", tag);
        };
    end(in, "Vote");
    in.leave(outer);
    return vote;
  }

  private static Vote abandon(WireReader in) throws IOException {
    int outer = in.enter();
    boolean isFinal = false;
    int reason = 0;
    List<VersionedValue> fresh = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        fresh = append(in, fresh, versionedValue(in), "Abandon", "fresh");
        continue;
      }
      seen = in.once(seen, tag, "Abandon");
      switch (tag) {
        case 1 << 3 | VARINT -> isFinal = in.bool();
        case 2 << 3 | VARINT -> reason = in.number("Abandon", "reason");
        default -> throw in.unexpected("Abandon", tag);
      }
    }
    in.leave(outer);
    Vote.Reason known = Reasons.reason(reason);
    if (known == null) {
      throw in.malformed("Abandon.reason is " + reason + ", which is none");
    }
    return new Vote.Abandon(isFinal, known, orEmpty(fresh));
  }

  public static ReplicaId replicaId(WireReader in) throws IOException {
    int outer = in.enter();
    int partition = 0;
    int index = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "ReplicaId");
      switch (tag) {
        case 1 << 3 | VARINT -> partition = in.number("ReplicaId", "partition");
        case 2 << 3 | VARINT -> index = in.number("ReplicaId", "index");
        default -> throw in.unexpected("ReplicaId", tag);
      }
    }
    in.leave(outer);
    return new ReplicaId(partition, index);
  }

  // ---- messages of one shape ----------------------------------------------------------------

  /** Makes a message that asks a transaction's question about a key. */
  public interface Question<M> {
    M of(TxnId txn, int request, Key key);
  }

  /** Makes a message that answers such a question with a version. */
  public interface Answer<M> {
    M of(TxnId txn, int request, WriteId version, Value value);
  }

  public static TxnId onlyTxn(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      if (tag != (1 << 3 | BYTES)) {
        throw in.unexpected(message, tag);
      }
      txn = txnId(in);
    }
    in.leave(outer);
    return in.required(txn, message, "txn");
  }

  public static <M> M question(WireReader in, String message, Question<M> make) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    Key key = EMPTY_KEY;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case 1 << 3 | BYTES -> txn = txnId(in);
        case 2 << 3 | VARINT -> request = in.number(message, "request");
        case 3 << 3 | BYTES -> key = in.key(message, "key");
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return make.of(in.required(txn, message, "txn"), request, key);
  }

  public static <M> M answer(WireReader in, String message, Answer<M> make) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    int request = 0;
    WriteId version = null;
    Value value = Value.ABSENT;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case 1 << 3 | BYTES -> txn = txnId(in);
        case 2 << 3 | VARINT -> request = in.number(message, "request");
        case 3 << 3 | BYTES -> version = writeId(in);
        case 4 << 3 | BYTES -> value = in.value(message, "value");
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return make.of(
        in.required(txn, message, "txn"), request, in.required(version, message, "version"), value);
  }

  // ---- lists --------------------------------------------------------------------------------

  public static <T> List<T> append(
      WireReader in, @Nullable List<T> list, T element, String message, String field)
      throws MalformedFrameException {
    return append(in, list, element, message, field, MAX_ELEMENTS);
  }

  /** Appends to a list that may have no more than {@code atMost} elements. */
  public static <T> List<T> append(
      WireReader in, @Nullable List<T> list, T element, String message, String field, int atMost)
      throws MalformedFrameException {
    List<T> grown = list == null ? new ArrayList<>(FEW) : list;
    if (grown.size() == atMost) {
      throw in.malformed(message + "." + field + " has more than " + atMost + " elements");
    }
    grown.add(element);
    return grown;
  }

  public static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  /** Checks that a oneof's message has no second field. */
  private static void end(WireReader in, String message) throws IOException {
    int tag = in.tag();
    if (tag != 0) {
      throw in.malformed("field " + (tag >>> 3) + " of " + message + " is one too many");
    }
  }
}
