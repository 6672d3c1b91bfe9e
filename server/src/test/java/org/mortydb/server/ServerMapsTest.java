package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Member;
import org.mortydb.protocol.model.ReplicaId;

/** Which replicas of new partitions a server has. */
class ServerMapsTest {
  private static final List<String> SERVERS = List.of("s0", "s1", "s2");

  private final ClusterConfig config;
  private final ServerMaps maps;
  private final List<ReplicaId> started = new ArrayList<>();
  private final List<ReplicaId> ended = new ArrayList<>();

  ServerMapsTest(@TempDir Path data) throws Exception {
    // What the server remembers of its cluster lies there.
    String text = "cluster.changes = true, server.data = \"" + data + "\"";
    try (TestCluster cluster = new TestCluster(text)) {
      config = cluster.config;
    }
    maps = new ServerMaps(config, config.servers().get(1));
  }

  private final class Starts implements ServerMaps.Hosting {
    @Override
    public void start(ReplicaId replica, ClusterMap map, MapHistory history) {
      started.add(replica);
    }

    @Override
    public void end(ReplicaId replica) {
      ended.add(replica);
    }

    @Override
    public void told(MapHistory history) {}

    @Override
    public void members(List<ServerSpec> servers) {}
  }

  /** Each of some maps moves one more bucket to a new partition. */
  private List<ClusterMap> changes(int count) {
    List<ClusterMap> changes = new ArrayList<>();
    ClusterMap last = config.firstMap();
    for (int number = 1; number <= count; number++) {
      last =
          last.moved(
              number, 10L * number, config.f(), Map.of(number, SERVERS), Map.of(number, number));
      changes.add(last);
    }
    return changes;
  }

  /** Each replica of a new partition has its first map in the log, and no other one. */
  @Test
  void aServerRestoresReplicasOfAnyNumberOfChanges() {
    List<ClusterMap> changes = changes(9);
    for (ClusterMap map : changes) {
      ReplicaId replica = new ReplicaId(map.number(), 1);
      assertThat(maps.propose(replica, map)).as("map %d", map.number()).isTrue();
      maps.has(replica);
    }
    maps.begin(new Starts());
    assertThat(started).isEmpty();
    List<ClusterMap> all = new ArrayList<>(List.of(config.firstMap()));
    all.addAll(changes);
    maps.learn(all, 9);
    assertThat(maps.proposed()).isEmpty();
    assertThat(ended).isEmpty();
  }

  @Test
  void aClientCannotMakeAServerTakePartInManyMaps() {
    maps.begin(new Starts());
    List<ClusterMap> changes = changes(9);
    for (ClusterMap map : changes) {
      maps.propose(new ReplicaId(map.number(), 1), map);
    }
    assertThat(maps.proposed()).hasSize(4);
    assertThat(started).hasSize(4);
  }

  /** A server that has left and starts again is not told so: it connects to no other one. */
  @Test
  void aServerKnowsThatItHasLeft() {
    ClusterMap first = config.firstMap();
    ClusterMap joined = first.withServer(1, 10, "s3", new Member("r1", "127.0.0.1:7003"));
    Map<Integer, Integer> all =
        IntStream.range(0, Bucket.COUNT).boxed().collect(Collectors.toMap(b -> b, b -> 1));
    ClusterMap moved = joined.moved(2, 20, 1, Map.of(1, List.of("s0", "s3", "s2")), all);
    ClusterMap left = moved.withServer(3, 30, "s1", null);
    maps.begin(new Starts());
    maps.learn(List.of(first, joined, moved), 2);
    assertThat(maps.hasLeft("s1")).isFalse();
    maps.learn(List.of(first, joined, moved, left), 3);
    assertThat(maps.hasLeft("s1")).isTrue();
    ClusterMap back = left.withServer(4, 40, "s1", new Member("r1", "127.0.0.1:7001"));
    maps.learn(List.of(first, joined, moved, left, back), 4);
    assertThat(maps.hasLeft("s1")).isFalse();
  }

  @Test
  void aReplicaOfAnotherServerIsNotStarted() {
    maps.begin(new Starts());
    assertThat(maps.propose(new ReplicaId(1, 0), changes(1).getFirst())).isFalse();
    assertThat(maps.propose(new ReplicaId(7, 1), changes(1).getFirst())).isFalse();
    assertThat(started).isEmpty();
  }
}
