package org.mortydb.bench.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.HeapReading;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadRequest;
import org.mortydb.bench.agent.AgentMessages.LoadState;
import org.mortydb.bench.agent.AgentMessages.MeasureRequest;
import org.mortydb.bench.agent.AgentMessages.ServerRequest;
import org.mortydb.bench.agent.AgentMessages.ServerUse;
import org.mortydb.bench.agent.AgentMessages.Status;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.cluster.ServerProcess;
import org.mortydb.bench.cluster.ServerProcessMain;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Durability;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.TlsFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one controller to use an agent, and all that runs under it. It lasts as long as
 * requests renew it. Its end ends the processes and deletes their files. Thread-safe.
 */
final class Lease {
  private static final Logger log = LoggerFactory.getLogger(Lease.class);

  /** The shortest time between requests that a lease may ask for. */
  static final int LEAST_SECONDS = 2;

  /** The longest such time. */
  static final int MOST_SECONDS = 600;

  private static final int MOST_JVM_OPTIONS = 100;
  private static final int MOST_OPTION_LENGTH = 1_000;
  private static final double MOST_WINDOW_SECONDS = 1_000_000;
  private static final long MOST_WAIT_MICROS = 1_000_000_000_000L;
  private static final long KIBIBYTE = 1024;
  private static final long NANOS_PER_MICRO = 1_000;

  private final String id;
  private final String holder;
  private final Duration length;
  private final Path folder;
  private final CredentialFiles credentials;
  private final long quotaBytes;
  private final LongSupplier nanos;
  private final InstantSource clock;
  private long renewedNanos;
  private @Nullable ServerProcess server;
  private @Nullable LoadProcess load;
  private @Nullable String failure;
  private @Nullable ServerMeter meter;
  private @Nullable Thread measuring;
  private ServerUse lastUse = ServerUse.UNKNOWN;
  private int measured;
  private boolean closed;

  /**
   * @param holder the name of the controller
   * @param length how long it lasts after a request
   * @param folder an empty folder for all files
   * @param quotaBytes the most bytes of the folder
   * @param nanos the time for the lease, such as {@link System#nanoTime}
   * @param clock the agent's clock, by which windows begin
   */
  Lease(
      String id,
      String holder,
      Duration length,
      Path folder,
      long quotaBytes,
      LongSupplier nanos,
      InstantSource clock) {
    this.id = id;
    this.holder = holder;
    this.length = length;
    this.folder = folder;
    this.credentials = new CredentialFiles(folder);
    this.quotaBytes = quotaBytes;
    this.nanos = nanos;
    this.clock = clock;
    this.renewedNanos = nanos.getAsLong();
  }

  String id() {
    return id;
  }

  String holder() {
    return holder;
  }

  Path folder() {
    return folder;
  }

  /** Renews the lease. */
  synchronized void renew() {
    renewedNanos = nanos.getAsLong();
  }

  /** Whether no request has come for the length of the lease. */
  synchronized boolean isExpired() {
    return nanos.getAsLong() - renewedNanos > length.toNanos();
  }

  /**
   * Starts a server.
   *
   * @throws IllegalStateException if there is one already
   * @throws IllegalArgumentException if the request is wrong
   */
  synchronized void startServer(ServerRequest request) throws IOException {
    requireOpen();
    if (server != null) {
      throw new IllegalStateException("a server runs already under this lease");
    }
    requireOptions(request.jvm());
    ClusterConfig config = parsed(request.config());
    if (config.server(request.name()) == null) {
      throw new IllegalArgumentException(
          "the configuration has no server '" + request.name() + "'");
    }
    Path data = config.storage().data();
    if (config.durability() != Durability.MEMORY && data != null) {
      requireInFolder("server.data", data);
    }
    requireInFolder("server.tls", config.security().serverFiles());
    credentials.write(request.credentials());
    Path file = folder.resolve("cluster.conf");
    Files.writeString(file, request.config());
    server =
        new ServerProcess(
            request.name(),
            ChildJvm.command(
                request.jvm(),
                ServerProcessMain.class,
                "--config",
                file.toString(),
                "--name",
                request.name()),
            folder.resolve("server.log"),
            new LongAdder());
  }

  /**
   * Starts a process with clients.
   *
   * @throws IllegalStateException if there is one already
   * @throws IllegalArgumentException if the request is wrong
   */
  synchronized void startLoad(LoadRequest request) throws IOException {
    requireOpen();
    if (load != null) {
      throw new IllegalStateException("clients run already under this lease");
    }
    requireOptions(request.jvm());
    requireInFolder("client.tls", parsed(request.load().config()).security().clientFiles());
    credentials.write(request.credentials());
    load = new LoadProcess(request.load(), request.jvm(), folder);
  }

  private static ClusterConfig parsed(String config) {
    try {
      return ClusterConfig.parse(config);
    } catch (InvalidConfigException e) {
      throw new IllegalArgumentException("the configuration is wrong: " + e.getMessage(), e);
    }
  }

  private void requireInFolder(String setting, @Nullable TlsFiles files) {
    if (files != null) {
      requireInFolder(setting + ".certificate", files.certificate());
      requireInFolder(setting + ".key", files.key());
      requireInFolder(setting + ".trust", files.trust());
    }
  }

  private void requireInFolder(String setting, Path file) {
    if (!file.toAbsolutePath().normalize().startsWith(folder)) {
      throw new IllegalArgumentException(
          "%s is %s: it must be in the folder of the lease, %s".formatted(setting, file, folder));
    }
  }

  private static void requireOptions(List<String> jvm) {
    if (jvm.size() > MOST_JVM_OPTIONS
        || jvm.stream().anyMatch(one -> one.length() > MOST_OPTION_LENGTH)
        || jvm.stream().anyMatch(one -> !one.startsWith("-"))) {
      throw new IllegalArgumentException(
          "options of a JVM must begin with '-', and there must be at most "
              + MOST_JVM_OPTIONS
              + " of them");
    }
  }

  /**
   * Gives the clients a command.
   *
   * @return its number
   * @throws IllegalStateException if there are none, or they are busy
   */
  synchronized int command(LoadCommand command) throws IOException {
    requireOpen();
    if (load == null) {
      throw new IllegalStateException("no clients run under this lease");
    }
    return load.command(command);
  }

  /**
   * Measures the server within a window. {@link Status} says when it has ended.
   *
   * @throws IllegalStateException if there is no server
   */
  synchronized void measure(MeasureRequest request) {
    requireOpen();
    ServerProcess process = server;
    if (process == null) {
      throw new IllegalStateException("no server runs under this lease");
    }
    long rest = request.beginMicros() - AgentMessages.micros(clock.instant());
    if (!(request.seconds() > 0 && request.seconds() <= MOST_WINDOW_SECONDS)
        || rest > MOST_WAIT_MICROS) {
      throw new IllegalArgumentException("the window is out of range");
    }
    long beginNanos = System.nanoTime() + Math.max(0, rest) * NANOS_PER_MICRO;
    measuring =
        Thread.ofPlatform()
            .daemon()
            .name("morty-agent-measure")
            .start(() -> measure(process, beginNanos, request.seconds()));
  }

  private void measure(ServerProcess process, long beginNanos, double seconds) {
    ServerUse use;
    try {
      use = meterOf(process).measure(beginNanos, seconds);
    } catch (InterruptedException e) {
      return;
    } catch (RuntimeException e) {
      log.warn("the server cannot be measured", e);
      use = ServerUse.UNKNOWN;
    }
    synchronized (this) {
      lastUse = use;
      measured++;
    }
  }

  /**
   * The server's heap after a collection, which takes a while.
   *
   * @throws IllegalStateException if there is no server
   */
  HeapReading heap() {
    ServerProcess process;
    synchronized (this) {
      requireOpen();
      process = server;
    }
    if (process == null) {
      throw new IllegalStateException("no server runs under this lease");
    }
    return new HeapReading(meterOf(process).heapBytes());
  }

  /** What the server used in the last window. */
  synchronized ServerUse measured() {
    return lastUse;
  }

  private synchronized ServerMeter meterOf(ServerProcess process) {
    ServerMeter found = meter;
    if (found == null) {
      found = new ServerMeter(process.handle());
      meter = found;
    }
    return found;
  }

  /**
   * The answer to a command.
   *
   * @throws IllegalStateException if there is none
   */
  synchronized Path answer(int command) {
    LoadState state = load == null ? null : load.state();
    if (state == null || command < 1 || command > state.answered()) {
      throw new IllegalStateException("command " + command + " has no answer");
    }
    return LoadProcessMain.answer(folder, command);
  }

  /** The file of the history. */
  Path history() {
    return folder.resolve(LoadProcessMain.HISTORY);
  }

  synchronized Status status() {
    checkProcesses();
    return new Status(
        server != null && server.isServing(),
        load == null ? null : load.state(),
        measured,
        failure);
  }

  private void checkProcesses() {
    if (failure == null && server != null) {
      try {
        server.check();
      } catch (ClusterFailedException e) {
        failure = e.getMessage();
      }
    }
    if (failure == null && load != null) {
      failure = load.failure();
    }
  }

  /** Ends the processes if they take more of the disk than they may. */
  synchronized void checkDisk() {
    if (closed || failure != null) {
      return;
    }
    long bytes = bytes();
    if (bytes > quotaBytes) {
      failure =
          "the files of the run in %s take %,d KiB, and --disk allows %,d KiB: allow more, or run fewer or shorter points"
              .formatted(folder, bytes / KIBIBYTE, quotaBytes / KIBIBYTE);
      endProcesses();
    }
  }

  private long bytes() {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException | UncheckedIOException e) {
      return 0; // a file was deleted meanwhile; the next look counts
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the lease has ended");
    }
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  private void endProcesses() {
    if (load != null) {
      load.end();
    }
    if (measuring != null) {
      measuring.interrupt();
    }
    if (meter != null) {
      meter.close();
    }
    if (server != null) {
      server.end();
      var unused = server.awaitEnd();
    }
  }

  /** Ends everything, and deletes the files. */
  synchronized void close() {
    if (!closed) {
      closed = true;
      endProcesses();
      ClusterFile.delete(folder);
    }
  }
}
