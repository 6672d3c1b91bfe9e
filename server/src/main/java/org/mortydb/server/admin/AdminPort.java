package org.mortydb.server.admin;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.mortydb.metrics.AdminHttp;
import org.mortydb.metrics.ReplicaMetrics;
import org.mortydb.metrics.WindowListener;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.transport.config.Address;

/** A server's admin port. Counts from its making on; answers when it is started. */
public final class AdminPort implements AutoCloseable {
  private final AdminHttp http;
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ReplicaMetrics replicas;
  private final ServerMetrics metrics = new ServerMetrics(registry);

  private AdminPort(AdminHttp http) {
    this.http = http;
    replicas = new ReplicaMetrics(registry, WindowListener.NONE);
    JvmMetrics.builder().register(registry);
  }

  /**
   * Binds an address.
   *
   * @throws IOException when it cannot be bound, naming it
   */
  public static AdminPort bind(Address address) throws IOException {
    return new AdminPort(AdminHttp.bind(address.host(), address.port()));
  }

  /** What counts the server's replicas. */
  public MachineObserver replicas() {
    return replicas;
  }

  /** What measures the server's storing. */
  public StorageObserver storage() {
    return metrics;
  }

  /** Begins to answer. */
  public void start(Supplier<ServerStatus> status) {
    metrics.show(status);
    http.metrics(registry)
        .page(
            "/health/live",
            "whether the server works: 200 or 503",
            () -> HealthPage.live(status.get()))
        .page(
            "/health/ready",
            "whether all its replicas serve: 200 or 503",
            () -> HealthPage.ready(status.get()))
        .start();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return http.address();
  }

  @Override
  public void close() {
    http.close();
  }
}
