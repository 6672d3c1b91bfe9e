package org.mortydb.telemetry.tracing;

import brave.propagation.TraceContext;
import java.util.HexFormat;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/**
 * The ids of traces and spans, derived from the transaction's id. Every process that knows the
 * transaction knows its trace and its spans, so messages carry no trace context.
 *
 * <p>A trace id has 128 bits. The upper half is the transaction's time. The lower half is a hash of
 * time and client; for each time it is a bijection of the client, so no two transactions share a
 * trace. Spans that other processes refer to have an id that is a hash of the lower half and of
 * their purpose; all others have random ids.
 */
public final class TraceIds {
  private static final long EXECUTION = 1;
  private static final long READ = 2;
  private static final long PREPARE = 3;
  private static final long VOTE = 4;
  private static final long FINALIZE = 5;
  private static final long ACCEPT = 6;
  private static final long RECOVERY = 7;
  private static final long ROUND = 8;

  private TraceIds() {}

  /** A transaction's trace as Zipkin writes it: 32 hexadecimal digits. */
  public static String traceId(TxnId txn) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(txn.timeMicros()) + hex.toHexDigits(low(txn));
  }

  /** The lower half of a trace id; never 0, which Zipkin does not accept. */
  static long low(TxnId txn) {
    long mixed = mix(txn.timeMicros() * 0x9E3779B97F4A7C15L + txn.clientId());
    return mixed == 0 ? 1 : mixed;
  }

  /** The span of the whole transaction. */
  static TraceContext root(TxnId txn) {
    long low = low(txn);
    return context(txn, low, 0, low);
  }

  /** The span of one execution. */
  static TraceContext execution(TxnId txn, int number) {
    long low = low(txn);
    return context(txn, low, low, spanId(low, EXECUTION, number, 0));
  }

  /** The span of a read, or of a scan of one partition, by the request number in its messages. */
  static TraceContext read(TxnId txn, int request, int execution) {
    long low = low(txn);
    return context(txn, low, spanId(low, EXECUTION, execution, 0), spanId(low, READ, request, 0));
  }

  /** The span of a read when only the request is known. Usable as a parent only. */
  static TraceContext readAsParent(TxnId txn, int request) {
    return read(txn, request, 0);
  }

  /** The span that gathers the votes for one execution. */
  static TraceContext prepare(TxnId txn, int execution) {
    long low = low(txn);
    return context(
        txn, low, spanId(low, EXECUTION, execution, 0), spanId(low, PREPARE, execution, 0));
  }

  /** The span of the request for one replica's vote. */
  static TraceContext vote(TxnId txn, int execution, ReplicaId replica) {
    long low = low(txn);
    return context(
        txn,
        low,
        spanId(low, PREPARE, execution, 0),
        spanId(low, VOTE + ((long) execution << 8), replica.partition(), replica.index()));
  }

  /** The span of the slow path of the client's coordinator. */
  static TraceContext finalization(TxnId txn) {
    long low = low(txn);
    return context(txn, low, low, spanId(low, FINALIZE, 0, 0));
  }

  /** The span of the request to one replica to accept an outcome on the slow path. */
  static TraceContext accept(TxnId txn, ReplicaId replica) {
    long low = low(txn);
    return context(
        txn,
        low,
        spanId(low, FINALIZE, 0, 0),
        spanId(low, ACCEPT, replica.partition(), replica.index()));
  }

  /** The span of one attempt at recovery. */
  static TraceContext recovery(TxnId txn, View view) {
    long low = low(txn);
    return context(txn, low, low, spanId(low, RECOVERY, view.round(), view.proposer()));
  }

  /** The span of a round of truncation in one partition. Its trace is named after the watermark. */
  static TraceContext round(TxnId watermark, int partition) {
    long low = low(watermark);
    return context(watermark, low, 0, spanId(low, ROUND, partition, 0));
  }

  private static TraceContext context(TxnId txn, long low, long parent, long span) {
    return TraceContext.newBuilder()
        .traceIdHigh(txn.timeMicros())
        .traceId(low)
        .parentId(parent)
        .spanId(span)
        .sampled(true)
        .build();
  }

  private static long spanId(long low, long kind, long a, long b) {
    long id = mix(mix(mix(low + kind) ^ a) + b * 0x9E3779B97F4A7C15L);
    return id == 0 ? 1 : id;
  }

  /**
   * The finalizer of SplitMix64: a bijection in which every output bit depends on every input bit.
   */
  private static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
