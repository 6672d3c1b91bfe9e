package org.mortydb.sim.net;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;

/**
 * Carries packets between nodes with delays. Faults can lose, duplicate and reorder packets. Each
 * direction of a pair of nodes is a link of its own.
 */
public final class Network {
  private final Kernel kernel;
  private final DelayModel delays;
  private final SplittableRandom random;
  private final SimTrace trace;

  private double loss;
  private double duplication;
  private long latestMicros;
  private boolean reorders;

  /** The links with a fault. */
  private final Long2ObjectOpenHashMap<LinkFault> faults = new Long2ObjectOpenHashMap<>();

  /** The arrival of the last packet of each link; kept while links do not reorder. */
  private final Long2LongOpenHashMap lastArrival = new Long2LongOpenHashMap();

  /** All late copies, including those that have arrived. */
  private final List<Packet> lateCopies = new ArrayList<>();

  /** The current faults of a link. */
  private static final class LinkFault {
    int blocks;
    long extraMicros;

    boolean isOver() {
      return blocks == 0 && extraMicros == 0;
    }
  }

  /** A network without faults: every packet arrives once, in the order of its link. */
  public Network(Kernel kernel, DelayModel delays, SplittableRandom random, SimTrace trace) {
    this.kernel = kernel;
    this.delays = delays;
    this.random = random;
    this.trace = trace;
  }

  /** Sends a packet. */
  public void send(Node from, Node to, Packet packet) {
    @Nullable LinkFault fault = faults.isEmpty() ? null : faults.get(link(from, to));
    if (fault != null && fault.blocks > 0) {
      trace.write(() -> "  blocked " + from.name() + " -> " + to.name());
      return;
    }
    long extraMicros = fault == null ? 0 : fault.extraMicros;
    if (loss > 0 && random.nextDouble() < loss) {
      trace.write(() -> "  lost " + from.name() + " -> " + to.name());
    } else {
      long delay = delays.sample(random, from.region(), to.region()) + extraMicros;
      kernel.schedule(reorders ? delay : inOrder(from, to, delay), packet);
    }
    if (duplication > 0 && random.nextDouble() < duplication) {
      long delay = delays.sample(random, from.region(), to.region()) + extraMicros;
      long late = latestMicros == 0 ? 0 : (long) (latestMicros * cube(random.nextDouble()));
      trace.write(() -> "  duplicated " + from.name() + " -> " + to.name() + ", late by " + late);
      Packet copy = packet.copy();
      if (late > 0) {
        lateCopies.add(copy);
      }
      kernel.schedule(delay + late, copy);
    }
  }

  private long inOrder(Node from, Node to, long delay) {
    long link = link(from, to);
    long arrival = Math.max(kernel.nowMicros() + delay, lastArrival.get(link));
    lastArrival.put(link, arrival);
    return arrival - kernel.nowMicros();
  }

  private static double cube(double number) {
    return number * number * number;
  }

  // ---- faults -------------------------------------------------------------------------------

  /** Loses a share of all packets from now on, 0 to 1. */
  public void lose(double share) {
    loss = share;
  }

  /**
   * Duplicates a share of all packets, even if the original is lost. Copies may arrive in any
   * order.
   *
   * @param share 0 to 1
   * @param latestMicros the largest additional delay of a copy
   */
  public void duplicate(double share, long latestMicros) {
    duplication = share;
    this.latestMicros = latestMicros;
  }

  /** Drops all late copies that have not arrived. */
  public void dropLateCopies() {
    lateCopies.forEach(kernel::cancel);
    lateCopies.clear();
  }

  /** Sets whether packets of a link may overtake each other. */
  public void reorder(boolean on) {
    reorders = on;
  }

  /** Drops all packets of a link until it is unblocked as often as it was blocked. */
  public void block(Node from, Node to) {
    fault(from, to).blocks++;
  }

  /** Reverts one {@link #block}. */
  public void unblock(Node from, Node to) {
    LinkFault fault = fault(from, to);
    fault.blocks--;
    forget(from, to, fault);
  }

  /**
   * Makes a link slower, or faster again with a negative number.
   *
   * @param extraMicros the addition to the delay of each packet from now on
   */
  public void slow(Node from, Node to, long extraMicros) {
    LinkFault fault = fault(from, to);
    fault.extraMicros += extraMicros;
    forget(from, to, fault);
  }

  private LinkFault fault(Node from, Node to) {
    return faults.computeIfAbsent(link(from, to), _ -> new LinkFault());
  }

  private void forget(Node from, Node to, LinkFault fault) {
    if (fault.isOver()) {
      faults.remove(link(from, to));
    }
  }

  private static long link(Node from, Node to) {
    return ((long) from.index() << 32) | to.index();
  }
}
