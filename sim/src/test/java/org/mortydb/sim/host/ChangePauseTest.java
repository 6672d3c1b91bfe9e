package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.change.ChangeRules;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.change.Server;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Backoff;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.net.Network;

/** How long a client that takes no part in a change waits for it, with the settings of servers. */
class ChangePauseTest {
  private static final int REGIONS = 5;
  private static final long DELAY = 5_000;
  private static final int KEYS = 64;
  private static final long PAUSE = 4_000;
  private static final long ALLOWANCE = 100_000;
  private static final ReplicaOptions OPTIONS = ReplicaOptions.DEFAULTS.withMapChanges();
  private static final Plans.Members MEMBERS =
      map ->
          IntStream.range(0, REGIONS)
              .mapToObj(Integer::toString)
              .map(name -> new Server(name, name))
              .toList();
  private static final long SEAL = 3 * OPTIONS.allowedSkewMicros();
  private static final long RESEND = 200_000;

  /** The allowed skew, three round trips, and 100 ms. */
  private static final long BOUND = OPTIONS.allowedSkewMicros() + 3 * 2 * DELAY + ALLOWANCE;

  private final Kernel kernel = new Kernel();
  private final SimTrace trace = SimTrace.digestOnly(kernel);
  private final Network network =
      new Network(kernel, DelayModel.constant(REGIONS, DELAY), new SplittableRandom(1), trace);
  private final Fabric fabric = new Fabric(network, trace, Observer.NONE, 1, REGIONS);
  private final ClusterMap first = ClusterMap.first(1, List.of(List.of("0", "1", "2")));
  private final List<ReplicaHost> servers = new ArrayList<>();

  /** The replicas of new partitions. */
  private final Set<ReplicaId> started = new HashSet<>();

  /** When each transaction of the bystander has committed. */
  private final List<Long> commits = new ArrayList<>();

  private ClientHost client(long id, int region) {
    Backoff backoff = Morty.SYSTEM.backoff(2 * DELAY);
    return new ClientHost(
        new HostSpec("client" + id, region, 1, 0, 0),
        kernel,
        fabric,
        CpuModel.FREE,
        new ClientId(id),
        SimTopology.of(first, region, REGIONS),
        EngineOptions.DEFAULTS.withTransaction(
            new TransactionOptions(
                10_000_000,
                new RetryPolicy(Integer.MAX_VALUE, backoff.baseMicros(), backoff.capMicros()))),
        DELAY,
        new SplittableRandom(id));
  }

  private void starts(ClusterMap map) {
    map.servers()
        .forEach(
            (partition, names) -> {
              for (int i = 0; i < names.size(); i++) {
                ReplicaId id = new ReplicaId(partition, i);
                if (partition > 0 && started.add(id)) {
                  servers
                      .get(Integer.parseInt(names.get(i)))
                      .addFounder(
                          id,
                          () ->
                              new HostedReplica(
                                  Morty.SYSTEM.replica(id, new MapHistory(first), map, OPTIONS)));
                }
              }
            });
  }

  /** Counts in one key after another, for ever. */
  private void count(ClientHost client, String name, int i) {
    TypedKey<Long> key = TypedKey.of(Key.of(name + i % KEYS), Codecs.INT64);
    client.run(
        () ->
            client
                .engine()
                .execute(
                    "",
                    (txn, ctx) ->
                        txn.get(
                            ctx,
                            key,
                            (c, stored) -> {
                              txn.put(c, key, (stored == null ? 0 : stored) + 1);
                              txn.commit(c);
                            }),
                    new ResultHandler<String>() {
                      @Override
                      public void completed(Result<String> result) {
                        if (name.equals("mine") && result instanceof Result.Committed<String>) {
                          commits.add(kernel.nowMicros());
                        }
                        kernel.schedule(PAUSE, () -> count(client, name, i + 1));
                      }

                      @Override
                      public void failed(Throwable cause) {
                        throw new AssertionError(cause);
                      }
                    }));
  }

  private MapChange.@Nullable Result result;
  private ClusterMap last = first;
  private ClusterMap proposed = first;
  private long operators = 1_000;

  private void change(MapChange.Plan plan) {
    ClientId id = new ClientId(operators++);
    ClientHost client = client(id.id(), 1);
    result = null;
    new ChangeHost(
            client,
            kernel,
            id,
            new MapHistory(first),
            new MapChange.Times(
                SEAL + 1_000_000, SEAL, OPTIONS.allowedSkewMicros() + 2 * RESEND, RESEND, 0),
            plan,
            ChangeRules.SOUND,
            REGIONS,
            new ChangeHost.Listener() {
              @Override
              public void starts(ClusterMap map) {
                proposed = map;
                ChangePauseTest.this.starts(map);
              }

              @Override
              public void ended(MapChange.@Nullable Result end) {
                result = end;
                last = end == MapChange.Result.DONE ? proposed : last;
              }
            })
        .start(0);
  }

  private long longest(long from) {
    long longest = 0;
    long before = from;
    for (long at : commits) {
      if (at > from) {
        longest = Math.max(longest, at - before);
        before = at;
      }
    }
    return Math.max(longest, kernel.nowMicros() - before);
  }

  /**
   * Carries out a change.
   *
   * @return the longest time between two commits of the bystander, until a second after the end
   */
  private long pauseOf(MapChange.Plan plan) {
    long from = kernel.nowMicros();
    change(plan);
    while (result == null && kernel.nowMicros() < from + 30_000_000) {
      kernel.runUntil(kernel.nowMicros() + 100_000);
    }
    kernel.runUntil(kernel.nowMicros() + 1_000_000);
    return longest(from);
  }

  @BeforeEach
  void begin() {
    for (int region = 0; region < REGIONS; region++) {
      servers.add(
          new ReplicaHost(
              new HostSpec("server" + region, region, 1, 0, 0),
              kernel,
              fabric,
              CpuModel.FREE,
              DiskSpec.FREE,
              new SplittableRandom(7)));
    }
    for (int region = 0; region < 3; region++) {
      ReplicaId id = new ReplicaId(0, region);
      Topology topology = SimTopology.of(first, region, REGIONS);
      servers
          .get(region)
          .addFounder(
              id, () -> new HostedReplica((Replica) Morty.SYSTEM.replica(id, topology, OPTIONS)));
    }
    kernel.runUntil(3_000_000);
    // Nobody reads at server 0: a client that does would notice its death for other reasons.
    count(client(1, 2), "mine", 0);
    for (int other = 2; other < 6; other++) {
      count(client(other, 1 + other % 2), "other", other * 17);
    }
    kernel.runUntil(5_000_000);
    assertThat(commits).hasSizeGreaterThan(50);
  }

  @Test
  void everyKindOfChangeIsShort() {
    Map<String, Supplier<MapChange.Plan>> plans = new LinkedHashMap<>();
    plans.put("split", () -> Plans.split(0, null));
    plans.put("split again", () -> Plans.split(last.servers().lastKey(), null));
    plans.put("move", () -> Plans.move(last.servers().lastKey(), List.of("3", "4", "0")));
    plans.put("f becomes 2", () -> Plans.replication(2, MEMBERS));
    plans.put("f becomes 1", () -> Plans.replication(1, MEMBERS));
    plans.put(
        "merge",
        () ->
            Plans.merge(
                List.copyOf(last.servers().keySet()).subList(0, 2), List.of("1", "2", "3")));
    plans.put("evacuation", () -> Plans.evacuate("2", MEMBERS));
    plans.forEach(
        (name, plan) -> {
          long pause = pauseOf(plan.get());
          assertThat(result).as(name).isEqualTo(MapChange.Result.DONE);
          // Nothing stays open below the cut, so nobody waits for ends.
          assertThat(pause).as(name).isLessThan(BOUND / 3);
        });
  }

  /** A new partition cannot be founded without all its servers: nothing must wait for that. */
  @Test
  void aChangeThatIsGivenUpIsShort() {
    servers.get(0).crash();
    long pause = pauseOf(Plans.split(0, null));
    assertThat(result).isEqualTo(MapChange.Result.GIVEN_UP);
    assertThat(pause).isLessThan(BOUND);

    servers.get(0).restart();
    kernel.runUntil(kernel.nowMicros() + 3_000_000);
    assertThat(pauseOf(Plans.split(0, null))).isLessThan(BOUND);
    assertThat(result).isEqualTo(MapChange.Result.DONE);
  }

  /** The replica that proposes rounds of truncation dies just before the round at the cut. */
  @Test
  void theLeaderOfTheRoundsMayDie() {
    kernel.schedule(2_400_000, () -> servers.get(0).crash());
    long pause = pauseOf(Plans.move(0, List.of("0", "1", "2")));
    assertThat(result).isEqualTo(MapChange.Result.DONE);
    // A client that asks the dead server asks another one after a second.
    assertThat(pause).isLessThan(BOUND + 1_000_000);
  }
}
