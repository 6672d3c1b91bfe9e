package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.TxnId;

final class AbortCounterTest {
  private long now;
  private final AbortCounter counter = new AbortCounter(new SetClock());

  private void abort(AbortReason reason) {
    counter.completed(
        new CompletedAttempt(new Completion.Aborted(new TxnId(1, 1, 0), reason), 0, 0, 0, 0, 1, 0));
  }

  @Test
  void countsWithinTheWindowOnly() {
    abort(AbortReason.CONFLICT);
    counter.count(new Window(10, 20));
    now = 9;
    abort(AbortReason.CONFLICT);
    now = 10;
    abort(AbortReason.CONFLICT);
    abort(AbortReason.REEXECUTION_LIMIT);
    now = 20;
    abort(AbortReason.CONFLICT);
    assertThat(counter.count(AbortReason.CONFLICT)).isEqualTo(1);
    assertThat(counter.count(AbortReason.REEXECUTION_LIMIT)).isEqualTo(1);
  }

  /** The loads of a series, and the search for the saturated rate, share a client. */
  @Test
  void aNewWindowHasNothingOfEarlierOnes() {
    counter.count(new Window(10, 20));
    now = 15;
    abort(AbortReason.CONFLICT);
    counter.count(new Window(30, 40));
    assertThat(counter.count(AbortReason.CONFLICT)).isZero();
    now = 35;
    abort(AbortReason.CONFLICT);
    assertThat(counter.count(AbortReason.CONFLICT)).isEqualTo(1);
  }

  /** Only its time is read. */
  private final class SetClock implements LoadClock {
    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void sleep(long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void after(long delayMicros, Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Runnable pace(LongSupplier next, LongConsumer task, BooleanSupplier stopped) {
      throw new UnsupportedOperationException();
    }
  }
}
