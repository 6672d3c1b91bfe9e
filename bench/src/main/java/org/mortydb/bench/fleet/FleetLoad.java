package org.mortydb.bench.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadCommand.Kind;
import org.mortydb.bench.agent.AgentMessages.MeasureRequest;
import org.mortydb.bench.agent.AgentMessages.RunSpec;
import org.mortydb.bench.agent.AgentMessages.ServerUse;
import org.mortydb.bench.agent.LoadAnswers.Ran;
import org.mortydb.workloads.load.LoadRunner;
import org.mortydb.workloads.load.Measurement;
import org.mortydb.workloads.load.Offered;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Window;
import org.mortydb.workloads.load.Workload;

/** Runs loads on all hosts together. All begin at one moment, and the results are merged. */
final class FleetLoad implements LoadRunner {
  /**
   * From the commands to the begin of the first load, which finds processes that have just begun.
   */
  private static final long FIRST_LEAD_MICROS = 3_000_000;

  /** From the commands to the begin of later loads. */
  private static final long LEAD_MICROS = 1_000_000;

  /** How often a load runs until it begins in time on all hosts. */
  private static final int MOST_ATTEMPTS = 4;

  /** The windows of two hosts may begin so far apart, beside the difference of their clocks. */
  private static final long MOST_LATE_MICROS = 50_000;

  /** Longer than a load waits for its last transactions. */
  private static final long DRAIN_SECONDS = 60;

  private static final long USE_SECONDS = 10;

  private final FleetRun run;
  private final Workload workload;
  private @Nullable Usage lastUsage;

  FleetLoad(FleetRun run, Workload workload) {
    this.run = run;
    this.workload = workload;
  }

  /** What the processes used in the last load. */
  Usage lastUsage() {
    return Objects.requireNonNull(lastUsage, "no load has run");
  }

  /**
   * Runs a load; the observer is not called, because the window is on other hosts. A load that
   * begins too late on a host does not count: all hosts run it again, with more time to begin.
   *
   * @throws AgentFailedException if it fails on a host, begins too late again and again, or a
   *     host's clock was set since the run began
   */
  @Override
  public RunResult run(RunOptions options, RunObserver observer) throws InterruptedException {
    long lead = lastUsage == null ? FIRST_LEAD_MICROS : LEAD_MICROS;
    int unfinished = 0;
    for (int left = MOST_ATTEMPTS - 1; true; left--) {
      Attempt attempt = attempt(options, lead);
      // A host whose clock was set began early or late, and does not know it.
      run.hosts().requireSteady();
      unfinished += attempt.answers.stream().mapToInt(Ran::unfinished).sum();
      int latest = attempt.latest();
      long late = attempt.answers.get(latest).lateMicros();
      if (Math.abs(late) <= MOST_LATE_MICROS) {
        lastUsage = attempt.usage;
        return merged(options, attempt.answers, unfinished);
      }
      if (left == 0) {
        throw run.clients()
            .get(latest)
            .failed(
                "it began to measure %,d ms later than the others: it is overloaded, or the warm-up"
                        .formatted(late / 1_000)
                    + " is too short for it",
                null);
      }
      lead *= 2;
    }
  }

  /** A load that has ended on all hosts. */
  private record Attempt(List<Ran> answers, Usage usage) {

    /** The place of the clients that began latest. */
    int latest() {
      return IntStream.range(0, answers.size())
          .boxed()
          .max(Comparator.comparingLong(place -> Math.abs(answers.get(place).lateMicros())))
          .orElseThrow();
    }
  }

  /**
   * @param leadMicros the time until the load begins
   */
  private Attempt attempt(RunOptions options, long leadMicros) throws InterruptedException {
    long requests = 2L + run.clients().size() + run.servers().size();
    // The requests take about a round trip each.
    long begin =
        AgentConnection.nowMicros() + leadMicros + requests * run.hosts().longestRoundTripMicros();
    List<Integer> measured = new ArrayList<>();
    for (LeasedAgent server : run.servers()) {
      measured.add(server.status().measured() + 1);
      long windowBegin = begin + (long) (options.warmupSeconds() * 1e6);
      server.post(
          "/measure", new MeasureRequest(run.byClockOf(server, windowBegin), options.seconds()));
    }
    OptionalDouble rate = options.ratePerSecond();
    List<Integer> commands = new ArrayList<>();
    for (LeasedAgent client : run.clients()) {
      RunSpec spec =
          new RunSpec(
              options.sessions(),
              rate.isPresent() ? (Double) rate.getAsDouble() : null,
              options.arrivals().name().toLowerCase(Locale.ROOT),
              options.warmupSeconds(),
              options.seconds(),
              options.seed(),
              run.byClockOf(client, begin));
      commands.add(client.command(new LoadCommand(Kind.RUN, spec)));
    }
    long mostSeconds =
        DRAIN_SECONDS
            + (long)
                Math.ceil(
                    options.warmupSeconds()
                        + options.seconds()
                        + begin / 1e6
                        - AgentConnection.nowMicros() / 1e6);
    List<Ran> answers = run.answers(commands, Ran.class, "run", mostSeconds);
    return new Attempt(answers, usage(answers, measured));
  }

  private RunResult merged(RunOptions options, List<Ran> answers, int unfinished) {
    Window window = new Window(0, (long) (options.seconds() * 1e9));
    Measurement measurement;
    try {
      measurement =
          Measurement.merged(
              workload.types().size(),
              window,
              answers.stream().map(Ran::measurement).filter(Objects::nonNull).toList());
    } catch (IllegalArgumentException e) {
      throw new AgentFailedException(
          "the results of the hosts cannot be merged: " + e.getMessage(), e);
    }
    return new RunResult(measurement, window, offered(answers), unfinished);
  }

  private static Optional<Offered> offered(List<Ran> answers) {
    List<Offered> all = answers.stream().map(Ran::offered).filter(Objects::nonNull).toList();
    return all.stream()
        .reduce(
            (a, b) ->
                new Offered(
                    a.perSecond() + b.perSecond(),
                    a.arrivals() + b.arrivals(),
                    a.turnedAway() + b.turnedAway(),
                    a.neverBegun() + b.neverBegun()));
  }

  private Usage usage(List<Ran> answers, List<Integer> measured) throws InterruptedException {
    List<ServerUse> servers = new ArrayList<>();
    List<LeasedAgent> agents = run.servers();
    for (int i = 0; i < agents.size(); i++) {
      ServerUse use = serverUse(agents.get(i), measured.get(i));
      servers.add(use);
    }
    return new Usage(answers, servers, run.clientNames());
  }

  /** The use of a server; nothing is known of it if the window does not end. */
  private static ServerUse serverUse(LeasedAgent agent, int measured) throws InterruptedException {
    long deadline = System.nanoTime() + USE_SECONDS * 1_000_000_000L;
    while (System.nanoTime() - deadline < 0) {
      if (agent.await(status -> status.measured() >= measured)) {
        return agent.measured();
      }
    }
    return ServerUse.UNKNOWN;
  }
}
