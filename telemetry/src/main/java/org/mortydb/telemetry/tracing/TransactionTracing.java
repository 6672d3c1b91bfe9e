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
 * Traces the sampled transactions of one process: makes observers for its clients and servers, and
 * reports what they see as spans.
 *
 * <p>Whether a transaction is sampled follows from its id and the rate, and so do the names of its
 * trace and of the spans that link processes. So no message carries anything, and a replica that
 * recovers a transaction of a client that has died traces it like everybody else. All processes of
 * a cluster should have the same rate; with different ones, the transactions that the lowest rate
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

  /** What begins and ends in one step of a machine takes no time, and Zipkin would not draw it. */
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
   * Reports to the Zipkin server that a cluster's configuration names, at its rate, by a thread of
   * its own. If the server cannot be reached, spans are dropped, which is logged once; nothing ever
   * waits for it.
   *
   * @param service the name under which Zipkin finds the spans of this process: {@link
   *     #serviceOfServer}, {@link #serviceOfClients}, or the application's own
   */
  public static TransactionTracing toZipkin(String service, ClusterConfig config) {
    TracingSettings settings = config.tracing();
    AsyncZipkinSpanHandler handler = ZipkinReporter.to(settings.zipkin());
    return new TransactionTracing(
        service, settings.rate(), Layout.of(config), handler, handler::flush, handler);
  }

  /**
   * Reports to a handler of the caller's, on the threads of clients and servers.
   *
   * @param rate the share of transactions that are traced, 0 to 1, whatever the configuration says
   */
  public static TransactionTracing to(
      SpanHandler handler, String service, ClusterConfig config, double rate) {
    return new TransactionTracing(service, rate, Layout.of(config), handler, () -> {}, () -> {});
  }

  /** The name under which a server's spans are found. */
  public static String serviceOfServer(String server) {
    return "morty-" + server;
  }

  /** The name for the spans of clients in a region, unless their application has a better one. */
  public static String serviceOfClients(String region) {
    return "morty-client-" + region;
  }

  /** An observer for the clients of this process. */
  public MachineObserver ofClients() {
    return new ClientTracer(sampler, new Spans(tracing.tracer()), layout);
  }

  /** An observer for the servers of this process. */
  public MachineObserver ofServers() {
    return new ReplicaTracer(sampler, new Spans(tracing.tracer()));
  }

  /** Whether a transaction is traced. */
  public boolean isSampled(TxnId txn) {
    return sampler.isSampled(txn);
  }

  /** Sends the spans that have ended, if they can be sent; waits for it. */
  public void flush() {
    flush.run();
  }

  /** Sends what is queued, for at most two seconds, and stops. */
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
