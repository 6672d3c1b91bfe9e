package org.mortydb.telemetry.tracing;

import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.TraceContext;
import brave.sampler.Sampler;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.TracingSettings;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.model.TxnId;
import zipkin2.reporter.brave.AsyncZipkinSpanHandler;

/**
 * Traces the sampled transactions of one process. It creates observers for clients and servers, and
 * reports what they observe as spans.
 *
 * <p>The rate and the transaction's id determine whether a transaction is sampled, and also the ids
 * of its trace and of the spans that link processes. So messages carry no trace context, and a
 * replica that recovers the transaction of a crashed client traces it too. All processes of a
 * cluster should use the same rate. With different rates, the transactions that the lowest rate
 * samples are traced in full, and others in part.
 *
 * <p>Safe for use by several threads. Close it after its clients and servers.
 */
public final class TransactionTracing implements AutoCloseable {
  private final TraceSampler sampler;
  private final Layout layout;
  private final Tracing tracing;
  private final Runnable flush;
  private final Closeable reporter;

  private TransactionTracing(
      String service,
      double rate,
      Layout layout,
      SpanHandler handler,
      Runnable flush,
      Closeable reporter) {
    this.sampler = new TraceSampler(rate);
    this.layout = layout;
    this.flush = flush;
    this.reporter = reporter;
    this.tracing =
        Tracing.newBuilder()
            .localServiceName(service)
            .traceId128Bit(true)
            .sampler(Sampler.ALWAYS_SAMPLE) // what is not sampled makes no span at all
            .addSpanHandler(new AtLeastAMicrosecond())
            .addSpanHandler(handler)
            .build();
  }

  /**
   * Gives each span at least a microsecond. Zipkin does not draw spans that start and end in one
   * step.
   */
  private static final class AtLeastAMicrosecond extends SpanHandler {
    @Override
    public boolean end(TraceContext context, MutableSpan span, Cause cause) {
      if (cause == Cause.FINISHED && span.finishTimestamp() <= span.startTimestamp()) {
        span.finishTimestamp(span.startTimestamp() + 1);
      }
      return true;
    }
  }

  /**
   * Reports to the Zipkin server of the cluster file, at its rate, on a background thread. If the
   * server cannot be reached, spans are dropped, and the log says so once. No caller ever waits.
   *
   * @param service the Zipkin service name of this process: {@link #serviceOfServer}, {@link
   *     #serviceOfClients}, or the application's own
   */
  public static TransactionTracing toZipkin(String service, ClusterConfig config) {
    TracingSettings settings = config.tracing();
    AsyncZipkinSpanHandler handler = ZipkinReporter.to(settings.zipkin());
    return new TransactionTracing(
        service, settings.rate(), Layout.of(config), handler, handler::flush, handler);
  }

  /**
   * Reports to the caller's handler, on the threads of clients and servers.
   *
   * @param rate the share of transactions that are traced, 0 to 1; overrides the cluster file
   */
  public static TransactionTracing to(
      SpanHandler handler, String service, ClusterConfig config, double rate) {
    return new TransactionTracing(service, rate, Layout.of(config), handler, () -> {}, () -> {});
  }

  /** The Zipkin service name of a server. */
  public static String serviceOfServer(String server) {
    return "morty-" + server;
  }

  /** The Zipkin service name of a region's clients, if their application sets no other. */
  public static String serviceOfClients(String region) {
    return "morty-client-" + region;
  }

  /** The observer for the clients of this process. */
  public MachineObserver ofClients() {
    return new ClientTracer(sampler, new Spans(tracing.tracer()), layout);
  }

  /** The observer for the servers of this process. */
  public MachineObserver ofServers() {
    return new ReplicaTracer(sampler, new Spans(tracing.tracer()));
  }

  /** Whether a transaction is traced. */
  public boolean isSampled(TxnId txn) {
    return sampler.isSampled(txn);
  }

  /** Sends all finished spans, if possible, and waits until they are sent. */
  public void flush() {
    flush.run();
  }

  /** Sends queued spans for at most two seconds, and stops. */
  @Override
  public void close() {
    try {
      reporter.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      tracing.close();
    }
  }
}
