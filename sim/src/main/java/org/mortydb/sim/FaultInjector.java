package org.mortydb.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.ClientHost.Boundary;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Randomness;

/** Schedules the faults of a plan, and their end. */
final class FaultInjector {
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
        case LOSS -> run.network().lose(run.plan().scenario().loss(random));
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
        case CRASH -> crashes.schedule(random);
        case WIPE -> {
          // Drawn for each crash.
        }
        case PAUSE -> repeat(random, 4, this::schedulePause);
        case DEATH -> {
          boolean often = random.nextInt(4) == 0 || run.plan().scenario() == Scenario.STUBBORN;
          clients.forEach(client -> scheduleDeaths(random, client, often));
        }
      }
    }
    run.kernel().schedule(run.plan().faultsEndMicros(), this::end);
  }

  private void end() {
    run.trace().write(() -> "faults end");
    run.network().lose(0);
    run.network().duplicate(0, 0);
    run.network().reorder(false);
    clients.forEach(client -> client.host().spare());
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
