package org.mortydb.server;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.EnumMap;
import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one replica's machine and carries its effects out. Everything happens on the event loop of
 * its {@link LoopHost}.
 */
final class PartitionHost implements Effects {
  private static final Logger log = LoggerFactory.getLogger(PartitionHost.class);

  private final ReplicaId replica;
  private final StateMachine<Effects> machine;
  private final LoopHost loopHost;
  private final EnumMap<Timer, ScheduledFuture<?>> timers = new EnumMap<>(Timer.class);
  private boolean stopped;

  PartitionHost(ReplicaId replica, StateMachine<Effects> machine, LoopHost loopHost) {
    this.replica = replica;
    this.machine = machine;
    this.loopHost = loopHost;
  }

  ReplicaId replica() {
    return replica;
  }

  LoopHost loopHost() {
    return loopHost;
  }

  /** Lets the machine handle an event; called by the loop host alone, never within a step. */
  void step(Event event) {
    if (stopped) {
      loopHost.counters().toStopped.increment();
      return;
    }
    try {
      machine.step(loopHost.nowMicros(), event, this);
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      loopHost.counters().stoppedPartitions.increment();
      log.error(
          "an invariant of replica {} is broken, it is stopped; it was handling {}",
          replica,
          described(event),
          e);
      stop();
    }
  }

  private static String described(Event event) {
    return switch (event) {
      case Event.Received(Endpoint from, Message message) ->
          message.getClass().getSimpleName() + " of " + message.txn() + " from " + from;
      case Event.TimerFired(Timer timer) -> "timer " + timer;
      case Event.Call call -> call.toString();
    };
  }

  /** Takes no more events. */
  void stop() {
    stopped = true;
    for (Timer timer : Timer.values()) {
      cancelTimer(timer);
    }
  }

  // ---- effects ------------------------------------------------------------------------------

  @Override
  public void send(Endpoint to, Message message) {
    loopHost.send(replica, to, message);
  }

  @Override
  public void broadcast(int partition, Message message) {
    loopHost.broadcast(replica, partition, message);
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {
    cancelTimer(timer);
    timers.put(
        timer, loopHost.loop().schedule(() -> onTimer(timer), delayMicros, TimeUnit.MICROSECONDS));
  }

  @Override
  public void cancelTimer(Timer timer) {
    ScheduledFuture<?> armed = timers.remove(timer);
    if (armed != null) {
      armed.cancel(false);
    }
  }

  private void onTimer(Timer timer) {
    timers.remove(timer);
    loopHost.run(this, new Event.TimerFired(timer));
  }
}
