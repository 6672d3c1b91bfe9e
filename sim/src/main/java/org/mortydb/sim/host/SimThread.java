package org.mortydb.sim.host;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.mortydb.client.direct.BodyThread;
import org.mortydb.sim.kernel.Coroutine;

/**
 * A thread of a client's process that runs bodies in the direct style. It may be late: it wakes,
 * and its tasks reach the engine, after random delays.
 */
public final class SimThread implements BodyThread {
  private static final int LATE_ONE_OF = 4;

  private final ClientHost host;
  private final RandomGenerator random;
  private final long maxDelayMicros;
  private final Runnable onWake;
  private final Coroutine coroutine;
  private boolean awaiting;

  /** When the latest task reaches the engine: tasks keep their order. */
  private long lastTaskMicros;

  SimThread(
      ClientHost host,
      RandomGenerator random,
      long maxDelayMicros,
      Runnable onWake,
      Consumer<SimThread> code) {
    this.host = host;
    this.random = random;
    this.maxDelayMicros = maxDelayMicros;
    this.onWake = onWake;
    this.coroutine = new Coroutine(() -> code.accept(this));
  }

  void start() {
    coroutine.resume();
  }

  void cancel() {
    coroutine.cancel();
  }

  @Override
  public void tellEngine(Runnable task) {
    long now = host.kernel().nowMicros();
    lastTaskMicros = Math.max(lastTaskMicros, now + drawDelay());
    host.kernel().schedule(lastTaskMicros - now, () -> host.run(task));
  }

  @Override
  public void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      awaiting = true;
      coroutine.suspend();
    }
  }

  @Override
  public void wake() {
    onWake.run();
    if (awaiting) {
      awaiting = false;
      resumeAfter(drawDelay());
    }
  }

  /** Lets time pass. Called on this thread. */
  public void pause() {
    resumeAfter(random.nextLong(maxDelayMicros + 1));
    coroutine.suspend();
  }

  private void resumeAfter(long micros) {
    host.kernel().schedule(micros, () -> host.resume(coroutine));
  }

  private long drawDelay() {
    return random.nextInt(LATE_ONE_OF) == 0 ? random.nextLong(maxDelayMicros + 1) : 0;
  }
}
