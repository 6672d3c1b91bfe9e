package org.mortydb.sim.host;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.Network;
import org.mortydb.sim.net.Packet;

/** Knows the host of each endpoint, and passes messages between hosts over the network. */
public final class Fabric {
  private final Network network;
  private final SimTrace trace;
  private final Observer observer;

  /** By partition and index; partitions that are added later have as many replicas. */
  private @Nullable Host[][] replicas;

  private final int first;
  private final Long2ObjectOpenHashMap<Host> clients = new Long2ObjectOpenHashMap<>();
  private int hosts;
  private Loss loss = Loss.NOTHING;
  private Loss lossForGood = Loss.NOTHING;

  /** How often all servers have stopped. */
  private int stops;

  /**
   * @param partitions the number of replica groups
   * @param replicas the size of each replica group
   */
  public Fabric(Network network, SimTrace trace, Observer observer, int partitions, int replicas) {
    this.network = network;
    this.trace = trace;
    this.observer = observer;
    this.replicas = new Host[partitions][replicas];
    this.first = partitions;
  }

  /** Decides which messages are lost, beside those that the network loses. */
  @FunctionalInterface
  public interface Loss {
    /** Loses no message. */
    Loss NOTHING = (from, to, message) -> false;

    /** Whether a message does not arrive. */
    boolean loses(Endpoint from, Endpoint to, Message message);
  }

  /** Sends a message to an endpoint. A message to an unknown endpoint is lost. */
  public void send(Host host, Endpoint from, Endpoint to, Message message) {
    observer.onSend(from, to, message);
    trace.fold(endpoint(from) * 31 + endpoint(to), Fingerprint.of(message));
    if (trace.isWriting()) {
      trace.write(() -> from + " -> " + to + "  " + message);
    }
    if (loss.loses(from, to, message) || lossForGood.loses(from, to, message)) {
      trace.write(() -> "  lost " + from + " -> " + to);
      return;
    }
    Host target = hostOf(to);
    if (target != null) {
      network.send(host, target, new MessagePacket(target, from, to, message));
    }
  }

  /**
   * All servers stop before any of them starts again. So no message that a server has sent until
   * now arrives any more: the connections end with the processes.
   */
  public void serversStop() {
    stops++;
  }

  /** Loses messages from now on, beside those that the network loses. */
  public void lose(Loss some) {
    loss = some;
  }

  /** Loses messages until the end of the run, also after the faults. */
  public void loseForGood(Loss some) {
    lossForGood = some;
  }

  /** The number of replica groups of the first map. */
  int partitions() {
    return first;
  }

  /** The size of a replica group; 0 if there is none. */
  int replicas(int partition) {
    return partition < replicas.length ? replicas[partition].length : 0;
  }

  /** The observer of all machines. */
  public Observer observer() {
    return observer;
  }

  /** The trace of the run. */
  public SimTrace trace() {
    return trace;
  }

  int nextHostIndex() {
    return hosts++;
  }

  void add(Endpoint endpoint, Host host) {
    switch (endpoint) {
      case ReplicaId(int partition, int index) -> {
        if (partition >= replicas.length) {
          int from = replicas.length;
          replicas = Arrays.copyOf(replicas, partition + 1);
          for (int i = from; i <= partition; i++) {
            replicas[i] = new Host[replicas[0].length];
          }
        }
        replicas[partition][index] = host;
      }
      case ClientId(long id) -> clients.put(id, host);
    }
  }

  private @Nullable Host hostOf(Endpoint endpoint) {
    return switch (endpoint) {
      case ReplicaId(int partition, int index) ->
          partition < replicas.length && index < replicas[partition].length
              ? replicas[partition][index]
              : null;
      case ClientId(long id) -> clients.get(id);
    };
  }

  private static long endpoint(Endpoint endpoint) {
    return switch (endpoint) {
      case ReplicaId(int partition, int index) -> partition * 64L + index;
      case ClientId(long id) -> ~id;
    };
  }

  /** A message in transit. */
  private final class MessagePacket extends Packet {
    private final Host target;
    private final Endpoint from;
    private final Endpoint to;
    private final Message message;
    private final int stopsBefore;

    MessagePacket(Host target, Endpoint from, Endpoint to, Message message) {
      this(target, from, to, message, stops);
    }

    private MessagePacket(
        Host target, Endpoint from, Endpoint to, Message message, int stopsBefore) {
      this.target = target;
      this.from = from;
      this.to = to;
      this.message = message;
      this.stopsBefore = stopsBefore;
    }

    @Override
    protected Packet copy() {
      return new MessagePacket(target, from, to, message, stopsBefore);
    }

    @Override
    protected void run() {
      if (stopsBefore == stops || from instanceof ClientId) {
        target.receive(from, to, message);
      }
    }
  }
}
