package org.mortydb.telemetry.tracing;

import brave.propagation.TraceContext;
import java.util.HexFormat;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/**
 * The names of traces and spans, made of the transaction's own id: whoever meets a transaction
 * knows its trace and the spans that others open for it, so no message carries a trace context.
 *
 * <p>A trace's name has 128 bits. The upper half is the transaction's time; the lower half is a
 * hash of time and client that is a bijection of the client for every time, so that no two
 * transactions share a trace. Spans that others refer to are named by a hash of the lower half and
 * of what they are; all others have random names.
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

  /** The lower half of a trace's name; never 0, which Zipkin takes for none. */
  static long low(TxnId txn) {
    long mixed = mix(txn.timeMicros() * 0x9E3779B97F4A7C15L + txn.clientId());
    return mixed == 0 ? 1 : mixed;
  }

  /** The whole transaction. */
  static TraceContext root(TxnId txn) {
    long low = low(txn);
    return context(txn, low, 0, low);
  }

  /** One execution of it. */
  static TraceContext execution(TxnId txn, int number) {
    long low = low(txn);
    return context(txn, low, low, spanId(low, EXECUTION, number, 0));
  }

  /** A read, or a scan of one partition, by the request that it has in messages. */
  static TraceContext read(TxnId txn, int request, int execution) {
    long low = low(txn);
    return context(txn, low, spanId(low, EXECUTION, execution, 0), spanId(low, READ, request, 0));
  }

  /** The same for who knows the request alone: good as a parent, not to be opened. */
  static TraceContext readAsParent(TxnId txn, int request) {
    return read(txn, request, 0);
  }

  /** The gathering of votes for one execution. */
  static TraceContext prepare(TxnId txn, int execution) {
    long low = low(txn);
    return context(
        txn, low, spanId(low, EXECUTION, execution, 0), spanId(low, PREPARE, execution, 0));
  }

  /** The request for one replica's vote. */
  static TraceContext vote(TxnId txn, int execution, ReplicaId replica) {
    long low = low(txn);
    return context(
        txn,
        low,
        spanId(low, PREPARE, execution, 0),
        spanId(low, VOTE + ((long) execution << 8), replica.partition(), replica.index()));
  }

  /** The slow path of the client's coordinator. */
  static TraceContext finalization(TxnId txn) {
    long low = low(txn);
    return context(txn, low, low, spanId(low, FINALIZE, 0, 0));
  }

  /** The request to one replica to accept an outcome on the slow path. */
  static TraceContext accept(TxnId txn, ReplicaId replica) {
    long low = low(txn);
    return context(
        txn,
        low,
        spanId(low, FINALIZE, 0, 0),
        spanId(low, ACCEPT, replica.partition(), replica.index()));
  }

  /** One attempt to recover the transaction. */
  static TraceContext recovery(TxnId txn, View view) {
    long low = low(txn);
    return context(txn, low, low, spanId(low, RECOVERY, view.round(), view.proposer()));
  }

  /** A round of truncation in one partition; its trace is named after the watermark. */
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

  /** The finalizer of SplitMix64: a bijection of which every bit depends on every bit. */
  private static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
