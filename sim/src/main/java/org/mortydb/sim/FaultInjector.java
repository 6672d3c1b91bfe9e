package org.mortydb.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.ClientHost.Boundary;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Randomness;
import org.mortydb.sim.kernel.Trace;
import org.mortydb.sim.net.Network;

/** Has the faults of a plan happen, and end. */
final class FaultInjector {
  private final Plan plan;
  private final Kernel kernel;
  private final Network network;
  private final Trace trace;
  private final List<? extends Host> hosts;
  private final List<Client> clients;
  private final CrashSchedule crashes;
  private final Marks marks;

  FaultInjector(
      Plan plan,
      Kernel kernel,
      Network network,
      Trace trace,
      List<? extends Host> hosts,
      List<Client> clients,
      CrashSchedule crashes,
      Marks marks) {
    this.plan = plan;
    this.kernel = kernel;
    this.network = network;
    this.trace = trace;
    this.hosts = hosts;
    this.clients = clients;
    this.crashes = crashes;
    this.marks = marks;
  }

  /** A client process and what runs at it. */
  record Client(ClientHost host, List<Session> sessions) {}

  /** Draws when and where, each kind of fault from a generator of its own. */
  void schedule(Randomness randomness) {
    for (Fault fault : plan.faults()) {
      marks.add("fault/" + fault.label());
      SplittableRandom random = randomness.stream("faults/" + fault.label());
      switch (fault) {
        case LOSS -> network.lose(plan.temper().loss(random));
        case DUPLICATION -> {
          // Copies from long ago find out whether what was forgotten can be told from what is new.
          long late = random.nextBoolean() ? 0 : plan.replica().retentionMicros() * 2;
          network.duplicate(random.nextInt(5, 300) / 1_000.0, late);
        }
        case REORDERING -> network.reorder(true);
        case PARTITION -> repeat(random, 5, this::schedulePartition);
        case SLOW -> repeat(random, 6, this::scheduleSlowness);
        case SKEW, DRIFT -> {
          // Clocks are made wrong when hosts are made.
        }
        case JUMP -> repeat(random, 6, this::scheduleJump);
        case CRASH -> crashes.schedule(random);
        case WIPE -> {
          // Drawn for each crash.
        }
        case PAUSE -> repeat(random, 4, this::schedulePause);
        case DEATH -> {
          boolean often = random.nextInt(4) == 0 || plan.temper() == Temper.STUBBORN;
          clients.forEach(client -> scheduleDeaths(random, client, often));
        }
      }
    }
    kernel.schedule(plan.faultsEndMicros(), this::end);
  }

  private void end() {
    trace.write(() -> "faults end");
    network.lose(0);
    network.duplicate(0, 0);
    network.reorder(false);
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
    long start = random.nextLong(plan.faultsEndMicros());
    long end = end(random, start);
    boolean symmetric = random.nextBoolean();
    boolean[] side = drawSide(random);
    String text = (symmetric ? "partition " : "one-way partition ") + names(side);
    kernel.schedule(
        start,
        () -> {
          trace.write(() -> text);
          links(side, symmetric, network::block);
        });
    kernel.schedule(
        end,
        () -> {
          trace.write(() -> "end of " + text);
          links(side, symmetric, network::unblock);
        });
  }

  private void scheduleSlowness(SplittableRandom random) {
    long start = random.nextLong(plan.faultsEndMicros());
    long end = end(random, start);
    boolean symmetric = random.nextBoolean();
    boolean[] side = drawSide(random);
    long extra = plan.maxRoundTripMicros() * random.nextInt(1, 40) / 4;
    String text = "slow by " + extra + " us " + names(side);
    kernel.schedule(
        start,
        () -> {
          trace.write(() -> text);
          links(side, symmetric, (from, to) -> network.slow(from, to, extra));
        });
    kernel.schedule(
        end,
        () -> {
          trace.write(() -> "end of " + text);
          links(side, symmetric, (from, to) -> network.slow(from, to, -extra));
        });
  }

  private void scheduleJump(SplittableRandom random) {
    Host host = hosts.get(random.nextInt(hosts.size()));
    long drawn = random.nextLong(-plan.maxSkewMicros(), plan.maxSkewMicros() + 1);
    // What a replica has forgotten was below its clock and the allowed skew: it takes a clock that
    // was not set back since to tell how far that is.
    long micros = plan.losesMemory() && host instanceof ReplicaHost ? Math.abs(drawn) : drawn;
    kernel.schedule(
        random.nextLong(plan.faultsEndMicros()),
        () -> {
          trace.write(() -> "clock of " + host.name() + " jumps by " + micros + " us");
          host.clock().jump(micros);
        });
  }

  private void schedulePause(SplittableRandom random) {
    Host host = hosts.get(random.nextInt(hosts.size()));
    long start = random.nextLong(plan.faultsEndMicros());
    kernel.schedule(
        start,
        () -> {
          trace.write(() -> host.name() + " stops");
          host.pause();
        });
    kernel.schedule(
        end(random, start),
        () -> {
          trace.write(() -> host.name() + " goes on");
          host.resume();
        });
  }

  /** Some of the clients die, and of most of them some coordinators before, or very many. */
  private void scheduleDeaths(SplittableRandom random, Client client, boolean often) {
    for (int i = random.nextInt(often ? 80 : 8); i > 0; i--) {
      int messages = random.nextInt(1, often ? 50 : 300);
      Boundary boundary = plan.temper().deathOf(random);
      int lastMessages = random.nextInt(3) == 0 ? 0 : random.nextInt(1, 24);
      long outageMicros =
          random.nextInt(3) > 0 ? 0 : random.nextInt(2, 8) * plan.replica().inquireMicros();
      client.host().coordinatorDiesAfter(messages, boundary, lastMessages, outageMicros);
    }
    if (random.nextInt(3) == 0) {
      client
          .host()
          .dieAfter(
              random.nextInt(1, 2_000),
              () -> {
                marks.add("death/client");
                kernel.schedule(0, () -> client.sessions().forEach(Session::clientDied));
              });
    }
  }

  private long end(SplittableRandom random, long start) {
    long length = plan.maxRoundTripMicros() * random.nextInt(1, 40) / 2;
    return Math.min(start + length, plan.faultsEndMicros());
  }

  /** One host, or any of them. */
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
