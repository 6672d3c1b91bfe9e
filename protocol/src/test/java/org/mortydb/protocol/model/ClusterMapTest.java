package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.table.ByteCursor;

class ClusterMapTest {
  private static final List<String> SERVERS = List.of("a", "b", "c");
  private final ClusterMap first = ClusterMap.first(1, 2);

  /** The upper half of partition 0 goes to partition 2. */
  private final ClusterMap split = split(1, 1_000);

  private ClusterMap split(int number, long cutMicros) {
    return first.moved(
        number, cutMicros, 1, Map.of(2, SERVERS), buckets(Bucket.COUNT / 4, Bucket.COUNT / 2, 2));
  }

  private static Map<Integer, Integer> buckets(int from, int to, int partition) {
    HashMap<Integer, Integer> moved = new HashMap<>();
    for (int bucket = from; bucket < to; bucket++) {
      moved.put(bucket, partition);
    }
    return moved;
  }

  private static BitSet partitions(int... numbers) {
    BitSet set = new BitSet();
    for (int number : numbers) {
      set.set(number);
    }
    return set;
  }

  @Test
  void theFirstMapPlacesKeysAsPartitionsByNumberDo() {
    for (int i = 0; i < 1_000; i++) {
      Key key = Key.of("k" + i);
      assertThat(first.partitionOf(key)).isEqualTo(Topology.partitionOf(key, 2));
      assertThat(ClusterMap.first(2, 7).partitionOf(key)).isEqualTo(Topology.partitionOf(key, 7));
    }
    assertThat(first.cut()).isEqualTo(TxnId.INITIAL);
    assertThat(first.servers().keySet()).containsExactly(0, 1);
  }

  /** Two servers may have been told of different maps with one number. */
  @Test
  void mapsThatDifferInOnePartDiffer() {
    Member member = new Member("us", "us-2:1");
    List<ClusterMap> maps =
        List.of(
            first,
            split,
            split(2, 1_000),
            split(1, 1_001),
            first.moved(1, 1_000, 1, Map.of(2, List.of("a", "b", "d")), buckets(0, 1, 2)),
            first.moved(1, 1_000, 1, Map.of(2, SERVERS), buckets(0, 1, 2)),
            first.withServer(1, 1_000, "x", member),
            first.withServer(1, 1_000, "y", member),
            first.withServer(1, 1_000, "x", new Member("us", "us-2:2")),
            first.withServer(1, 1_000, "x", null),
            first.withServer(1, 1_000, "y", null));
    for (ClusterMap one : maps) {
      assertThat(ClusterMap.of(one.bytes())).isEqualTo(one);
      assertThat(maps.stream().filter(one::equals)).hasSize(1);
    }
  }

  @Test
  void bucketsMoveToNewPartitionsAndAllOthersStay() {
    assertThat(split.partitionOf(Bucket.COUNT / 4 - 1)).isEqualTo(0);
    assertThat(split.partitionOf(Bucket.COUNT / 4)).isEqualTo(2);
    assertThat(split.partitionOf(Bucket.COUNT / 2)).isEqualTo(1);
    assertThat(split.servers().get(2)).isEqualTo(SERVERS);
    assertThat(split.servers().get(0)).isEqualTo(first.servers().get(0));
    assertThat(split.sources(first)).isEqualTo(partitions(0));
    assertThat(split.sourcesOf(2, first)).isEqualTo(partitions(0));
    assertThat(split.destinations(first)).isEqualTo(partitions(2));
    assertThat(split.cut()).isEqualTo(new TxnId(1_000, Long.MAX_VALUE, 0));
  }

  @Test
  void aPartitionThatLosesAllItsBucketsIsNotInTheNextMap() {
    ClusterMap merged = first.moved(1, 1_000, 1, Map.of(2, SERVERS), buckets(0, Bucket.COUNT, 2));
    assertThat(merged.servers().keySet()).containsExactly(2);
    assertThat(merged.partitionOf(Key.of("k"))).isEqualTo(2);
    assertThat(merged.sourcesOf(2, first)).isEqualTo(partitions(0, 1));
  }

  @Test
  void refusesWhatCannotFollow() {
    assertThatThrownBy(() -> first.moved(1, 1_000, 1, Map.of(), buckets(0, Bucket.COUNT / 2, 1)))
        .hasMessageContaining("moves to partition 1, which is not new");
    assertThatThrownBy(() -> first.moved(1, 1_000, 2, Map.of(2, SERVERS), buckets(0, 1, 2)))
        .hasMessageContaining("with f = 2");
    assertThatThrownBy(() -> split.moved(1, 2_000, 1, Map.of(3, SERVERS), buckets(0, 1, 3)))
        .hasMessageContaining("map 1 cannot follow map 1");
    assertThatThrownBy(() -> split.moved(2, 1_000, 1, Map.of(3, SERVERS), buckets(0, 1, 3)))
        .hasMessageContaining("map 2 does not follow map 1");
    assertThatThrownBy(() -> first.moved(1, 1_000, 1, Map.of(2, SERVERS), Map.of()))
        .hasMessageContaining("only {0, 1} have buckets");
    assertThatThrownBy(
            () -> first.moved(1, 1_000, 1, Map.of(2, List.of("a", "b", "b")), buckets(0, 1, 2)))
        .hasMessageContaining("partition 2 has the servers [a, b, b]");
    assertThat(first.whyNotAfter(first)).contains("map 0 does not follow map 0");
  }

  @Test
  void isReadAsItWasWritten() {
    ByteCursor bytes = new ByteCursor();
    split.write(bytes);
    assertThat(ClusterMap.read(new ByteCursor(bytes.bytes(), 0))).isEqualTo(split);
    assertThat(split).isNotEqualTo(split(1, 1_001));
  }

  /** A peer may send many of them. */
  @Test
  void aShortMessageDoesNotFillMuchMemory() {
    ByteCursor written = new ByteCursor();
    split.write(written);
    int size = written.at();
    ClusterMap.read(new ByteCursor(written.bytes(), 0)); // loads the classes
    long before = allocatedBytes();
    ClusterMap.read(new ByteCursor(written.bytes(), 0));
    assertThat(allocatedBytes() - before).isLessThan(100L * size);
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  @Test
  void bytesThatAreCutOffOrChangedAreNoMapOrAnother() {
    ByteCursor written = new ByteCursor();
    split.write(written);
    byte[] whole = java.util.Arrays.copyOf(written.bytes(), written.at());
    for (int length = 0; length < whole.length; length++) {
      byte[] part = java.util.Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> ClusterMap.read(new ByteCursor(part, 0)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    List<ClusterMap> read = new ArrayList<>();
    for (int at = 0; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= 1;
      try {
        read.add(ClusterMap.read(new ByteCursor(changed, 0)));
      } catch (IllegalArgumentException expected) {
        // what is no map is refused
      }
    }
    assertThat(read).doesNotContain(split);
  }

  @Test
  void aHistorySaysWhichMapHoldsForATransaction() {
    ClusterMap again =
        split.moved(3, 2_000, 1, Map.of(3, SERVERS), buckets(0, Bucket.COUNT / 2, 3));
    MapHistory history = new MapHistory(first).with(split).with(again);
    assertThat(history.at(new TxnId(1_000, 7, 0))).isSameAs(first);
    assertThat(history.at(new TxnId(1_001, 7, 0))).isSameAs(split);
    assertThat(history.at(new TxnId(2_000, 7, 0))).isSameAs(split);
    assertThat(history.at(new TxnId(2_001, 7, 0))).isSameAs(again);
    assertThat(history.firstWith(2)).isSameAs(split);
    assertThat(history.firstWithout(0)).isSameAs(again);
    assertThat(history.firstWithout(1)).isNull();
    assertThat(history.firstWithout(9)).isNull();
    assertThat(history.knows(3)).isTrue();
    assertThat(history.knows(4)).isFalse();
    assertThat(history.before(again)).isSameAs(split);
    assertThat(history.numbered(2)).isNull();
  }

  @Test
  void aHistoryTakesWhatFollowsAndNothingElse() {
    MapHistory history = new MapHistory(first);
    MapHistory more = history.merged(List.of(first, split), 1);
    assertThat(more.last()).isEqualTo(split);
    assertThat(more.isComplete()).isTrue();
    assertThat(history.with(split).isComplete()).isFalse();
    assertThat(more.merged(List.of(split), 0)).isEqualTo(more);
    assertThatThrownBy(() -> more.merged(List.of(split(1, 900)), 1)).hasMessageContaining("is not");
    ClusterMap later = split.moved(2, 2_000, 1, Map.of(3, SERVERS), buckets(0, 1, 3));
    assertThatThrownBy(() -> history.merged(List.of(later), 2))
        .hasMessageContaining("map 2 does not follow map 0");
  }
}
