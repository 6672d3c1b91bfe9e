package org.mortydb.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.ClientHost.Boundary;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.host.HostileHost;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.workload.KeyUniverse;

/** Schedules the faults of a plan, and their end. */
final class FaultInjector {
  /** How often servers may lose power after an answer. */
  private static final int MOST_LOSSES = 6;

  /** One answer in so many is followed by a loss of power. */
  private static final int ACKNOWLEDGED_PER_LOSS = 2;

  private static final long HOUR_MICROS = 3_600_000_000L;
  private static final long[] LEAPS_MICROS = {60_000_000L, HOUR_MICROS, 31_536_000_000_000L};

  private final Run run;
  private final List<? extends Host> hosts;
  private final List<Client> clients;
  private final CrashSchedule crashes;

  FaultInjector(Run run, List<? extends Host> hosts, List<Client> clients, CrashSchedule crashes) {
    this.run = run;
    this.hosts = hosts;
    this.clients = clients;
    this.crashes = crashes;
  }

  /** A client process and its sessions. */
  record Client(ClientHost host, List<SimSession> sessions) {}

  /** Draws times and places; each kind of fault has its own generator. */
  void schedule(Randomness randomness) {
    for (SimFault fault : run.plan().faults()) {
      run.marks().add("fault/" + fault.label());
      SplittableRandom random = randomness.stream("faults/" + fault.label());
      switch (fault) {
        case LOSS ->
            run.network().lose(run.plan().mix().loss(run.plan().scenario().loss(random), random));
        case DUPLICATION -> {
          // Very late copies test that replicas recognise transactions they have discarded.
          long late = random.nextBoolean() ? 0 : run.plan().replica().retentionMicros() * 2;
          run.network().duplicate(random.nextInt(5, 300) / 1_000.0, late);
        }
        case REORDERING -> run.network().reorder(true);
        case PARTITION -> repeat(random, 5, this::schedulePartition);
        case SLOW -> repeat(random, 6, this::scheduleSlowness);
        case SKEW, DRIFT -> {
          // Set when the hosts are built.
        }
        case JUMP -> repeat(random, 6, this::scheduleJump);
        case CRASH -> crashes.schedule(random, randomness.stream("faults/going back"));
        case WIPE -> {
          // Drawn for each crash.
        }
        case PAUSE -> repeat(random, 4, this::schedulePause);
        case DEATH -> {
          boolean often =
              random.nextInt(4) == 0
                  || run.plan().scenario() == Scenario.STUBBORN
                  || run.plan().mix().hasManyDeaths();
          clients.forEach(client -> scheduleDeaths(random, client, often));
        }
        case LEAP -> scheduleLeaps(random);
        case HOSTILE -> sendWhateverPasses(random);
      }
    }
    if (run.plan().besides().acknowledgesEarly()) {
      losePowerWhenAcknowledged(randomness.stream("faults/acknowledged"));
    }
    if (run.plan().mix().hasShortCrashes(run.plan().faults())) {
      scheduleShortCrashes(randomness.stream("faults/short crashes"));
    }
    if (run.plan().mix().crashesAfterChanges(run.plan().faults())) {
      scheduleCrashesAfterChanges(randomness.stream("faults/crashes after changes"));
    }
    SplittableRandom outcomes = randomness.stream("faults/outcomes");
    run.fabric().lose(run.plan().mix().outcomeLoss(run, outcomes));
    run.kernel().schedule(run.plan().faultsEndMicros(), this::end);
    if (run.plan().mayLoseRegions()) {
      SplittableRandom regions = randomness.stream("faults/lost regions");
      run.kernel().schedule(run.plan().faultsEndMicros() + 1, () -> loseRegions(regions));
    }
  }

  private void end() {
    run.trace().write(() -> "faults end");
    run.network().lose(0);
    run.fabric().lose(Fabric.Loss.NOTHING);
    run.network().duplicate(0, 0);
    run.network().reorder(false);
    clients.forEach(client -> client.host().spare());
    for (Host host : hosts) {
      // A replica that is about to join derives its fence from its clock.
      host.clock().correct(host instanceof ReplicaHost server && !server.isServing());
    }
  }

  /**
   * In some runs the servers of f regions stop for good, so that f+1 replicas must be enough. The
   * first partitions must have been founded, which takes all servers.
   */
  private void loseRegions(SplittableRandom random) {
    int partitions = run.plan().cluster().partitions();
    boolean founded =
        run.watch().rest().notServing().stream().noneMatch(id -> id.partition() < partitions);
    if (random.nextBoolean() || !founded) {
      return;
    }
    // A change may have made f smaller.
    int lost = run.plan().besides().changesMap() ? 1 : run.plan().cluster().f();
    int first = random.nextInt(run.plan().cluster().replicas());
    run.marks().add("regions lost for good");
    for (ReplicaHost server : servers()) {
      int place = Math.floorMod(server.region() - first, run.plan().cluster().replicas());
      if (place < lost) {
        run.trace().write(() -> server.name() + " stops for good");
        server.crash();
        server.replicas().forEach(run.watch()::gone);
      }
    }
    for (Host host : hosts) {
      if (host instanceof ClientHost client) { // it loses its connections to them
        client.run(() -> client.engine().onUnreachable(run.watch().gone()));
      }
    }
  }

  private interface Draw {
    void one(SplittableRandom random);
  }

  private static void repeat(SplittableRandom random, int most, Draw draw) {
    for (int i = random.nextInt(1, most + 1); i > 0; i--) {
      draw.one(random);
    }
  }

  private void schedulePartition(SplittableRandom random) {
    long start = random.nextLong(run.plan().faultsEndMicros());
    long end = end(random, start);
    boolean symmetric = random.nextBoolean();
    boolean[] side = drawSide(random);
    String text = (symmetric ? "partition " : "one-way partition ") + names(side);
    run.kernel()
        .schedule(
            start,
            () -> {
              run.trace().write(() -> text);
              links(side, symmetric, run.network()::block);
            });
    run.kernel()
        .schedule(
            end,
            () -> {
              run.trace().write(() -> "end of " + text);
              links(side, symmetric, run.network()::unblock);
            });
  }

  private void scheduleSlowness(SplittableRandom random) {
    long start = random.nextLong(run.plan().faultsEndMicros());
    long end = end(random, start);
    boolean symmetric = random.nextBoolean();
    boolean[] side = drawSide(random);
    long extra = run.plan().maxRoundTripMicros() * random.nextInt(1, 40) / 4;
    String text = "slow by " + extra + " us " + names(side);
    run.kernel()
        .schedule(
            start,
            () -> {
              run.trace().write(() -> text);
              links(side, symmetric, (from, to) -> run.network().slow(from, to, extra));
            });
    run.kernel()
        .schedule(
            end,
            () -> {
              run.trace().write(() -> "end of " + text);
              links(side, symmetric, (from, to) -> run.network().slow(from, to, -extra));
            });
  }

  private void scheduleJump(SplittableRandom random) {
    Host host = hosts.get(random.nextInt(hosts.size()));
    long drawn = random.nextLong(-run.plan().maxSkewMicros(), run.plan().maxSkewMicros() + 1);
    // A replica that lost its memory derives its fence from its clock, so that clock must not go
    // back.
    long micros = run.plan().losesMemory() && host instanceof ReplicaHost ? Math.abs(drawn) : drawn;
    run.kernel()
        .schedule(
            random.nextLong(run.plan().faultsEndMicros()),
            () -> {
              run.trace().write(() -> "clock of " + host.name() + " jumps by " + micros + " us");
              host.clock().jump(micros);
            });
  }

  /**
   * Clocks of clients leap, and those of servers in at most f regions. A server that may lose its
   * memory leaps only when it comes back without it: see {@link CrashSchedule}.
   */
  private void scheduleLeaps(SplittableRandom random) {
    for (Client client : clients) {
      if (random.nextBoolean()) {
        scheduleLeap(random, client.host());
      }
    }
    List<Integer> regions = new ArrayList<>();
    // A change may have made f smaller.
    int most = run.plan().besides().changesMap() ? 1 : run.plan().cluster().f();
    for (int i = 0; i < most; i++) {
      regions.add(random.nextInt(run.plan().cluster().replicas()));
    }
    for (Host host : hosts) {
      if (host instanceof ReplicaHost server
          && !run.plan().losesMemory()
          && regions.contains(server.region())) {
        repeat(random, 2, draw -> scheduleLeap(draw, server));
      }
    }
  }

  private void scheduleLeap(SplittableRandom random, Host host) {
    long start = random.nextLong(run.plan().faultsEndMicros());
    long end = end(random, start);
    long micros = drawLeap(random);
    if (host instanceof ClientHost
        && run.plan().slots().used()
        && Math.abs(micros) >= HOUR_MICROS) {
      run.marks().add("leap/of a client with slots");
    }
    leap(run, host, start, end, micros);
  }

  /** A minute, an hour or a year, forward or back. */
  static long drawLeap(SplittableRandom random) {
    long micros = LEAPS_MICROS[random.nextInt(LEAPS_MICROS.length)];
    return random.nextBoolean() ? micros : -micros;
  }

  /** Has a clock leap and leap back; after delays from now. */
  static void leap(Run run, Host host, long start, long end, long micros) {
    run.kernel()
        .schedule(
            start,
            () -> {
              run.trace().write(() -> "clock of " + host.name() + " leaps by " + micros + " us");
              host.clock().leap(micros);
            });
    run.kernel()
        .schedule(
            end,
            () -> {
              run.trace().write(() -> "clock of " + host.name() + " is set right");
              host.clock().leap(-micros);
            });
  }

  private void schedulePause(SplittableRandom random) {
    Host host = hosts.get(random.nextInt(hosts.size()));
    long start = random.nextLong(run.plan().faultsEndMicros());
    run.kernel()
        .schedule(
            start,
            () -> {
              run.trace().write(() -> host.name() + " stops");
              host.pause();
            });
    run.kernel()
        .schedule(
            end(random, start),
            () -> {
              run.trace().write(() -> host.name() + " goes on");
              host.resume();
            });
  }

  /** Draws the deaths of a client's coordinators, and sometimes the client's own. */
  private void scheduleDeaths(SplittableRandom random, Client client, boolean often) {
    for (int i = random.nextInt(often ? 80 : 8); i > 0; i--) {
      int messages = random.nextInt(1, often ? 50 : 300);
      Boundary boundary = run.plan().scenario().deathOf(random);
      int lastMessages = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 24);
      long outageMicros =
          random.nextInt(3) > 0 ? 0 : random.nextInt(2, 8) * run.plan().replica().inquireMicros();
      client.host().coordinatorDiesAfter(messages, boundary, lastMessages, outageMicros);
    }
    if (random.nextInt(3) == 0) {
      client
          .host()
          .dieAfter(
              random.nextInt(1, 2_000),
              () -> {
                run.marks().add("death/client");
                run.kernel().schedule(0, () -> client.sessions().forEach(SimSession::clientDied));
              });
    }
  }

  /**
   * Servers lose power just after an application has heard of a commit that is not durable yet, and
   * the client usually dies with them. If more than f of a partition do, the commit may be lost.
   */
  private void losePowerWhenAcknowledged(SplittableRandom random) {
    int[] left = {random.nextInt(MOST_LOSSES + 1)};
    run.watch()
        .asyncCommits()
        .onAcknowledged(
            commit -> {
              if (left[0] > 0
                  && random.nextInt(ACKNOWLEDGED_PER_LOSS) == 0
                  && run.kernel().nowMicros() < run.plan().faultsEndMicros()) {
                left[0]--;
                boolean clientDies = random.nextInt(4) > 0;
                int regions = random.nextInt(1, run.plan().cluster().replicas() + 1);
                int first = random.nextInt(run.plan().cluster().replicas());
                long lengthMicros = run.plan().maxRoundTripMicros() * random.nextInt(1, 20) / 2;
                run.kernel()
                    .schedule(
                        0, () -> losePower(commit.txn(), clientDies, first, regions, lengthMicros));
              }
            });
  }

  private void losePower(
      TxnId acknowledged, boolean clientDies, int first, int regions, long lengthMicros) {
    run.marks().add("power lost after " + (clientDies ? "an answer" : "an answer/to a survivor"));
    for (Client client : clients) {
      if (clientDies && client.host().id().id() == acknowledged.clientId()) {
        client
            .host()
            .dieAfter(
                0,
                () ->
                    run.kernel()
                        .schedule(0, () -> client.sessions().forEach(SimSession::clientDied)));
      }
    }
    int replicas = run.plan().cluster().replicas();
    for (Host host : hosts) {
      if (host instanceof ReplicaHost server
          && Math.floorMod(server.region() - first, replicas) < regions) {
        server.crash();
        long left = run.plan().faultsEndMicros() - run.kernel().nowMicros();
        run.kernel().schedule(Math.min(lengthMicros, Math.max(0, left)), server::restart);
      }
    }
  }

  /** In some runs, single servers often crash and are back soon, with all that they have kept. */
  private void scheduleShortCrashes(SplittableRandom random) {
    if (random.nextBoolean()) {
      return;
    }
    long pause = run.plan().maxRoundTripMicros() * random.nextInt(2, 60);
    crashRepeatedly(_ -> true, "crash/short", pause, random);
  }

  /**
   * Servers with a replica that has missed a change crash and are back soon. What rounds have told
   * the replica of the change is gone then.
   */
  private void scheduleCrashesAfterChanges(SplittableRandom random) {
    long pause = run.plan().maxRoundTripMicros() * random.nextInt(2, 10);
    crashRepeatedly(
        server -> server.replicas().stream().anyMatch(run.watch()::hasMissedChange),
        "crash/after a missed change",
        pause,
        random);
  }

  /**
   * @param which the servers of which one crashes each time, if there are any
   * @param pauseMicros the usual time between two crashes
   */
  private void crashRepeatedly(
      Predicate<ReplicaHost> which, String mark, long pauseMicros, SplittableRandom random) {
    run.kernel()
        .schedule(
            1 + random.nextLong(2 * pauseMicros),
            () -> {
              long left = run.plan().faultsEndMicros() - run.kernel().nowMicros();
              if (left <= 0) {
                return;
              }
              List<ReplicaHost> some = servers().stream().filter(which).toList();
              if (!some.isEmpty()) {
                crashShortly(some.get(random.nextInt(some.size())), mark, left, random);
              }
              crashRepeatedly(which, mark, pauseMicros, random);
            });
  }

  private void crashShortly(
      ReplicaHost server, String mark, long mostMicros, SplittableRandom random) {
    long length = 1 + random.nextLong(2 * run.plan().maxRoundTripMicros());
    if (server.isUp()) {
      run.marks().add(mark);
      server.crash();
      run.kernel().schedule(Math.min(length, mostMicros), server::restart);
    }
  }

  private List<ReplicaHost> servers() {
    List<ReplicaHost> servers = new ArrayList<>();
    for (Host host : hosts) {
      if (host instanceof ReplicaHost server) {
        servers.add(server);
      }
    }
    return servers;
  }

  private void sendWhateverPasses(SplittableRandom random) {
    int region = random.nextInt(run.plan().cluster().replicas());
    int messages = random.nextInt(50, 1_000);
    HostileHost hostile =
        new HostileHost(
            new HostSpec("hostile", region, 1, 0, 0),
            run.kernel(),
            run.fabric(),
            Watch.HOSTILE,
            run.plan().topology(region),
            run.plan().replica(),
            keysOfOthers(),
            run.plan().mix() == FaultMix.COMBINED,
            random.split());
    hostile.send(messages, run.plan().faultsEndMicros() / messages);
  }

  private List<Key> keysOfOthers() {
    List<TypedKey<String>> keys = new ArrayList<>(run.plan().load().keys().byKind());
    if (run.plan().load().profile().merges()) {
      keys.addAll(KeyUniverse.COUNTERS);
    }
    return keys.stream().map(TypedKey::key).toList();
  }

  private long end(SplittableRandom random, long start) {
    long length = run.plan().maxRoundTripMicros() * random.nextInt(1, 40) / 2;
    return Math.min(start + length, run.plan().faultsEndMicros());
  }

  /** Draws one side of a partition: a single host, or a random set. */
  private boolean[] drawSide(SplittableRandom random) {
    boolean[] side = new boolean[hosts.size()];
    if (random.nextBoolean()) {
      side[random.nextInt(side.length)] = true;
    } else {
      for (int i = 0; i < side.length; i++) {
        side[i] = random.nextInt(3) == 0;
      }
    }
    return side;
  }

  private void links(boolean[] side, boolean symmetric, BiConsumer<Host, Host> each) {
    for (int from = 0; from < side.length; from++) {
      for (int to = 0; to < side.length; to++) {
        if (side[from] && !side[to]) {
          each.accept(hosts.get(from), hosts.get(to));
          if (symmetric) {
            each.accept(hosts.get(to), hosts.get(from));
          }
        }
      }
    }
  }

  private String names(boolean[] side) {
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < side.length; i++) {
      if (side[i]) {
        names.append(' ').append(hosts.get(i).name());
      }
    }
    return "of" + names;
  }
}
