package org.mortydb.server;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.ClusterFiles;
import org.mortydb.transport.HostNames;
import org.mortydb.transport.SeedsUnreachableException;
import org.mortydb.transport.tls.InvalidCredentialsException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty server}, and the main program of the archive for hosts. */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "Runs one server of a cluster until SIGTERM.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "2:the command line, the configuration file or the TLS credentials are wrong",
      "3:the server cannot run, for example because its address is in use, its disk has failed, its"
          + " heap is full, or none of cluster.seeds answers",
      "143:stopped by SIGTERM"
    })
public final class ServerMain implements Callable<Integer> {
  /** The exit code of a server that cannot run. A JVM whose heap is full ends with the same. */
  private static final int CANNOT_RUN = 3;

  private static final String LOGBACK_FILE = "logback.configurationFile";

  /** The environment variable for the format of the log. */
  static final String LOG_FORMAT = "MORTY_LOG_FORMAT";

  /** The interval of the reports on recovered transactions. */
  private static final long REPORT_MILLIS = 500;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The cluster's configuration file.")
  private Path config = Path.of("");

  @Option(
      names = "--name",
      required = true,
      paramLabel = "NAME",
      description = "The server's name in that file.")
  private String name = "";

  @Spec private CommandSpec command = CommandSpec.create();

  private ServerMain() {}

  /** Runs a server until it ends, and exits; see {@code --help}. */
  public static void main(String[] args) {
    useServerLog();
    HostNames.neverKept();
    System.exit(commandLine().execute(args));
  }

  /** Writes the log as servers do. Call it before anything is logged. */
  public static void useServerLog() {
    if (System.getProperty(LOGBACK_FILE) == null) {
      System.setProperty(LOGBACK_FILE, "org/mortydb/server/logback.xml");
    }
  }

  static CommandLine commandLine() {
    return new CommandLine(new ServerMain()).setCommandName("morty-server");
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter err = command.commandLine().getErr();
    String format = System.getenv(LOG_FORMAT);
    if (format != null && !List.of("text", "json").contains(format)) {
      err.println(
          "the environment variable "
              + LOG_FORMAT
              + " is '"
              + format
              + "': it must be text or json");
      return CommandLine.ExitCode.USAGE;
    }
    ClusterConfig cluster;
    ServerSpec spec;
    try {
      cluster = ClusterFiles.forServer(config, name);
      spec = MortyServer.require(cluster, name);
    } catch (SeedsUnreachableException e) {
      err.println(e.getMessage()); // others may be starting, too: another start may succeed
      return CANNOT_RUN;
    } catch (InvalidConfigException | IllegalArgumentException | IOException e) {
      err.println(e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    try {
      return run(cluster, spec);
    } catch (InvalidCredentialsException e) {
      err.println(e.getMessage());
      return CommandLine.ExitCode.USAGE;
    } catch (IOException e) {
      err.println(e.getMessage());
      return CANNOT_RUN;
    }
  }

  private Integer run(ClusterConfig cluster, ServerSpec spec)
      throws IOException, InterruptedException {
    MortyServer server = MortyServer.start(cluster, spec.name());
    CountDownLatch stopped = new CountDownLatch(1);
    AtomicBoolean failed = new AtomicBoolean();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.close();
                  stopped.countDown();
                },
                "morty-stop"));
    PrintWriter out = command.commandLine().getOut();
    out.println(
        "ready: server '"
            + spec.name()
            + "' of cluster '"
            + cluster.name()
            + "' listens on "
            + spec.listen()
            + spec.advertisedText()
            + " and holds "
            + server.replicas().size()
            + (server.replicas().size() == 1 ? " replica" : " replicas"));
    InetSocketAddress admin = server.adminAddress();
    if (admin != null) {
      out.println(
          "admin: live page at http://"
              + spec.admin()
              + "/, also /metrics, /health/live, /health/ready");
    }
    out.flush();
    var unusedServing =
        server
            .serving()
            .thenRun(
                () -> {
                  out.println(
                      "serving: server '" + spec.name() + "' of cluster '" + cluster.name() + "'");
                  out.flush();
                });
    var unusedFailure =
        server
            .failure()
            .whenComplete(
                (ended, failure) -> {
                  failed.set(true);
                  stopped.countDown();
                });
    String recovered = "";
    while (!stopped.await(REPORT_MILLIS, TimeUnit.MILLISECONDS)) {
      recovered = reportRecovered(server, recovered, out);
    }
    if (!failed.get()) {
      return CommandLine.ExitCode.OK;
    }
    // The log has said why.
    return CANNOT_RUN;
  }

  /** Prints how many transactions were recovered, if that differs from the last report. */
  private static String reportRecovered(MortyServer server, String last, PrintWriter out) {
    long count = server.counters().recovered();
    String line =
        "recovered: server '"
            + server.spec().name()
            + "' has decided "
            + count
            + (count == 1 ? " transaction" : " transactions")
            + " of silent coordinators since its start";
    if (count > 0 && !line.equals(last)) {
      out.println(line);
      out.flush();
    }
    return line;
  }
}
