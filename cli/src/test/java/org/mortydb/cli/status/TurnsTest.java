package org.mortydb.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TurnsTest {
  private static final long FROM_MILLIS = 1_790_000_000_000L;

  /**
   * Whatever two clocks say that differ by less than a second, two servers never decide together.
   */
  @Test
  void everyServerHasATurnAndNoTwoDecideTogether() {
    for (int servers = 1; servers <= 7; servers++) {
      List<Integer> order = new ArrayList<>();
      long lastMillis = Long.MIN_VALUE;
      for (long millis = 0; millis < servers * Turns.TURN.toMillis(); millis += 100) {
        List<Integer> now = new ArrayList<>();
        for (int index = 0; index < servers; index++) {
          if (Turns.isTurnOf(FROM_MILLIS + millis, index, servers)) {
            now.add(index);
          }
        }
        assertThat(now).hasSizeLessThanOrEqualTo(1);
        if (!now.isEmpty() && (order.isEmpty() || !order.getLast().equals(now.getFirst()))) {
          assertThat(order.isEmpty() || millis - lastMillis > 5_000).isTrue();
          order.add(now.getFirst());
        }
        lastMillis = now.isEmpty() ? lastMillis : millis;
      }
      // The interval may begin in the middle of a turn, whose server then comes again at the end.
      assertThat(order.stream().distinct()).hasSize(servers);
    }
  }
}
