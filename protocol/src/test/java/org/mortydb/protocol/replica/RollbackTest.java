package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica.Memory;

/** Which state a cluster goes back to. */
class RollbackTest {
  private final Map<ReplicaId, Memory> memories = new LinkedHashMap<>();

  private static TxnId cut(long micros) {
    return new TxnId(micros, Long.MAX_VALUE, 0);
  }

  private void remembers(int partition, int index, long from, long upTo) {
    memories.put(
        new ReplicaId(partition, index), new Memory(true, cut(from), cut(upTo), 1_000 + index));
  }

  @Test
  void goesBackToTheHighestCutThatEnoughReplicasOfAllPartitionsHold() {
    remembers(0, 0, 0, 300);
    remembers(0, 1, 0, 200);
    remembers(0, 2, 0, 100);
    remembers(1, 0, 0, 400);
    remembers(1, 1, 0, 250);
    remembers(1, 2, 220, 250);
    Rollback rollback = Rollback.of(1, 2, memories);
    assertThat(rollback).isNotNull();
    assertThat(rollback.cut()).isEqualTo(cut(200));
    assertThat(rollback.sources())
        .isEqualTo(
            Set.of(
                new ReplicaId(0, 0),
                new ReplicaId(0, 1),
                new ReplicaId(1, 0),
                new ReplicaId(1, 1)));
    // Above all that any replica may have voted on.
    assertThat(rollback.fence()).isEqualTo(cut(1_003));
  }

  @Test
  void aReplicaThatRemembersNothingIsNoSource() {
    remembers(0, 0, 0, 300);
    memories.put(new ReplicaId(0, 1), new Memory(false, TxnId.INITIAL, TxnId.INITIAL, 5_000));
    memories.put(new ReplicaId(0, 2), new Memory(false, TxnId.INITIAL, TxnId.INITIAL, 5_000));
    assertThat(Rollback.of(1, 1, memories)).isNull();
    assertThat(Rollback.toNothing(memories).cut()).isEqualTo(TxnId.INITIAL);
    assertThat(Rollback.toNothing(memories).fence()).isEqualTo(cut(5_001));
  }

  @Test
  void aPartitionWhoseHistoryBeginsTooLateHasNoCommonCut() {
    for (int index = 0; index < 3; index++) {
      remembers(0, index, 0, 200);
      remembers(1, index, 201, 300);
    }
    assertThat(Rollback.of(1, 2, memories)).isNull();
  }
}
