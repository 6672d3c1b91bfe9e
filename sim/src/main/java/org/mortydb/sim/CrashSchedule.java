package org.mortydb.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.mortydb.sim.host.Durability;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Kernel;

/**
 * Has servers crash and start again, in episodes that do not overlap: mostly within at most f
 * regions, now and then all servers there are, at once. Servers that keep nothing stay away, so of
 * them no more than f regions crash in the whole run.
 */
final class CrashSchedule {
  private static final int MOST_EPISODES = 6;

  private final Plan plan;
  private final Kernel kernel;
  private final List<ReplicaHost> servers;
  private final boolean amnesia;
  private final Marks marks;
  private final List<Integer> lostRegions = new ArrayList<>();

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
    if (plan.disk().durability() == Durability.SYNC && random.nextInt(5) == 0) {
      kernel.schedule(start, () -> marks.add("crash/all at once"));
      for (ReplicaHost server : servers) {
        scheduleCrash(random, server, start, end, 0);
      }
      return;
    }
    List<Integer> regions = drawRegions(random);
    for (ReplicaHost server : servers) {
      // A region's servers crash together or one of them alone.
      if (regions.contains(server.region()) && random.nextInt(3) > 0) {
        long at = start + (random.nextBoolean() ? 0 : random.nextLong((end - start) / 2 + 1));
        scheduleCrash(random, server, at, end, random.nextInt(60));
      }
    }
  }

  private List<Integer> drawRegions(SplittableRandom random) {
    int f = plan.cluster().f();
    List<Integer> regions = new ArrayList<>();
    for (int i = random.nextInt(1, f + 1); i > 0; i--) {
      regions.add(random.nextInt(plan.cluster().replicas()));
    }
    if (plan.disk().durability() == Durability.SYNC) {
      return regions;
    }
    for (int region : regions) {
      if (!lostRegions.contains(region) && lostRegions.size() < f) {
        lostRegions.add(region);
      }
    }
    regions.retainAll(lostRegions);
    return regions;
  }

  private void scheduleCrash(
      SplittableRandom random, ReplicaHost server, long start, long end, int effects) {
    long length = plan.maxRoundTripMicros() * random.nextInt(1, 40) / 2;
    kernel.schedule(
        start,
        () -> {
          if (effects == 0) {
            server.crash();
          } else {
            server.crashAfter(effects);
          }
        });
    kernel.schedule(Math.min(start + length, end), () -> restart(server));
  }

  private void restart(ReplicaHost server) {
    server.spare();
    if (amnesia) {
      server.restartWithoutMemory();
    } else {
      server.restart();
    }
  }
}
