package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.Ended;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.AskMaps;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Member;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;

/** How a client learns maps from replicas (docs/protocol.md, section 15). */
class LearningMapsTest {
  private static final int[][] NEAREST = {{0, 1, 2}};
  private static final ClusterMap FIRST = ClusterMap.first(1, 1);
  private static final ClusterMap SECOND =
      FIRST.withServer(1, 1_000, "us-2", new Member("us", "us-2:1"));
  private static final ClusterMap THIRD =
      SECOND.withServer(2, 2_000, "us-3", new Member("us", "us-3:1"));
  private static final TxnId TXN = new TxnId(5, 1, 1);
  private static final ReplicaId REPLICA = new ReplicaId(0, 1);

  private final List<Message> sent = new ArrayList<>();

  private final ClientEngine engine =
      new ClientEngine(
          new ClientId(1),
          Topology.of(FIRST, NEAREST),
          EngineOptions.DEFAULTS,
          new SplittableRandom(1),
          new Host());

  /** A host that does nothing but send. */
  private final class Host implements EngineHost {
    @Override
    public long nowMicros() {
      return 10_000;
    }

    @Override
    public void send(Endpoint to, Message message) {
      sent.add(message);
    }

    @Override
    public void broadcast(int partition, Message message) {}

    @Override
    public void schedule(long delayMicros, EngineTimer timer) {}

    @Override
    public void cancel(EngineTimer timer) {}

    @Override
    public void awaitBatchEnd() {}

    @Override
    public void handOver(Runnable task) {}

    @Override
    public void onError(Throwable error) {
      throw new AssertionError(error);
    }

    @Override
    public Topology topology(ClusterMap map) {
      return Topology.of(map, NEAREST);
    }
  }

  /** A replica refuses what has moved with the last map alone. */
  @Test
  void aClientAsksForTheMapsThatItLacks() {
    engine.onMessage(REPLICA, new Maps(TXN, List.of(THIRD), 2));
    assertThat(sent).containsExactly(new AskMaps(TXN, 0, 0));
    assertThat(engine.map()).isEqualTo(FIRST);
    engine.onMessage(REPLICA, new Maps(TXN, List.of(SECOND, THIRD), 2));
    assertThat(engine.map()).isEqualTo(THIRD);
    engine.onMessage(REPLICA, new Maps(TXN, List.of(THIRD), 2));
    assertThat(sent).hasSize(1);
  }

  @Test
  void aClientAsksOnWhenNotAllMapsHaveFitted() {
    engine.onMessage(REPLICA, new Maps(TXN, List.of(SECOND), 0));
    assertThat(sent).containsExactly(new AskMaps(TXN, 1, 0));
    engine.onMessage(REPLICA, new Maps(TXN, List.of(SECOND), 0));
    assertThat(sent).hasSize(1); // nothing new
    engine.onMessage(REPLICA, new Maps(TXN, List.of(THIRD), 2));
    assertThat(sent).hasSize(1);
    assertThat(engine.map()).isEqualTo(THIRD);
  }

  @Test
  void aClientLearnsNoMapsFromClients() {
    engine.onMessage(new ClientId(2), new Maps(TXN, List.of(SECOND), 1));
    assertThat(engine.map()).isEqualTo(FIRST);
  }

  /** What is up to the cut may be in partitions of the earlier map. */
  @Test
  void theNewestPastIsAskedForAboveTheLastCut() {
    engine.onMessage(REPLICA, new Maps(TXN, List.of(SECOND, THIRD), 2));
    TypedKey<String> key = TypedKey.of(Key.of("k"), Codecs.STRING);
    engine.execute(
        "",
        TransactionOptions.DEFAULTS.forReading(new ReadLevel.Snapshot(null)),
        (txn, ctx) -> txn.get(ctx, key, (c, value) -> txn.commit(c)),
        new Ended<>());
    assertThat(sent)
        .filteredOn(ReadPast.class::isInstance)
        .singleElement()
        .isInstanceOfSatisfying(
            ReadPast.class,
            asked -> {
              assertThat(asked.place().isAfter(THIRD.cut())).isTrue();
              assertThat(asked.place().timeMicros()).isEqualTo(THIRD.cutMicros() + 1);
            });
  }

  /** The map of a time is that of the replicas, also at a cut itself. */
  @Test
  void aClientUsesTheMapThatReplicasUse() {
    MapHistory history = new MapHistory(List.of(FIRST, SECOND, THIRD), 0);
    List<Topology> known = history.maps().stream().map(map -> Topology.of(map, NEAREST)).toList();
    for (ClusterMap map : List.of(SECOND, THIRD)) {
      ClusterMap before = history.before(map);
      for (long late = -1; late <= 1; late++) {
        long time = map.cutMicros() + late;
        ClusterMap right = late > 0 ? map : before;
        assertThat(history.at(time)).isEqualTo(right);
        assertThat(ClientEngine.at(known, time).map()).isEqualTo(right);
      }
      // Every id of the cut's own microsecond is up to the cut.
      assertThat(new TxnId(map.cutMicros(), Long.MAX_VALUE, 0).isAfter(map.cut())).isFalse();
    }
  }
}
