package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.tracing.Instructive;
import org.mortydb.bench.tracing.TraceDemo;
import org.mortydb.bench.tracing.TraceDemo.Found;
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
import picocli.CommandLine.Spec;

/** {@code morty trace}. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Traces transactions of a demo cluster, and shows in Zipkin how they went.",
    description = {
      "",
      "Starts a Zipkin server, which Maven fetches the first time, and three server processes with"
          + " a delay between their regions. Runs bank transfers between few accounts, lets a"
          + " server fail for a while, and kills a client amid a commit. Then prints links to the"
          + " traces that show most: one that committed in one round, one that re-executed, one"
          + " that waited, one that took the slow path, one that was recovered."
          + " docs/reference/tracing.md tells how to read them.",
      "",
      "Zipkin runs until the command is interrupted; its traces are in memory and go with it.",
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
      "0:a trace of each kind was found, with what it must show",
      "1:there is no such trace of a kind",
      "2:the command line is wrong",
      "3:something could not be run"
    })
final class TraceCommand implements Callable<Integer> {
  private static final double MOST_DELAY_MILLIS = 1_000;
  private static final double MOST_SECONDS = 3_600;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--rate",
      paramLabel = "R",
      defaultValue = "1",
      description = "The share of transactions that are traced (default: ${DEFAULT-VALUE}, all).")
  private double rate = 1;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "12",
      description = "Transactions that run at a time (default: ${DEFAULT-VALUE}).")
  private int clients = 12;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      defaultValue = "40",
      description = "Accounts: the fewer, the more conflicts (default: ${DEFAULT-VALUE}).")
  private int accounts = 40;

  @Option(
      names = "--delay",
      paramLabel = "MS",
      defaultValue = "20",
      description = {"One-way delay between regions, in milliseconds (default: ${DEFAULT-VALUE})."})
  private double delay = 20;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "How long the transfers run (default: ${DEFAULT-VALUE}).")
  private double seconds = 5;

  @Option(
      names = "--zipkin",
      paramLabel = "URL",
      description = {
        "A Zipkin server that runs already, such as http://127.0.0.1:9411 (default: one is"
            + " started)."
      })
  private @Nullable URI zipkin;

  @Option(
      names = "--exit",
      description = "Ends when the links are printed (default: when it is interrupted).")
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
    if (zipkin instanceof URI running) {
      Requirement.that(
          running.getHost() != null && String.valueOf(running.getScheme()).matches("https?"),
          command,
          "--zipkin must be an http or https URL, is '" + running + "'");
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
            "there is no Zipkin server at "
                + base
                + "; start one there, or leave --zipkin out and one is started");
      }
      TraceDemo demo = new TraceDemo(rate, Math.round(delay * 1_000), clients, accounts, seconds);
      found = demo.run(api, TerminalProgress.onStandardError());
    }
    Set<Instructive> lacking = EnumSet.allOf(Instructive.class);
    for (Found one : found) {
      lacking.remove(one.kind());
      out.println("this one " + one.kind().title() + ":");
      out.println("  " + one.note());
      out.println("  " + one.link());
      if (one.cause() != null) {
        out.println("  because of " + one.cause());
      }
    }
    json.write(found);
    for (Instructive kind : lacking) {
      out.println("none of this kind has all that it must show: one that " + kind.title());
    }
    out.flush();
    if (!exit) {
      out.println("Zipkin is at " + base + "/zipkin until this is interrupted (Ctrl-C).");
      out.flush();
      new CountDownLatch(1).await();
    }
    return lacking.isEmpty() ? ExitCode.OK : ExitCode.VIOLATION;
  }
}
