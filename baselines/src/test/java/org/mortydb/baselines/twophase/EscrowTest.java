package org.mortydb.baselines.twophase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

class EscrowTest {
  private static final Key KEY = Key.of("k");

  private final Escrow escrow = new Escrow();

  private static Write sum(long amount) {
    return new Write(KEY, 1, Merge.add(amount));
  }

  private static Value number(long n) {
    return Merge.apply(Value.ABSENT, Merge.add(n));
  }

  /** What may be added does not grow by what is no longer taken, nor the other way round. */
  @Test
  void whatHasEndedReservesNothing() {
    Value high = number(Long.MAX_VALUE - 10);
    Value low = number(Long.MIN_VALUE + 10);
    escrow.reserve(List.of(sum(1)));
    escrow.reserve(List.of(sum(-1)));
    escrow.reserve(List.of(sum(5)));
    escrow.reserve(List.of(sum(-5)));
    assertThat(escrow.admits(high, sum(4))).isTrue();
    assertThat(escrow.admits(high, sum(5))).isFalse();
    assertThat(escrow.admits(low, sum(-4))).isTrue();
    assertThat(escrow.admits(low, sum(-5))).isFalse();
    escrow.release(List.of(sum(-5)));
    assertThat(escrow.admits(high, sum(4))).isTrue();
    assertThat(escrow.admits(low, sum(-9))).isTrue();
    assertThat(escrow.admits(low, sum(-10))).isFalse();
    escrow.release(List.of(sum(5)));
    assertThat(escrow.admits(high, sum(9))).isTrue();
    assertThat(escrow.admits(high, sum(10))).isFalse();
    escrow.release(List.of(sum(1), sum(-1)));
    assertThat(escrow.size()).isZero();
  }
}
