package org.mortydb.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.ListAppendChecker;
import org.mortydb.check.anomaly.RegisterChecker;
import org.mortydb.check.anomaly.TimestampOrderChecker;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.anomaly.VersionOrderChecker;
import org.mortydb.check.history.History;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Guarantee;
import org.mortydb.protocol.system.Inspectable;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.host.HostedMachine;
import org.mortydb.sim.host.HostedReplica;
import org.mortydb.sim.host.Observer;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.host.SimDurability;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.Network;

/**
 * Runs a whole deployment under one seed: a phase with faults, a phase without, a pause until all
 * is settled, a read of all keys, and the checks. The seed and the options determine every event.
 */
public final class SeedRun {
  /** How often attempts get other ids. */
  private static final int RENUMBERINGS = 10;

  private static final int MISJUDGEMENTS = 4;

  /** How often replicas get more time to forget. */
  private static final int MOST_QUIET = 8;

  /** A client that is wrong believes of one replica in so many that it cannot reach it. */
  private static final int UNREACHABLE_ONE_IN = 3;

  /** More events than any correct run takes. */
  private static final long MAX_EVENTS = 3_000_000;

  private final long seed;
  private final SeedOptions options;
  private final Randomness randomness;
  private final @Nullable StepLog steps;
  private final Run run;
  private final CpuModel cpuModel;
  private final List<Host> hosts = new ArrayList<>();
  private final List<ReplicaHost> servers = new ArrayList<>();
  private final List<FaultInjector.Client> clients = new ArrayList<>();
  private final List<SimSession> sessions = new ArrayList<>();
  private @Nullable LevelReaders readers;
  private @Nullable PastQuestions questions;
  private long lastTxnMicros;
  private int undecided;

  private SeedRun(long seed, SeedOptions options, SimTrace.Factory traces) {
    this.seed = seed;
    this.options = options;
    randomness = new Randomness(seed);
    SeedPlan plan =
        SeedPlan.draw(
            randomness,
            options.mix(),
            options.drawnFaults(),
            options.keptDurability(),
            options.system().scans());
    SeedPlan.ClusterPlan cluster = plan.cluster();
    Kernel kernel = new Kernel();
    SimTrace trace = traces.create(kernel);
    Marks marks = new Marks();
    steps = options.steps() == null ? null : StepLog.open(options.steps(), seed, cluster.f());
    Watch watch =
        new Watch(
            options.system(),
            cluster.f(),
            1_021,
            plan.topology(0).map(),
            marks,
            steps == null ? Observer.NONE : steps,
            kernel::nowMicros);
    Network network = new Network(kernel, plan.delays(), randomness.stream("network"), trace);
    Fabric fabric = new Fabric(network, trace, watch, cluster.partitions(), cluster.replicas());
    RunHistory history = new RunHistory(kernel, watch);
    run = new Run(plan, kernel, network, fabric, trace, watch, history, marks);
    cpuModel = CpuModel.constant(cluster.serviceNanos());
  }

  /**
   * Runs a seed, on a virtual thread: it changes often to those of bodies.
   *
   * @throws UncheckedIOException if the trace or the steps cannot be written
   */
  public static SeedResult run(long seed, SeedOptions options) {
    if (Thread.currentThread().isVirtual()) {
      return runHere(seed, options);
    }
    FutureTask<SeedResult> task = new FutureTask<>(() -> runHere(seed, options));
    Thread.ofVirtual().start(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in seed " + seed, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError("seed " + seed + " failed", e);
    }
  }

  private static SeedResult runHere(long seed, SeedOptions options) {
    if (options.trace() == null) {
      return new SeedRun(seed, options, SimTrace::digestOnly).runAndClose();
    }
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(options.trace()))) {
      return new SeedRun(seed, options, kernel -> SimTrace.writing(kernel, out)).runAndClose();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the trace to " + options.trace(), e);
    }
  }

  private SeedResult runAndClose() {
    try {
      return run();
    } finally {
      clients.forEach(client -> client.host().close());
    }
  }

  private SeedResult run() {
    run.trace().write(() -> "seed " + seed + " " + run.plan().summary());
    buildReplicas();
    buildClients();
    buildReaders();
    CrashSchedule crashes = new CrashSchedule(run, servers, options.amnesia());
    new FaultInjector(run, hosts, clients, crashes).schedule(randomness);
    boolean changesMap = run.plan().besides().changesMap() && options.system().isDurable();
    if (options.system().scans()) {
      new Backups(run).schedule(randomness.stream("backups"));
    }
    Changes changes = new Changes(run, servers, options.system(), this::startReplica);
    OldClients oldClients = new OldClients(run);
    if (changesMap) {
      crashes.mayGoBack(
          () -> {
            if (!changes.areFinishing() && run.watch().gone().isEmpty()) {
              new Operator(run, servers).goBackBetween(changes);
            }
          });
      changes.schedule(randomness.stream("changes"));
      run.fabric().loseForGood(new EndedReplicas(run.watch()));
      oldClients.start(randomness.stream("old clients"));
      if (options.system().readsPast()) {
        questions = new PastQuestions(run, randomness.stream("questions"));
        questions.start();
      }
    }
    sessions.forEach(SimSession::start);
    if (runSessions()) {
      oldClients.stop();
      changes.finish();
      rest(changes::areOver, changes.longestMicros());
      if (!changes.areOver()) {
        run.watch().violated(Rule.LIVENESS, "a change of the map does not end");
      } else if (changesMap && goesBack()) {
        new Operator(run, servers).goBackAfterChanges();
        rest(changes::areOver, 0);
      }
      checkRest();
      checkTruncation();
      new Audit(options.system(), run).run(hosts, mustBeReadable(), lastTxnMicros);
      check();
      checkLeftovers();
    }
    run.watch().checkReplicas();
    run.trace().fold(run.kernel().executed(), run.watch().violations().size());
    if (steps != null) {
      steps.close();
    }
    return new SeedResult(
        seed,
        options.mix(),
        run.plan().summary(),
        run.trace().digest(),
        List.copyOf(run.watch().violations()),
        run.marks(),
        run.kernel().executed(),
        run.kernel().nowMicros(),
        undecided);
  }

  // ---- building -------------------------------------------------------------------------------

  private void buildReplicas() {
    SeedPlan.ClusterPlan cluster = run.plan().cluster();
    SplittableRandom clocks = randomness.stream("clocks/replicas");
    Topology topology = run.plan().topology(0);
    for (int region = 0; region < cluster.replicas(); region++) {
      ReplicaHost shared = cluster.spread() ? null : replicaHost("server" + region, region, clocks);
      for (int partition = 0; partition < cluster.partitions(); partition++) {
        ReplicaId id = new ReplicaId(partition, region);
        ReplicaHost host = shared == null ? replicaHost(id.toString(), region, clocks) : shared;
        Supplier<HostedMachine> program = () -> replica(id, host, topology);
        if (options.system().isDurable() && run.plan().cluster().founded()) {
          host.addFounder(id, program);
        } else {
          host.add(id, program);
        }
      }
    }
  }

  /** Starts a replica of a new partition. */
  private void startReplica(ReplicaId id, ReplicaHost host, ClusterMap proposed) {
    host.addFounder(
        id,
        () -> {
          MapHistory maps = new MapHistory(run.plan().topology(0).map());
          return hosted(
              id,
              host,
              ((Morty) options.system()).replica(id, maps, proposed, run.plan().replica()));
        });
  }

  private HostedMachine replica(ReplicaId id, ReplicaHost host, Topology topology) {
    StateMachine<Effects> machine;
    try {
      machine = options.system().replica(id, topology, run.plan().replica());
    } catch (RuntimeException | AssertionError | LinkageError | StackOverflowError e) {
      throw new ReplicaNotMadeException(id, e);
    }
    return hosted(id, host, machine);
  }

  private HostedMachine hosted(ReplicaId id, ReplicaHost host, StateMachine<Effects> machine) {
    if (machine instanceof Replica replica) {
      run.watch().add(id, host, replica);
      return new HostedReplica(replica);
    }
    if (machine instanceof Inspectable state) {
      run.watch().add(id, state);
    }
    return machine::step;
  }

  private ReplicaHost replicaHost(String name, int region, SplittableRandom clocks) {
    HostSpec spec = spec(name, region, run.plan().cluster().cores(), clocks);
    SplittableRandom disk = randomness.child("disk", hosts.size()).stream("forces");
    ReplicaHost host =
        new ReplicaHost(spec, run.kernel(), run.fabric(), cpuModel, run.plan().disk(), disk);
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
            .withCoordinator(run.plan().coordinator())
            .withTransaction(run.plan().transaction());
    for (int i = 0; i < run.plan().load().clients(); i++) {
      long number = ids.nextLong();
      ClientId id = new ClientId(run.plan().cluster().smallClientIds() ? i + 1 : number);
      int region = ids.nextInt(run.plan().cluster().replicas());
      ClientHost host =
          new ClientHost(
              spec("client" + i, region, 1, clocks),
              run.kernel(),
              run.fabric(),
              cpuModel,
              id,
              run.plan().topology(region),
              engine.withSlots(run.plan().slots(i, region)),
              run.plan().delays().farthestMicros(region),
              randomness.child("client", i).stream("retries"));
      hosts.add(host);
      SimSession.LastCompletion last = new SimSession.LastCompletion();
      host.engine()
          .listen(
              attempt -> {
                if (host.isDead()) {
                  return;
                }
                last.completion = attempt.completion();
                if (attempt.completion() instanceof Completion.Committed committed
                    && !committed.isEmpty()) {
                  last.heardOf(committed.position());
                  lastTxnMicros = Math.max(lastTxnMicros, lastMicros(committed));
                }
                run.watch().onCompletion(id, attempt.completion());
                run.history().attemptEnded(attempt);
              });
      List<SimSession> own = new ArrayList<>();
      for (int s = 0; s < run.plan().load().sessions(); s++) {
        SplittableRandom random =
            randomness.child("client", i).child("session", s).stream("programs");
        int index = sessions.size();
        SimSession session = new SimSession(index, run, host, last, random);
        sessions.add(session);
        own.add(session);
      }
      clients.add(new FaultInjector.Client(host, own));
      renumber(host, randomness.child("client", i).stream("renumbering"));
      misjudgeReach(host, randomness.child("client", i).stream("reach"));
    }
  }

  /** At some times, waiting attempts of half of the clients with slots get other ids. */
  private void renumber(ClientHost host, SplittableRandom random) {
    if (run.plan().slots().used() && random.nextBoolean()) {
      for (int i = 0; i < RENUMBERINGS; i++) {
        long atMicros = random.nextLong(run.plan().faultsEndMicros());
        run.kernel().schedule(atMicros, () -> host.run(host.engine()::renumber));
      }
    }
  }

  /**
   * At some times, half of the clients believe that they cannot reach some replicas, which may or
   * may not be true.
   */
  private void misjudgeReach(ClientHost host, SplittableRandom random) {
    if (random.nextBoolean()) {
      return;
    }
    for (int i = 0; i < MISJUDGEMENTS; i++) {
      Set<ReplicaId> unreachable = new HashSet<>();
      for (int partition = 0; partition < run.plan().cluster().partitions(); partition++) {
        for (int index = 0; index < run.plan().cluster().replicas(); index++) {
          if (random.nextInt(UNREACHABLE_ONE_IN) == 0) {
            unreachable.add(new ReplicaId(partition, index));
          }
        }
      }
      believe(host, unreachable, random.nextLong(run.plan().faultsEndMicros()));
    }
    believe(host, new HashSet<>(), run.plan().faultsEndMicros());
  }

  private void believe(ClientHost host, Set<ReplicaId> unreachable, long atMicros) {
    run.kernel().schedule(atMicros, () -> host.run(() -> host.engine().onUnreachable(unreachable)));
  }

  private void buildReaders() {
    if (!run.plan().besides().readsPast() || !options.system().readsPast()) {
      return;
    }
    SplittableRandom clocks = randomness.stream("clocks/readers");
    List<HostSpec> specs = new ArrayList<>();
    for (int region = 0; region < run.plan().cluster().replicas(); region++) {
      specs.add(spec("reader" + region, region, 1, clocks));
    }
    EngineOptions engine =
        EngineOptions.DEFAULTS
            .withSystem(options.system())
            .withCoordinator(run.plan().coordinator());
    LevelReaders made =
        new LevelReaders(
            engine,
            cpuModel,
            run,
            (id, attempt) -> {
              if (attempt.completion() instanceof Completion.Committed committed) {
                lastTxnMicros = Math.max(lastTxnMicros, lastMicros(committed));
              }
              run.watch().onCompletion(id, attempt.completion());
              run.history().attemptEnded(attempt);
            });
    hosts.addAll(made.start(specs, randomness.stream("readers")));
    readers = made;
  }

  private static long lastMicros(Completion.Committed committed) {
    return Math.max(committed.txn().timeMicros(), committed.position().timeMicros());
  }

  private HostSpec spec(String name, int region, int cores, SplittableRandom clocks) {
    long offset = clocks.nextLong(-run.plan().maxSkewMicros(), run.plan().maxSkewMicros() + 1);
    double drift = clocks.nextInt(-20_000, 20_001);
    boolean skews = run.plan().faults().contains(SimFault.SKEW);
    boolean drifts = run.plan().faults().contains(SimFault.DRIFT);
    return new HostSpec(name, region, cores, skews ? offset : 0, drifts ? drift : 0);
  }

  // ---- phases -----------------------------------------------------------------------------------

  /** Runs until all sessions have ended; false if they do not end in time. */
  private boolean runSessions() {
    long patience =
        run.plan().transaction().deadlineMicros() + run.plan().coordinator().graceMicros();
    long limit = run.plan().stopMicros() + 4 * patience + 20 * run.plan().maxSkewMicros();
    while (!sessions.stream().allMatch(SimSession::isDone)) {
      for (int i = 0; i < 256; i++) {
        run.kernel().runNext();
      }
      if (run.kernel().nowMicros() > limit || run.kernel().executed() > MAX_EVENTS) {
        sessions.stream().filter(session -> !session.isDone()).forEach(this::reportStuck);
        return false;
      }
    }
    return true;
  }

  private void reportStuck(SimSession session) {
    run.watch()
        .violated(
            Rule.STUCK,
            "%s still runs at %,d us, after %,d events; its session should have ended at %,d us"
                .formatted(
                    session.running(),
                    run.kernel().nowMicros(),
                    run.kernel().executed(),
                    run.plan().stopMicros()));
  }

  /**
   * Runs on until all transactions are decided, or the time for that is over.
   *
   * @param moreMicros how long all else may take that begins anew meanwhile
   */
  private void rest(BooleanSupplier isSettled, long moreMicros) {
    run.network().dropLateCopies();
    long start = Math.max(run.kernel().nowMicros(), run.plan().faultsEndMicros());
    long rest = 6 * run.plan().replica().inquireMicros() + 20 * run.plan().maxRoundTripMicros();
    run.kernel().runUntil(start + rest);
    // A replica joins only after the clocks have passed the fence of a rollback, and tries rarely.
    long fence = run.watch().fenceMicros() - HostClock.EPOCH_MICROS;
    long end =
        Math.max(start, fence + run.plan().decisionMicros())
            + moreMicros
            + run.plan().partsMicros()
            + run.plan().decisionMicros();
    while (run.kernel().nowMicros() < end
        && !(run.watch().rest().isReached() && isSettled.getAsBoolean())) {
      run.kernel().runUntil(run.kernel().nowMicros() + rest / 4);
    }
    run.marks()
        .add("decided after (ms of virtual time)", (run.kernel().nowMicros() - start) / 1_000);
  }

  /** Whether the operator takes the cluster back once it is at rest. */
  private boolean goesBack() {
    return run.plan().mix() == FaultMix.CHANGES
        && run.plan().disk().durability() != SimDurability.MEMORY
        && run.watch().gone().isEmpty()
        && randomness.stream("going back").nextBoolean();
  }

  /** Whether no undecided transaction can block a read for ever. */
  private boolean mustBeReadable() {
    return undecided == 0 && run.plan().remembersLongEnough();
  }

  /** Checks what must hold after all activity has ended. */
  private void checkRest() {
    TreeSet<TxnId> open = run.watch().rest().undecided();
    undecided = open.size();
    for (TxnId txn : open) {
      Optional<Outcome> outcome = run.watch().outcomeOf(txn);
      run.trace().write(() -> "undecided: " + txn + ", known outcome: " + outcome);
      if (outcome.isPresent()) {
        run.watch()
            .violated(
                Rule.SETTLED,
                txn + " is undecided at a replica; its known outcome is " + outcome.get());
      } else {
        run.watch()
            .violated(
                Rule.LIVENESS,
                txn + " is undecided " + run.plan().decisionMicros() + " us after the faults");
      }
    }
    if (run.plan().remembersLongEnough()) {
      run.watch().rest().checkInstalled();
    }
    run.watch().asyncCommits().check(run.plan().replica().inquireMicros());
    run.watch().rest().checkNothingLost();
    run.watch().rest().checkAlike();
    run.watch().rest().checkServing();
    List<TxnId> missed = run.watch().unknownOutcomes().missed(run.plan().learningMicros());
    if (run.plan().isCalm() && !missed.isEmpty()) {
      run.watch().violated(Rule.DECIDED, "their clients do not know the outcomes of " + missed);
    }
  }

  /** Nothing that a hostile client leaves behind holds up truncation. */
  private void checkTruncation() {
    if (!run.plan().faults().contains(SimFault.HOSTILE)) {
      return;
    }
    long expected = HostClock.EPOCH_MICROS + run.kernel().nowMicros();
    long patience = run.plan().replica().retentionMicros() + run.plan().decisionMicros();
    long reached = run.watch().rest().lowestWatermarkMicros();
    while (reached < expected) {
      run.kernel().runUntil(run.kernel().nowMicros() + patience);
      long before = reached;
      reached = run.watch().rest().lowestWatermarkMicros();
      if (reached <= before) {
        run.watch().violated(Rule.LIVENESS, "a watermark stands still at " + reached + " us");
        return;
      }
    }
  }

  /** Long after the last transaction, replicas have forgotten all that only transactions need. */
  private void checkLeftovers() {
    // A replica whose clock leaps may hold writes of transactions that are far ahead.
    boolean leaps = run.plan().faults().contains(SimFault.LEAP);
    if (!options.system().isDurable() || leaps || !run.watch().violations().isEmpty()) {
      return;
    }
    ReplicaOptions limits = run.plan().replica();
    long quiet =
        3 * (limits.pruneMicros() + limits.watermarkLagMicros() + limits.holdMicros())
            + run.plan().decisionMicros();
    long start = run.plan().stopMicros() + run.plan().transaction().deadlineMicros();
    run.kernel().runUntil(Math.max(start, run.kernel().nowMicros()) + quiet);
    List<String> left = run.watch().rest().leftovers();
    // Where a force takes as long as a round covers, rounds lag for long.
    for (int i = 0; i < MOST_QUIET && !left.isEmpty(); i++) {
      run.kernel().runUntil(run.kernel().nowMicros() + quiet);
      left = run.watch().rest().leftovers();
    }
    left.forEach(text -> run.watch().violated(Rule.LEFT_OVER, text));
  }

  // ---- checks -----------------------------------------------------------------------------------

  private void check() {
    History transactions = run.history().finish();
    if (options.system().guarantee() == Guarantee.SERIALIZABLE_BY_POSITION) {
      check(
          Rule.TIMESTAMP_ORDER, TimestampOrderChecker.check(transactions, run.watch()::outcomeOf));
    } else {
      check(Rule.VERSION_ORDER, VersionOrderChecker.check(transactions, run.watch()::outcomeOf));
    }
    check(Rule.REGISTER, RegisterChecker.check(transactions));
    check(Rule.LIST_APPEND, ListAppendChecker.check(run.history().lists()));
    if (readers != null) {
      readers.check();
    }
    if (questions != null) {
      questions.check(LevelReaders.written(run.watch()));
    }
    run.marks().add("transactions", transactions.size());
  }

  private void check(Rule rule, Verdict verdict) {
    run.marks().add("checked/" + rule, verdict.coverage().readsChecked());
    if (!verdict.satisfies(options.system().guarantee())) {
      run.watch().violated(rule, verdict.toString());
    } else if (verdict instanceof Verdict.Violated permitted) {
      permitted.first().forEach(anomaly -> run.marks().add("permitted/" + anomaly.kind(), 1));
      run.trace().write(permitted::toString);
    }
  }
}
