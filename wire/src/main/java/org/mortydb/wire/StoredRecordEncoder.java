package org.mortydb.wire;

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
import static org.mortydb.wire.PartEncoder.viewSize;
import static org.mortydb.wire.PartEncoder.writeIdSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/**
 * Encodes the durable records of replicas in the form of log.proto. For one thread; reuses its
 * buffer.
 */
public final class StoredRecordEncoder {
  private static final int FIRST_BYTES = 4 * 1024;

  /** A larger buffer is not reused. */
  private static final int KEPT_BYTES = 1024 * 1024;

  private byte[] scratch = new byte[FIRST_BYTES];

  /** Encodes a record. The result is valid until the next call. */
  public ByteBuffer encode(ReplicaId replica, LogRecord logged) {
    int body = size(logged);
    int replicaBytes = uint32Size(replica.partition()) + uint32Size(replica.index());
    int field = field(logged);
    int size =
        nestedSize(replicaBytes)
            + CodedOutputStream.computeTagSize(field)
            + CodedOutputStream.computeUInt32SizeNoTag(body)
            + body;
    byte[] bytes = memory(size);
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, 0, size);
    try {
      nested(out, 1, replicaBytes);
      uint32(out, 1, replica.partition());
      uint32(out, 2, replica.index());
      nested(out, field, body);
      write(out, logged);
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + logged + " was miscounted", e);
    }
    out.checkNoSpaceLeft();
    return ByteBuffer.wrap(bytes, 0, size);
  }

  private byte[] memory(int size) {
    if (size > KEPT_BYTES) {
      return new byte[size];
    }
    if (size > scratch.length) {
      scratch = new byte[Math.max(size, 2 * scratch.length)];
    }
    return scratch;
  }

  private static int field(LogRecord logged) {
    return switch (logged) {
      case LogRecord.Prepared r -> r.onCondition() ? 15 : 2;
      case LogRecord.Dropped r -> 3;
      case LogRecord.Promised r -> 4;
      case LogRecord.Accepted r -> 5;
      case LogRecord.Decided r -> 6;
      case LogRecord.Executed r -> 7;
      case LogRecord.Fenced r -> 8;
      case LogRecord.Truncated r -> 9;
      case LogRecord.Version r -> 10;
      case LogRecord.Floor r -> 11;
      case LogRecord.Settled r -> 12;
      case LogRecord.Serving r -> 13;
      case LogRecord.Locked r -> 14;
      case LogRecord.HistoryFrom r -> 16;
      case LogRecord.Erased r -> 17;
      case LogRecord.Registering r -> 18;
      case LogRecord.MapsKnown r -> 19;
      case LogRecord.Sealed r -> 20;
      case LogRecord.Hosted r -> 21;
    };
  }

  private static int size(LogRecord logged) {
    return switch (logged) {
      case LogRecord.Prepared r ->
          executionSize(r.execution(), r.reads(), r.ranges(), r.writes(), r.participants());
      case LogRecord.Dropped r -> nestedSize(txnIdSize(r.txn())) + uint32Size(r.execution());
      case LogRecord.Promised r -> nestedSize(txnIdSize(r.txn())) + nestedSize(viewSize(r.view()));
      case LogRecord.Accepted r ->
          nestedSize(txnIdSize(r.txn()))
              + nestedSize(viewSize(r.view()))
              + nestedSize(outcomeSize(r.value()));
      case LogRecord.Decided r ->
          nestedSize(txnIdSize(r.txn())) + nestedSize(outcomeSize(r.outcome()));
      case LogRecord.Executed r ->
          executionSize(r.execution(), r.reads(), r.ranges(), r.writes(), r.participants());
      case LogRecord.Fenced r -> boundSize(r.fence());
      case LogRecord.Truncated r -> boundSize(r.watermark()) + boundSize(r.forgotten());
      case LogRecord.Version r ->
          keySize(r.key())
              + nestedSize(writeIdSize(r.version()))
              + valueSize(r.value())
              + PartEncoder.formSize(r.value());
      case LogRecord.Floor r -> keySize(r.key()) + boundSize(r.floor());
      case LogRecord.Settled r ->
          nestedSize(txnIdSize(r.txn())) + nestedSize(outcomeSize(r.outcome()));
      case LogRecord.Serving r -> boolSize(r.serving());
      case LogRecord.Locked r ->
          GroupEncoder.incarnationsSize(r.incarnations()) + boolSize(r.founded());
      case LogRecord.HistoryFrom r -> boundSize(r.cut());
      case LogRecord.Erased r -> {
        int size = boundSize(r.upTo());
        for (Key key : r.keys()) {
          size += PartEncoder.optionalKeySize(key);
        }
        yield size;
      }
      case LogRecord.Registering r -> boundSize(r.upTo()) + boolSize(r.written());
      case LogRecord.MapsKnown r -> MapCodec.size(r);
      case LogRecord.Sealed r -> MapCodec.size(r);
      case LogRecord.Hosted r -> MapCodec.size(r.map());
    };
  }

  private static void write(CodedOutputStream out, LogRecord logged) throws IOException {
    switch (logged) {
      case LogRecord.Prepared r ->
          execution(out, r.execution(), r.reads(), r.ranges(), r.writes(), r.participants());
      case LogRecord.Dropped r -> {
        txnId(out, 1, r.txn());
        uint32(out, 2, r.execution());
      }
      case LogRecord.Promised r -> {
        txnId(out, 1, r.txn());
        PartEncoder.view(out, 2, r.view());
      }
      case LogRecord.Accepted r -> {
        txnId(out, 1, r.txn());
        PartEncoder.view(out, 2, r.view());
        PartEncoder.outcome(out, 3, r.value());
      }
      case LogRecord.Decided r -> {
        txnId(out, 1, r.txn());
        PartEncoder.outcome(out, 2, r.outcome());
      }
      case LogRecord.Executed r ->
          execution(out, r.execution(), r.reads(), r.ranges(), r.writes(), r.participants());
      case LogRecord.Fenced r -> bound(out, 1, r.fence());
      case LogRecord.Truncated r -> {
        bound(out, 1, r.watermark());
        bound(out, 2, r.forgotten());
      }
      case LogRecord.Version r -> {
        PartEncoder.key(out, 1, r.key());
        PartEncoder.writeId(out, 2, r.version());
        PartEncoder.value(out, 3, r.value());
        PartEncoder.form(out, 4, r.value());
      }
      case LogRecord.Settled r -> {
        txnId(out, 1, r.txn());
        PartEncoder.outcome(out, 2, r.outcome());
      }
      case LogRecord.Serving r -> PartEncoder.bool(out, 1, r.serving());
      case LogRecord.Locked r -> {
        GroupEncoder.incarnations(out, 1, r.incarnations());
        PartEncoder.bool(out, 2, r.founded());
      }
      case LogRecord.HistoryFrom r -> bound(out, 1, r.cut());
      case LogRecord.Erased r -> {
        bound(out, 1, r.upTo());
        for (Key key : r.keys()) {
          PartEncoder.optionalKey(out, 2, key);
        }
      }
      case LogRecord.Registering r -> {
        bound(out, 1, r.upTo());
        PartEncoder.bool(out, 2, r.written());
      }
      case LogRecord.MapsKnown r -> MapCodec.write(out, r);
      case LogRecord.Sealed r -> MapCodec.write(out, r);
      case LogRecord.Hosted r -> MapCodec.write(out, 1, r.map());
      case LogRecord.Floor r -> {
        PartEncoder.key(out, 1, r.key());
        bound(out, 2, r.floor());
      }
    }
  }

  private static int executionSize(
      ExecutionId id,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    return nestedSize(txnIdSize(id.txn()))
        + MessageEncoder.executionSize(id, reads, ranges, writes, participants);
  }

  private static void execution(
      CodedOutputStream out,
      ExecutionId id,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      throws IOException {
    txnId(out, 1, id.txn());
    MessageEncoder.execution(out, id, reads, ranges, writes, participants);
  }

  /** The size of a bound; the initial one is omitted. */
  private static int boundSize(TxnId bound) {
    return bound.equals(TxnId.INITIAL) ? 0 : nestedSize(txnIdSize(bound));
  }

  private static void bound(CodedOutputStream out, int field, TxnId bound) throws IOException {
    if (!bound.equals(TxnId.INITIAL)) {
      txnId(out, field, bound);
    }
  }
}
