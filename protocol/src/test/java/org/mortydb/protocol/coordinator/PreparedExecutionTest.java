package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.range;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

class PreparedExecutionTest {
  private static final Key HERE = keyIn(0, 2, 0);
  private static final Key THERE = keyIn(1, 2, 0);
  private static final KeyRange RANGE = range("a", "b");

  private static PreparedExecution over(List<Integer> participants, Key... keys) {
    List<Key> all = List.of(keys);
    return new PreparedExecution(
        execution(100, 1),
        participants,
        all.stream().map(key -> new VersionedValue(key, version(1, 1), value("r"), true)).toList(),
        List.of(RANGE),
        all.stream().map(key -> new Write(key, 1, value("w"))).toList(),
        false,
        false);
  }

  private static Prepare prepare(List<Integer> participants, Key... keys) {
    List<Key> its = List.of(keys);
    return new Prepare(
        execution(100, 1),
        its.stream().map(key -> new Read(key, version(1, 1))).toList(),
        List.of(RANGE),
        its.stream().map(key -> new Write(key, 1, value("w"))).toList(),
        participants);
  }

  @Test
  void setsThatReplicasCannotTakeDoNotFit() {
    assertThat(reads(1, 1, Limits.MAX_OPERATIONS - 1).fits()).isTrue();
    assertThat(reads(1, 1, Limits.MAX_OPERATIONS).fits()).isFalse();
    assertThat(reads(2, 1, Limits.MAX_OPERATIONS / 2).fits()).isFalse();
    assertThat(reads(1, Limits.MAX_KEY_BYTES, 2_000).fits()).isTrue();
    assertThat(reads(1, Limits.MAX_KEY_BYTES, 4_000).fits()).as("16 MB").isFalse();
    assertThat(reads(4_000, Limits.MAX_KEY_BYTES, 0).fits()).as("16 MB").isFalse();
    assertThat(reads(4_000, 10, 0).readsMerges()).isFalse();
    assertThat(reads(1, 10, 1).readsMerges()).isTrue();
  }

  /** Reads of keys of a size, each of a value that is made of some versions below. */
  private static PreparedExecution reads(int count, int keyBytes, int below) {
    List<WriteId> ids = IntStream.rangeClosed(1, below).mapToObj(i -> version(i, 1)).toList();
    List<VersionedValue> reads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[keyBytes];
      key[0] = (byte) i;
      reads.add(new VersionedValue(Key.wrap(key), version(below + 1, 1), value("r"), true, ids));
    }
    return new PreparedExecution(
        execution(100_000, 1), List.of(0), reads, List.of(), List.of(), false, false);
  }

  @Test
  void eachParticipantGetsTheRangesThatMayHaveKeysOfIts() {
    Topology topology = new Topology(1, 0, 0);
    KeyRange tagged = range("a{7}", "a{7~");
    int holder = topology.partitionOf(Key.of("{7}"));
    PreparedExecution both =
        new PreparedExecution(
            execution(100, 1),
            List.of(0, 1),
            List.of(),
            List.of(tagged, RANGE),
            List.of(),
            true,
            false);
    assertThat(both.requestFor(holder, topology))
        .isEqualTo(new Register(execution(100, 1), List.of(), List.of(tagged, RANGE)));
    assertThat(both.requestFor(1 - holder, topology))
        .isEqualTo(new Register(execution(100, 1), List.of(), List.of(RANGE)));
  }

  @Test
  void eachParticipantGetsItsOwnKeysAndRanges() {
    PreparedExecution both = over(List.of(0, 1), HERE, THERE);
    Topology topology = new Topology(1, 0, 0);
    assertThat(both.requestFor(0, topology)).isEqualTo(prepare(List.of(0, 1), HERE));
    assertThat(both.requestFor(1, topology)).isEqualTo(prepare(List.of(0, 1), THERE));
  }

  @Test
  void theOnlyParticipantGetsEverything() {
    Key other = keyIn(0, 2, 1);
    PreparedExecution one = over(List.of(0), HERE, other);
    assertThat(one.requestFor(0, new Topology(1, 0, 0)))
        .isEqualTo(prepare(List.of(0), HERE, other));
  }
}
