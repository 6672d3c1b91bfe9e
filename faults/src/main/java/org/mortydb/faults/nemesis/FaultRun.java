package org.mortydb.faults.nemesis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.HistoryReport;
import org.mortydb.check.jepsen.Invocation;
import org.mortydb.check.jepsen.Operation;
import org.mortydb.check.jepsen.OperationType;
import org.mortydb.check.jepsen.OperationWriter;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.workloads.load.Progress;

/**
 * Runs workloads on server and client processes of this machine while things go wrong, ends the
 * faults, sees that all goes on, reads all there is, and judges the histories.
 *
 * @param options how
 * @param cluster on what; of server processes
 * @param histories where to leave the histories, by workload; those left out are not kept
 * @param settings what the report says of the settings
 */
public record FaultRun(
    FaultRunOptions options,
    ClusterSettings cluster,
    Map<HistoryCheck, Path> histories,
    Map<String, @Nullable Object> settings) {
  private static final long DEADLINE_MILLIS = 3_000;

  /** A client that has not answered so long after the deadline has forgotten the transaction. */
  private static final long TIMEOUT_MILLIS = DEADLINE_MILLIS + 5_000;

  private static final long SERVE_SECONDS = 60;
  private static final long POLL_MILLIS = 20;

  /** How long all must go well in the end. */
  private static final long CALM_MILLIS = 1_000;

  /** On a busy machine it goes on for so many times as long, until it has shown something. */
  private static final double STRETCH = 4;

  private static final double NANOS = 1e9;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * Runs it.
   *
   * @throws ClusterFailedException when a process cannot be started, or a server ends by itself
   */
  public FaultRunReport execute(Progress progress) throws InterruptedException {
    try (Relays relays = new Relays();
        ProcessCluster servers =
            ProcessCluster.startWithViews(
                cluster,
                (server, config, text) -> view(relays, server, server + 1, config, text))) {
      boolean done = false;
      try {
        FaultRunReport report = new Run(servers, relays, progress).execute();
        done = report.valid();
        return report;
      } finally {
        if (!done) {
          System.err.println("the processes' logs and data are kept in " + servers.keep());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the run cannot go on: " + e.getMessage(), e);
    }
  }

  /** The configuration for a process that reaches the servers from a place on through relays. */
  private static String view(
      Relays relays, int process, int from, ClusterConfig config, String text) throws IOException {
    String view = text;
    for (int other = from; other < config.servers().size(); other++) {
      ServerSpec server = config.servers().get(other);
      int relay = relays.add(process, other, server.port());
      view = view.replace(listens(server.port()), listens(relay));
    }
    return view;
  }

  private static String listens(int port) {
    return "listen = \"127.0.0.1:" + port + "\"";
  }

  /** One run. */
  private final class Run {
    private final ProcessCluster servers;
    private final Relays relays;
    private final Progress progress;
    private final SplittableGenerator random =
        RandomGeneratorFactory.<SplittableGenerator>of("L64X128MixRandom").create(options.seed());
    private final long startNanos = System.nanoTime();
    private final List<RecordedWorkload> tracks = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private @Nullable Long servingMillis;
    private @Nullable Long firstCommitMillis;

    Run(ProcessCluster servers, Relays relays, Progress progress) {
      this.servers = servers;
      this.relays = relays;
      this.progress = progress;
      for (HistoryCheck kind : options.workloads()) {
        tracks.add(new RecordedWorkload(kind, new OperationLog(startNanos)));
      }
    }

    FaultRunReport execute() throws IOException, InterruptedException {
      try (ClientProcesses clients = ClientProcesses.start(options.clients(), starter())) {
        open(clients);
        Nemesis nemesis =
            new Nemesis(
                servers,
                relays,
                clients,
                !cluster.durability().equals("memory"),
                options.faults(),
                random.split(),
                (f, value) ->
                    tracks.forEach(
                        t -> t.log().add(OperationType.INFO, Operation.NEMESIS, f, value, null)));
        RequestThreads operators = new RequestThreads(clients, tracks, options, TIMEOUT_MILLIS);
        operators.begin(random.split());
        double seconds;
        try {
          seconds = goWrong(nemesis);
        } finally {
          nemesis.heal();
        }
        long calmNanos = recover(clients);
        operators.stop();
        judgeCalm(calmNanos);
        readAll(clients);
        return report(seconds, nemesis);
      }
    }

    private ClientProcesses.Starter starter() throws IOException {
      Path file = servers.configFile();
      String text = Files.readString(file);
      List<Path> views = new ArrayList<>();
      for (int client = 0; client < options.clients(); client++) {
        Path view = file.resolveSibling("client-" + (client + 1) + ".conf");
        Files.writeString(view, view(relays, servers.size() + client, 0, servers.config(), text));
        views.add(view);
      }
      List<String> regions = cluster.regions();
      return client ->
          ClientProcess.start(
              views.get(client),
              regions.get(client % regions.size()),
              DEADLINE_MILLIS,
              options.plant(),
              file.resolveSibling("client-" + (client + 1) + ".log"));
    }

    private void open(ClientProcesses clients) throws InterruptedException {
      for (RecordedWorkload track : tracks) {
        for (Request request : track.workload().opening()) {
          Reply reply =
              persist(() -> clients.get(0).execute(track.kind(), request, TIMEOUT_MILLIS));
          if (!reply.ok()) {
            throw new ClusterFailedException(
                "the opening of workload %s does not commit: %s"
                    .formatted(track.kind(), reply.error()));
          }
        }
      }
    }

    private interface Attempt {
      Reply make() throws InterruptedException;
    }

    /** Tries until it succeeds, or the time to recover has passed. */
    private Reply persist(Attempt attempt) throws InterruptedException {
      long giveUp = System.nanoTime() + (long) (options.recoverySeconds() * NANOS);
      Reply reply = attempt.make();
      while (!reply.ok() && System.nanoTime() - giveUp < 0) {
        Thread.sleep(POLL_MILLIS);
        reply = attempt.make();
      }
      return reply;
    }

    private double goWrong(Nemesis nemesis) throws IOException, InterruptedException {
      long begin = System.nanoTime();
      long end = begin + (long) (options.seconds() * NANOS);
      long longest = begin + (long) (options.seconds() * STRETCH * NANOS);
      long next = begin;
      try (Progress.Phase phase = progress.begin("faults", "s", Math.round(options.seconds()))) {
        while (System.nanoTime() - end < 0
            || (System.nanoTime() - longest < 0 && !hasShown(nemesis))) {
          if (System.nanoTime() - next >= 0) {
            nemesis.step();
            double lasts = options.faultEverySeconds() * (0.5 + random.nextDouble());
            next = System.nanoTime() + (long) (lasts * NANOS);
          }
          phase.update(Math.round((System.nanoTime() - begin) / NANOS), state(nemesis));
          Thread.sleep(POLL_MILLIS);
        }
      }
      return Math.round((System.nanoTime() - begin) / NANOS * 10) / 10.0;
    }

    private boolean hasShown(Nemesis nemesis) {
      return nemesis.allSeen()
          && tracks.stream().allMatch(t -> t.committed() >= options.minCommitted());
    }

    private String state(Nemesis nemesis) {
      StringBuilder text = new StringBuilder();
      tracks.forEach(
          t -> text.append(String.format(Locale.ROOT, "%s %,d, ", t.kind(), t.committed())));
      nemesis
          .seen()
          .forEach((fault, n) -> text.append(String.format(Locale.ROOT, "%s %,d ", fault, n)));
      return text.toString();
    }

    /** Waits until all servers serve and all workloads commit; returns when that was. */
    private long recover(ClientProcesses clients) throws IOException, InterruptedException {
      long healed = System.nanoTime();
      while (IntStream.range(0, servers.size()).anyMatch(i -> !servers.isServing(i))) {
        servers.check();
        if (System.nanoTime() - healed > SERVE_SECONDS * NANOS) {
          problems.add("not all servers serve %d s after the faults".formatted(SERVE_SECONDS));
          return now();
        }
        Thread.sleep(POLL_MILLIS);
      }
      servingMillis = (System.nanoTime() - healed) / NANOS_PER_MILLI;
      clients.mend(List.of());
      clients.awaitReady();
      long from = now();
      while (tracks.stream().anyMatch(t -> t.latestCommittedBeganNanos() < from)) {
        if (now() - from > options.recoverySeconds() * NANOS) {
          tracks.stream()
              .filter(t -> t.latestCommittedBeganNanos() < from)
              .forEach(
                  t ->
                      problems.add(
                          "nothing of workload %s that began after the faults committed within %s s"
                              .formatted(t.kind(), options.recoverySeconds())));
          return now();
        }
        Thread.sleep(1);
      }
      firstCommitMillis = (now() - from) / NANOS_PER_MILLI;
      long calm = now();
      Thread.sleep(CALM_MILLIS);
      return calm;
    }

    private long now() {
      return System.nanoTime() - startNanos;
    }

    /** What begins when all is well again must be decided. */
    private void judgeCalm(long fromNanos) {
      for (RecordedWorkload track : tracks) {
        long undecided =
            Invocation.of(track.log().operations()).stream()
                .filter(i -> i.begin().timeNanos() >= fromNanos)
                .filter(i -> i.end() == null || i.end().type() == OperationType.INFO)
                .count();
        if (undecided > 0) {
          problems.add(
              "%d operations of workload %s that began when all was well stayed undecided"
                  .formatted(undecided, track.kind()));
        }
      }
    }

    /** No read commits over a transaction that is not decided, so that after this all are. */
    private void readAll(ClientProcesses clients) throws InterruptedException {
      for (RecordedWorkload track : tracks) {
        int process =
            1
                + track.log().operations().stream()
                    .mapToInt(Operation::process)
                    .max()
                    .orElse(options.concurrency());
        for (Request request : track.workload().closing()) {
          int[] reader = {process};
          Reply reply =
              persist(
                  () -> {
                    Reply read = track.carryOut(request, reader[0], clients.get(0), TIMEOUT_MILLIS);
                    reader[0]++;
                    return read;
                  });
          process = reader[0];
          if (!reply.ok()) {
            problems.add(
                "the keys of workload %s cannot be read %s s after the faults: %s"
                    .formatted(track.kind(), options.recoverySeconds(), reply.error()));
            return;
          }
        }
      }
    }

    private FaultRunReport report(double seconds, Nemesis nemesis) {
      Map<String, Long> seen = new LinkedHashMap<>();
      for (Fault fault : new TreeSet<>(options.faults())) {
        long count = nemesis.seen().getOrDefault(fault, 0L);
        seen.put(fault.toString(), count);
        if (count == 0) {
          missing.add("the fault '" + fault + "' was never seen: run longer");
        }
      }
      List<HistoryReport> judged = new ArrayList<>();
      for (RecordedWorkload track : tracks) {
        List<Operation> operations = track.log().operations();
        if (track.committed() < options.minCommitted()) {
          missing.add(
              "workload %s committed %,d operations, less than %,d: run longer"
                  .formatted(track.kind(), track.committed(), options.minCommitted()));
        }
        Path file = histories.get(track.kind());
        if (file != null) {
          OperationWriter.write(operations, file);
        }
        judged.add(
            HistoryReport.of(
                track.kind().toString(),
                operations,
                track.kind().check(operations, options.order())));
      }
      return new FaultRunReport(
          problems.isEmpty() && judged.stream().allMatch(HistoryReport::valid),
          missing.isEmpty(),
          seconds,
          seen,
          servers.recovered(),
          servingMillis,
          firstCommitMillis,
          List.copyOf(problems),
          List.copyOf(missing),
          judged,
          settings);
    }
  }
}
