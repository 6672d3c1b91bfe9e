package org.mortydb.server;

import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.MachineObserver;

/**
 * What a process passes to a server besides the cluster's configuration.
 *
 * @param loops shared event loops, which keep running at the end; null for loops of its own
 * @param clock the clock of the replicas
 * @param observers observe the replicas, on their event loops; without observers, replicas save the
 *     cost
 */
public record ServerOptions(
    @Nullable EventLoopGroup loops, MicrosClock clock, List<MachineObserver> observers) {

  /** Event loops of its own, the system clock, no observers. */
  public static final ServerOptions DEFAULTS =
      new ServerOptions(null, MicrosClock.SYSTEM, List.of());

  /** Checks the options. */
  public ServerOptions {
    Objects.requireNonNull(clock, "clock");
    observers = List.copyOf(observers);
  }

  /** Returns the options with shared event loops, which keep running at the end. */
  public ServerOptions withLoops(EventLoopGroup shared) {
    return new ServerOptions(shared, clock, observers);
  }

  /** Returns the options with another clock. */
  public ServerOptions withClock(MicrosClock newClock) {
    return new ServerOptions(loops, newClock, observers);
  }

  /** Returns the options with one more observer. */
  public ServerOptions withObserver(MachineObserver observer) {
    List<MachineObserver> more = new ArrayList<>(observers);
    more.add(observer);
    return new ServerOptions(loops, clock, more);
  }
}
