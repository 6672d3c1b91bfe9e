package org.mortydb.workloads.load;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** The machine's clock and threads. */
final class MachineClock implements LoadClock {
  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    Thread.sleep(Duration.ofNanos(nanos));
  }

  @Override
  public void after(long delayMicros, Runnable task) {
    CompletableFuture.delayedExecutor(delayMicros, TimeUnit.MICROSECONDS).execute(task);
  }

  @Override
  public Runnable pace(LongSupplier next, LongConsumer task, BooleanSupplier stopped) {
    Thread pacer =
        Thread.ofPlatform()
            .name("morty-bench-pacer")
            .daemon()
            .start(
                () -> {
                  while (!stopped.getAsBoolean()) {
                    long due = next.getAsLong();
                    for (long rest = due - nanos();
                        rest > 0 && !stopped.getAsBoolean();
                        rest = due - nanos()) {
                      LockSupport.parkNanos(rest);
                    }
                    if (!stopped.getAsBoolean()) {
                      task.accept(due);
                    }
                  }
                });
    return () -> LockSupport.unpark(pacer);
  }
}
