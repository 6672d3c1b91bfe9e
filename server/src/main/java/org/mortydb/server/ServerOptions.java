package org.mortydb.server;

import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.MachineObserver;

/**
 * What a server is given by the process that it lives in, beside the cluster's configuration.
 *
 * @param loops event loops that others use too, left running at the end; null to make its own
 * @param clock the clock of its replicas
 * @param observers are told what its replicas do, on their event loops; with none, replicas are
 *     spared the telling
 */
public record ServerOptions(
    @Nullable EventLoopGroup loops, MicrosClock clock, List<MachineObserver> observers) {

  /** Event loops of its own, the machine's clock, no observer. */
  public static final ServerOptions DEFAULTS =
      new ServerOptions(null, MicrosClock.SYSTEM, List.of());

  /** Checks that nothing is missing. */
  public ServerOptions {
    Objects.requireNonNull(clock, "clock");
    observers = List.copyOf(observers);
  }

  /** The same with event loops that others use too; they are left running at the end. */
  public ServerOptions withLoops(EventLoopGroup shared) {
    return new ServerOptions(shared, clock, observers);
  }

  /** The same with another clock. */
  public ServerOptions withClock(MicrosClock newClock) {
    return new ServerOptions(loops, newClock, observers);
  }

  /** The same with one more observer. */
  public ServerOptions withObserver(MachineObserver observer) {
    List<MachineObserver> more = new ArrayList<>(observers);
    more.add(observer);
    return new ServerOptions(loops, clock, more);
  }
}
