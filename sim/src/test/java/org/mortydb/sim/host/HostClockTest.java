package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.sim.kernel.Kernel;

class HostClockTest {
  private final Kernel kernel = new Kernel();

  @Test
  void isOffByItsOffset() {
    HostClock clock = new HostClock(kernel, -300, 0);
    kernel.runUntil(1_000);
    assertThat(clock.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS + 700);
  }

  @Test
  void runsTooFastAndTooSlow() {
    HostClock fast = new HostClock(kernel, 0, 100);
    HostClock slow = new HostClock(kernel, 0, -100);
    kernel.runUntil(10_000_000);
    assertThat(fast.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS + 10_001_000);
    assertThat(slow.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS + 9_999_000);
    assertThat(new HostClock(kernel, 0, 250_000).virtualDelayMicros(1_000)).isEqualTo(800);
    assertThat(new HostClock(kernel, 0, 0).virtualDelayMicros(1_000)).isEqualTo(1_000);
  }

  @Test
  void jumps() {
    HostClock clock = new HostClock(kernel, 0, 0);
    clock.jump(50);
    clock.jump(-80);
    assertThat(clock.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS - 30);
  }

  @Test
  void aClockThatIsAheadJumpsBackOrStandsStillUntilItIsCorrect() {
    HostClock jumping = new HostClock(kernel, 70, 10_000);
    jumping.leap(3_600_000_000L);
    jumping.correct(false);
    assertThat(jumping.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS);
    HostClock standing = new HostClock(kernel, 70, 0);
    standing.leap(3_600_000_000L);
    standing.correct(true);
    assertThat(standing.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS + 70);
    kernel.runUntil(60);
    assertThat(standing.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS + 70);
    kernel.runUntil(80);
    assertThat(standing.nowMicros()).isEqualTo(HostClock.EPOCH_MICROS + 80);
  }

  @Test
  void theTimeThatHasPassedDriftsAndDoesNotJump() {
    HostClock clock = new HostClock(kernel, -300, 100_000);
    kernel.runUntil(1_000);
    assertThat(clock.elapsedMicros()).isEqualTo(1_100);
    clock.jump(-5_000);
    clock.leap(3_600_000_000L);
    assertThat(clock.elapsedMicros()).isEqualTo(1_100);
    clock.correct(false);
    assertThat(clock.elapsedMicros()).isEqualTo(1_100);
    kernel.runUntil(2_000);
    assertThat(clock.elapsedMicros()).isEqualTo(2_100);
    clock.correct(true);
    assertThat(clock.elapsedMicros()).isEqualTo(2_100);
  }
}
