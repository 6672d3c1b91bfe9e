package org.mortydb.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.sim.host.Durability;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Kernel;

/**
 * Has servers crash and start again, in episodes that do not overlap: mostly within at most f
 * regions, now and then all servers there are, at once. Memory is lost in at most f regions at a
 * time: in an episode that begins while every replica serves, and would still after a crash.
 */
final class CrashSchedule {
  private static final int MOST_EPISODES = 6;

  private final Plan plan;
  private final Kernel kernel;
  private final List<ReplicaHost> servers;
  private final boolean amnesia;
  private final Marks marks;

  /** What is known when an episode begins. */
  private static final class Episode {
    boolean mayForget;
  }

  /**
   * @param servers all servers
   * @param amnesia whether servers come back with empty disks
   */
  CrashSchedule(Plan plan, Kernel kernel, List<ReplicaHost> servers, boolean amnesia, Marks marks) {
    this.plan = plan;
    this.kernel = kernel;
    this.servers = servers;
    this.amnesia = amnesia;
    this.marks = marks;
  }

  void schedule(SplittableRandom random) {
    int episodes = random.nextInt(1, MOST_EPISODES + 1);
    long share = plan.faultsEndMicros() / episodes;
    for (int i = 0; i < episodes; i++) {
      long start = i * share + random.nextLong(share / 2 + 1);
      long end = (i + 1) * share - 1;
      scheduleEpisode(random, start, Math.max(start, end));
    }
  }

  private void scheduleEpisode(SplittableRandom random, long start, long end) {
    Episode episode = new Episode();
    kernel.schedule(start, () -> episode.mayForget = allServe());
    List<Integer> regions = drawRegions(random);
    if (keepsDisks() && random.nextInt(5) == 0) {
      kernel.schedule(start, () -> marks.add("crash/all at once"));
      for (ReplicaHost server : servers) {
        boolean wiped = drawWipe(random) && regions.contains(server.region());
        scheduleCrash(random, server, episode, start, end, 0, wiped);
      }
      return;
    }
    for (ReplicaHost server : servers) {
      // A region's servers crash together or one of them alone.
      if (regions.contains(server.region()) && random.nextInt(3) > 0) {
        long at = start + (random.nextBoolean() ? 0 : random.nextLong((end - start) / 2 + 1));
        int effects = random.nextInt(60);
        scheduleCrash(random, server, episode, at, end, effects, drawWipe(random));
      }
    }
  }

  private boolean allServe() {
    return servers.stream().allMatch(ReplicaHost::isServingDurably);
  }

  private List<Integer> drawRegions(SplittableRandom random) {
    List<Integer> regions = new ArrayList<>();
    for (int i = random.nextInt(1, plan.cluster().f() + 1); i > 0; i--) {
      regions.add(random.nextInt(plan.cluster().replicas()));
    }
    return regions;
  }

  private boolean keepsDisks() {
    return plan.disk().durability() == Durability.SYNC;
  }

  private boolean drawWipe(SplittableRandom random) {
    return plan.faults().contains(Fault.WIPE) && random.nextInt(2) == 0;
  }

  private void scheduleCrash(
      SplittableRandom random,
      ReplicaHost server,
      Episode episode,
      long start,
      long end,
      int effects,
      boolean wiped) {
    long length = plan.maxRoundTripMicros() * random.nextInt(1, 40) / 2;
    kernel.schedule(
        start,
        () -> {
          if (!keepsDisks() && !episode.mayForget) {
            return;
          }
          if (effects == 0) {
            server.crash();
          } else {
            server.crashAfter(effects);
          }
        });
    kernel.schedule(
        Math.min(start + length, end), () -> restart(server, wiped && episode.mayForget));
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
