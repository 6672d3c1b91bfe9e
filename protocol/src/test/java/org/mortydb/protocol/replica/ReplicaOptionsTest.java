package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.table.RowStore;

class ReplicaOptionsTest {

  @Test
  void refusesTimesAndLimitsOutOfTheirRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReplicaOptions(-1, 1, 1, 1, 2))
        .withMessageContaining("skew");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReplicaOptions(0, 0, 1, 1, 2))
        .withMessageContaining("retention");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReplicaOptions(0, 1, 0, 1, 2))
        .withMessageContaining("tick");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReplicaOptions(0, 1, 1, 0, 2))
        .withMessageContaining("inquire");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ReplicaOptions(0, 1, 1, 1, 1))
        .withMessageContaining("2 versions");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReplicaOptions.DEFAULTS.withNamedBytes(0))
        .withMessageContaining("round");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReplicaOptions.DEFAULTS.withNamedBytes(Limits.MAX_FRAME_BYTES / 4 + 1))
        .withMessageContaining("round");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RowLimits(-1, RowStore.LEAST_PAGE_BYTES))
        .withMessageContaining("warm");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RowLimits(0, RowStore.LEAST_PAGE_BYTES - 1))
        .withMessageContaining("power of two");
  }

  /** Small parts of copies, as in tests, say nothing about rounds. */
  @Test
  void answersInRoundsDoNotDependOnThePartsOfCopies() {
    ReplicaOptions options = ReplicaOptions.DEFAULTS;
    assertThat(options.withCopiedVersions(1).namedBytes()).isEqualTo(options.namedBytes());
    assertThat(options.withNamedBytes(256).withCopiedVersions(1).namedBytes()).isEqualTo(256);
    assertThat(options.withNamedBytes(256).withWatermarkLagMicros(1).namedBytes()).isEqualTo(256);
    assertThat(options.withNamedBytes(256).withMapChanges().namedBytes()).isEqualTo(256);
    assertThat(options.withNamedBytes(256).copiedVersions()).isEqualTo(options.copiedVersions());
  }
}
