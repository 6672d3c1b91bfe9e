package org.mortydb.client.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.channel.DefaultEventLoop;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each task runs or is rejected, whenever the loop ends. */
@Timeout(30)
class LoopGateTest {
  private final CountDownLatch offering = new CountDownLatch(1);
  private final CountDownLatch lastPassIsOver = new CountDownLatch(1);
  private final CountDownLatch offered = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean slow = new AtomicBoolean();

  /** A loop that a task reaches after its last pass, if it can. */
  private final class Ending extends DefaultEventLoop {
    @Override
    protected Queue<Runnable> newTaskQueue(int maxPendingTasks) {
      return new LinkedBlockingQueue<>(maxPendingTasks) {
        @Override
        public boolean offer(Runnable task) {
          if (!slow.getAndSet(false)) {
            return super.offer(task);
          }
          offering.countDown();
          await(lastPassIsOver, 300);
          boolean taken = super.offer(task);
          offered.countDown();
          await(ended, 300);
          return taken;
        }
      };
    }

    @Override
    protected void cleanup() {
      lastPassIsOver.countDown();
      await(offered, 1_000);
    }
  }

  private static void await(CountDownLatch latch, long millis) {
    try {
      var _ = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTaskThatArrivesAsTheLoopEndsIsNotDropped() throws Exception {
    Ending loop = new Ending();
    loop.submit(() -> {}).get();
    LoopGate gate = new LoopGate(loop);
    AtomicBoolean ran = new AtomicBoolean();
    CompletableFuture<Throwable> rejected = new CompletableFuture<>();
    slow.set(true);
    Thread.ofPlatform()
        .start(() -> rejected.complete(catchThrowable(() -> gate.execute(() -> ran.set(true)))));
    offering.await();
    gate.close();
    var _ = loop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    loop.terminationFuture().sync();
    ended.countDown();
    assertThat(ran.get() ^ rejected.get() != null).as("runs or is rejected").isTrue();
  }

  @Test
  void rejectsTasksOnceItIsClosed() {
    AtomicBoolean ran = new AtomicBoolean();
    LoopGate gate = new LoopGate(Runnable::run);
    gate.close();
    assertThatThrownBy(() -> gate.execute(() -> ran.set(true)))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(ran).isFalse();
    gate.close();
  }
}
