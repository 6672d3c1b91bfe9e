package org.mortydb.sim;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.sim.host.Fabric;

/**
 * No replica needs one whose partition has ended (docs/protocol.md, section 15): it hears nothing
 * from it any more, but of the maps, which other servers could tell as well. Clients with old maps
 * still hear that keys have moved.
 */
final class EndedReplicas implements Fabric.Loss {
  private final Watch watch;

  EndedReplicas(Watch watch) {
    this.watch = watch;
  }

  @Override
  public boolean loses(Endpoint from, Endpoint to, Message message) {
    if (!(from instanceof ReplicaId id)
        || to instanceof ClientId
        || message instanceof Message.Maps) {
      return false;
    }
    @Nullable Replica replica = watch.replica(id);
    boolean ended = replica != null && replica.hasEnded();
    if (ended) {
      watch.marks().add("stopped after the end of its partition");
    }
    return ended;
  }
}
