package org.mortydb.server.admin;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.telemetry.metrics.AdminHttp;
import org.mortydb.telemetry.metrics.AdminHttp.Answer;
import org.mortydb.telemetry.metrics.ReplicaMetrics;
import org.mortydb.telemetry.pauses.Pause;

/** The admin port of a server. It counts from its creation, and answers once it is started. */
public final class AdminPort implements AutoCloseable {
  private static final String JSON = "application/json";

  private final AdminHttp http;
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final HotKeys hotKeys = new HotKeys();
  private final ReplicaMetrics replicas = new ReplicaMetrics(registry, hotKeys);
  private final ServerMetrics metrics = new ServerMetrics(registry);
  private @Nullable ClusterState cluster;

  private AdminPort(AdminHttp http) {
    this.http = http;
    JvmMetrics.builder().register(registry);
  }

  /**
   * Binds an address.
   *
   * @param advertised the address that requests may name instead; null if there is no other
   * @throws IOException if the address cannot be bound; the message names it
   */
  public static AdminPort bind(Address address, @Nullable Address advertised) throws IOException {
    AdminHttp http = AdminHttp.bind(address.host(), address.port());
    return new AdminPort(advertised == null ? http : http.reachedAt(advertised.toString()));
  }

  /** Returns the observer of the server's replicas. */
  public MachineObserver replicas() {
    return replicas;
  }

  /** Returns the observer of the server's storage. */
  public StorageObserver storage() {
    return metrics;
  }

  /** Returns the listener to the server's pauses. */
  public Consumer<Pause> pauses() {
    return metrics::paused;
  }

  /**
   * Starts to answer.
   *
   * @param self the server
   * @param status supplies the status; for any thread
   * @param maps supplies the maps of the cluster that the server knows; for any thread
   */
  public void start(
      ClusterConfig config,
      ServerSpec self,
      Supplier<ServerStatus> status,
      Supplier<MapHistory> maps) {
    metrics.show(status);
    Supplier<String> own = () -> StateJson.of(status.get(), registry, hotKeys);
    ClusterState all = new ClusterState(config, self, own, maps);
    cluster = all;
    String page = resource("live.html");
    http.metrics(registry)
        .page("/health/live", "liveness: 200 or 503", () -> HealthPage.live(status.get()))
        .page(
            "/health/ready",
            "readiness, whether all replicas serve: 200 or 503",
            () -> HealthPage.ready(status.get()))
        .page(
            "/",
            "the live page of the cluster",
            () -> new Answer(200, "text/html; charset=utf-8", page))
        .page(ClusterState.PATH, "the state of this server", () -> new Answer(200, JSON, own.get()))
        .page("/api/cluster", "the state of all servers", () -> new Answer(200, JSON, all.json()))
        .start();
  }

  private static String resource(String name) {
    try (InputStream in = AdminPort.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the address at which the port listens. */
  public InetSocketAddress address() {
    return http.address();
  }

  @Override
  public void close() {
    http.close();
    if (cluster != null) {
      cluster.close();
    }
  }
}
