package org.mortydb.faults.durability;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.wire.WireFormat;

/** Links to all servers under one client's id, below the client library. Used on one event loop. */
final class ServerLinks implements LinkListener {
  /** Takes what arrives. */
  interface Receiver {
    void onMessage(ReplicaId from, Message message);
  }

  private final ClusterConfig config;
  private final ClientId self;
  private final Receiver receiver;
  private final List<Link> links = new ArrayList<>();

  ServerLinks(
      EventLoop loop, ClusterConfig config, ClientId self, String region, Receiver receiver) {
    this.config = config;
    this.self = self;
    this.receiver = receiver;
    LocalProcess process =
        new LocalProcess(
            config.name(), new WireFormat(config.system()), new PeerInfo.Client(self, region));
    for (ServerSpec server : config.servers()) {
      links.add(
          TransportClient.connect(
              loop,
              server.name(),
              server.host(),
              server.port(),
              process,
              config.linkOptions(),
              config.delays(),
              this));
    }
  }

  /** Whether there is a connection to the server of a replica. */
  boolean isUp(ReplicaId replica) {
    return link(replica).isUp();
  }

  /** Whether there is one to every server. */
  boolean allUp() {
    return links.stream().allMatch(Link::isUp);
  }

  void send(ReplicaId to, Message message) {
    link(to).send(self, to, message);
  }

  private Link link(ReplicaId replica) {
    return links.get(config.servers().indexOf(config.serverOf(replica)));
  }

  void close() {
    links.forEach(Link::close);
  }

  @Override
  public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
    if (from instanceof ReplicaId replica) {
      receiver.onMessage(replica, message);
    }
  }

  @Override
  public void onUp(Link link, PeerInfo peer) {}

  @Override
  public void onBatchEnd(Link link) {}

  @Override
  public void onDown(Link link, LinkFailure reason) {}
}
