package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.tracing.TraceDemo;
import org.mortydb.bench.tracing.TraceDemo.Found;
import org.mortydb.bench.tracing.TraceKind;
import org.mortydb.bench.tracing.TracingFailedException;
import org.mortydb.bench.tracing.ZipkinApi;
import org.mortydb.bench.tracing.ZipkinServer;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.JsonOption;
import org.mortydb.cli.Requirement;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code morty trace}. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Traces transactions of a demo cluster, and links to them in Zipkin.",
    description = {
      "",
      "Starts a Zipkin server, which Maven fetches the first time, and three server processes with"
          + " a delay between their regions. Runs bank transfers between few accounts, stops a"
          + " server for a while, and kills a client during a commit. Then prints links to the"
          + " best traces: a commit in one round, a re-execution, a wait, the slow path, a"
          + " recovery, a truncation. docs/reference/tracing.md explains how to read them.",
      "",
      "Zipkin runs until the command is interrupted. Its traces are in memory and end with it.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty trace                                      all transactions are traced",
      "  morty trace --rate 0.1 --clients 48              one in ten, of more",
      "  morty trace --zipkin http://zipkin:9411 --exit   into a Zipkin that runs elsewhere"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:a complete trace of each kind was found",
      "1:a kind has no complete trace",
      "2:the command line is wrong",
      "3:the cluster or Zipkin failed"
    })
final class TraceCommand implements Callable<Integer> {
  private static final double MOST_DELAY_MILLIS = 1_000;
  private static final double MOST_SECONDS = 3_600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "1",
      description = "The share of traced transactions (default: ${DEFAULT-VALUE}, all).")
  private double rate = 1;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "12",
      description = "The number of concurrent transactions (default: ${DEFAULT-VALUE}).")
  private int clients = 12;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      defaultValue = "40",
      description =
          "The number of accounts. Fewer accounts mean more conflicts (default: ${DEFAULT-VALUE}).")
  private int accounts = 40;

  @Option(
      names = "--delay",
      paramLabel = "MS",
      defaultValue = "20",
      description =
          "The one-way delay between regions in milliseconds (default: ${DEFAULT-VALUE}).")
  private double delay = 20;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "The duration of the transfers in seconds (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(
      names = "--zipkin",
      paramLabel = "URL",
      description = {
        "A running Zipkin server, such as http://127.0.0.1:9411 (default: start one)."
      })
  private @Nullable String zipkin;

  @Option(
      names = "--exit",
      description = "End after printing the links (default: run until interrupted).")
  private boolean exit;

  @Mixin private final JsonOption json = new JsonOption();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    json.check(command);
    Requirement.within(command, "--rate", rate, NumberRange.above(0, 1));
    Requirement.within(command, "--clients", clients, NumberRange.POSITIVE);
    Requirement.within(command, "--accounts", accounts, NumberRange.atLeast(2));
    Requirement.within(command, "--delay", delay, NumberRange.of(1, MOST_DELAY_MILLIS));
    Requirement.within(command, "--seconds", seconds, NumberRange.above(0, MOST_SECONDS));
    String given = zipkin;
    if (given != null) {
      URI running = ZipkinApi.base(given);
      if (running == null) {
        throw new ParameterException(
            command,
            "--zipkin must be the URL of a Zipkin server, such as http://127.0.0.1:9411, not '"
                + given
                + "'");
      }
      return trace(running, command);
    }
    try (ZipkinServer server = ZipkinServer.start(ZipkinServer.fetch())) {
      return trace(server.base(), command);
    }
  }

  private int trace(URI base, CommandLine command) throws InterruptedException {
    PrintWriter out = command.getOut();
    List<Found> found;
    try (ZipkinApi api = new ZipkinApi(base)) {
      if (!api.isUp()) {
        throw new TracingFailedException(
            "no Zipkin server answers at "
                + base
                + "; start one there, or leave --zipkin out, then this command starts one");
      }
      TraceDemo demo = new TraceDemo(rate, Math.round(delay * 1_000), clients, accounts, seconds);
      found = demo.run(api, TerminalProgress.onStandardError());
    }
    Set<TraceKind> lacking = EnumSet.allOf(TraceKind.class);
    for (Found one : found) {
      lacking.remove(one.kind());
      out.println(one.kind().title() + ":");
      out.println("  " + one.note());
      out.println("  " + one.link());
      if (one.cause() != null) {
        out.println("  cause: " + one.cause());
      }
    }
    json.write(found);
    for (TraceKind kind : lacking) {
      out.println("no complete trace: " + kind.title());
    }
    out.flush();
    if (!exit) {
      out.println("Zipkin is at " + base + "/zipkin until you interrupt this command (Ctrl-C).");
      out.flush();
      new CountDownLatch(1).await();
    }
    return lacking.isEmpty() ? ExitCode.OK : ExitCode.VIOLATION;
  }
}
