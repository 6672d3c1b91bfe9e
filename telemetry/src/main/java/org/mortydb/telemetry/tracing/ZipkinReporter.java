package org.mortydb.telemetry.tracing;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;
import zipkin2.reporter.BytesMessageSender;
import zipkin2.reporter.ReporterMetrics;
import zipkin2.reporter.brave.AsyncZipkinSpanHandler;
import zipkin2.reporter.urlconnection.URLConnectionSender;

/**
 * Sends spans to a Zipkin server in the background. Spans are dropped if they cannot be sent, or if
 * they come faster than they can be sent; threads that finish spans never wait. The log says once
 * that spans are dropped, and once that they arrive again.
 */
final class ZipkinReporter {
  /** Spans of one second are sent together. */
  private static final long MESSAGE_TIMEOUT_MILLIS = 1_000;

  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;
  private static final int READ_TIMEOUT_MILLIS = 5_000;
  private static final long CLOSE_TIMEOUT_MILLIS = 2_000;
  private static final int MOST_QUEUED_SPANS = 10_000;

  /**
   * The library's logger also reports dropped spans, with less detail. The reference keeps its
   * level from being reset.
   */
  private static final Logger OF_LIBRARY =
      Logger.getLogger("zipkin2.reporter.internal.AsyncReporter$BoundedAsyncReporter");

  private ZipkinReporter() {}

  static AsyncZipkinSpanHandler to(URI zipkin) {
    OF_LIBRARY.setLevel(Level.OFF);
    DropLog dropLog = new DropLog(zipkin);
    BytesMessageSender sender =
        URLConnectionSender.newBuilder()
            .endpoint(zipkin.toString())
            .connectTimeout(CONNECT_TIMEOUT_MILLIS)
            .readTimeout(READ_TIMEOUT_MILLIS)
            .build();
    return AsyncZipkinSpanHandler.newBuilder(new WatchedSender(sender, dropLog))
        .metrics(new WatchedQueue(dropLog))
        .queuedMaxSpans(MOST_QUEUED_SPANS)
        .messageTimeout(MESSAGE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .closeTimeout(CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .build();
  }

  /**
   * Logs changes of the state only. Any thread may call it: whoever flushes sends, beside the
   * library's own thread.
   */
  static final class DropLog {
    private static final org.slf4j.Logger log = LoggerFactory.getLogger(ZipkinReporter.class);

    private final URI zipkin;
    private boolean failing;
    private boolean overflowing;
    private int dropped;

    /** Spans of failed messages that the library has yet to report as dropped. */
    private int expected;

    DropLog(URI zipkin) {
      this.zipkin = zipkin;
    }

    synchronized void sent() {
      if (failing) {
        failing = false;
        log.info("tracing: spans reach {} again; {} were dropped", zipkin, dropped);
        dropped = 0;
      }
    }

    /**
     * A message was not taken. Its spans count at once: the library reports them only later, when
     * another thread may already have reached the server again.
     */
    synchronized void failed(int spans, Exception cause) {
      dropped += spans;
      expected += spans;
      if (!failing) {
        failing = true;
        log.warn(
            "tracing: spans cannot be sent to {} and are dropped ({}); nothing else is affected."
                + " Start a Zipkin server there, or correct the setting tracing.zipkin. Sending is"
                + " retried; this is logged once",
            zipkin,
            cause.toString());
      }
    }

    /** The library reports dropped spans, of failed messages and of a full queue alike. */
    synchronized void dropped(int spans) {
      int counted = Math.min(spans, expected);
      expected -= counted;
      dropped += spans - counted;
      if (spans > counted && !failing && !overflowing) {
        overflowing = true;
        log.warn(
            "tracing: spans come faster than {} takes them, and some are dropped; lower the"
                + " setting tracing.rate. This is logged once",
            zipkin);
      }
    }
  }

  /** Observes whether messages arrive. */
  private static final class WatchedSender extends BytesMessageSender.Base {
    private final BytesMessageSender sender;
    private final DropLog dropLog;

    WatchedSender(BytesMessageSender sender, DropLog dropLog) {
      super(sender.encoding());
      this.sender = sender;
      this.dropLog = dropLog;
    }

    @Override
    public int messageMaxBytes() {
      return sender.messageMaxBytes();
    }

    @Override
    public void send(List<byte[]> spans) throws IOException {
      try {
        sender.send(spans);
      } catch (IOException | RuntimeException e) {
        dropLog.failed(spans.size(), e);
        throw e;
      }
      dropLog.sent();
    }

    @Override
    public void close() throws IOException {
      sender.close();
    }

    @Override
    public String toString() {
      return sender.toString();
    }
  }

  /** Observes dropped spans. */
  private static final class WatchedQueue implements ReporterMetrics {
    private final DropLog dropLog;

    WatchedQueue(DropLog dropLog) {
      this.dropLog = dropLog;
    }

    @Override
    public void incrementSpansDropped(int quantity) {
      dropLog.dropped(quantity);
    }

    @Override
    public void incrementMessages() {}

    @Override
    public void incrementMessagesDropped(Throwable cause) {}

    @Override
    public void incrementSpans(int quantity) {}

    @Override
    public void incrementSpanBytes(int quantity) {}

    @Override
    public void incrementMessageBytes(int quantity) {}

    @Override
    public void updateQueuedSpans(int update) {}

    @Override
    public void updateQueuedBytes(int update) {}
  }
}
