package org.mortydb.client.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.engine.CompletionListener;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.config.TlsFiles;
import org.mortydb.protocol.machine.MachineObserver;

/**
 * Options of a {@link MortyClient}.
 *
 * @param region the client's region, one of the cluster's regions; reads go to the nearest replicas
 * @param engines the number of engines that share the transactions, at least 1; each has an event
 *     loop, a thread, an id and connections of its own
 * @param engine the options of each engine
 * @param connectTimeout how long to wait for the servers at the start; positive
 * @param listener hears the end of every attempt of every transaction, on the threads of the
 *     engines; null for none
 * @param observers hear what the coordinators do, on the threads of the engines; without observers
 *     the coordinators make no probes
 * @param tls the client's certificate and key if the cluster uses TLS; null for those that the
 *     setting {@code client.tls} names
 */
public record ClientOptions(
    String region,
    int engines,
    EngineOptions engine,
    Duration connectTimeout,
    @Nullable CompletionListener listener,
    List<MachineObserver> observers,
    @Nullable TlsFiles tls) {

  /**
   * @throws IllegalArgumentException when a number is out of its range
   */
  public ClientOptions {
    Objects.requireNonNull(region, "region");
    Objects.requireNonNull(engine, "engine");
    observers = List.copyOf(observers);
    if (engines < 1) {
      throw new IllegalArgumentException("engines must be at least 1, but is " + engines);
    }
    if (!connectTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "connectTimeout must be positive, but is " + connectTimeout);
    }
  }

  /** The defaults: one engine with {@link EngineOptions#DEFAULTS}, 5 s to connect, no listener. */
  public static ClientOptions inRegion(String region) {
    return new ClientOptions(
        region, 1, EngineOptions.DEFAULTS, Duration.ofSeconds(5), null, List.of(), null);
  }

  /** The same with another number of engines. */
  public ClientOptions withEngines(int count) {
    return new ClientOptions(region, count, engine, connectTimeout, listener, observers, tls);
  }

  /** The same with other engine options. */
  public ClientOptions withEngine(EngineOptions options) {
    return new ClientOptions(region, engines, options, connectTimeout, listener, observers, tls);
  }

  /** The same with other options for transactions without options of their own. */
  public ClientOptions withTransaction(TransactionOptions options) {
    return withEngine(engine.withTransaction(options));
  }

  /** The same with another time to connect. */
  public ClientOptions withConnectTimeout(Duration timeout) {
    return new ClientOptions(region, engines, engine, timeout, listener, observers, tls);
  }

  /** The same with a further listener. */
  public ClientOptions withListener(CompletionListener another) {
    CompletionListener newListener = listener == null ? another : listener.andThen(another);
    return new ClientOptions(region, engines, engine, connectTimeout, newListener, observers, tls);
  }

  /** The same with a further observer. */
  public ClientOptions withObserver(MachineObserver observer) {
    List<MachineObserver> more = new ArrayList<>(observers);
    more.add(observer);
    return new ClientOptions(region, engines, engine, connectTimeout, listener, more, tls);
  }

  /** The same with other credentials than those that the configuration names. */
  public ClientOptions withTls(TlsFiles files) {
    return new ClientOptions(region, engines, engine, connectTimeout, listener, observers, files);
  }
}
