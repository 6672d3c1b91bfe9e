package org.mortydb.client.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.transport.LinkFailure;

/** Which servers must answer before a client begins. */
class ReachabilityTest {
  private static ClusterConfig config() throws Exception {
    StringBuilder text =
        new StringBuilder("cluster { name = tea, changes = true, regions = [r], servers = [\n");
    for (int i = 0; i < 6; i++) {
      text.append(
          "{ name = s%d, region = r, listen = \"127.0.0.1:%d\" }\n".formatted(i, 7_000 + i));
    }
    return ClusterConfig.parse(text.append("] }\nserver.durability = memory\n").toString());
  }

  /** All keys have moved to other servers: those of the first map may be down. */
  @Test
  void theServersOfTheLastMapCount() throws Exception {
    ClusterConfig config = config();
    ClusterMap first = config.firstMap();
    List<String> from = first.servers().get(0);
    List<String> to =
        config.servers().stream().map(s -> s.name()).filter(name -> !from.contains(name)).toList();
    Map<Integer, Integer> moved = new HashMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      moved.put(bucket, 1);
    }
    ClusterMap next = first.moved(1, 1_000, 1, Map.of(1, to), moved);
    Reachability reachability = new Reachability(config);
    for (int i = 0; i < 6; i++) {
      reachability.add(i, config.servers().get(i));
    }
    for (int i = 0; i < 6; i++) {
      if (to.contains("s" + i)) {
        reachability.up(i);
      } else {
        reachability.failed(i, new LinkFailure(LinkFailure.Kind.LOST, "down"));
      }
    }
    assertThat(reachability.whenEnough()).isNotDone();
    reachability.follow(next);
    assertThat(reachability.whenEnough()).isCompleted();
  }
}
