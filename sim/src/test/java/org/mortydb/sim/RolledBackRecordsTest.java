package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.replica.Rollback;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.host.Observer;

/** The cluster goes back to 200 from 400: what remains of the records of its maps. */
class RolledBackRecordsTest {
  private static final ClusterMap FIRST = ClusterMap.first(1, 1);
  private static final ClusterMap NEXT = moved(FIRST, 1, 150);
  private static final ClusterMap THIRD = moved(NEXT, 2, 350);
  private static final MapRecord DECIDED = MapRecord.first(FIRST).proposed(NEXT).withDecision();
  private static final MapRecord OPEN = new MapRecord(2, 2, null, false);
  private static final MapRecord PROPOSED = OPEN.proposed(THIRD);

  private final Watch watch =
      new Watch(Morty.SYSTEM, 1, 1, FIRST, new Marks(), Observer.NONE, () -> 0);

  /** The map under which everything is in a new partition, whose number is that of the map. */
  private static ClusterMap moved(ClusterMap last, int number, long cutMicros) {
    Map<Integer, Integer> all = new HashMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      all.put(bucket, number);
    }
    return last.moved(number, cutMicros, 1, Map.of(number, List.of("0", "1", "2")), all);
  }

  private static TxnId at(long micros) {
    return new TxnId(micros, Long.MAX_VALUE, 0);
  }

  @BeforeEach
  void goesBack() {
    MapHistory maps = new MapHistory(List.of(FIRST, NEXT), 1);
    watch.rolledBack(new Rollback(at(200), at(400), maps, Set.of()));
  }

  private Value remaining(int map, long micros, MapRecord written) {
    return watch.remaining(MapRecord.key(map), at(micros), written.toValue());
  }

  @Test
  void aProposedChangeIsGivenUp() {
    assertThat(remaining(1, 190, PROPOSED)).isEqualTo(PROPOSED.opened().toValue());
  }

  @Test
  void allElseStaysAsItWasWritten() {
    assertThat(remaining(1, 160, OPEN)).isEqualTo(OPEN.toValue());
    assertThat(remaining(0, 100, DECIDED)).isEqualTo(DECIDED.toValue());
    assertThat(remaining(1, 500, PROPOSED)).as("proposed since").isEqualTo(PROPOSED.toValue());
    Value value = PROPOSED.toValue();
    assertThat(watch.remaining(Key.of("a"), at(190), value)).as("no record").isEqualTo(value);
  }

  @Test
  void nothingRemainsInAPartitionWithoutBuckets() {
    assertThat(watch.isLeftBehind(MapRecord.key(0))).isTrue();
    assertThat(watch.isLeftBehind(MapRecord.key(1))).isFalse();
    assertThat(watch.isLeftBehind(Key.of("a"))).isFalse();
  }
}
