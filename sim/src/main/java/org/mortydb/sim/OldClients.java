package org.mortydb.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.SingleMessages;
import org.mortydb.sim.workload.KeyUniverse;

/**
 * Clients that have not heard of maps for long: they write under an old one, without reading first,
 * and die once their Prepares are on the way (docs/protocol.md, section 15, Maps at a replica).
 * Others write in the same way what has moved last, so that a replica that has missed the change
 * lacks something.
 */
final class OldClients {
  /** Below the ids of questions about the past, and above those of changes. */
  private static final long FIRST_ID = Long.MAX_VALUE - 512;

  private static final int MOST = 128;
  private static final int MOST_KEYS = 3;

  /** So many counters are numbers; the others are lists. */
  private static final int NUMBERS = 3;

  private final Run run;
  private int begun;
  private boolean over;

  OldClients(Run run) {
    this.run = run;
  }

  /** From now on some write, until {@link #stop}, or sessions begin no transactions any more. */
  void start(SplittableRandom random) {
    long end = over ? run.plan().faultsEndMicros() : run.plan().stopMicros();
    if (run.kernel().nowMicros() < end && begun < MOST) {
      write(random);
      run.kernel()
          .schedule(1 + random.nextLong(8 * run.plan().maxRoundTripMicros()), () -> start(random));
    }
  }

  /** Nothing new has to be decided from now on, or once the faults end if that is later. */
  void stop() {
    over = true;
  }

  private void write(SplittableRandom random) {
    List<ClusterMap> maps = run.watch().maps().maps();
    boolean moved = maps.size() > 1 && random.nextBoolean();
    ClusterMap map = moved ? maps.getLast() : maps.get(random.nextInt(maps.size()));
    Map<Integer, List<Write>> writes = draw(random, map, moved ? maps.get(maps.size() - 2) : map);
    List<Integer> participants = List.copyOf(writes.keySet());
    ClientId id = new ClientId(FIRST_ID + begun++);
    SingleMessages host =
        new SingleMessages("old" + id, 0, run.kernel(), run.fabric(), id, (_, _) -> {});
    int home = participants.get(random.nextInt(participants.size()));
    long nowMicros = HostClock.EPOCH_MICROS + run.kernel().nowMicros();
    ExecutionId execution = new ExecutionId(new TxnId(nowMicros, id.id(), home), 0);
    run.marks()
        .add(
            "old client/" + (map.equals(maps.getLast()) ? "with the last map" : "with an old map"));
    boolean early = run.plan().besides().acknowledgesEarly() && random.nextBoolean();
    writes.forEach(
        (partition, own) -> {
          Message prepare =
              new Message.Prepare(execution, List.of(), List.of(), own, participants, early);
          for (int i = 0; i <= 2 * map.f(); i++) {
            host.send(new ReplicaId(partition, i), prepare);
          }
        });
  }

  /**
   * Writes of some keys, by the partitions that a map gives them.
   *
   * @param before an earlier map, if they are keys that have moved since, as far as there are any
   */
  private Map<Integer, List<Write>> draw(
      SplittableRandom random, ClusterMap map, ClusterMap before) {
    List<Key> keys =
        new ArrayList<>(
            Stream.of(run.plan().load().keys().registers(), run.plan().load().keys().deletables())
                .flatMap(List::stream)
                .map(TypedKey::key)
                .toList());
    boolean merges = run.plan().mix() == FaultMix.COMBINED && run.plan().load().profile().merges();
    List<Key> counters =
        KeyUniverse.COUNTERS.stream().map(TypedKey::key).limit(merges ? NUMBERS : 0).toList();
    keys.addAll(counters);
    if (keys.stream().anyMatch(key -> moves(key, before, map))) {
      keys.removeIf(key -> !moves(key, before, map));
    }
    Map<Integer, List<Write>> writes = new TreeMap<>();
    for (int i = random.nextInt(1, MOST_KEYS + 1); i > 0 && !keys.isEmpty(); i--) {
      Key key = keys.remove(random.nextInt(keys.size()));
      Value value =
          counters.contains(key)
              ? Merge.add(i)
              : Value.wrap(("o" + begun + "." + i).getBytes(StandardCharsets.UTF_8));
      writes
          .computeIfAbsent(map.partitionOf(key), _ -> new ArrayList<>())
          .add(new Write(key, i, value));
    }
    return writes;
  }

  private static boolean moves(Key key, ClusterMap from, ClusterMap to) {
    return from.partitionOf(key) != to.partitionOf(key);
  }
}
