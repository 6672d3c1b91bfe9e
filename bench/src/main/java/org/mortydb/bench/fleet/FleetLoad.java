package org.mortydb.bench.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadCommand.Kind;
import org.mortydb.bench.agent.AgentMessages.MeasureRequest;
import org.mortydb.bench.agent.AgentMessages.RunSpec;
import org.mortydb.bench.agent.AgentMessages.Status;
import org.mortydb.bench.agent.LoadAnswers.Ran;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
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
  /** From the commands to the begin. The requests take about a round trip each. */
  private static final long LEAD_MICROS = 3_000_000;

  /** The windows of two hosts may begin so far apart, beside the difference of their clocks. */
  private static final long MOST_LATE_MICROS = 50_000;

  /** Longer than a load waits for its last transactions. */
  private static final long DRAIN_SECONDS = 60;

  private static final long CPU_SECONDS = 10;

  private final FleetRun run;
  private final Workload workload;
  private Usage lastUsage = new Usage(Optional.empty());

  /**
   * The use of processors within the window of a load.
   *
   * @param cpu the time of the clients as the own one and of the servers as that of the children;
   *     empty if one of them is unknown
   */
  record Usage(Optional<CpuTime> cpu) {}

  FleetLoad(FleetRun run, Workload workload) {
    this.run = run;
    this.workload = workload;
  }

  /** The use of processors in the last load. */
  Usage lastUsage() {
    return lastUsage;
  }

  /**
   * Runs a load; the observer is not called, because the window is on other hosts.
   *
   * @throws AgentFailedException if it fails on a host, or begins too late there
   */
  @Override
  public RunResult run(RunOptions options, RunObserver observer) throws InterruptedException {
    long requests = 2L + run.clients().size() + run.servers().size();
    long begin =
        AgentConnection.nowMicros() + LEAD_MICROS + requests * run.longestRoundTripMicros();
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
    for (int i = 0; i < answers.size(); i++) {
      long late = answers.get(i).lateMicros();
      if (Math.abs(late) > MOST_LATE_MICROS) {
        throw run.clients()
            .get(i)
            .failed(
                "it began to measure %,d ms later than the others: it is overloaded, or the warm-up"
                        .formatted(late / 1_000)
                    + " is too short for it",
                null);
      }
    }
    lastUsage = usage(answers, measured);
    return merged(options, answers);
  }

  private RunResult merged(RunOptions options, List<Ran> answers) {
    Window window = new Window(0, (long) (options.seconds() * 1e9));
    Measurement measurement;
    try {
      measurement =
          Measurement.merged(
              workload.types().size(), window, answers.stream().map(Ran::measurement).toList());
    } catch (IllegalArgumentException e) {
      throw new AgentFailedException(
          "the results of the hosts cannot be merged: " + e.getMessage(), e);
    }
    return new RunResult(
        measurement, window, offered(answers), answers.stream().mapToInt(Ran::unfinished).sum());
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
    long clients = 0;
    for (Ran answer : answers) {
      Long nanos = answer.cpuNanos();
      if (nanos == null) {
        return new Usage(Optional.empty());
      }
      clients += nanos;
    }
    long servers = 0;
    List<LeasedAgent> agents = run.servers();
    for (int i = 0; i < agents.size(); i++) {
      Long nanos = serverCpuNanos(agents.get(i), measured.get(i));
      if (nanos == null) {
        return new Usage(Optional.empty());
      }
      servers += nanos;
    }
    return new Usage(Optional.of(new CpuTime(clients, servers)));
  }

  private static @Nullable Long serverCpuNanos(LeasedAgent agent, int measured)
      throws InterruptedException {
    long deadline = System.nanoTime() + CPU_SECONDS * 1_000_000_000L;
    while (System.nanoTime() - deadline < 0) {
      if (agent.await(status -> status.measured() >= measured)) {
        Status status = agent.status();
        return status.serverCpuNanos();
      }
    }
    return null;
  }
}
