package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** What an execution keeps in memory. */
class ExecutionRecordTest {
  private final KeyState a = new KeyState(key("a"));
  private final KeyState b = new KeyState(key("b"));
  private final Version shown = new Version(version(10, 2), value("x"), 0);

  ExecutionRecordTest() {
    a.versions().insert(shown);
  }

  private ExecutionRecord record(List<Read> reads, List<Write> writes) {
    return new ExecutionRecord(
        1,
        reads,
        List.of(),
        writes,
        List.of(0),
        false,
        reads.isEmpty() ? new KeyState[0] : new KeyState[] {a, b},
        writes.isEmpty() ? new KeyState[0] : new KeyState[] {b});
  }

  @Test
  void keepsTheReplicasOwnKeysAndIdsInsteadOfThoseOfTheMessage() {
    List<Read> reads =
        List.of(new Read(key("a"), version(10, 2)), new Read(key("b"), WriteId.INITIAL));
    List<Write> writes = List.of(new Write(key("b"), 3, value("y")));
    ExecutionRecord record = record(reads, writes);
    assertThat(record.reads()).isEqualTo(reads);
    assertThat(record.reads().get(0).key()).isSameAs(a.key());
    assertThat(record.reads().get(0).version()).isSameAs(shown.id());
    assertThat(record.reads().get(1).key()).isSameAs(b.key());
    assertThat(record.writes()).isEqualTo(writes);
    assertThat(record.writes().get(0).key()).isSameAs(b.key());
    assertThat(record.writes().get(0).value()).isSameAs(writes.getFirst().value());
  }

  @Test
  void keepsReadsOfVersionsThatAreNotHereAsTheyAre() {
    List<Read> reads =
        List.of(new Read(key("a"), version(10, 1)), new Read(key("b"), version(20, 1)));
    ExecutionRecord record = record(reads, List.of());
    assertThat(record.reads()).isEqualTo(reads);
    assertThat(record.writes()).isEmpty();
  }
}
