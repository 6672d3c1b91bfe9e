package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.range;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

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
