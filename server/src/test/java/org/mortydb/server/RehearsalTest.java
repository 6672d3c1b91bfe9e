package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.system.Morty;

class RehearsalTest {
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static Rehearsal rehearsal() {
    return new Rehearsal(Morty.SYSTEM);
  }

  /** Also with the replica that has lost everything halfway, and copies the others. */
  @Test
  void nearlyAllTransactionsCommitAndAllReplicasServeAtTheEnd() {
    Rehearsal rehearsal = rehearsal();
    rehearsal.run(2_000, System.nanoTime() + LONG_NANOS, new AtomicBoolean());
    assertThat(rehearsal.committed()).isBetween(1_200, 2_000);
    assertThat(rehearsal.serving()).isEqualTo(3);
  }

  @Test
  void someTransactionsExecuteAgain() {
    Rehearsal rehearsal = rehearsal();
    rehearsal.run(500, System.nanoTime() + LONG_NANOS, new AtomicBoolean());
    assertThat(rehearsal.reexecuted()).isPositive();
  }

  @Test
  void endsEarlyWhenItsServerStopsOrTheTimeIsOver() {
    Rehearsal stopped = rehearsal();
    stopped.run(2_000, System.nanoTime() + LONG_NANOS, new AtomicBoolean(true));
    assertThat(stopped.committed()).isZero();
    Rehearsal late = rehearsal();
    late.run(2_000, System.nanoTime() - 1, new AtomicBoolean());
    assertThat(late.committed()).isZero();
  }
}
