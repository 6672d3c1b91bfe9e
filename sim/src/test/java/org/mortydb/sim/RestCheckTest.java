package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.systems.Occ;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Inspectable;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.Observer;

/** Three replicas at rest, which hold what a test says. */
class RestCheckTest {
  private static final TransactionSystem SYSTEM = new Occ();
  private static final Key X = Key.of("x");
  private static final TxnId BEFORE = new TxnId(5, 1, 0);
  private static final TxnId WRITER = new TxnId(7, 1, 0);
  private static final TxnId LATER = new TxnId(9, 1, 0);

  private static final VersionedValue RIGHT = version(WRITER, 1, "right");

  private final Map<ReplicaId, VersionedValue> held = new HashMap<>();
  private final Watch watch =
      new Watch(SYSTEM, 1, 1, ClusterMap.first(1, 1), new Marks(), Observer.NONE, () -> 0);
  private final RestCheck check = new RestCheck(SYSTEM, watch);

  RestCheckTest() {
    for (int i = 0; i < 3; i++) {
      ReplicaId id = new ReplicaId(0, i);
      watch.add(
          id,
          new Inspectable() {
            @Override
            public List<TxnId> undecided() {
              return List.of();
            }

            @Override
            public @Nullable VersionedValue newestCommitted(Key key) {
              return held.get(id);
            }
          });
    }
    acknowledge(BEFORE, "old");
    acknowledge(WRITER, "right");
  }

  private void acknowledge(TxnId writer, String value) {
    List<Write> writes = List.of(new Write(X, 1, Value.of(value)));
    check.acknowledged(
        new Completion.Committed(writer, writer, 0, Completion.Path.FAST, List.of(), writes));
  }

  private static VersionedValue version(TxnId writer, int valueId, String value) {
    return new VersionedValue(X, new WriteId(writer, valueId), Value.of(value), true);
  }

  /** The replicas hold these versions; the others hold none. */
  private List<Rule> found(VersionedValue... versions) {
    held.clear();
    for (int i = 0; i < versions.length; i++) {
      held.put(new ReplicaId(0, i), versions[i]);
    }
    int before = watch.violations().size();
    check.checkNothingLost();
    return watch.violations().stream().skip(before).map(Violation::rule).toList();
  }

  @Test
  void aMajorityHoldsWhatWasAcknowledged() {
    assertThat(found()).containsExactly(Rule.LOST);
    assertThat(found(RIGHT)).containsExactly(Rule.LOST);
    assertThat(found(RIGHT, RIGHT)).isEmpty();
    assertThat(found(RIGHT, RIGHT, RIGHT)).isEmpty();
  }

  @Test
  void aLaterVersionTakesItsPlaceAndNothingElseDoes() {
    assertThat(found(RIGHT, version(LATER, 1, "newer"))).isEmpty();
    assertThat(found(RIGHT, version(BEFORE, 1, "old"))).containsExactly(Rule.LOST);
    assertThat(found(RIGHT, version(WRITER, 2, "right"))).containsExactly(Rule.LOST);
    assertThat(found(RIGHT, version(WRITER, 1, "wrong"))).containsExactly(Rule.LOST);
  }

  @Test
  void aReplicaThatIsGoneForGoodHasItsDisk() {
    watch.gone(new ReplicaId(0, 2));
    assertThat(found(RIGHT)).isEmpty();
    assertThat(found()).containsExactly(Rule.LOST);
  }

  @Test
  void replicasAreAlike() {
    found(RIGHT, RIGHT, RIGHT);
    check.checkAlike();
    assertThat(watch.violations()).isEmpty();
    for (VersionedValue other : List.of(version(BEFORE, 1, "old"), version(WRITER, 1, "wrong"))) {
      held.put(new ReplicaId(0, 2), other);
      int before = watch.violations().size();
      check.checkAlike();
      assertThat(watch.violations()).hasSize(before + 1);
    }
    held.remove(new ReplicaId(0, 1));
    held.put(new ReplicaId(0, 2), RIGHT);
    int before = watch.violations().size();
    check.checkAlike();
    assertThat(watch.violations()).hasSize(before + 1);
  }
}
