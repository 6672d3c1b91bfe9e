package org.mortydb.server;

import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.wire.VersionRange;
import org.mortydb.wire.WireContract;

/**
 * What a process passes to a server besides the cluster's configuration.
 *
 * @param loops shared event loops, which keep running at the end; null for loops of its own
 * @param clock the clock of the replicas
 * @param observers observe the replicas, on their event loops; without observers, replicas save the
 *     cost
 * @param versions the versions of the wire contract that the server speaks and stores
 */
public record ServerOptions(
    @Nullable EventLoopGroup loops,
    MicrosClock clock,
    List<MachineObserver> observers,
    VersionRange versions) {

  /** Event loops of its own, the system clock, no observers. */
  public static final ServerOptions DEFAULTS =
      new ServerOptions(null, MicrosClock.SYSTEM, List.of());

  /** Options of a server that speaks the versions of this program. */
  public ServerOptions(
      @Nullable EventLoopGroup loops, MicrosClock clock, List<MachineObserver> observers) {
    this(loops, clock, observers, WireContract.VERSIONS);
  }

  /** Checks the options. */
  public ServerOptions {
    Objects.requireNonNull(clock, "clock");
    observers = List.copyOf(observers);
  }

  /** Returns the options with shared event loops, which keep running at the end. */
  public ServerOptions withLoops(EventLoopGroup shared) {
    return new ServerOptions(shared, clock, observers, versions);
  }

  /** Returns the options with another clock. */
  public ServerOptions withClock(MicrosClock newClock) {
    return new ServerOptions(loops, newClock, observers, versions);
  }

  /** Returns the options with one more observer. */
  public ServerOptions withObserver(MachineObserver observer) {
    List<MachineObserver> more = new ArrayList<>(observers);
    more.add(observer);
    return new ServerOptions(loops, clock, more, versions);
  }

  /** Returns the options with other versions, such as those of another release. */
  public ServerOptions withVersions(VersionRange other) {
    return new ServerOptions(loops, clock, observers, other);
  }
}
