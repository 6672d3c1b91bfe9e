package org.mortydb.sim;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.protocol.change.ChangeRules;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.MapChange.Plan;
import org.mortydb.protocol.change.MapChange.Result;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.change.Server;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.host.ChangeHost;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.host.SimTopology;

/**
 * Changes the map of the cluster beside all other work (docs/protocol.md, section 15): processes
 * that split, merge and move partitions begin at any time, sometimes several at once, and die at
 * any point. Most runs begin with a process that lives, so that much happens after its change.
 * After the faults another process ends what they have left open.
 */
final class Changes {
  private static final int MOST = 4;
  private static final int MOST_PARTITIONS = 8;

  /** The first process mostly begins in the first of so many parts of the time with faults. */
  private static final int EARLY_SHARE = 8;

  /** How often its plan is drawn again at most. */
  private static final int MOST_DRAWS = 16;

  // In round trips.
  private static final int MOST_SEALING = 8;
  private static final int MOST_FOUNDING = 20;
  private static final int MOST_COPYING = 400;

  /** About what the partitions hold. */
  private static final long COPIED_BYTES = 5_000;

  /** Some hold so many times as much. */
  private static final int MOST_TIMES_AS_MUCH = 4;

  private static final int MOST_PATIENCE = 40;

  /** Below the ids of backups, and above all numbered clients. */
  private static final long FIRST_ID = Long.MAX_VALUE - 1_024;

  /** Starts a replica of a new partition on a server. */
  @FunctionalInterface
  interface Starter {
    void start(ReplicaId id, ReplicaHost host, ClusterMap proposed);
  }

  /** What a process is about to do. */
  private enum Turn {
    /** Changes something early that replicas may miss, and does not die. */
    FIRST,
    /** Changes anything at any time, and may die. */
    OTHER,
    /** Ends what others have left open. */
    LAST
  }

  private final Run run;
  private final List<ReplicaHost> servers;
  private final TransactionSystem system;
  private final Starter starter;

  /** The maps for which replicas were started, by number. */
  private final Map<Integer, ClusterMap> started = new HashMap<>();

  /**
   * The maps that a new process knows. Usually it knows the first one, and finds the others by
   * their records.
   */
  private MapHistory known;

  /** The processes that may still run. */
  private final List<ChangeHost> processes = new ArrayList<>();

  /** The processes that do not know of servers that are down for good. */
  private final List<ClientHost> clients = new ArrayList<>();

  private int begun;
  private int running;
  private boolean scheduled;
  private boolean finishing;
  private boolean over;

  Changes(Run run, List<ReplicaHost> servers, TransactionSystem system, Starter starter) {
    this.run = run;
    this.servers = servers;
    this.system = system;
    this.starter = starter;
    this.known = new MapHistory(run.plan().topology(0).map());
  }

  /** Whether a transaction is one of a change, on the record of a map. */
  static boolean isOfChange(TxnId txn) {
    return isOfChange(new ClientId(txn.clientId()));
  }

  /** Whether a client is a process that changes the map. */
  static boolean isOfChange(ClientId client) {
    return client.id() >= FIRST_ID && client.id() < FIRST_ID + MOST + 1;
  }

  /** Draws when processes begin, what they change, and when they die. */
  void schedule(SplittableRandom random) {
    scheduled = true;
    int processes = random.nextInt(1, MOST + 1);
    boolean early = random.nextInt(4) > 0;
    for (int i = 0; i < processes; i++) {
      SplittableRandom own = random.split();
      Turn turn = early && i == 0 ? Turn.FIRST : Turn.OTHER;
      long messages = turn == Turn.OTHER && own.nextBoolean() ? own.nextInt(1, 120) : 0;
      long time = run.plan().faultsEndMicros() / (turn == Turn.FIRST ? EARLY_SHARE : 1);
      run.kernel()
          .schedule(
              own.nextLong(time + 1),
              () -> {
                if (!finishing) {
                  begin(own, messages, turn);
                }
              });
    }
    run.kernel().schedule(run.plan().maxRoundTripMicros(), this::removeWhatNeverIs);
  }

  /** No more faults: what is left open is ended now. */
  void finish() {
    finishing = true;
    if (!scheduled) {
      over = true;
    } else if (running == 0) {
      begin(new SplittableRandom(1), 0, Turn.LAST);
    } else {
      // One of them may die and leave its change open.
      run.kernel().schedule(run.plan().maxRoundTripMicros(), this::finish);
    }
  }

  /** Whether what is left open is being ended. */
  boolean areFinishing() {
    return finishing;
  }

  /** All processes die. */
  void die() {
    List<ChangeHost> all = List.copyOf(processes);
    processes.clear();
    all.forEach(ChangeHost::die);
  }

  /**
   * The operator has taken the cluster back. Nothing remains of changes that it does not know, nor
   * of the records of earlier maps: from now on processes learn maps from servers.
   */
  void wentBack(MapHistory maps) {
    started.keySet().removeIf(number -> maps.numbered(number) == null);
    known = maps;
  }

  /** How long all processes take at most that wait for each other, without faults. */
  long longestMicros() {
    if (!scheduled) {
      return 0;
    }
    long roundTrip = run.plan().maxRoundTripMicros();
    long sealing = 2 * run.plan().replica().allowedSkewMicros() + MOST_SEALING * roundTrip;
    long wrong = 2 * run.plan().maxSkewMicros(); // a cut may have been drawn by a wrong clock
    int copying = MOST_TIMES_AS_MUCH * MOST_COPYING;
    return (MOST + 1) * (sealing + (MOST_FOUNDING + copying + MOST_PATIENCE) * roundTrip + wrong);
  }

  /** Whether no change is open, and none will begin. */
  boolean areOver() {
    return over && running == 0;
  }

  private void begin(SplittableRandom random, long messages, Turn turn) {
    int region = random.nextInt(run.plan().cluster().replicas());
    ClientId id = new ClientId(FIRST_ID + begun++);
    boolean last = turn == Turn.LAST;
    Plan plan = plan(turn, random);
    running++;
    run.marks().add("change/begun");
    long roundTrip = run.plan().maxRoundTripMicros();
    long skew = run.plan().replica().allowedSkewMicros();
    ClientHost client =
        new ClientHost(
            spec("change" + id, region, random, last),
            run.kernel(),
            run.fabric(),
            CpuModel.FREE,
            id,
            run.plan().topology(region),
            EngineOptions.DEFAULTS
                .withSystem(system)
                .withCoordinator(run.plan().coordinator())
                .withTransaction(run.plan().transaction()),
            run.plan().delays().farthestMicros(region),
            random.split());
    client.engine().listen(attempt -> run.watch().onCompletion(id, attempt.completion()));
    clients.add(client);
    for (ClusterMap map : known.maps()) {
      client.engine().learn(SimTopology.of(map, region, run.plan().cluster().replicas()));
    }
    if (!last && run.plan().mix() == FaultMix.COMBINED) {
      disturb(client, random.split());
    }
    ChangeHost process =
        new ChangeHost(
            client,
            run.kernel(),
            id,
            known,
            times(random, skew, roundTrip),
            plan,
            ChangeRules.SOUND,
            run.plan().cluster().replicas(),
            new ChangeHost.Listener() {
              @Override
              public void starts(ClusterMap map) {
                start(map);
              }

              @Override
              public void ended(@Nullable Result result) {
                running--;
                run.marks().add("change/" + (result == null ? "died" : result));
                over |= last;
              }
            });
    processes.add(process);
    process.start(messages);
  }

  private HostSpec spec(String name, int region, SplittableRandom random, boolean last) {
    boolean skews = !last && run.plan().faults().contains(SimFault.SKEW);
    long skew = run.plan().maxSkewMicros();
    boolean wrong = run.plan().mix() == FaultMix.COMBINED && skews;
    return new HostSpec(name, region, 1, wrong ? random.nextLong(-skew, skew + 1) : 0, 0);
  }

  /** The process may stop for a while. Once the faults end, its clock is right. */
  private void disturb(ClientHost client, SplittableRandom random) {
    long left = run.plan().faultsEndMicros() - run.kernel().nowMicros();
    run.kernel().schedule(left, () -> client.clock().correct(false));
    if (run.plan().faults().contains(SimFault.PAUSE) && random.nextBoolean()) {
      long start = random.nextLong(left + 1);
      long end = start + run.plan().maxRoundTripMicros() * random.nextInt(1, 40);
      run.kernel().schedule(start, client::pause);
      run.kernel().schedule(Math.min(end, left), client::resume);
    }
  }

  private void tellOfGone(ClientHost client) {
    client.engine().onUnreachable(run.watch().gone());
  }

  private static MapChange.Times times(SplittableRandom random, long skew, long roundTrip) {
    long seal = 2 * skew + random.nextInt(1, MOST_SEALING) * roundTrip;
    long founding = random.nextInt(0, MOST_FOUNDING) * roundTrip;
    // Some processes hold on for so long that all seals arrive whatever happens.
    long patience = skew + random.nextInt(2, MOST_PATIENCE) * roundTrip;
    // Ahead of some cuts there is time to copy, and they come earlier once that is done.
    boolean copies = random.nextBoolean();
    long copying = random.nextInt(1, MOST_COPYING) * roundTrip;
    long perSecond = copies ? Math.max(1, COPIED_BYTES * 1_000_000 / copying) : 0;
    return new MapChange.Times(seal + founding, seal, patience, 2 * roundTrip, perSecond);
  }

  private void start(ClusterMap map) {
    ClusterMap before = started.putIfAbsent(map.number(), map);
    if (before != null) {
      if (!map.equals(before)) {
        run.marks().add("change/with an earlier cut");
      }
      return;
    }
    map.servers()
        .forEach(
            (partition, names) -> {
              for (int i = 0; i < names.size(); i++) {
                ReplicaId id = new ReplicaId(partition, i);
                if (!run.watch().has(id)) {
                  starter.start(id, server(Integer.parseInt(names.get(i))), map);
                }
              }
            });
  }

  private ReplicaHost server(int region) {
    return servers.stream().filter(one -> one.region() == region).findFirst().orElseThrow();
  }

  /** Ends the replicas of changes that were given up, and tells processes of lost servers. */
  private void removeWhatNeverIs() {
    if (!run.watch().gone().isEmpty()) {
      clients.forEach(client -> client.run(() -> tellOfGone(client)));
      clients.clear();
    }
    MapHistory maps = run.watch().maps();
    for (ClusterMap map : List.copyOf(started.values())) {
      ClusterMap before = maps.numbered(map.before());
      boolean ended = map.number() <= maps.closed() || map.number() < maps.last().number();
      if (before != null && ended && maps.numbered(map.number()) == null) {
        map.destinations(before).stream()
            .forEach(
                partition -> {
                  for (int i = 0; i <= 2 * map.f(); i++) {
                    ReplicaId id = new ReplicaId(partition, i);
                    servers.forEach(server -> server.remove(id));
                    run.watch().removed(id);
                  }
                });
      }
    }
    run.kernel().schedule(run.plan().maxRoundTripMicros() * 4, this::removeWhatNeverIs);
  }

  // ---- plans --------------------------------------------------------------------------------

  private Plan plan(Turn turn, SplittableRandom random) {
    return switch (turn) {
      case FIRST -> {
        boolean ends = random.nextBoolean();
        yield (map, number, partition, cut) ->
            drawMissable(random.split(), ends, map, number, partition, cut);
      }
      case OTHER ->
          (map, number, partition, cut) -> draw(random.split(), map, number, partition, cut);
      case LAST -> Plan.NOTHING;
    };
  }

  /**
   * Mostly a plan of {@link #isMissable}.
   *
   * @param ends whether a partition loses all buckets, and another one none
   */
  private @Nullable ClusterMap drawMissable(
      SplittableRandom random,
      boolean ends,
      ClusterMap last,
      int number,
      int partition,
      long cutMicros) {
    ClusterMap next = draw(random.split(), last, number, partition, cutMicros);
    int left = last.servers().size() > 1 ? MOST_DRAWS : 0;
    for (; left > 0 && !isMissable(next, last, ends); left--) {
      next = draw(random.split(), last, number, partition, cutMicros);
    }
    return next;
  }

  /**
   * Whether a map takes some buckets, or all of them, from a partition that does not hold the
   * record that decides the change. Its replicas have to hear of the change from others.
   */
  private static boolean isMissable(@Nullable ClusterMap next, ClusterMap last, boolean ends) {
    if (next == null) {
      return false;
    }
    BitSet sources = next.sources(last);
    int record = last.partitionOf(MapRecord.key(last.number()));
    boolean takes = false;
    boolean leaves = false;
    for (int partition : last.servers().keySet()) {
      boolean isSource = sources.get(partition);
      takes |= isSource && partition != record && ends != next.has(partition);
      leaves |= !isSource;
    }
    return takes && (leaves || !ends);
  }

  /** A plan that an operator may ask for, or one that moves any buckets. */
  private @Nullable ClusterMap draw(
      SplittableRandom random, ClusterMap last, int number, int partition, long cutMicros) {
    if (partition + 2 > Limits.MAX_PARTITIONS) {
      return null;
    }
    List<Integer> all = new ArrayList<>(last.servers().keySet());
    int one = all.remove(random.nextInt(all.size()));
    Plan plan =
        switch (random.nextInt(5)) {
          case 0 ->
              all.size() + 1 < MOST_PARTITIONS && hasBuckets(last, one, 2)
                  ? Plans.split(one, null)
                  : Plan.NOTHING;
          case 1 -> Plans.move(one, anyServers(2 * last.f() + 1, random));
          case 2 -> all.isEmpty() ? Plan.NOTHING : merge(last, one, all, random);
          case 3 -> others(last, random);
          default -> (map, n, p, cut) -> scatter(random, map, n, p, cut);
        };
    boolean fits = partition + last.servers().size() <= Limits.MAX_PARTITIONS;
    return fits ? plan.next(last, number, partition, cutMicros) : null;
  }

  private List<String> anyServers(int count, SplittableRandom random) {
    List<String> names = new ArrayList<>();
    for (int region = 0; region < run.plan().cluster().replicas(); region++) {
      names.add(random.nextInt(names.size() + 1), Integer.toString(region));
    }
    return names.subList(0, count);
  }

  /** Another f, or other servers, if there are more than a partition needs. */
  private Plan others(ClusterMap last, SplittableRandom random) {
    int regions = run.plan().cluster().replicas();
    if (regions < 5) {
      return Plan.NOTHING;
    }
    Plans.Members members =
        map ->
            IntStream.range(0, regions)
                .mapToObj(Integer::toString)
                .map(name -> new Server(name, name))
                .toList();
    if (last.f() == 1 && random.nextBoolean()) {
      return Plans.evacuate(Integer.toString(random.nextInt(regions)), members);
    }
    run.marks().add("change/of f");
    return Plans.replication(last.f() == 1 ? 2 : 1, members);
  }

  private static boolean hasBuckets(ClusterMap map, int partition, int least) {
    return IntStream.range(0, Bucket.COUNT)
            .filter(bucket -> map.partitionOf(bucket) == partition)
            .limit(least)
            .count()
        == least;
  }

  /** Merges a partition with one or more others. */
  private Plan merge(ClusterMap last, int one, List<Integer> others, SplittableRandom random) {
    List<Integer> merged = new ArrayList<>(List.of(one));
    int count = random.nextInt(1, others.size() + 1);
    for (int i = 0; i < count; i++) {
      merged.add(others.remove(random.nextInt(others.size())));
    }
    run.marks().add("change/merges");
    return Plans.merge(merged, anyServers(2 * last.f() + 1, random));
  }

  /** Moves some buckets of some partitions to one or two new partitions. */
  private static @Nullable ClusterMap scatter(
      SplittableRandom random, ClusterMap last, int number, int partition, long cutMicros) {
    List<Integer> sources = new ArrayList<>(last.servers().keySet());
    while (sources.size() > 1 && random.nextBoolean()) {
      sources.remove(random.nextInt(sources.size()));
    }
    boolean all = random.nextBoolean();
    int targets = last.servers().size() < MOST_PARTITIONS ? random.nextInt(1, 3) : 1;
    Map<Integer, Integer> moved = new HashMap<>();
    Map<Integer, List<String>> names = new HashMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      if (sources.contains(last.partitionOf(bucket)) && (all || random.nextBoolean())) {
        int to = partition + random.nextInt(targets);
        moved.put(bucket, to);
        names.put(to, last.servers().get(last.partitionOf(bucket)));
      }
    }
    return moved.isEmpty() ? null : last.moved(number, cutMicros, last.f(), names, moved);
  }
}
