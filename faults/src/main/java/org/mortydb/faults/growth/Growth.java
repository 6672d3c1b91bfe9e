package org.mortydb.faults.growth;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.measure.CpuMeter;
import org.mortydb.bench.measure.MachineMeter;
import org.mortydb.bench.measure.MachineMeter.Sample;
import org.mortydb.check.journal.Check;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.ReplayVerdict;
import org.mortydb.check.journal.SerialReplay;
import org.mortydb.cli.upgrade.UpgradeFinish;
import org.mortydb.cli.upgrade.UpgradeState;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.ClusterChange.Outcome;
import org.mortydb.client.net.ClusterChange.State;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.ServerSpec;
import org.mortydb.faults.growth.GrowthReport.BystanderFigures;
import org.mortydb.faults.growth.GrowthReport.Step;
import org.mortydb.faults.kit.ServerFaults;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.change.Rebalance;
import org.mortydb.protocol.change.Server;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Member;
import org.mortydb.testing.LoopbackPorts;
import org.mortydb.transport.ClusterFiles;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.wire.WireContract;
import org.mortydb.workloads.load.AbortCounter;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LastingLoad;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.Meter.TypeMeter;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.Rounded;
import org.mortydb.workloads.load.RunObserver;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload.Source;
import org.mortydb.workloads.retwis.Retwis;

/**
 * Changes a cluster under an open load: three servers become six, one partition becomes several, f
 * becomes 2 and 1 again, all servers are replaced by others, and three leave. Servers are killed in
 * between. If the first servers run an older release, the cluster's version is raised once they are
 * replaced. Then it reads all records, and checks the whole history.
 *
 * @param workload the load
 * @param cluster the servers at first: three, with one partition
 * @param options how long and how much
 * @param settings the options as the report lists them
 */
public record Growth(
    Retwis workload,
    ClusterSettings cluster,
    GrowthOptions options,
    Map<String, @Nullable Object> settings) {
  private static final int FIRST = 3;
  private static final int MOST = 6;
  private static final int PARTS = 16;

  /** Changes that another fault stops are carried out again, so often at most. */
  private static final int TRIES = 5;

  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final double WARM_UP_SECONDS = 5;

  /** Steps are over a little before the load is. */
  private static final double SHARE_OF_STEPS = 0.96;

  private static final long SHORTEST_REST_MILLIS = 1_000;
  private static final long DOWN_MILLIS = 2_000;
  private static final long AGAIN_MILLIS = 1_000;

  /** Changes allow for these besides the allowed skew and three round trips. */
  private static final double ALLOWANCE_MILLIS = 100;

  /**
   * Runs it.
   *
   * @throws ClusterFailedException when a server cannot be started, ends by itself, does not serve
   *     in time, or a change cannot be carried out
   */
  public GrowthReport execute(Progress progress) throws InterruptedException {
    String older = options.founders();
    try (ProcessCluster founders =
        older == null ? ProcessCluster.start(cluster) : ProcessCluster.startOf(older, cluster)) {
      return ServerFaults.keepingEvidence(
          founders,
          () -> {
            try (HistoryFolder histories = new HistoryFolder();
                Servers servers = new Servers(founders, cluster);
                Run run = new Run(founders, servers, histories, progress)) {
              return run.execute();
            }
          });
    }
  }

  /** The load ended before all steps had. */
  private static final class TooLateException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** What a step does. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException, InterruptedException, TimeoutException;
  }

  /** One run. */
  private final class Run implements AutoCloseable {
    private final ProcessCluster founders;
    private final Servers servers;
    private final HistoryFolder histories;
    private final Progress progress;
    private final RandomGenerator random;
    private final Target target;
    private final MortyClient loading;
    private final MortyClient operator;
    private final Bystander bystander;
    private final List<Step> steps = new ArrayList<>();

    /** In nanoseconds: begin and end of each step. */
    private final List<long[]> times = new ArrayList<>();

    private CompletableFuture<RunResult> load = new CompletableFuture<>();
    private long startNanos;
    private int planned;
    private int givenUp;
    private int kills;

    Run(ProcessCluster founders, Servers servers, HistoryFolder histories, Progress progress)
        throws IOException {
      this.founders = founders;
      this.servers = servers;
      this.histories = histories;
      this.progress = progress;
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(options.seed());
      AbortCounter aborts = new AbortCounter();
      this.loading = connect(aborts);
      this.operator = connect(new AbortCounter());
      this.bystander = new Bystander(connect(new AbortCounter()));
      this.target = new Target(loading, aborts, histories.newLog());
    }

    private MortyClient connect(AbortCounter aborts) {
      return MortyClient.connect(
          founders.config(),
          ClientOptions.inRegion(cluster.regions().getFirst())
              .withTransaction(RetryDefaults.of(cluster))
              .withListener(aborts));
    }

    GrowthReport execute() throws IOException, InterruptedException {
      LoadGenerator generator =
          new LoadGenerator(workload, List.of(target), Progress.NONE, options.seed());
      generator.fill();
      Optional<Sample> machine = new MachineMeter().sample();
      CpuMeter cpu = new CpuMeter(List.of());
      long ownBefore = cpu.sample().map(CpuMeter.CpuTime::totalNanos).orElse(0L);
      long serversBefore = servers.cpuNanos();
      RunOptions run =
          new RunOptions(
              options.clients(),
              OptionalDouble.of(options.rate()),
              Arrivals.POISSON,
              WARM_UP_SECONDS,
              options.seconds(),
              options.seed());
      CompletableFuture<Long> begun = new CompletableFuture<>();
      load = CompletableFuture.supplyAsync(() -> run(generator, run, begun));
      var unusedLoad = load.whenComplete((_, failure) -> fail(begun, failure));
      bystander.start();
      startNanos = begun.join();
      boolean complete = true;
      try {
        script();
      } catch (TooLateException e) {
        complete = false;
      } catch (TimeoutException e) {
        throw new ClusterFailedException("a change has not ended within " + PATIENCE, e);
      }
      RunResult result = result();
      long endNanos = System.nanoTime();
      bystander.stop();
      double seconds = (endNanos - startNanos) / 1e9;
      long used =
          cpu.sample().map(CpuMeter.CpuTime::totalNanos).orElse(0L)
              - ownBefore
              + servers.cpuNanos()
              - serversBefore;
      OptionalDouble others =
          machine
              .flatMap(
                  before ->
                      new MachineMeter().sample().map(after -> after.others(before, used, seconds)))
              .orElse(OptionalDouble.empty());
      servers.check();
      int wrong = bystander.wrongCounters();
      LastingLoad reading = new LastingLoad(workload, options.seed(), generator.nextSession());
      readAllBack(reading);
      int firstAtEnd = generator.nextSession();
      List<HistoryLog> logs = histories.closeLogs();
      ReplayVerdict verdict =
          SerialReplay.check(logs, workload.records(), workload::recordName, firstAtEnd);
      return report(result, complete, endNanos, wrong, others, verdict);
    }

    private static void fail(CompletableFuture<Long> begun, @Nullable Throwable failure) {
      if (failure != null) {
        begun.completeExceptionally(failure);
      }
    }

    private static RunResult run(
        LoadGenerator generator, RunOptions options, CompletableFuture<Long> begun) {
      try {
        return generator.run(
            options,
            new RunObserver() {
              @Override
              public void windowBegins() {
                begun.complete(System.nanoTime());
              }
            });
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CompletionException(e);
      }
    }

    private RunResult result() {
      try {
        return load.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    }

    private void readAllBack(LastingLoad reading) throws InterruptedException {
      List<Source> sources = new ArrayList<>();
      for (int part = 0; part < PARTS; part++) {
        sources.add(workload.readingBack(part, PARTS));
      }
      reading.runAll(target, sources, workload.readingsBack(), "read all records at the end");
    }

    // ---- the steps ----------------------------------------------------------------------------

    private void script()
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      int moves = 2 * options.partitions(); // about, until the servers are known
      int raised = options.founders() == null ? 0 : 1;
      planned = (MOST - FIRST) + moves + 2 + MOST + raised + FIRST + 5;
      try (Progress.Phase phase = progress.begin("growth", "steps", planned)) {
        for (int number = FIRST + 1; number <= MOST; number++) {
          join(phase, number);
        }
        ClusterMap map = map();
        planned -= moves - Rebalance.plan(map, members(map), options.partitions()).size();
        for (Rebalance.Step next = next(); next != null; next = next()) {
          Rebalance.Step step = next;
          step(phase, step.split() ? "split" : "move", step.toString(), () -> change(step.plan()));
        }
        kill(phase, 1);
        replicate(phase, 2);
        kill(phase, 2);
        replicate(phase, 1);
        for (int number = 1; number <= MOST; number++) {
          replace(phase, number, number + MOST);
          if (number == MOST / 2) {
            kill(phase, 1);
          }
        }
        if (raised > 0) {
          raise(phase);
        }
        kill(phase, 1);
        for (int number = 2 * MOST; number > 2 * MOST - FIRST; number--) {
          remove(phase, "server-" + number);
        }
        kill(phase, 1);
      }
    }

    private void step(Progress.Phase phase, String kind, String name, Work work)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      awaitTurn();
      phase.update(Math.min(steps.size(), planned), name);
      long begin = System.nanoTime();
      work.run();
      long end = System.nanoTime();
      times.add(new long[] {begin, end});
      steps.add(
          new Step(
              kind,
              name,
              seconds(begin),
              seconds(end),
              Rounded.to(1, bystander.longestNanos(begin, end) / 1e6)));
      servers.check();
      if (load.isDone()) {
        result(); // the failure of the load, if that is why
        throw new TooLateException();
      }
    }

    private double seconds(long nanos) {
      return Rounded.to(2, (nanos - startNanos) / 1e9);
    }

    /** Steps are spread over the time of the load. */
    private void awaitTurn() throws InterruptedException {
      Thread.sleep(SHORTEST_REST_MILLIS);
      double share = (double) steps.size() / Math.max(planned, steps.size() + 1);
      long turn = startNanos + (long) (options.seconds() * SHARE_OF_STEPS * share * 1e9);
      while (System.nanoTime() - turn < 0 && !load.isDone()) {
        Thread.sleep(20);
      }
    }

    private Rebalance.@Nullable Step next() throws InterruptedException, TimeoutException {
      ClusterMap map = map();
      return Rebalance.next(map, members(map), options.partitions());
    }

    private ClusterMap map() throws InterruptedException, TimeoutException {
      return ClusterChange.show(operator, PATIENCE).maps().last();
    }

    private List<Server> members(ClusterMap map) {
      return ClusterChange.members(founders.config()).of(map);
    }

    private void join(Progress.Phase phase, int number)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      String name = "server-" + number;
      step(phase, "join", name + " joins", () -> add(name, number));
    }

    private void add(String name, int number)
        throws IOException, InterruptedException, TimeoutException {
      String region = cluster.regions().get((number - 1) % cluster.regionCount());
      String address = "127.0.0.1:" + LoopbackPorts.free(1).getFirst();
      change(
          Plans.add(name, new Member(region, address), ClusterChange.members(founders.config())));
      List<ServerSpec> seeds =
          founders.config().servers(map()).stream()
              .filter(server -> !server.name().equals(name))
              .toList();
      servers.join(name, seeds);
    }

    private void replicate(Progress.Phase phase, int f)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      step(
          phase,
          "replication",
          "f becomes " + f,
          () -> change(Plans.replication(f, ClusterChange.members(founders.config()))));
    }

    private void replace(Progress.Phase phase, int old, int by)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      String leaving = "server-" + old;
      String joining = "server-" + by;
      Plans.Members members = ClusterChange.members(founders.config());
      step(
          phase,
          "replace",
          joining + " replaces " + leaving,
          () -> {
            // In the region of the one that leaves: both numbers differ by a multiple of three.
            add(joining, by);
            change(Plans.replace(leaving, joining, members));
            ClusterChange.settle(operator, PATIENCE);
            change(Plans.leave(leaving, members));
            servers.leave(leaving);
          });
    }

    /** No server runs the older release any more. */
    private void raise(Progress.Phase phase)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      List<ServerSpec> members = founders.config().servers(map());
      step(
          phase,
          "upgrade",
          "the version is raised",
          () -> {
            try {
              ClusterConfig now = ClusterFiles.forClient(servers.clientFile(members), null);
              String region = cluster.regions().getFirst();
              UpgradeState state = UpgradeState.of(now, region, PATIENCE, WireContract.VERSIONS);
              List<String> problems = state.blockers(false);
              boolean newer = state.finishTo() > state.inUse();
              if (problems.isEmpty() && newer) {
                problems = UpgradeFinish.of(now, region, PATIENCE, state.finishTo()).problems();
              }
              if (!problems.isEmpty() || !newer) {
                throw new ClusterFailedException(
                    "the version is not raised from %d to %d: %s"
                        .formatted(
                            state.inUse(),
                            state.finishTo(),
                            newer ? problems : "--founders names no older release"));
              }
            } catch (InvalidConfigException | InvalidCredentialsException e) {
              throw new ClusterFailedException("the version is not raised: " + e.getMessage(), e);
            }
          });
    }

    private void remove(Progress.Phase phase, String name)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      Plans.Members members = ClusterChange.members(founders.config());
      step(
          phase,
          "remove",
          name + " leaves",
          () -> {
            change(Plans.evacuate(name, members));
            ClusterChange.settle(operator, PATIENCE);
            change(Plans.leave(name, members));
            servers.leave(name);
          });
    }

    private void change(MapChange.Plan plan) throws InterruptedException, TimeoutException {
      String why = "";
      for (int attempt = 1; attempt <= TRIES; attempt++) {
        try {
          Outcome outcome =
              ClusterChange.carryOut(operator, plan, PATIENCE, ClusterChange.Progress.NONE);
          if (outcome.state() == State.DONE || outcome.state() == State.NOTHING) {
            return;
          }
          givenUp++;
          why = outcome.state() + ", " + outcome.open();
        } catch (ClusterChange.RefusedException e) {
          why = String.valueOf(e.getMessage()); // a server that has just started, perhaps
        }
        Thread.sleep(AGAIN_MILLIS);
      }
      throw new ClusterFailedException(
          "a change was not carried out in %d attempts: %s".formatted(TRIES, why));
    }

    private void kill(Progress.Phase phase, int count)
        throws IOException, InterruptedException, TimeoutException, TooLateException {
      List<String> victims = new ArrayList<>(servers.serving());
      while (victims.size() > count) {
        victims.remove(random.nextInt(victims.size()));
      }
      step(
          phase,
          Step.KILL,
          String.join(" and ", victims) + (count == 1 ? " is killed" : " are killed"),
          () -> {
            for (String victim : victims) {
              servers.kill(victim);
              kills++;
            }
            Thread.sleep(DOWN_MILLIS);
            for (String victim : victims) {
              servers.restart(victim);
            }
          });
    }

    // ---- the report ---------------------------------------------------------------------------

    private GrowthReport report(
        RunResult result,
        boolean complete,
        long endNanos,
        int wrong,
        OptionalDouble others,
        ReplayVerdict verdict)
        throws InterruptedException {
      TypeMeter total = result.measurement().total();
      return new GrowthReport(
          GrowthReport.EXPERIMENT,
          complete,
          verdict.serializable(),
          verdict.lost() + wrong,
          Rounded.to(1, result.window().seconds()),
          total.committed(),
          Rounded.to(4, total.attempts() == 0 ? 0 : (double) total.committed() / total.attempts()),
          verdict.unknown(),
          lastMap(),
          givenUp,
          kills,
          servers.recovered(),
          bystander(endNanos),
          List.copyOf(steps),
          result.measurement().timeline().figures(),
          Check.of(verdict),
          settings,
          Environment.facts(others));
    }

    private int lastMap() throws InterruptedException {
      try {
        return ClusterChange.show(operator, PATIENCE).maps().maps().size() - 1;
      } catch (TimeoutException e) {
        throw new ClusterFailedException("the map cannot be read at the end", e);
      }
    }

    private BystanderFigures bystander(long endNanos) {
      double inChanges =
          steps.stream().filter(Step::isChange).mapToDouble(Step::pauseMillis).max().orElse(0);
      long between = 0;
      long from = startNanos;
      for (long[] step : times) {
        between = Math.max(between, bystander.longestWithin(from, step[0]));
        from = step[1];
      }
      between = Math.max(between, bystander.longestWithin(from, endNanos));
      double medianMillis = bystander.medianMicros() / 1e3;
      double skewMillis = founders.config().replicaOptions().allowedSkewMicros() / 1e3;
      // A transaction of the bystander is a read and a commit: two round trips.
      double bound = skewMillis + 3 * medianMillis / 2 + ALLOWANCE_MILLIS;
      return new BystanderFigures(
          bystander.transactions(),
          Rounded.to(2, medianMillis),
          inChanges,
          Rounded.to(1, bound),
          Rounded.to(1, between / 1e6));
    }

    @Override
    public void close() {
      bystander.close();
      operator.close();
      loading.close();
    }
  }
}
