package org.mortydb.protocol.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.change.MapChange.Plan;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Member;

/** What operators may ask for, and what they are told. */
class PlansTest {
  private static final List<String> SERVERS = List.of("us", "eu", "ap");
  private static final ClusterMap FIRST =
      ClusterMap.first(1, List.of(SERVERS, List.of("ap", "us", "eu"), List.of("us", "eu", "sa")));

  private static ClusterMap next(Plan plan) {
    ClusterMap next = plan.next(FIRST, 1, 3, 1_000);
    assertThat(next).isNotNull();
    return next;
  }

  private static void assertRefused(Plan plan, String why) {
    assertThatThrownBy(() -> plan.next(FIRST, 1, 3, 1_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aMergeMovesAllBucketsOfItsPartitions() {
    ClusterMap next = next(Plans.merge(List.of(0, 1), null));
    assertThat(next.servers()).containsOnlyKeys(2, 3).containsEntry(3, SERVERS);
    assertThat(next.sourcesOf(3, FIRST)).hasToString("{0, 1}");
    ClusterMap all = next(Plans.merge(List.of(2, 0, 1), List.of("ap", "sa", "eu")));
    assertThat(all.servers()).containsOnlyKeys(3).containsEntry(3, List.of("ap", "sa", "eu"));
  }

  @Test
  void aMergeThatCannotBeSaysWhy() {
    assertRefused(Plans.merge(List.of(0), null), "two or more different partitions, not [0]");
    assertRefused(Plans.merge(List.of(0, 0), null), "two or more different partitions");
    assertRefused(Plans.merge(List.of(0, 7), null), "no partition 7 in map 0: it has [0, 1, 2]");
    assertRefused(
        Plans.merge(List.of(0, 2), null),
        "partition 0 is on us, eu, ap, partition 2 on us, eu, sa: choose the servers of the new"
            + " partition (--on)");
    assertRefused(
        Plans.merge(List.of(0, 2), List.of("us", "us", "eu")), "server 'us' is named twice");
  }

  @Test
  void aServerThatHasJoinedAsAskedForJoinsNoMore() {
    Member member = new Member("us", "us-2:7000");
    Plans.Members members =
        map ->
            Stream.concat(SERVERS.stream(), map.joined().keySet().stream())
                .filter(name -> !map.left().contains(name))
                .map(name -> new Server(name, "r"))
                .toList();
    ClusterMap joined = next(Plans.add("us-2", member, members));
    assertThat(Plans.add("us-2", member, members).next(joined, 2, 3, 2_000)).isNull();
    Plan elsewhere = Plans.add("us-2", new Member("us", "us-3:7000"), members);
    assertThatThrownBy(() -> elsewhere.next(joined, 2, 3, 2_000))
        .hasMessageContaining("'us-2' is in the cluster already, and not as asked for");
    ClusterMap left = Plans.leave("us-2", members).next(joined, 2, 3, 2_000);
    assertThat(left).isNotNull();
    assertThat(Plans.leave("us-2", members).next(left, 3, 3, 3_000)).isNull();
    assertThat(Plans.evacuate("us-2", members).next(left, 3, 3, 3_000)).isNull();
    assertThat(Plans.replace("us-2", "eu", members).next(left, 3, 3, 3_000)).isNull();
    assertThatThrownBy(() -> Plans.leave("us-9", members).next(left, 3, 3, 3_000))
        .hasMessageContaining("no server 'us-9': its servers are us, eu, ap");
  }
}
