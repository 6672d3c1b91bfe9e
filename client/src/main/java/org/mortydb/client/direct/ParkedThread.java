package org.mortydb.client.direct;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The thread that creates this object. It parks while it waits, and keeps interrupts for later. */
final class ParkedThread implements BodyThread {
  private final Thread thread = Thread.currentThread();
  private final Executor engineThread;

  ParkedThread(Executor engineThread) {
    this.engineThread = engineThread;
  }

  @Override
  public void tellEngine(Runnable task) {
    engineThread.execute(task);
  }

  @Override
  public void await(BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      thread.interrupt();
    }
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }
}
