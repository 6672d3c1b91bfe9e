package org.mortydb.bench.fleet;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadCommand.Kind;
import org.mortydb.bench.agent.AgentMessages.LoadRequest;
import org.mortydb.bench.agent.AgentMessages.LoadSpec;
import org.mortydb.bench.agent.AgentMessages.LoadState;
import org.mortydb.bench.agent.AgentMessages.ServerRequest;
import org.mortydb.bench.agent.AgentMessages.Status;
import org.mortydb.bench.agent.LoadAnswers.Audited;
import org.mortydb.bench.agent.LoadAnswers.Closed;
import org.mortydb.bench.agent.LoadAnswers.Filled;
import org.mortydb.bench.agent.LoadAnswers.Heap;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.cluster.ServerJvm;
import org.mortydb.bench.fleet.AgentsFile.Agent;
import org.mortydb.bench.report.Consistency;
import org.mortydb.bench.report.Report.HeapUse;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.client.RetryPolicy;
import org.mortydb.config.Address;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Share;
import org.mortydb.workloads.load.Workload;

/** A running cluster with clients on the hosts of agents. For one thread. */
final class FleetRun implements AutoCloseable {
  private static final long START_SECONDS = 120;
  private static final long MOST_FILL_SECONDS = 4 * 3_600;
  private static final long MOST_HEAP_SECONDS = 300;
  private static final long MOST_AUDIT_SECONDS = 3_600;
  private static final long MOST_CLOSE_SECONDS = 600;

  /** What remains free on this machine's disk when histories are gathered. */
  private static final long LEAST_FREE_BYTES = 256L * 1024 * 1024;

  private final FleetExperiment experiment;
  private final Placement placement;
  private final Progress progress;
  private final Hosts hosts;
  private final RunCertificates certificates;
  private final Map<Agent, LeasedAgent> leased = new ConcurrentHashMap<>();

  /** The clients in the order of their shares. */
  private final List<LeasedAgent> clients = new ArrayList<>();

  /** How often the progress of a host was shown. The hosts take turns, also in short phases. */
  private int turn;

  private FleetRun(FleetExperiment experiment, Progress progress) {
    this.experiment = experiment;
    this.progress = progress;
    this.placement = Placement.of(experiment.agents(), experiment.cluster());
    this.hosts = new Hosts(experiment, placement);
    this.certificates = RunCertificates.of(experiment.agents(), experiment.cluster());
  }

  /**
   * Compares the clocks, takes the leases, and starts servers and clients. Returns when all serve
   * and are connected.
   *
   * @throws AgentFailedException if that fails
   */
  static FleetRun start(FleetExperiment experiment, RunOptions options, Progress progress)
      throws InterruptedException {
    FleetRun run = new FleetRun(experiment, progress);
    boolean started = false;
    try {
      run.hosts.compare();
      run.takeLeases();
      run.startServers();
      run.startClients(options);
      started = true;
      return run;
    } finally {
      if (!started) {
        run.close();
      }
    }
  }

  /** A lease that is taken is kept, even if another one cannot be taken. */
  private void takeLeases() throws InterruptedException {
    var unused =
        AtOnce.send(
            hosts.connections(),
            connection -> leased.put(connection.agent(), LeasedAgent.lease(connection)));
  }

  private LeasedAgent leased(Agent agent) {
    LeasedAgent found = leased.get(agent);
    if (found == null) {
      throw new IllegalStateException("no lease of " + agent);
    }
    return found;
  }

  private String config(LeasedAgent agent) {
    List<Address> addresses = new ArrayList<>();
    for (Agent server : placement.servers()) {
      Address address = server.server();
      if (address != null) {
        addresses.add(address);
      }
    }
    return ClusterFile.of(experiment.cluster(), addresses, Path.of(agent.folder()));
  }

  private void startServers() throws InterruptedException {
    List<LeasedAgent> servers = placement.servers().stream().map(this::leased).toList();
    for (int i = 0; i < servers.size(); i++) {
      LeasedAgent agent = servers.get(i);
      agent.post(
          "/server",
          new ServerRequest(
              ClusterFile.serverName(i),
              config(agent),
              experiment.cluster().serverJvmOptions(),
              certificates.ofServer(i)));
    }
    try (Progress.Phase phase = progress.begin("start", "servers", servers.size())) {
      long deadline = deadline(START_SECONDS);
      for (int i = 0; i < servers.size(); i++) {
        while (!servers.get(i).await(status -> status.serving())) {
          check();
          if (System.nanoTime() - deadline > 0) {
            throw servers
                .get(i)
                .failed(
                    "its server does not serve after %d s: do the hosts reach each other's server"
                            .formatted(START_SECONDS)
                        + " addresses?",
                    null);
          }
        }
        phase.update(i + 1L, servers.get(i).agent().name());
      }
    }
    // The agents connect to their servers now, because that would disturb a load.
    var unused = AtOnce.send(servers, LeasedAgent::serverHeap);
  }

  private void startClients(RunOptions options) throws InterruptedException {
    RetryPolicy retry = experiment.transaction().retry();
    List<String> regions = experiment.cluster().regions();
    for (int region = 0; region < placement.clients().size(); region++) {
      for (Agent agent : placement.clients().get(region)) {
        LeasedAgent client = leased(agent);
        client.post(
            "/load",
            new LoadRequest(
                new LoadSpec(
                    config(client),
                    regions.get(region),
                    experiment.cluster().clientLoops(),
                    experiment.workload().name(),
                    texts(experiment.workload().options()),
                    options.seed(),
                    clients.size(),
                    placement.shares(),
                    experiment.transaction().deadlineMicros(),
                    retry.baseMicros(),
                    retry.capMicros(),
                    options.style().name().toLowerCase(Locale.ROOT),
                    experiment.check()),
                ServerJvm.of(experiment.agents().clientJvm()),
                certificates.ofClients()));
        clients.add(client);
      }
    }
    awaitAnswers(clients, Collections.nCopies(clients.size(), 0), "connect", START_SECONDS);
  }

  private static Map<String, String> texts(Map<String, Object> values) {
    Map<String, String> texts = new LinkedHashMap<>();
    values.forEach((name, value) -> texts.put(name, value.toString()));
    return texts;
  }

  private static long deadline(long seconds) {
    return System.nanoTime() + seconds * 1_000_000_000L;
  }

  /**
   * Checks that nothing has failed on any host.
   *
   * @throws AgentFailedException if something has
   */
  private void check() {
    leased.values().forEach(agent -> agent.status());
  }

  /** The hosts of the run. */
  Hosts hosts() {
    return hosts;
  }

  // ---- commands ---------------------------------------------------------------------------------

  /**
   * Fills the records.
   *
   * @return runs loads on them
   * @throws AgentFailedException if they cannot be filled
   */
  FleetLoad fill(Workload workload) throws InterruptedException {
    long filled = 0;
    for (Filled answer : all(Kind.FILL, Filled.class, "load", MOST_FILL_SECONDS)) {
      filled += answer.transactions();
    }
    if (filled != workload.initialTransactionCount()) {
      throw new AgentFailedException(
          "only %d of the %d transactions that fill the records committed on all hosts together"
              .formatted(filled, workload.initialTransactionCount()));
    }
    return new FleetLoad(this, workload);
  }

  /**
   * The heaps from a load until now.
   *
   * @param usage what was measured in the load
   */
  HeapUse heaps(Usage usage) throws InterruptedException {
    long ofClients =
        all(Kind.HEAP, Heap.class, "collect", MOST_HEAP_SECONDS).stream()
            .mapToLong(Heap::bytes)
            .sum();
    List<Long> ofServers =
        AtOnce.send(servers(), LeasedAgent::serverHeap).stream().filter(Objects::nonNull).toList();
    boolean known = ofServers.size() == servers().size();
    return new HeapUse(
        usage.clientHeaps(),
        ofClients,
        known ? usage.serverHeaps() : null,
        known ? (Long) ofServers.stream().mapToLong(Long::longValue).sum() : null);
  }

  /** The names of the agents with clients, in the order of their shares. */
  List<String> clientNames() {
    return clients.stream().map(client -> client.agent().name()).toList();
  }

  /** Checks the workload's conditions from the first clients; null if there are none. */
  @Nullable Consistency audit() throws InterruptedException {
    LeasedAgent first = clients.getFirst();
    int command = first.command(new LoadCommand(Kind.AUDIT, null));
    awaitAnswers(List.of(first), List.of(command), "audit", MOST_AUDIT_SECONDS);
    return first.answer(command, Audited.class).consistency();
  }

  /**
   * Ends the clients, and copies their histories.
   *
   * @param into null if there are no histories
   * @throws AgentFailedException if one is damaged, or does not fit on the disk
   */
  void gather(@Nullable HistoryFolder into) throws IOException, InterruptedException {
    List<Closed> closed = all(Kind.CLOSE, Closed.class, "close", MOST_CLOSE_SECONDS);
    if (into == null) {
      return;
    }
    long bytes = closed.stream().mapToLong(one -> Math.max(0, one.bytes())).sum();
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    if (bytes > Files.getFileStore(folder).getUsableSpace() - LEAST_FREE_BYTES) {
      throw new AgentFailedException(
          "the histories of %,d bytes do not fit in %s: make room, or name another folder with"
                  .formatted(bytes, folder)
              + " MORTY_JAVA_OPTS=-Djava.io.tmpdir=FOLDER");
    }
    try (Progress.Phase phase = progress.begin("gather", "hosts", clients.size())) {
      for (int i = 0; i < clients.size(); i++) {
        LeasedAgent client = clients.get(i);
        Closed announced = closed.get(i);
        Share share = new Share(i, clients.size());
        try (InputStream history =
            new Bounded(new GZIPInputStream(client.history(), 1 << 16), announced.bytes())) {
          var unused =
              into.copy(
                  history, announced.transactions(), share.firstSession(), share.endOfSessions());
        } catch (IOException e) {
          throw client.failed("its history cannot be copied: " + e.getMessage(), e);
        }
        check();
        phase.update(i + 1L, "%,d transactions".formatted(announced.transactions()));
      }
    }
  }

  /** Ends with an error after the announced number of bytes, whatever the other side sends. */
  private static final class Bounded extends FilterInputStream {
    private long left;

    Bounded(InputStream in, long bytes) {
      super(in);
      left = bytes;
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int count = super.read(buffer, offset, length);
      count(Math.max(0, count));
      return count;
    }

    private void count(int bytes) throws IOException {
      left -= bytes;
      if (left < 0) {
        throw new IOException("it is longer than announced");
      }
    }
  }

  private <T> List<T> all(Kind kind, Class<T> type, String phase, long mostSeconds)
      throws InterruptedException {
    List<Integer> commands = new ArrayList<>();
    for (LeasedAgent client : clients) {
      commands.add(client.command(new LoadCommand(kind, null)));
    }
    return answers(commands, type, phase, mostSeconds);
  }

  /**
   * Waits for the answers of all clients.
   *
   * @param commands the number of the command of each client
   */
  <T> List<T> answers(List<Integer> commands, Class<T> type, String phase, long mostSeconds)
      throws InterruptedException {
    awaitAnswers(clients, commands, phase, mostSeconds);
    List<T> answers = new ArrayList<>();
    for (int i = 0; i < clients.size(); i++) {
      answers.add(clients.get(i).answer(commands.get(i), type));
    }
    return answers;
  }

  /** Waits, and shows the progress of one host after the other. */
  private void awaitAnswers(
      List<LeasedAgent> of, List<Integer> commands, String phase, long mostSeconds)
      throws InterruptedException {
    long deadline = deadline(mostSeconds);
    try (ShownPhase shown = new ShownPhase(phase)) {
      for (int i = 0; i < of.size(); i++) {
        LeasedAgent agent = of.get(i);
        int command = commands.get(i);
        while (!agent.await(status -> hasAnswered(status, command))) {
          check();
          if (System.nanoTime() - deadline > 0) {
            throw agent.failed(
                "its clients have not finished '%s' after %d s".formatted(phase, mostSeconds),
                null);
          }
          shown.show(of.get(turn / 2 % of.size()));
        }
      }
      check();
    }
  }

  private static boolean hasAnswered(Status status, int command) {
    LoadState load = status.load();
    return load != null && load.answered() >= command;
  }

  /** The progress of all hosts as that of one. */
  private final class ShownPhase implements AutoCloseable {
    private String name;
    private Progress.@Nullable Phase phase;

    ShownPhase(String name) {
      this.name = name;
    }

    void show(LeasedAgent agent) {
      LoadState load = agent.status().load();
      if (load == null || load.phase().isEmpty()) {
        return;
      }
      if (phase == null || !name.equals(load.phase())) {
        close();
        name = load.phase();
        phase = progress.begin(name, load.unit(), load.total());
      }
      phase.update(load.done(), agent.agent().name() + ": " + load.message());
      turn++;
    }

    @Override
    public void close() {
      if (phase != null) {
        phase.close();
        phase = null;
      }
    }
  }

  /** The clients, in the order of their shares. */
  List<LeasedAgent> clients() {
    return clients;
  }

  /** The hosts with servers. */
  List<LeasedAgent> servers() {
    return placement.servers().stream().map(this::leased).toList();
  }

  /** A moment of this machine's clock by the clock of an agent, in microseconds since 1970. */
  long byClockOf(LeasedAgent agent, long micros) {
    return micros + hosts.offset(agent.agent()).micros();
  }

  /** Ends everything on all hosts. */
  @Override
  public void close() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      leased.values().forEach(agent -> threads.execute(agent::close));
    }
    hosts.close();
  }
}
