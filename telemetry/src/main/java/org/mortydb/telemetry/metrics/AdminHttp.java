package org.mortydb.telemetry.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small HTTP server with read-only pages for administrators and their tools. Each request has a
 * virtual thread.
 *
 * <p>The server has neither encryption nor passwords. Bind it to the loopback address, or to a
 * network that only administrators can reach. On the loopback address it refuses requests for other
 * host names, so that no foreign web page can read it through an administrator's browser.
 */
public final class AdminHttp implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AdminHttp.class);

  /** Pages are self-contained and send requests to this server only. */
  private static final String CONTENT_POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
          + " connect-src 'self'; frame-ancestors 'none'";

  private static final Pattern LOCAL =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d+)?");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final boolean loopback;
  private final TreeMap<String, String> pages = new TreeMap<>();

  /** Another address by which requests may name this server. */
  private volatile @Nullable String advertised;

  /** Creates the answer to a request. Any number of threads may call it at a time. */
  @FunctionalInterface
  public interface Page {
    /** The current answer. */
    Answer answer();
  }

  /**
   * An answer.
   *
   * @param status the HTTP status
   * @param type the content's type
   * @param body the content, sent as UTF-8
   */
  public record Answer(int status, String type, String body) {}

  private AdminHttp(HttpServer server, boolean loopback) {
    this.server = server;
    this.loopback = loopback;
  }

  /**
   * Binds an address. Pages can then be added; {@link #start} begins to answer.
   *
   * @param port 0 selects a free port
   * @throws IOException when the address cannot be bound; the message names it
   */
  public static AdminHttp bind(String host, int port) throws IOException {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new IOException(failed(host, port) + "the name has no address");
    }
    try {
      HttpServer server = HttpServer.create(address, 0);
      AdminHttp http = new AdminHttp(server, address.getAddress().isLoopbackAddress());
      server.setExecutor(http.threads);
      server.createContext("/", http.guarded("/", exchange -> http.notFound(exchange)));
      return http;
    } catch (BindException e) {
      throw new IOException(
          failed(host, port)
              + e.getMessage()
              + "; stop the program that uses the address, or choose another one",
          e);
    } catch (IOException e) {
      throw new IOException(failed(host, port) + e.getMessage(), e);
    }
  }

  private static String failed(String host, int port) {
    return "cannot listen on " + host + ":" + port + " for administrators: ";
  }

  /** Accepts requests that name this address, such as that of a proxy on the same machine. */
  public AdminHttp reachedAt(String address) {
    advertised = address;
    return this;
  }

  /** Adds a page at exactly this path. */
  public AdminHttp page(String path, String about, Page page) {
    add(path, about, exchange -> send(exchange, page.answer()));
    return this;
  }

  /** Adds the metrics of a registry, in the formats of Prometheus, at {@code /metrics}. */
  public AdminHttp metrics(PrometheusRegistry registry) {
    add("/metrics", "metrics for Prometheus", new MetricsHandler(registry));
    return this;
  }

  private void add(String path, String about, HttpHandler handler) {
    pages.put(path, about);
    if (path.equals("/")) {
      server.removeContext("/");
    }
    server.createContext(path, guarded(path, handler));
  }

  /** Starts to answer requests. */
  public AdminHttp start() {
    server.start();
    return this;
  }

  /** The address that the server listens on. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  private HttpHandler guarded(String path, HttpHandler handler) {
    return exchange -> {
      try (exchange) {
        answer(exchange, path, handler);
      } catch (IOException e) {
        log.debug("the connection was lost while {} was sent", path, e);
      }
    };
  }

  private void answer(HttpExchange exchange, String path, HttpHandler handler) throws IOException {
    String method = exchange.getRequestMethod();
    String refusal = refusal(exchange);
    if (refusal != null) {
      send(exchange, text(403, refusal));
    } else if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      send(exchange, text(405, "these pages are read-only: use GET"));
    } else if (!exchange.getRequestURI().getPath().equals(path)) {
      notFound(exchange);
    } else {
      try {
        handler.handle(exchange);
      } catch (RuntimeException e) {
        log.error("the admin page {} failed", path, e);
        send(exchange, text(500, "this page failed: " + e + "; see the log"));
      }
    }
  }

  /**
   * The reason for refusing a request, or null. A foreign page whose host name was made to resolve
   * to this address sends its own name.
   */
  private @Nullable String refusal(HttpExchange exchange) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    return !loopback
            || host == null
            || LOCAL.matcher(host).matches()
            || host.equalsIgnoreCase(advertised)
        ? null
        : "this port serves this machine only: use localhost or 127.0.0.1 instead of '"
            + host
            + "'";
  }

  private void notFound(HttpExchange exchange) throws IOException {
    StringBuilder there = new StringBuilder("there is no such page; the pages are\n");
    pages.forEach((path, about) -> there.append(path).append("  ").append(about).append('\n'));
    send(exchange, text(404, there.toString()));
  }

  private static Answer text(int status, String text) {
    return new Answer(status, "text/plain; charset=utf-8", text + "\n");
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", answer.type());
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.getResponseHeaders().set("Content-Security-Policy", CONTENT_POLICY);
    boolean head = exchange.getRequestMethod().equals("HEAD");
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
  }

  /** Stops the server and aborts open requests. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
