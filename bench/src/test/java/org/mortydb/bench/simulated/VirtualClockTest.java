package org.mortydb.bench.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.sim.kernel.Kernel;

final class VirtualClockTest {
  private final VirtualClock clock = new VirtualClock(new Kernel());
  private final List<Long> happened = new ArrayList<>();

  @Test
  void timePassesWhileSomebodySleeps() throws InterruptedException {
    clock.after(30, () -> happened.add(clock.nanos()));
    clock.after(10, () -> happened.add(clock.nanos()));
    clock.sleep(20_000);
    assertThat(happened).containsExactly(10_000L);
    assertThat(clock.nanos()).isEqualTo(20_000);
    clock.sleep(20_000);
    assertThat(happened).containsExactly(10_000L, 30_000L);
  }

  @Test
  void aPaceIsKeptUntilItIsStopped() throws InterruptedException {
    long[] due = {0};
    boolean[] stopped = {false};
    Runnable stop = clock.pace(() -> due[0] += 1_500, happened::add, () -> stopped[0]);
    clock.sleep(5_000);
    assertThat(happened).containsExactly(1_500L, 3_000L, 4_500L);
    stopped[0] = true;
    stop.run();
    clock.sleep(10_000);
    assertThat(happened).hasSize(3);
  }

  @Test
  void anInterruptEndsASleep() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> clock.sleep(1)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }
}
