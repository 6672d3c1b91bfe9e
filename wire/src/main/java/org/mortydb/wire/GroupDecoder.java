package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.VARINT;

import java.io.IOException;
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

  /** More replicas than any partition has. */
  private static final int MAX_INCARNATIONS = 64;

  private GroupDecoder() {}

  static TxnId onlyStamp(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId stamp = TxnId.INITIAL;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      if (tag != STAMP) {
        throw in.unexpected(message, tag);
      }
      stamp = PartDecoder.txnId(in);
    }
    in.leave(outer);
    return stamp;
  }

  private record Standings(TxnId watermark, TxnId other, List<Standing> standings) {}

  static Message truncateReply(WireReader in) throws IOException {
    Standings s = standings(in, "TruncateReply");
    return new Message.TruncateReply(s.watermark, s.other, s.standings);
  }

  static Message truncateCommit(WireReader in) throws IOException {
    Standings s = standings(in, "TruncateCommit");
    return new Message.TruncateCommit(s.other, s.watermark, s.standings);
  }

  static Standings standings(WireReader in, String message) throws IOException {
    int outer = in.enter();
    TxnId watermark = TxnId.INITIAL;
    TxnId other = TxnId.INITIAL;
    ArrayList<Standing> standings = new ArrayList<>();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        standings.add(standing(in));
        continue;
      }
      seen = in.once(seen, tag, message);
      switch (tag) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> other = PartDecoder.txnId(in);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Standings(watermark, other, standings);
  }

  static Standing standing(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    Outcome outcome = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Standing");
      switch (tag) {
        case STAMP -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> outcome = PartDecoder.outcome(in);
        default -> throw in.unexpected("Standing", tag);
      }
    }
    in.leave(outer);
    return new Standing(in.required(txn, "Standing", "txn"), outcome);
  }

  static Message watermark(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId watermark = TxnId.INITIAL;
    int partition = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Watermark");
      switch (tag) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> partition = in.number("Watermark", "partition");
        default -> throw in.unexpected("Watermark", tag);
      }
    }
    in.leave(outer);
    return new Message.Watermark(partition, watermark);
  }

  static Message behind(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    TxnId watermark = TxnId.INITIAL;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Behind");
      switch (tag) {
        case STAMP -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> watermark = PartDecoder.txnId(in);
        default -> throw in.unexpected("Behind", tag);
      }
    }
    in.leave(outer);
    return new Message.Behind(in.required(txn, "Behind", "txn"), watermark);
  }

  static Message copy(WireReader in) throws IOException {
    int outer = in.enter();
    int slot = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Copy");
      if (tag != (2 << 3 | VARINT)) {
        throw in.unexpected("Copy", tag);
      }
      slot = in.number("Copy", "slot");
    }
    in.leave(outer);
    return new Message.Copy(slot);
  }

  static Message copyReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId watermark = TxnId.INITIAL;
    int slot = 0;
    int next = -1;
    ArrayList<CopiedVersion> versions = new ArrayList<>();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (4 << 3 | BYTES)) {
        versions.add(copiedVersion(in));
        continue;
      }
      seen = in.once(seen, tag, "CopyReply");
      switch (tag) {
        case STAMP -> watermark = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> slot = in.number("CopyReply", "slot");
        case 3 << 3 | VARINT -> next = in.number("CopyReply", "next");
        default -> throw in.unexpected("CopyReply", tag);
      }
    }
    in.leave(outer);
    return new Message.CopyReply(slot, next, watermark, versions);
  }

  static Message copyOutcomesReply(WireReader in) throws IOException {
    int outer = in.enter();
    TxnId after = TxnId.INITIAL;
    TxnId next = TxnId.INITIAL;
    TxnId forgotten = TxnId.INITIAL;
    ArrayList<Standing> outcomes = new ArrayList<>();
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        outcomes.add(standing(in));
        continue;
      }
      seen = in.once(seen, tag, "CopyOutcomesReply");
      switch (tag) {
        case STAMP -> after = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> next = PartDecoder.txnId(in);
        case 4 << 3 | BYTES -> forgotten = PartDecoder.txnId(in);
        default -> throw in.unexpected("CopyOutcomesReply", tag);
      }
    }
    in.leave(outer);
    return new Message.CopyOutcomesReply(after, next, forgotten, outcomes);
  }

  static CopiedVersion copiedVersion(WireReader in) throws IOException {
    int outer = in.enter();
    Key key = PartDecoder.EMPTY_KEY;
    WriteId version = null;
    Value value = Value.ABSENT;
    TxnId floor = TxnId.INITIAL;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "CopiedVersion");
      switch (tag) {
        case 1 << 3 | BYTES -> key = in.key("CopiedVersion", "key");
        case 2 << 3 | BYTES -> version = PartDecoder.writeId(in);
        case 3 << 3 | BYTES -> value = in.value("CopiedVersion", "value");
        case 4 << 3 | BYTES -> floor = PartDecoder.txnId(in);
        default -> throw in.unexpected("CopiedVersion", tag);
      }
    }
    in.leave(outer);
    return new CopiedVersion(key, in.required(version, "CopiedVersion", "version"), value, floor);
  }

  static Message found(WireReader in) throws IOException {
    int outer = in.enter();
    List<Long> incarnations = List.of();
    boolean locked = false;
    boolean serving = false;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "Found");
      switch (tag) {
        case 2 << 3 | BYTES -> incarnations = incarnations(in, "Found");
        case 3 << 3 | VARINT -> locked = in.bool();
        case 4 << 3 | VARINT -> serving = in.bool();
        default -> throw in.unexpected("Found", tag);
      }
    }
    in.leave(outer);
    return new Message.Found(incarnations, locked, serving);
  }

  static List<Long> incarnations(WireReader in, String message) throws IOException {
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
