package org.mortydb.bench.experiment;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.metrics.ClientMetrics;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.telemetry.metrics.AdminHttp;

/** The port with the metrics of a run's clients, if there is one. */
final class ClientPort implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";

  private final @Nullable AdminHttp http;
  private final @Nullable ClientMetrics metrics;

  private ClientPort(@Nullable AdminHttp http, @Nullable ClientMetrics metrics) {
    this.http = http;
    this.metrics = metrics;
  }

  /**
   * Opens a port of this machine.
   *
   * @param port 1 to 65535; 0 for none
   * @throws UncheckedIOException if the port cannot be bound; the message names it
   */
  static ClientPort open(int port) {
    if (port == 0) {
      return new ClientPort(null, null);
    }
    PrometheusRegistry registry = new PrometheusRegistry();
    AdminHttp http;
    try {
      http = AdminHttp.bind(LOOPBACK, port);
    } catch (IOException e) {
      throw new UncheckedIOException("--metrics-port: " + e.getMessage(), e);
    }
    JvmMetrics.builder().register(registry);
    ClientMetrics metrics = ClientMetrics.in(registry);
    http.metrics(registry).start();
    return new ClientPort(http, metrics);
  }

  /** The options of a client whose metrics are served here. */
  ClientOptions observing(ClientOptions options) {
    return metrics == null ? options : metrics.observing(options);
  }

  @Override
  public void close() {
    if (http != null) {
      http.close();
    }
  }
}
