package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;
import static org.mortydb.wire.PartEncoder.bool;
import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.fixed64;
import static org.mortydb.wire.PartEncoder.fixed64Size;
import static org.mortydb.wire.PartEncoder.nested;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.valueSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.table.ByteCursor;

/** Encodes and decodes maps of the cluster, and the messages and log records about them. */
final class MapCodec {
  private static final int TXN = 1 << 3 | BYTES;

  private MapCodec() {}

  // ---- maps -----------------------------------------------------------------------------------

  private static Value bytes(ClusterMap map) {
    ByteCursor bytes = new ByteCursor();
    map.write(bytes);
    return Value.wrap(Arrays.copyOf(bytes.bytes(), bytes.at()));
  }

  static int size(@Nullable ClusterMap map) {
    return map == null ? 0 : valueSize(bytes(map));
  }

  static void write(CodedOutputStream out, int field, @Nullable ClusterMap map) throws IOException {
    if (map != null) {
      PartEncoder.value(out, field, bytes(map));
    }
  }

  private static ClusterMap map(WireReader in, MessageFields fields)
      throws MalformedFrameException {
    Value value = fields.value("map");
    ByteCursor bytes = new ByteCursor(value.bytes(), 0);
    try {
      ClusterMap map = ClusterMap.read(bytes);
      if (bytes.at() == value.size()) {
        return map;
      }
    } catch (IllegalArgumentException e) {
      throw in.malformed("a map of the cluster is malformed: " + e.getMessage());
    }
    throw in.malformed("a map of the cluster has more bytes than it should");
  }

  private static int size(List<ClusterMap> maps) {
    int size = 0;
    for (ClusterMap map : maps) {
      size += size(map);
    }
    return size;
  }

  private static void add(WireReader in, MessageFields fields, List<ClusterMap> maps)
      throws MalformedFrameException {
    if (maps.size() == Limits.MAX_MAPS) {
      throw in.malformed("there are more than " + Limits.MAX_MAPS + " maps");
    }
    fields.add(maps, map(in, fields));
  }

  // ---- messages -------------------------------------------------------------------------------

  /** The size of a message with a map alone. */
  static int sizeOf(ClusterMap map) {
    return size(map);
  }

  /** Writes a message with a map alone. */
  static void writeOf(CodedOutputStream out, ClusterMap map) throws IOException {
    write(out, 2, map);
  }

  static Message seal(WireReader in) throws MalformedFrameException {
    return ofMap(in, "Seal", Message.Seal::new);
  }

  private static Message ofMap(
      WireReader in, String message, BiFunction<TxnId, ClusterMap, Message> make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    ClusterMap map = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> map = map(in, fields);
        default -> fields.unknown();
      }
    }
    return make.apply(fields.required(txn, "txn"), fields.required(map, "map"));
  }

  static int size(Message.SealReply reply) {
    return uint32Size(reply.number()) + boolSize(reply.sealed());
  }

  static void write(CodedOutputStream out, Message.SealReply reply) throws IOException {
    uint32(out, 2, reply.number());
    bool(out, 3, reply.sealed());
  }

  static Message sealReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("SealReply");
    TxnId txn = null;
    int number = 0;
    boolean sealed = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> number = fields.number("number");
        case 3 << 3 | VARINT -> sealed = in.bool();
        default -> fields.unknown();
      }
    }
    return new Message.SealReply(fields.required(txn, "txn"), number, sealed);
  }

  static Message checkPartition(WireReader in) throws MalformedFrameException {
    return ofMap(in, "CheckPartition", Message.CheckPartition::new);
  }

  static int size(Message.PartitionReply reply) {
    return uint32Size(reply.number())
        + boolSize(reply.founded())
        + boolSize(reply.holds())
        + fixed64Size(reply.keys())
        + fixed64Size(reply.bytes())
        + fixed64Size(reply.watermarkMicros());
  }

  static void write(CodedOutputStream out, Message.PartitionReply reply) throws IOException {
    uint32(out, 2, reply.number());
    bool(out, 3, reply.founded());
    bool(out, 4, reply.holds());
    fixed64(out, 5, reply.keys());
    fixed64(out, 6, reply.bytes());
    fixed64(out, 7, reply.watermarkMicros());
  }

  static Message partitionReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("PartitionReply");
    TxnId txn = null;
    int number = 0;
    boolean founded = false;
    boolean holds = false;
    long keys = 0;
    long bytes = 0;
    long watermarkMicros = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> number = fields.number("number");
        case 3 << 3 | VARINT -> founded = in.bool();
        case 4 << 3 | VARINT -> holds = in.bool();
        case 5 << 3 | FIXED64 -> keys = fields.count("keys");
        case 6 << 3 | FIXED64 -> bytes = fields.count("bytes");
        case 7 << 3 | FIXED64 -> watermarkMicros = fields.count("watermark_micros");
        default -> fields.unknown();
      }
    }
    return new Message.PartitionReply(
        fields.required(txn, "txn"), number, founded, holds, keys, bytes, watermarkMicros);
  }

  static int size(Message.AskMaps ask) {
    return uint32Size(ask.last()) + uint32Size(ask.closed());
  }

  static void write(CodedOutputStream out, Message.AskMaps ask) throws IOException {
    uint32(out, 2, ask.last());
    uint32(out, 3, ask.closed());
  }

  static Message askMaps(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("AskMaps");
    TxnId txn = TxnId.INITIAL;
    int last = 0;
    int closed = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> last = fields.number("last");
        case 3 << 3 | VARINT -> closed = fields.number("closed");
        default -> fields.unknown();
      }
    }
    return new Message.AskMaps(txn, last, closed);
  }

  static int size(Message.Maps maps) {
    return size(maps.maps()) + uint32Size(maps.closed());
  }

  static void write(CodedOutputStream out, Message.Maps maps) throws IOException {
    for (ClusterMap map : maps.maps()) {
      write(out, 2, map);
    }
    uint32(out, 3, maps.closed());
  }

  static Message maps(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("Maps");
    TxnId txn = TxnId.INITIAL;
    ArrayList<ClusterMap> maps = new ArrayList<>();
    int closed = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | BYTES -> add(in, fields, maps);
        case 3 << 3 | VARINT -> closed = fields.number("closed");
        default -> fields.unknown();
      }
    }
    return new Message.Maps(txn, maps, closed);
  }

  // ---- what a replica knows, in the answer to one that joins ---------------------------------

  static int knowledgeSize(Message.@Nullable MapKnowledge known) {
    return known == null ? 0 : nestedSize(fieldsSize(known));
  }

  private static int fieldsSize(Message.MapKnowledge known) {
    return size(known.maps()) + uint32Size(known.closed()) + size(known.seal());
  }

  static void knowledge(CodedOutputStream out, int field, Message.@Nullable MapKnowledge known)
      throws IOException {
    if (known != null) {
      nested(out, field, fieldsSize(known));
      for (ClusterMap map : known.maps()) {
        write(out, 1, map);
      }
      uint32(out, 2, known.closed());
      write(out, 3, known.seal());
    }
  }

  static Message.MapKnowledge knowledge(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("MapKnowledge");
    ArrayList<ClusterMap> maps = new ArrayList<>();
    int closed = 0;
    ClusterMap seal = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> add(in, fields, maps);
        case 2 << 3 | VARINT -> closed = fields.number("closed");
        case 3 << 3 | BYTES -> seal = map(in, fields);
        default -> fields.unknown();
      }
    }
    return new Message.MapKnowledge(maps, closed, seal);
  }

  // ---- log records ----------------------------------------------------------------------------

  static int size(LogRecord.MapsKnown known) {
    return size(known.maps()) + uint32Size(known.closed()) + uint32Size(known.dropped());
  }

  static void write(CodedOutputStream out, LogRecord.MapsKnown known) throws IOException {
    for (ClusterMap map : known.maps()) {
      write(out, 1, map);
    }
    uint32(out, 2, known.closed());
    uint32(out, 3, known.dropped());
  }

  static LogRecord mapsKnown(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredMaps");
    ArrayList<ClusterMap> maps = new ArrayList<>();
    int closed = 0;
    int dropped = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> add(in, fields, maps);
        case 2 << 3 | VARINT -> closed = fields.number("closed");
        case 3 << 3 | VARINT -> dropped = fields.number("dropped");
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.MapsKnown(maps, closed, dropped);
  }

  static int size(LogRecord.Sealed sealed) {
    return size(sealed.map()) + boolSize(sealed.acknowledged());
  }

  static void write(CodedOutputStream out, LogRecord.Sealed sealed) throws IOException {
    write(out, 1, sealed.map());
    bool(out, 2, sealed.acknowledged());
  }

  static LogRecord hosted(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredHost");
    ClusterMap map = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> map = map(in, fields);
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Hosted(fields.required(map, "map"));
  }

  static LogRecord sealed(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("StoredSeal");
    ClusterMap map = null;
    boolean acknowledged = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> map = map(in, fields);
        case 2 << 3 | VARINT -> acknowledged = in.bool();
        default -> throw fields.unexpected();
      }
    }
    return new LogRecord.Sealed(fields.required(map, "map"), acknowledged);
  }
}
