package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.net.Network;

/** The hostile client leaves no kind of message out that writes nothing. */
class HostileHostTest {
  private static final Set<Class<?>> WRITE_OR_ADMINISTRATE =
      Set.of(
          Message.Put.class,
          Message.Retract.class,
          Message.ReadCut.class,
          Message.Seal.class,
          Message.CheckPartition.class);

  @Test
  void everyKindThatWritesNothingIsSent() {
    Kernel kernel = new Kernel();
    SimTrace trace = SimTrace.digestOnly(kernel);
    Set<Class<?>> kinds = new HashSet<>(WRITE_OR_ADMINISTRATE);
    Observer observer =
        new Observer() {
          @Override
          public void onSend(Endpoint from, Endpoint to, Message message) {
            kinds.add(message.getClass());
          }
        };
    Network network =
        new Network(kernel, DelayModel.constant(3, 100), new SplittableRandom(1), trace);
    new HostileHost(
            new HostSpec("hostile", 0, 1, 0, 0),
            kernel,
            new Fabric(network, trace, observer, 1, 3),
            new ClientId(77),
            new Topology(1, 0),
            ReplicaOptions.DEFAULTS,
            List.of(Key.of("a")),
            false,
            new SplittableRandom(1))
        .send(5_000, 10);
    kernel.runUntil(10_000_000);
    assertThat(kinds).containsExactlyInAnyOrder(Message.FromClient.class.getPermittedSubclasses());
  }
}
