package org.mortydb.telemetry.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import brave.Tracing;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import zipkin2.reporter.brave.AsyncZipkinSpanHandler;

/** The reporter with a local server that accepts or refuses spans. */
@Timeout(60)
class ZipkinReporterTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(ZipkinReporter.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Queue<String> bodies = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(logged);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private HttpServer serve(int port) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext(
        "/api/v2/spans",
        exchange -> {
          boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
          try (var in =
              zipped ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
            bodies.add(new String(in.readAllBytes(), StandardCharsets.UTF_8));
          }
          exchange.sendResponseHeaders(202, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static void report(AsyncZipkinSpanHandler handler, String name) {
    try (Tracing tracing =
        Tracing.newBuilder().localServiceName("test").addSpanHandler(handler).build()) {
      tracing.tracer().newTrace().name(name).start(1_000).finish(2_000);
    }
    handler.flush();
  }

  /** The messages about one server. The reporter of an earlier test may still log. */
  private List<String> messages(Level level, URI zipkin) {
    return List.copyOf(logged.list).stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .filter(message -> message.contains(zipkin.toString()))
        .toList();
  }

  @Test
  void sendsSpans() throws IOException {
    int port = freePort();
    URI zipkin = URI.create("http://127.0.0.1:" + port + "/api/v2/spans");
    HttpServer server = serve(port);
    try (AsyncZipkinSpanHandler handler = ZipkinReporter.to(zipkin)) {
      report(handler, "tea");
    } finally {
      server.stop(0);
    }
    assertThat(bodies).anyMatch(body -> body.contains("\"name\":\"tea\""));
    assertThat(messages(Level.WARN, zipkin)).isEmpty();
  }

  @Test
  void saysOnceThatNobodyTakesThemAndOnceThatSomebodyDoesAgain() throws IOException {
    int port = freePort();
    URI zipkin = URI.create("http://127.0.0.1:" + port + "/api/v2/spans");
    try (AsyncZipkinSpanHandler handler = ZipkinReporter.to(zipkin)) {
      reportUntil(handler, Level.WARN, zipkin);
      reportUntil(handler, Level.WARN, zipkin);
      assertThat(messages(Level.WARN, zipkin))
          .singleElement()
          .satisfies(
              message ->
                  assertThat(message)
                      .contains(zipkin.toString(), "tracing.zipkin", "nothing else is affected"));
      HttpServer server = serve(port);
      try {
        reportUntil(handler, Level.INFO, zipkin);
      } finally {
        server.stop(0);
      }
      assertThat(messages(Level.WARN, zipkin)).hasSize(1);
      assertThat(messages(Level.INFO, zipkin))
          .singleElement()
          .satisfies(
              message -> assertThat(message).containsPattern("again; [1-9]\\d* were dropped"));
      assertThat(bodies).isNotEmpty();
    }
  }

  /** The library reports what a failed message held only after another thread has succeeded. */
  @Test
  void countsTheSpansOfAFailedMessageOnceAndAtOnce() {
    URI zipkin = URI.create("http://127.0.0.1:9/api/v2/spans");
    ZipkinReporter.DropLog dropLog = new ZipkinReporter.DropLog(zipkin);
    dropLog.failed(3, new IOException("refused"));
    dropLog.sent();
    dropLog.dropped(3);
    dropLog.failed(2, new IOException("refused"));
    dropLog.dropped(2);
    dropLog.dropped(1);
    dropLog.sent();
    assertThat(messages(Level.INFO, zipkin))
        .satisfiesExactly(
            first -> assertThat(first).endsWith("again; 3 were dropped"),
            second -> assertThat(second).endsWith("again; 3 were dropped"));
    assertThat(messages(Level.WARN, zipkin)).noneMatch(message -> message.contains("faster"));
  }

  /** The reporter's thread may keep a span for a second before it sends it. */
  private void reportUntil(AsyncZipkinSpanHandler handler, Level level, URI zipkin) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    do {
      report(handler, "tea");
    } while (messages(level, zipkin).isEmpty() && System.nanoTime() - deadline < 0);
  }

  /** A server that never answers, so that each attempt takes as long as its timeout. */
  @Test
  void whoEndsASpanNeverWaits() throws IOException {
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      URI zipkin = URI.create("http://127.0.0.1:" + full.getLocalPort() + "/api/v2/spans");
      try (AsyncZipkinSpanHandler handler = ZipkinReporter.to(zipkin);
          Tracing tracing =
              Tracing.newBuilder().localServiceName("test").addSpanHandler(handler).build()) {
        // The server accepts connections and never answers. If finishing a span waited for it,
        // these would take hours.
        for (int i = 0; i < 50_000; i++) {
          tracing.tracer().newTrace().name("span").start(1_000).finish(2_000);
        }
      }
      assertThat(messages(Level.WARN, zipkin))
          .anyMatch(message -> message.contains("some are dropped"));
    }
  }
}
