package org.mortydb.faults.nemesis;

import java.io.IOException;
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
import org.mortydb.faults.kit.Pace;
import org.mortydb.faults.kit.ServerFaults;
import org.mortydb.workloads.load.Progress;

/**
 * Runs workloads on server and client processes of this machine under faults, ends the faults,
 * checks that all workloads make progress, reads all keys, and judges the histories.
 *
 * @param options workloads, faults and times
 * @param cluster the servers, all of them processes
 * @param histories the files of the histories, by workload; others are not kept
 * @param settings the options as the report lists them
 */
public record FaultRun(
    FaultRunOptions options,
    ClusterSettings cluster,
    Map<HistoryCheck, Path> histories,
    Map<String, @Nullable Object> settings) {
  private static final long DEADLINE_MILLIS = 3_000;

  /** After the deadline and some seconds more a client does not answer any more. */
  private static final long TIMEOUT_MILLIS = DEADLINE_MILLIS + 5_000;

  private static final long SERVE_SECONDS = 60;
  private static final long POLL_MILLIS = 20;

  /** How long every operation must be decided in the end. */
  private static final long CALM_MILLIS = 1_000;

  /** On a busy machine faults last up to so many times as long, until all are seen. */
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
      return ServerFaults.keepingEvidence(
          servers, () -> new Run(servers, relays, progress).execute());
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
    private final List<RecordedWorkload> workloads = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private @Nullable Long servingMillis;
    private @Nullable Long firstCommitMillis;

    Run(ProcessCluster servers, Relays relays, Progress progress) {
      this.servers = servers;
      this.relays = relays;
      this.progress = progress;
      for (HistoryCheck kind : options.workloads()) {
        workloads.add(new RecordedWorkload(kind, startNanos));
      }
    }

    FaultRunReport execute() throws IOException, InterruptedException {
      try (ClientProcesses clients = new ClientProcesses(options.clients(), starter())) {
        clients.startMissing(List.of());
        clients.awaitReady();
        open(clients);
        Nemesis nemesis =
            new Nemesis(
                servers,
                cluster,
                relays,
                clients,
                options.faults(),
                random.split(),
                (f, value) -> workloads.forEach(workload -> workload.addFault(f, value)));
        RequestThreads threads = new RequestThreads(clients, workloads, options, TIMEOUT_MILLIS);
        threads.begin(random.split());
        double seconds;
        try {
          seconds = causeFaults(nemesis);
        } finally {
          nemesis.heal();
        }
        long recoveredNanos = recover(clients, nemesis);
        threads.stop();
        judgeAfterFaults(recoveredNanos);
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
              options.planted(),
              file.resolveSibling("client-" + (client + 1) + ".log"));
    }

    private void open(ClientProcesses clients) throws InterruptedException {
      for (RecordedWorkload workload : workloads) {
        for (Request request : workload.workload().opening()) {
          Reply reply =
              persist(() -> clients.get(0).execute(workload.kind(), request, TIMEOUT_MILLIS));
          if (!reply.ok()) {
            throw new ClusterFailedException(
                "the opening of workload %s does not commit: %s"
                    .formatted(workload.kind(), reply.error()));
          }
        }
      }
    }

    private interface Attempt {
      Reply make() throws InterruptedException;
    }

    /** Repeats an attempt until it succeeds or the time to recover is over. */
    private Reply persist(Attempt attempt) throws InterruptedException {
      long giveUp = System.nanoTime() + (long) (options.recoverySeconds() * NANOS);
      Reply reply = attempt.make();
      while (!reply.ok() && System.nanoTime() - giveUp < 0) {
        Thread.sleep(POLL_MILLIS);
        reply = attempt.make();
      }
      return reply;
    }

    private double causeFaults(Nemesis nemesis) throws IOException, InterruptedException {
      long begin = System.nanoTime();
      long end = begin + (long) (options.seconds() * NANOS);
      long longest = begin + (long) (options.seconds() * STRETCH * NANOS);
      long next = begin;
      try (Progress.Phase phase = progress.begin("faults", "s", Math.round(options.seconds()))) {
        while (System.nanoTime() - end < 0
            || (System.nanoTime() - longest < 0 && !hasShown(nemesis))) {
          if (System.nanoTime() - next >= 0) {
            nemesis.step();
            next = System.nanoTime() + Pace.nanos(options.faultEverySeconds(), random);
          }
          phase.update(Math.round((System.nanoTime() - begin) / NANOS), state(nemesis));
          Thread.sleep(POLL_MILLIS);
        }
      }
      return Math.round((System.nanoTime() - begin) / NANOS * 10) / 10.0;
    }

    private boolean hasShown(Nemesis nemesis) {
      return nemesis.allSeen()
          && workloads.stream().allMatch(t -> t.committed() >= options.minCommitted());
    }

    private String state(Nemesis nemesis) {
      StringBuilder text = new StringBuilder();
      workloads.forEach(
          t -> text.append(String.format(Locale.ROOT, "%s %,d, ", t.kind(), t.committed())));
      nemesis
          .seen()
          .forEach((fault, n) -> text.append(String.format(Locale.ROOT, "%s %,d ", fault, n)));
      return text.toString();
    }

    /** Waits until all servers serve and all workloads commit; returns the time of that. */
    private long recover(ClientProcesses clients, Nemesis nemesis)
        throws IOException, InterruptedException {
      long healed = System.nanoTime();
      while (servers.serving().size() < servers.size()) {
        servers.check();
        if (System.nanoTime() - healed > SERVE_SECONDS * NANOS) {
          problems.add("not all servers serve %d s after the faults".formatted(SERVE_SECONDS));
          return now();
        }
        Thread.sleep(POLL_MILLIS);
      }
      servingMillis = (System.nanoTime() - healed) / NANOS_PER_MILLI;
      String problem = nemesis.endChange();
      if (problem != null) {
        problems.add(problem);
      }
      clients.startMissing(List.of());
      clients.awaitReady();
      long from = now();
      while (workloads.stream().anyMatch(t -> t.latestCommittedBeganNanos() < from)) {
        if (now() - from > options.recoverySeconds() * NANOS) {
          workloads.stream()
              .filter(t -> t.latestCommittedBeganNanos() < from)
              .forEach(
                  t ->
                      problems.add(
                          "no operation of workload %s that began after the faults committed within %s s"
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

    /** Every operation that begins after the recovery must be decided. */
    private void judgeAfterFaults(long fromNanos) {
      for (RecordedWorkload workload : workloads) {
        long undecided =
            Invocation.of(workload.operations()).stream()
                .filter(i -> i.begin().timeNanos() >= fromNanos)
                .filter(i -> i.end() == null || i.end().type() == OperationType.INFO)
                .count();
        if (undecided > 0) {
          problems.add(
              "%d operations of workload %s that began after the recovery stayed undecided"
                  .formatted(undecided, workload.kind()));
        }
      }
    }

    /** No read commits over an undecided transaction, so after this all are decided. */
    private void readAll(ClientProcesses clients) throws InterruptedException {
      for (RecordedWorkload workload : workloads) {
        int[] process = {
          workload.operations().stream().mapToInt(Operation::process).max().orElse(0)
        };
        for (Request request : workload.workload().closing()) {
          Reply reply =
              persist(
                  () -> {
                    process[0]++;
                    return workload.carryOut(request, process[0], clients.get(0), TIMEOUT_MILLIS);
                  });
          if (!reply.ok()) {
            problems.add(
                "the keys of workload %s cannot be read %s s after the faults: %s"
                    .formatted(workload.kind(), options.recoverySeconds(), reply.error()));
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
      for (RecordedWorkload workload : workloads) {
        List<Operation> operations = workload.operations();
        if (workload.committed() < options.minCommitted()) {
          missing.add(
              "workload %s committed %,d operations, less than %,d: run longer"
                  .formatted(workload.kind(), workload.committed(), options.minCommitted()));
        }
        Path file = histories.get(workload.kind());
        if (file != null) {
          OperationWriter.write(operations, file);
        }
        judged.add(HistoryReport.of(workload.kind(), operations, options.order()));
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
