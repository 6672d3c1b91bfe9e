package org.mortydb.workloads.load;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Each session begins its next transaction, if it has one, as soon as the previous one ends. */
final class ClosedLoop implements Load {
  private final List<LoadSession> sessions;
  private final LoadClock clock;
  private final Consumer<Throwable> onFailure;
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean stopped;

  /**
   * @param onFailure receives the reason when a session cannot continue
   */
  ClosedLoop(List<LoadSession> sessions, LoadClock clock, Consumer<Throwable> onFailure) {
    this.sessions = sessions;
    this.clock = clock;
    this.onFailure = onFailure;
  }

  @Override
  public void start() {
    underWay.set(sessions.size());
    for (LoadSession session : sessions) {
      next(session);
    }
  }

  private void next(LoadSession session) {
    if (stopped || !session.run(clock.nanos(), failure -> ended(session, failure))) {
      underWay.decrementAndGet();
    }
  }

  private void ended(LoadSession session, @Nullable Throwable failure) {
    if (failure == null) {
      next(session);
    } else {
      underWay.decrementAndGet();
      onFailure.accept(failure);
    }
  }

  @Override
  public void stop() {
    stopped = true;
  }

  @Override
  public int underWay() {
    return underWay.get();
  }
}
