package org.mortydb.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.host.SimDurability;

/**
 * Schedules crashes and restarts of servers, in episodes that do not overlap. Most episodes affect
 * at most f regions; some stop all servers at once. Servers lose their memory in at most f regions
 * per episode, and only if every replica serves, durably, when the episode begins. With durability
 * ASYNC, some episodes are a power failure of any number of machines, which the operator ends. In
 * some episodes the operator takes a cluster back whose map may be about to change.
 */
final class CrashSchedule {
  private static final int MOST_EPISODES = 6;

  private final Run run;
  private final List<ReplicaHost> servers;
  private final Operator operator;
  private final boolean amnesia;

  /** Takes the cluster back, if it can be. */
  private Runnable goBack = () -> {};

  /** The state that an episode notes when it begins. */
  private static final class Episode {
    boolean mayForget;
  }

  /**
   * @param servers all servers
   * @param amnesia whether servers come back with empty disks
   */
  CrashSchedule(Run run, List<ReplicaHost> servers, boolean amnesia) {
    this.run = run;
    this.servers = servers;
    this.operator = new Operator(run, servers);
    this.amnesia = amnesia;
  }

  /**
   * Has the operator take the cluster back at the end of some episodes.
   *
   * @param action does so, if it can; the servers start again in any case
   */
  void mayGoBack(Runnable action) {
    goBack = action;
  }

  /**
   * Draws the episodes.
   *
   * @param goingBack draws those in which the operator takes the cluster back
   */
  void schedule(SplittableRandom random, SplittableRandom goingBack) {
    int episodes = random.nextInt(1, MOST_EPISODES + 1);
    long share = run.plan().faultsEndMicros() / episodes;
    for (int i = 0; i < episodes; i++) {
      long start = i * share + random.nextLong(share / 2 + 1);
      long end = (i + 1) * share - 1;
      if (run.plan().mix().goesBack(goingBack)) {
        scheduleGoingBack(goingBack, start, Math.max(start, end));
      } else {
        scheduleEpisode(random, start, Math.max(start, end));
      }
    }
  }

  /** Some servers crash, and are back or not when the operator stops all of them. */
  private void scheduleGoingBack(SplittableRandom random, long start, long end) {
    for (ReplicaHost server : servers) {
      if (random.nextBoolean()) {
        long at = start + random.nextLong((end - start) / 2 + 1);
        run.kernel().schedule(at, server::crash);
        if (random.nextBoolean()) {
          run.kernel().schedule((at + end) / 2, server::restart);
        }
      }
    }
    run.kernel()
        .schedule(
            end,
            () -> {
              goBack.run();
              servers.forEach(ReplicaHost::restart);
            });
  }

  private void scheduleEpisode(SplittableRandom random, long start, long end) {
    Episode episode = new Episode();
    run.kernel().schedule(start, () -> episode.mayForget = allServe());
    if (isAsync() && run.plan().mix().failsPower(random)) {
      schedulePowerFailure(random, episode, start, end);
      return;
    }
    List<Integer> regions = drawRegions(random);
    if (keepsDisks() && run.plan().mix().crashesAll(random)) {
      run.kernel().schedule(start, () -> run.marks().add("crash/all at once"));
      for (ReplicaHost server : servers) {
        boolean wiped = drawWipe(random) && regions.contains(server.region());
        int effects = regions.contains(server.region()) ? 0 : 1;
        scheduleCrash(random, server, episode, start, end, isAsync() ? effects : 0, wiped);
      }
      return;
    }
    for (ReplicaHost server : servers) {
      // Each server of the region crashes with a chance of two thirds.
      if (regions.contains(server.region()) && random.nextInt(3) > 0) {
        long at = start + (random.nextBoolean() ? 0 : random.nextLong((end - start) / 2 + 1));
        int effects = random.nextInt(60);
        scheduleCrash(random, server, episode, at, end, effects, drawWipe(random));
      }
    }
  }

  /** The servers wait in doubt for a while, until the operator accepts the loss. */
  private void schedulePowerFailure(
      SplittableRandom random, Episode episode, long start, long end) {
    for (ReplicaHost server : servers) {
      if (random.nextInt(5) > 0) {
        run.kernel().schedule(start, server::losePower);
      }
    }
    long back = start + random.nextLong((end - start) / 2 + 1);
    run.kernel().schedule(back, () -> servers.forEach(ReplicaHost::restart));
    run.kernel()
        .schedule(
            end,
            () -> {
              long regions =
                  servers.stream()
                      .filter(ReplicaHost::isDoubtful)
                      .map(ReplicaHost::region)
                      .distinct()
                      .count();
              run.marks().add("power failure");
              if (regions > run.plan().cluster().f() || (regions > 0 && !episode.mayForget)) {
                operator.acceptLoss();
                servers.forEach(ReplicaHost::restart);
              }
            });
  }

  private boolean allServe() {
    return servers.stream().allMatch(ReplicaHost::isServingDurably);
  }

  private List<Integer> drawRegions(SplittableRandom random) {
    List<Integer> regions = new ArrayList<>();
    // A change may have made f smaller.
    int most = run.plan().besides().changesMap() ? 1 : run.plan().cluster().f();
    for (int i = random.nextInt(1, most + 1); i > 0; i--) {
      regions.add(random.nextInt(run.plan().cluster().replicas()));
    }
    return regions;
  }

  private boolean keepsDisks() {
    return run.plan().disk().durability() != SimDurability.MEMORY;
  }

  private boolean isAsync() {
    return run.plan().disk().durability() == SimDurability.ASYNC;
  }

  private boolean drawWipe(SplittableRandom random) {
    return run.plan().faults().contains(SimFault.WIPE) && run.plan().mix().wipes(random);
  }

  private void scheduleCrash(
      SplittableRandom random,
      ReplicaHost server,
      Episode episode,
      long start,
      long end,
      int effects,
      boolean wiped) {
    long length = run.plan().maxRoundTripMicros() * random.nextInt(1, 40) / 2;
    boolean powerless = isAsync() && effects == 0 && random.nextBoolean();
    long restartMicros = Math.min(start + length, end);
    boolean betweenMessages = run.plan().mix().crashesBetweenMessages(random);
    boolean atCheckpoint = run.plan().mix().crashesAtCheckpoints(random);
    int events = 1 + (run.plan().mix() == FaultMix.DURABILITY ? random.nextInt(6) : effects / 6);
    boolean forgets = wiped || !keepsDisks();
    if (forgets && run.plan().faults().contains(SimFault.LEAP) && random.nextBoolean()) {
      // The server comes back without its memory, and with a wrong clock for a while.
      long micros = FaultInjector.drawLeap(random);
      long lengthMicros =
          Math.min(
              run.plan().maxRoundTripMicros() * random.nextInt(1, 40),
              run.plan().faultsEndMicros() - restartMicros);
      run.kernel()
          .schedule(
              restartMicros,
              () -> {
                // A replica that keeps its memory would vote by the wrong clock. If it lost its
                // memory later, it would join below what it has voted on (section 9, assumptions).
                if (episode.mayForget && !server.isUp()) {
                  FaultInjector.leap(run, server, 0, lengthMicros, micros);
                }
              });
    }
    run.kernel()
        .schedule(
            start,
            () -> {
              if (!keepsDisks() && !episode.mayForget) {
                return;
              }
              if (powerless && episode.mayForget) {
                server.losePower();
              } else if (betweenMessages) {
                server.crashBefore(
                    run.plan().mix()::crashesBefore,
                    events,
                    () -> run.marks().add("crash/between promise and outcome"));
              } else if (atCheckpoint) {
                server.crashAfterCheckpoint(events, () -> run.marks().add("crash/at a checkpoint"));
              } else if (effects == 0) {
                server.crash();
              } else {
                server.crashAfter(effects);
              }
            });
    run.kernel().schedule(restartMicros, () -> restart(server, wiped && episode.mayForget));
  }

  private void restart(ReplicaHost server, boolean wiped) {
    server.spare();
    if (amnesia) {
      server.restartWithoutMemory();
      return;
    }
    if (wiped && keepsDisks() && !server.isUp()) {
      server.wipe();
    }
    server.restart();
  }
}
