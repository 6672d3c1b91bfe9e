package org.mortydb.baselines.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.Make;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.WriteId;

class AntiDependenciesTest {
  private static final List<Read> READS = List.of(new Read(Key.of("x"), WriteId.INITIAL));

  private final AntiDependencies conflicts =
      new AntiDependencies(Make.versions(), BaselineRules.SOUND);

  /** Its conflicts with those that committed since may be forgotten. */
  @Test
  void aSnapshotThatIsTooOldIsNotAdmitted() {
    assertThat(conflicts.admit(Make.of(1, 99, READS))).isTrue();
    conflicts.forget(101);
    assertThat(conflicts.admit(Make.of(2, 101, READS))).isFalse();
    assertThat(conflicts.admit(Make.of(3, 103, READS))).isTrue();
    conflicts.forget(50); // what is forgotten stays forgotten
    assertThat(conflicts.admit(Make.of(4, 101, READS))).isFalse();
  }
}
