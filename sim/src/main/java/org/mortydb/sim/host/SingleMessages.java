package org.mortydb.sim.host;

import java.util.function.BiConsumer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.kernel.Kernel;

/** A client process that sends single messages to single replicas, with a correct clock. */
public final class SingleMessages extends Host {
  private final ClientId id;
  private final BiConsumer<ReplicaId, Message> received;

  /**
   * @param received called with the sender of each message to this process, and the message
   */
  public SingleMessages(
      String name,
      int region,
      Kernel kernel,
      Fabric fabric,
      ClientId id,
      BiConsumer<ReplicaId, Message> received) {
    super(new HostSpec(name, region, 1, 0, 0), kernel, fabric);
    this.id = id;
    this.received = received;
    fabric.add(id, this);
  }

  /** Sends a message. */
  public void send(ReplicaId to, Message message) {
    fabric().send(this, id, to, message);
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    if (from instanceof ReplicaId replica) {
      received.accept(replica, message);
    }
  }
}
