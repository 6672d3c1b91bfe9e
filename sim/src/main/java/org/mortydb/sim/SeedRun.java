package org.mortydb.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.mortydb.check.anomaly.ListAppendChecker;
import org.mortydb.check.anomaly.RegisterChecker;
import org.mortydb.check.anomaly.TimestampOrderChecker;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.history.History;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.system.Inspectable;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.host.HostedMachine;
import org.mortydb.sim.host.HostedReplica;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.kernel.Trace;
import org.mortydb.sim.net.Network;

/**
 * One run of a whole deployment under one seed: a phase with faults, a phase without, a pause in
 * which everything comes to rest, a reading of all keys, and the checks. Deterministic: the seed
 * and the options decide everything that happens.
 */
public final class SeedRun {
  /** More events than any honest run takes. */
  private static final long MAX_EVENTS = 3_000_000;

  private final long seed;
  private final SeedOptions options;
  private final Randomness randomness;
  private final Plan plan;
  private final Kernel kernel = new Kernel();
  private final Trace trace;
  private final Marks marks = new Marks();
  private final Watch watch;
  private final Network network;
  private final Fabric fabric;
  private final RunHistory history;
  private final CpuModel cpuModel;
  private final List<Host> hosts = new ArrayList<>();
  private final List<ReplicaHost> servers = new ArrayList<>();
  private final List<FaultInjector.Client> clients = new ArrayList<>();
  private final List<Session> sessions = new ArrayList<>();
  private long lastTxnMicros;
  private int undecided;

  private SeedRun(long seed, SeedOptions options, Trace.Factory traces) {
    this.seed = seed;
    this.options = options;
    randomness = new Randomness(seed);
    plan =
        Plan.draw(
            randomness,
            options.drawnFaults(),
            options.keptDurability(),
            options.temper(),
            options.system().scans());
    trace = traces.create(kernel);
    watch = new Watch(options.system(), plan.cluster().f(), 1_021, topology(0)::partitionOf, marks);
    network = new Network(kernel, plan.delays(), randomness.stream("network"), trace);
    Plan.ClusterPlan cluster = plan.cluster();
    fabric = new Fabric(network, trace, watch, cluster.partitions(), cluster.replicas());
    history = new RunHistory(kernel, watch);
    cpuModel = CpuModel.constant(cluster.serviceNanos());
  }

  /**
   * Runs a seed.
   *
   * @throws UncheckedIOException when the trace cannot be written
   */
  public static SeedResult run(long seed, SeedOptions options) {
    if (options.trace() == null) {
      return new SeedRun(seed, options, Trace::digestOnly).run();
    }
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(options.trace()))) {
      return new SeedRun(seed, options, kernel -> Trace.writing(kernel, out)).run();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the trace to " + options.trace(), e);
    }
  }

  private SeedResult run() {
    trace.write(() -> "seed " + seed + " " + plan.summary());
    buildReplicas();
    buildClients();
    CrashSchedule crashes = new CrashSchedule(plan, kernel, servers, options.amnesia(), marks);
    new FaultInjector(plan, kernel, network, trace, hosts, clients, crashes, marks)
        .schedule(randomness);
    if (options.system().scans()) {
      new Backups(plan, kernel, fabric, trace, history, marks)
          .schedule(randomness.stream("backups"));
    }
    sessions.forEach(Session::start);
    if (runSessions()) {
      rest();
      checkRest();
      new Audit(options.system(), plan, kernel, fabric, trace, history, watch, marks)
          .run(hosts, mustBeReadable(), lastTxnMicros);
      check();
    }
    watch.checkReplicas();
    trace.fold(kernel.executed(), watch.violations().size());
    return new SeedResult(
        seed,
        plan.summary(),
        trace.digest(),
        List.copyOf(watch.violations()),
        marks,
        kernel.executed(),
        kernel.nowMicros(),
        undecided);
  }

  // ---- building -------------------------------------------------------------------------------

  private void buildReplicas() {
    Plan.ClusterPlan cluster = plan.cluster();
    SplittableRandom clocks = randomness.stream("clocks/replicas");
    Topology topology = topology(0);
    for (int region = 0; region < cluster.replicas(); region++) {
      ReplicaHost shared = cluster.spread() ? null : replicaHost("server" + region, region, clocks);
      for (int partition = 0; partition < cluster.partitions(); partition++) {
        ReplicaId id = new ReplicaId(partition, region);
        ReplicaHost host = shared == null ? replicaHost(id.toString(), region, clocks) : shared;
        Supplier<HostedMachine> program = () -> replica(id, host, topology);
        if (options.system().isDurable() && plan.isFounded()) {
          host.addFounder(id, program);
        } else {
          host.add(id, program);
        }
      }
    }
  }

  private HostedMachine replica(ReplicaId id, ReplicaHost host, Topology topology) {
    StateMachine<Effects> machine = options.system().replica(id, topology, plan.replica());
    if (machine instanceof Replica replica) {
      watch.add(id, host, replica);
      return new HostedReplica(replica);
    }
    if (machine instanceof Inspectable state) {
      watch.add(id, state);
    }
    return machine::step;
  }

  private ReplicaHost replicaHost(String name, int region, SplittableRandom clocks) {
    HostSpec spec = spec(name, region, plan.cluster().cores(), clocks);
    SplittableRandom disk = randomness.child("disk", hosts.size()).stream("forces");
    ReplicaHost host = new ReplicaHost(spec, kernel, fabric, cpuModel, plan.disk(), disk);
    hosts.add(host);
    servers.add(host);
    return host;
  }

  private void buildClients() {
    SplittableRandom clocks = randomness.stream("clocks/clients");
    SplittableRandom ids = randomness.stream("client ids");
    EngineOptions engine =
        EngineOptions.DEFAULTS
            .withSystem(options.system())
            .withCoordinator(plan.coordinator())
            .withTransaction(plan.transaction());
    for (int i = 0; i < plan.load().clients(); i++) {
      long number = ids.nextLong();
      ClientId id = new ClientId(plan.cluster().smallClientIds() ? i + 1 : number);
      int region = ids.nextInt(plan.cluster().replicas());
      ClientHost host =
          new ClientHost(
              spec("client" + i, region, 1, clocks),
              kernel,
              fabric,
              cpuModel,
              id,
              topology(region),
              engine,
              randomness.child("client", i).stream("retries"));
      hosts.add(host);
      Session.LastCompletion last = new Session.LastCompletion();
      host.engine()
          .listen(
              attempt -> {
                if (host.isDead()) {
                  return;
                }
                last.completion = attempt.completion();
                lastTxnMicros = Math.max(lastTxnMicros, lastMicros(attempt.completion()));
                watch.onCompletion(id, attempt.completion());
                history.attemptEnded(attempt);
              });
      List<Session> own = new ArrayList<>();
      for (int s = 0; s < plan.load().sessions(); s++) {
        SplittableRandom random =
            randomness.child("client", i).child("session", s).stream("programs");
        int index = sessions.size();
        Session session = new Session(index, plan, kernel, trace, host, last, history, random);
        sessions.add(session);
        own.add(session);
      }
      clients.add(new FaultInjector.Client(host, own));
    }
  }

  private static long lastMicros(Completion completion) {
    return completion instanceof Completion.Committed committed
        ? Math.max(committed.txn().timeMicros(), committed.position().timeMicros())
        : completion.txn().timeMicros();
  }

  private Topology topology(int region) {
    int[] closest = new int[plan.cluster().partitions()];
    java.util.Arrays.fill(closest, region);
    return new Topology(plan.cluster().f(), closest);
  }

  private HostSpec spec(String name, int region, int cores, SplittableRandom clocks) {
    long offset = clocks.nextLong(-plan.maxSkewMicros(), plan.maxSkewMicros() + 1);
    double drift = clocks.nextInt(-20_000, 20_001);
    boolean skews = plan.faults().contains(Fault.SKEW);
    boolean drifts = plan.faults().contains(Fault.DRIFT);
    return new HostSpec(name, region, cores, skews ? offset : 0, drifts ? drift : 0);
  }

  // ---- phases -----------------------------------------------------------------------------------

  /** Runs until all sessions are done; false if they never are. */
  private boolean runSessions() {
    long patience = plan.transaction().deadlineMicros() + plan.coordinator().graceMicros();
    long limit = plan.stopMicros() + 4 * patience + 20 * plan.maxSkewMicros();
    while (!sessions.stream().allMatch(Session::isDone)) {
      for (int i = 0; i < 256; i++) {
        kernel.runNext();
      }
      if (kernel.nowMicros() > limit || kernel.executed() > MAX_EVENTS) {
        sessions.stream().filter(session -> !session.isDone()).forEach(this::reportStuck);
        return false;
      }
    }
    return true;
  }

  private void reportStuck(Session session) {
    watch.violated(
        Rule.STUCK,
        "%s still runs at %,d us, after %,d events, although its session should have ended at %,d us"
            .formatted(
                session.running(), kernel.nowMicros(), kernel.executed(), plan.stopMicros()));
  }

  /** Lets what is under way come to an end. */
  private void rest() {
    network.dropLateCopies();
    long start = Math.max(kernel.nowMicros(), plan.faultsEndMicros());
    long rest = 6 * plan.replica().inquireMicros() + 20 * plan.maxRoundTripMicros();
    kernel.runUntil(start + rest);
    while (kernel.nowMicros() < start + plan.decisionMicros() && !watch.rest().isReached()) {
      kernel.runUntil(kernel.nowMicros() + rest / 4);
    }
    marks.add("decided after (ms of virtual time)", (kernel.nowMicros() - start) / 1_000);
  }

  /** Whether nothing is left over that nobody may be left to clear away. */
  private boolean mustBeReadable() {
    return undecided == 0 && plan.remembersLongEnough();
  }

  /** What must be so when nothing is under way any more. */
  private void checkRest() {
    TreeSet<TxnId> open = watch.rest().undecided();
    undecided = open.size();
    for (TxnId txn : open) {
      Optional<Outcome> outcome = watch.outcomeOf(txn);
      trace.write(() -> "undecided: " + txn + ", known is " + outcome);
      if (outcome.isPresent()) {
        watch.violated(
            Rule.SETTLED,
            txn + " is undecided at some replica, although it is known that " + outcome.get());
      } else {
        watch.violated(
            Rule.LIVENESS, txn + " is undecided " + plan.decisionMicros() + " us after the faults");
      }
    }
    if (plan.remembersLongEnough()) {
      watch.rest().checkInstalled();
    }
    watch.rest().checkNothingLost();
    watch.rest().checkAlike();
    watch.rest().checkServing();
    long unknown = marks.count("completed/unknown");
    if (plan.isCalm() && unknown > 0) {
      watch.violated(Rule.DECIDED, unknown + " outcomes are unknown to their clients");
    }
  }

  // ---- checks -----------------------------------------------------------------------------------

  private void check() {
    History transactions = history.finish();
    check(Rule.TIMESTAMP_ORDER, TimestampOrderChecker.check(transactions, watch::outcomeOf));
    check(Rule.REGISTER, RegisterChecker.check(transactions));
    check(Rule.LIST_APPEND, ListAppendChecker.check(history.lists()));
    marks.add("transactions", transactions.size());
  }

  private void check(Rule rule, Verdict verdict) {
    marks.add("checked/" + rule, verdict.coverage().readsChecked());
    if (!verdict.isSerializable()) {
      watch.violated(rule, verdict.toString());
    }
  }
}
