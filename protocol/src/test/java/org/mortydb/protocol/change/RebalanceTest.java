package org.mortydb.protocol.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.change.Rebalance.Step;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Member;

class RebalanceTest {
  private static final List<Server> THREE =
      List.of(new Server("us-1", "us"), new Server("eu-1", "eu"), new Server("ap-1", "ap"));
  private static final List<Server> SIX =
      List.of(
          new Server("us-1", "us"),
          new Server("eu-1", "eu"),
          new Server("ap-1", "ap"),
          new Server("us-2", "us"),
          new Server("eu-2", "eu"),
          new Server("ap-2", "ap"));
  private static final List<String> FIRST = List.of("us-1", "eu-1", "ap-1");

  private static ClusterMap carriedOut(ClusterMap map, List<Step> steps) {
    ClusterMap at = map;
    for (Step step : steps) {
      at = step.plan().next(at, at.number() + 1, at.servers().lastKey() + 1, at.cutMicros() + 1);
      assertThat(at).isNotNull();
    }
    return at;
  }

  private static Map<String, Integer> loads(ClusterMap map) {
    Map<String, Integer> loads = new HashMap<>();
    map.servers()
        .values()
        .forEach(group -> group.forEach(one -> loads.merge(one, 1, Integer::sum)));
    return loads;
  }

  @Test
  void serversThatHaveJoinedGetTheirShareAndRegionsStay() {
    ClusterMap map = ClusterMap.first(1, Collections.nCopies(4, FIRST));
    ClusterMap after = carriedOut(map, Rebalance.plan(map, SIX, 1));
    assertThat(loads(after)).hasSize(6).allSatisfy((name, load) -> assertThat(load).isEqualTo(2));
    after
        .servers()
        .values()
        .forEach(
            group ->
                assertThat(new HashSet<>(group.stream().map(one -> one.substring(0, 2)).toList()))
                    .containsExactlyInAnyOrder("us", "eu", "ap"));
    assertThat(Rebalance.plan(after, SIX, 1)).isEmpty();
  }

  @Test
  void theLargestPartitionsAreSplit() {
    ClusterMap map = ClusterMap.first(1, List.of(FIRST));
    List<Step> steps = Rebalance.plan(map, SIX, 4);
    ClusterMap after = carriedOut(map, steps);
    assertThat(after.servers()).hasSize(4);
    assertThat(loads(after)).hasSize(6).allSatisfy((name, load) -> assertThat(load).isEqualTo(2));
    assertThat(steps.getFirst())
        .hasToString("split partition 0 of us-1, eu-1, ap-1 to us-2, eu-2, ap-2");
  }

  @Test
  void whatIsBalancedStays() {
    ClusterMap map = ClusterMap.first(1, Collections.nCopies(2, FIRST));
    assertThat(Rebalance.plan(map, THREE, 2)).isEmpty();
  }

  /** Otherwise a long plan would end in its middle, with no change left for the cluster. */
  @Test
  void changesBeyondTheMapsThatProcessesRememberAreCounted() {
    ClusterMap first = ClusterMap.first(1, List.of(FIRST));
    List<ClusterMap> maps = new ArrayList<>(List.of(first));
    while (maps.size() < Limits.MAX_MAPS - 2) {
      int number = maps.size();
      Member member = number % 2 == 1 ? new Member("us", "h:1") : null;
      maps.add(maps.getLast().withServer(number, number, "us-2", member));
    }
    List<Step> steps = Rebalance.plan(maps.getLast(), THREE, 4);
    assertThat(steps).hasSize(3);
    assertThat(Rebalance.feasible(new MapHistory(first), steps)).isEqualTo(3);
    assertThat(Rebalance.feasible(new MapHistory(maps, 0), steps)).isEqualTo(2);
  }

  @Test
  void tooManyPartitionsAreRefused() {
    ClusterMap map = ClusterMap.first(1, List.of(FIRST));
    assertThatThrownBy(() -> Rebalance.plan(map, THREE, 20_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too few for 20000 partitions");
    assertThatThrownBy(() -> Rebalance.plan(map, THREE, 1_100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("from 1 partitions to 1100", "ask for fewer");
  }
}
