package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** Decodes the messages between the replicas of a partition. */
final class GroupDecoder {
  private static final int STAMP = 1 << 3 | BYTES;

  /** A limit above the number of replicas of any partition. */
  private static final int MAX_INCARNATIONS = 64;

  private GroupDecoder() {}

  static TxnId onlyStamp(WireReader in, String message) throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId stamp = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> stamp = PartDecoder.txnId(in);
        default -> fields.unknown();
      }
    }
    return stamp;
  }

  /** Creates what has a stamp and a flag. */
  interface OfFlag<M> {
    M of(TxnId stamp, boolean flag);
  }

  static <M> M stampAndFlag(WireReader in, String message, OfFlag<M> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId stamp = TxnId.INITIAL;
    boolean flag = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> stamp = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> flag = in.bool();
        default -> fields.unknown();
      }
    }
    return make.of(stamp, flag);
  }

  static Message truncatePrepare(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TruncatePrepare");
    TxnId watermark = TxnId.INITIAL;
    long joinerMicros = 0;
    TxnId base = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | FIXED64 -> joinerMicros = in.fixed64();
        case 3 << 3 | BYTES -> base = PartDecoder.txnId(in);
        default -> fields.unknown();
      }
    }
    return new Message.TruncatePrepare(base, watermark, joinerMicros);
  }

  static Message truncateReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TruncateReply");
    TxnId watermark = TxnId.INITIAL;
    TxnId applied = TxnId.INITIAL;
    ArrayList<Standing> standings = new ArrayList<>();
    Message.MapKnowledge maps = null;
    TxnId open = TxnId.INITIAL;
    int change = 0;
    TxnId base = TxnId.INITIAL;
    TxnId upTo = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> applied = PartDecoder.txnId(in);
        case 3 << 3 | BYTES -> fields.add(standings, standing(in));
        case 4 << 3 | BYTES -> maps = MapCodec.knowledge(in);
        case 5 << 3 | BYTES -> open = PartDecoder.txnId(in);
        case 6 << 3 | VARINT -> change = fields.number("change");
        case 7 << 3 | BYTES -> base = PartDecoder.txnId(in);
        case 8 << 3 | BYTES -> upTo = PartDecoder.txnId(in);
        default -> fields.unknown();
      }
    }
    return new Message.TruncateReply(watermark, base, applied, upTo, standings, maps, open, change);
  }

  static Message truncateCommit(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TruncateCommit");
    TxnId watermark = TxnId.INITIAL;
    TxnId base = TxnId.INITIAL;
    ArrayList<Standing> standings = new ArrayList<>();
    int change = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> base = PartDecoder.txnId(in);
        case 3 << 3 | BYTES -> fields.add(standings, standing(in));
        case 4 << 3 | VARINT -> change = fields.number("change");
        default -> fields.unknown();
      }
    }
    return new Message.TruncateCommit(base, watermark, standings, change);
  }

  static Standing standing(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Standing");
    TxnId txn = null;
    Outcome outcome = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> outcome = PartDecoder.outcome(in);
        default -> fields.unknown();
      }
    }
    return new Standing(fields.required(txn, "txn"), outcome);
  }

  static Message watermark(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Watermark");
    TxnId watermark = TxnId.INITIAL;
    int partition = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> partition = fields.number("partition");
        default -> fields.unknown();
      }
    }
    return new Message.Watermark(partition, watermark);
  }

  static Message behind(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Behind");
    TxnId txn = null;
    TxnId watermark = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> watermark = PartDecoder.txnId(in);
        default -> fields.unknown();
      }
    }
    return new Message.Behind(fields.required(txn, "txn"), watermark);
  }

  static Message copy(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Copy");
    TxnId since = TxnId.INITIAL;
    Key from = PartDecoder.EMPTY_KEY;
    TxnId upTo = TxnId.INITIAL;
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> since = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> from = fields.key("from");
        case 3 << 3 | BYTES -> upTo = PartDecoder.txnId(in);
        default -> fields.unknown();
      }
    }
    return new Message.Copy(since, from, upTo);
  }

  static Message copyReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("CopyReply");
    TxnId watermark = TxnId.INITIAL;
    Key from = PartDecoder.EMPTY_KEY;
    Key next = null;
    int keys = 0;
    int examined = 0;
    int dropped = 0;
    TxnId erased = TxnId.INITIAL;
    TxnId since = TxnId.INITIAL;
    ArrayList<CopiedVersion> versions = new ArrayList<>();
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> from = fields.key("from");
        case 3 << 3 | BYTES -> next = fields.key("next");
        case 4 << 3 | BYTES -> fields.add(versions, copiedVersion(in));
        case 5 << 3 | VARINT -> keys = fields.number("keys");
        case 6 << 3 | BYTES -> erased = PartDecoder.txnId(in);
        case 7 << 3 | BYTES -> since = PartDecoder.txnId(in);
        case 8 << 3 | VARINT -> examined = fields.number("examined");
        case 9 << 3 | VARINT -> dropped = fields.number("dropped");
        default -> fields.unknown();
      }
    }
    return new Message.CopyReply(
        since, from, next, examined, keys, watermark, erased, dropped, versions);
  }

  static Message copyOutcomesReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("CopyOutcomesReply");
    TxnId after = TxnId.INITIAL;
    TxnId next = TxnId.INITIAL;
    TxnId watermark = TxnId.INITIAL;
    TxnId forgotten = TxnId.INITIAL;
    ArrayList<Standing> outcomes = new ArrayList<>();
    while (fields.next()) {
      switch (fields.tag()) {
        case STAMP -> after = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> next = PartDecoder.txnId(in);
        case 3 << 3 | BYTES -> fields.add(outcomes, standing(in));
        case 4 << 3 | BYTES -> forgotten = PartDecoder.txnId(in);
        case 5 << 3 | BYTES -> watermark = PartDecoder.txnId(in);
        default -> fields.unknown();
      }
    }
    return new Message.CopyOutcomesReply(after, next, watermark, forgotten, outcomes);
  }

  static CopiedVersion copiedVersion(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("CopiedVersion");
    Key key = PartDecoder.EMPTY_KEY;
    WriteId version = null;
    Value value = Value.ABSENT;
    TxnId floor = TxnId.INITIAL;
    int form = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> key = fields.key("key");
        case 2 << 3 | BYTES -> version = PartDecoder.writeId(in);
        case 3 << 3 | BYTES -> value = fields.value("value");
        case 4 << 3 | BYTES -> floor = PartDecoder.txnId(in);
        case 5 << 3 | VARINT -> form = fields.number("form");
        default -> fields.unknown();
      }
    }
    return new CopiedVersion(
        key, fields.required(version, "version"), fields.ofForm(form, value), floor);
  }

  static Message found(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Found");
    List<Long> incarnations = List.of();
    boolean locked = false;
    boolean serving = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case 2 << 3 | BYTES -> incarnations = incarnations(in, "Found");
        case 3 << 3 | VARINT -> locked = in.bool();
        case 4 << 3 | VARINT -> serving = in.bool();
        default -> fields.unknown();
      }
    }
    return new Message.Found(incarnations, locked, serving);
  }

  static List<Long> incarnations(WireReader in, String message) throws MalformedFrameException {
    ArrayList<Long> incarnations = new ArrayList<>();
    int packed = in.enter();
    while (in.hasMore() && incarnations.size() < MAX_INCARNATIONS) {
      incarnations.add(in.fixed64());
    }
    if (in.hasMore()) {
      throw in.malformed(message + ".incarnations has more than " + MAX_INCARNATIONS);
    }
    in.leave(packed);
    return incarnations;
  }
}
