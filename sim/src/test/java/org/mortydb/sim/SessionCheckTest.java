package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.Observer;

/** One session reads, and then reads locally. */
class SessionCheckTest {
  private static final Key X = Key.of("x");
  private static final Key Y = Key.of("y");
  private static final TxnId OLD = new TxnId(5, 1, 0);
  private static final TxnId NEW = new TxnId(7, 1, 0);

  private final Watch watch =
      new Watch(Morty.SYSTEM, 1, 1, ClusterMap.first(1, 1), new Marks(), Observer.NONE, () -> 0);
  private final SessionCheck session =
      new SessionCheck(EnumSet.allOf(SessionGuarantee.class), watch, new Marks());

  private static VersionedValue version(Key key, TxnId writer) {
    return writer.equals(TxnId.INITIAL)
        ? new VersionedValue(key, WriteId.INITIAL, Value.ABSENT, true)
        : new VersionedValue(key, new WriteId(writer, 1), Value.of("by " + writer), true);
  }

  private void read(Path path, TxnId at, VersionedValue... rows) {
    session.committed(
        new Completion.Committed(at, at, 0, path, List.of(rows), List.of()), List.of(X, Y));
  }

  private void write(TxnId at) {
    List<Write> writes = List.of(new Write(X, 1, Value.of("by " + at)));
    session.committed(
        new Completion.Committed(at, at, 0, Path.FAST, List.of(), writes), List.of(X, Y));
  }

  /** What is found when both versions of X have committed. */
  private List<Rule> found() {
    NavigableMap<TxnId, Write> written = new TreeMap<>();
    for (TxnId writer : List.of(OLD, NEW)) {
      written.put(writer, new Write(X, 1, Value.of("by " + writer)));
    }
    SessionCheck.check(List.of(session), Map.of(X, written), watch, new Marks());
    return watch.violations().stream().map(Violation::rule).toList();
  }

  @Test
  void aLocalReadIsNotBelowWhatTheSessionHasRead() {
    read(Path.LOCAL, new TxnId(20, 9, 0), version(X, NEW));
    read(Path.LOCAL, new TxnId(21, 9, 0), version(X, NEW));
    assertThat(found()).isEmpty();
    read(Path.LOCAL, new TxnId(22, 9, 0), version(X, OLD));
    assertThat(found()).contains(Rule.GUARANTEE);
  }

  @Test
  void aLocalReadIsNotBelowWhatTheSessionHasWritten() {
    write(NEW);
    read(Path.LOCAL, new TxnId(21, 9, 0), version(X, OLD));
    assertThat(found()).containsExactly(Rule.GUARANTEE);
  }

  /** The session has read another key at the very place of the version, or right below it. */
  @Test
  void aStateThatWasReadHoldsTheVersionAtItsPlaceAndNoneAbove() {
    read(Path.PAST, new TxnId(6, 9, 0), version(X, OLD));
    read(Path.LOCAL, new TxnId(21, 9, 0), version(X, OLD));
    assertThat(found()).isEmpty();
    read(Path.PAST, NEW, version(X, NEW));
    read(Path.LOCAL, new TxnId(22, 9, 0), version(X, OLD));
    assertThat(found()).containsExactly(Rule.GUARANTEE);
  }

  @Test
  void aStateThatWasReadAsAbsentWasComplete() {
    read(Path.PAST, OLD, version(Y, TxnId.INITIAL), version(X, OLD));
    read(Path.LOCAL, new TxnId(21, 9, 0), version(X, TxnId.INITIAL));
    assertThat(found()).containsExactly(Rule.GUARANTEE);
  }

  @Test
  void aSessionNeverGoesBack() {
    read(Path.PAST, NEW, version(X, NEW));
    read(Path.PAST, OLD, version(X, OLD));
    assertThat(watch.violations()).extracting(Violation::rule).containsExactly(Rule.GUARANTEE);
  }
}
