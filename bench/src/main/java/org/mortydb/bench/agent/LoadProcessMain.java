package org.mortydb.bench.agent;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadSpec;
import org.mortydb.bench.agent.AgentMessages.RunSpec;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.bench.experiment.Checks;
import org.mortydb.bench.experiment.LoadClients;
import org.mortydb.bench.experiment.ResourceProbe;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.bench.measure.CpuMeter.CpuTime;
import org.mortydb.bench.measure.HeapMeter;
import org.mortydb.bench.measure.Pauses;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.LoadClock;
import org.mortydb.workloads.load.LoadGenerator;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.RunResult;
import org.mortydb.workloads.load.Share;
import org.mortydb.workloads.load.Style;
import org.mortydb.workloads.load.Target;
import org.mortydb.workloads.load.Workload;
import tools.jackson.databind.json.JsonMapper;

/**
 * The main program of a process with clients, which an agent starts. It reads commands as lines
 * from standard input, and prints {@link Line}s. Its answers are files in its folder. It ends with
 * its agent.
 */
public final class LoadProcessMain {
  /** The file of the history in the folder. */
  static final String HISTORY = "history";

  private static final JsonMapper MAPPER = new JsonMapper();

  private static final long NANOS_PER_MICRO = 1_000;

  /** Sessions are created before the begin. */
  private static final long LEAST_LEFT_MICROS = 50_000;

  /** More than any load may be late. */
  private static final long MOST_LATE_MICROS = 1_000_000;

  private final LoadSpec spec;
  private final Path folder;
  private final PrintStream out;
  private final Workload workload;
  private final LoadClients clients;
  private final LoadGenerator generator;
  private int answered;

  /**
   * What the process prints, one line each. Exactly one part is present.
   *
   * @param answered the number of a command whose answer is in its file
   * @param progress the progress of the current command
   * @param failure why the process ends
   */
  record Line(@Nullable Integer answered, @Nullable Shown progress, @Nullable String failure) {}

  /** The progress of a phase. */
  record Shown(String phase, String unit, long done, long total, String message) {}

  private LoadProcessMain(LoadSpec spec, Path folder, PrintStream out)
      throws IOException, InterruptedException, InvalidConfigException {
    this.spec = spec;
    this.folder = folder;
    this.out = out;
    WorkloadChoice choice = WorkloadChoice.of(spec.workload(), spec.options());
    this.workload = choice.create(spec.seed());
    RetryPolicy retry =
        new RetryPolicy(Integer.MAX_VALUE, spec.backoffMicros(), spec.backoffCapMicros());
    TransactionOptions transaction =
        RetryDefaults.of(retry).withDeadlineMicros(spec.deadlineMicros());
    this.clients =
        LoadClients.connect(
            ClusterConfig.parse(spec.config()),
            List.of(spec.region()),
            spec.loops(),
            transaction,
            0,
            Style.valueOf(spec.style().toUpperCase(Locale.ROOT)),
            () -> spec.history() ? new HistoryLog(folder.resolve(HISTORY)) : null);
    this.generator =
        new LoadGenerator(
            workload,
            clients.targets(),
            this::begin,
            spec.seed(),
            LoadClock.WALL,
            new Share(spec.share(), spec.shares()));
  }

  /** The file of the answer to a command. */
  static Path answer(Path folder, int command) {
    return folder.resolve("answer-" + command + ".json");
  }

  /** Runs clients; the argument is the folder. */
  public static void main(String[] args) throws IOException {
    ChildJvm.endWithParent();
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // a logger may print there
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      LoadSpec spec = MAPPER.readValue(in.readLine(), LoadSpec.class);
      LoadProcessMain process = new LoadProcessMain(spec, Path.of(args[0]), out);
      process.print(new Line(0, null, null));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        process.execute(MAPPER.readValue(line, LoadCommand.class));
      }
    } catch (IOException | InterruptedException | InvalidConfigException | RuntimeException e) {
      e.printStackTrace();
      String message = e.getMessage();
      out.println(
          MAPPER.writeValueAsString(
              new Line(null, null, message == null ? e.toString() : message)));
      System.exit(1);
    }
    System.exit(0);
  }

  private void print(Line line) {
    out.println(MAPPER.writeValueAsString(line));
  }

  private Progress.Phase begin(String name, String unit, long total) {
    return new Progress.Phase() {
      @Override
      public void update(long done, String message) {
        print(new Line(null, new Shown(name, unit, done, total, message), null));
      }

      @Override
      public void close() {}
    };
  }

  private void execute(LoadCommand command) throws IOException, InterruptedException {
    Object answer =
        switch (command.kind()) {
          case FILL -> new LoadAnswers.Filled(generator.fill());
          case RUN -> {
            RunSpec run = command.run();
            if (run == null) {
              throw new IllegalArgumentException("the command RUN does not say what to run");
            }
            yield run(run);
          }
          case HEAP -> new LoadAnswers.Heap(heap());
          case AUDIT -> audit();
          case CLOSE -> close();
        };
    Path file = answer(folder, ++answered);
    MAPPER.writeValue(file, answer);
    print(new Line(answered, null, null));
  }

  private LoadAnswers.Ran run(RunSpec run) throws InterruptedException {
    RunOptions options =
        new RunOptions(
            run.sessions(),
            run.ratePerSecond() == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(run.ratePerSecond()),
            Arrivals.valueOf(run.arrivals().toUpperCase(Locale.ROOT)),
            run.warmupSeconds(),
            run.seconds(),
            run.seed(),
            Style.valueOf(spec.style().toUpperCase(Locale.ROOT)));
    long heapBytes = heap(); // before the load, because hosts do not warm up for equally long
    try (ResourceProbe probe = ResourceProbe.withoutHeaps()) {
      long leftMicros = run.beginMicros() - AgentMessages.micros(Instant.now());
      if (leftMicros < LEAST_LEFT_MICROS) {
        return LoadAnswers.Ran.tooLate(MOST_LATE_MICROS - leftMicros, unknown());
      }
      long beginNanos = System.nanoTime() + leftMicros * NANOS_PER_MICRO;
      RunResult result = generator.runAt(beginNanos, options, probe);
      long planned = beginNanos + (long) (run.warmupSeconds() * 1e9);
      return new LoadAnswers.Ran(
          result.measurement().toRecord(),
          result.offered().orElse(null),
          result.unfinished(),
          TimeUnit.NANOSECONDS.toMicros(result.window().startNanos() - planned),
          probe.cpuOfWindow().map(CpuTime::ownNanos).orElse(null),
          heapBytes,
          ownPauses(probe),
          unknown());
    }
  }

  private static Pauses.@Nullable OfProcess ownPauses(ResourceProbe probe) {
    Pauses pauses = probe.pausesOfWindow();
    return pauses == null ? null : pauses.processes().getLast();
  }

  private static long heap() {
    try (HeapMeter meter = new HeapMeter(List.of())) {
      return meter.ownAfterCollection();
    }
  }

  private long unknown() {
    return clients.targets().stream().mapToLong(LoadProcessMain::unknown).sum();
  }

  private static long unknown(Target target) {
    HistoryLog log = target.log();
    return log == null ? 0 : log.unknown();
  }

  /** The workload of one process has not seen the outcomes of the others' transactions. */
  private LoadAnswers.Audited audit() {
    Target target = clients.targets().getFirst();
    boolean known = spec.shares() == 1 && unknown(target) == 0;
    return new LoadAnswers.Audited(
        Checks.audit(workload, target, known, generator.nextSession(), this::begin));
  }

  private LoadAnswers.Closed close() throws IOException {
    clients.close();
    HistoryLog log = clients.targets().getFirst().log();
    if (log == null) {
      return new LoadAnswers.Closed(0, 0);
    }
    log.close();
    return new LoadAnswers.Closed(log.size(), Files.size(folder.resolve(HISTORY)));
  }
}
