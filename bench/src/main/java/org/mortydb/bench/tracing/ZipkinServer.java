package org.mortydb.bench.tracing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Zipkin server in its own process, which only this machine can reach. Its traces are in memory.
 * It ends with this process.
 */
public final class ZipkinServer implements AutoCloseable {
  /** The start script sets this to the root of the project. */
  private static final String HOME_PROPERTY = "morty.home";

  private static final String POM = "telemetry/zipkin/pom.xml";
  private static final String LIB = "telemetry/zipkin/target/lib";
  private static final int USUAL_PORT = 9411;

  /** The most spans that fit into its memory. It then drops the oldest. */
  private static final int MOST_SPANS = 100_000;

  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long POLL_MILLIS = 200;
  private static final long END_SECONDS = 10;

  private final Process process;
  private final Path log;
  private final URI base;
  private final Thread hook;

  private ZipkinServer(Process process, Path log, URI base) {
    this.process = process;
    this.log = log;
    this.base = base;
    this.hook = new Thread(() -> end(process), "morty-zipkin-end");
  }

  /** The server's jar; null if it is not there. */
  public static @Nullable Path jar() {
    Path lib = home().resolve(LIB);
    if (!Files.isDirectory(lib)) {
      return null;
    }
    try (Stream<Path> files = Files.list(lib)) {
      return files
          .filter(file -> file.getFileName().toString().matches("zipkin-server-.*-exec\\.jar"))
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      return null;
    }
  }

  private static Path home() {
    return Path.of(System.getProperty(HOME_PROPERTY, "")).toAbsolutePath();
  }

  /**
   * The server's jar. Maven fetches it if necessary, and reports to standard error.
   *
   * @throws TracingFailedException if it cannot be fetched
   */
  public static Path fetch() throws InterruptedException {
    Path present = jar();
    if (present != null) {
      return present;
    }
    if (!Files.isReadable(home().resolve(POM))) {
      throw new TracingFailedException(
          "cannot fetch the Zipkin server, because there is no "
              + home().resolve(POM)
              + ": start bin/morty of a checkout, or name a running server with --zipkin");
    }
    String command = "mvn -q -B -ntp -f " + POM + " package";
    System.err.println("morty: fetching the Zipkin server, about 135 MB, with: " + command);
    try {
      Process maven =
          new ProcessBuilder("sh", "-c", "exec " + command + " >&2")
              .directory(home().toFile())
              .inheritIO()
              .start();
      int exit = maven.waitFor();
      Path fetched = jar();
      if (exit != 0 || fetched == null) {
        throw new TracingFailedException(
            "cannot fetch the Zipkin server: '"
                + command
                + "' ended with "
                + exit
                + "; its reasons are above. Or name a running server with --zipkin");
      }
      return fetched;
    } catch (IOException e) {
      throw new TracingFailedException(
          "cannot fetch the Zipkin server, because Maven cannot be started: " + e.getMessage(), e);
    }
  }

  /**
   * Starts a server, at Zipkin's usual port 9411 if that is free. Returns when it answers.
   *
   * @throws TracingFailedException if it does not answer in time
   */
  public static ZipkinServer start(Path jar) throws InterruptedException {
    try {
      int port = freePort();
      Path log = Files.createTempFile("morty-zipkin-", ".log");
      Process process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Xmx512m",
                      "-XX:+UseSerialGC",
                      "-XX:+ExitOnOutOfMemoryError",
                      "--enable-native-access=ALL-UNNAMED",
                      "-jar",
                      jar.toString(),
                      "--zipkin.storage.mem.max-spans=" + MOST_SPANS,
                      "--armeria.ports[0].ip=127.0.0.1",
                      "--armeria.ports[0].port=" + port,
                      "--armeria.ports[0].protocols[0]=http"))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      ZipkinServer server = new ZipkinServer(process, log, URI.create("http://127.0.0.1:" + port));
      Runtime.getRuntime().addShutdownHook(server.hook);
      server.awaitUp();
      return server;
    } catch (IOException e) {
      throw new TracingFailedException("cannot start Zipkin: " + e.getMessage(), e);
    }
  }

  private static int freePort() throws IOException {
    for (int port : new int[] {USUAL_PORT, 0}) {
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        if (port == 0) {
          throw e;
        }
      }
    }
    throw new IOException("no free port");
  }

  private void awaitUp() throws InterruptedException {
    long deadline = System.nanoTime() + START_NANOS;
    try (ZipkinApi api = new ZipkinApi(base)) {
      while (!api.isUp()) {
        if (!process.isAlive() || System.nanoTime() - deadline > 0) {
          close();
          throw new TracingFailedException("Zipkin does not start; its output is in " + log);
        }
        Thread.sleep(POLL_MILLIS);
      }
    }
  }

  /** The server's address. */
  public URI base() {
    return base;
  }

  /** Asks the server to end, and kills it if it does not. */
  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    end(process);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // the hook is running
    }
  }
}
