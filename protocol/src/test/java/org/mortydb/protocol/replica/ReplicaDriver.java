package org.mortydb.protocol.replica;

import java.util.List;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Effect;

/** One replica under test; every step is followed by the check of its whole state. */
final class ReplicaDriver {
  static final long START_MICROS = 1_000_000;

  final Replica replica;
  private final EffectRecorder out = new EffectRecorder();
  long nowMicros = START_MICROS;

  ReplicaDriver() {
    this(ReplicaOptions.DEFAULTS);
  }

  ReplicaDriver(ReplicaOptions options) {
    this(new ReplicaId(0, 0), new Topology(1, 0), options, ReplicaRules.SOUND);
  }

  ReplicaDriver(ReplicaId self, Topology topology, ReplicaOptions options, ReplicaRules rules) {
    replica = new Replica(self, topology, options, rules);
  }

  /** A message from the coordinator of the transaction that it is about. */
  List<Effect> receive(Message message) {
    return receive(new ClientId(message.txn().clientId()), message);
  }

  List<Effect> receive(Endpoint from, Message message) {
    return step(new Event.Received(from, message));
  }

  /** The tick after {@code micros}. */
  List<Effect> tickAfter(long micros) {
    nowMicros += micros;
    return step(new Event.TimerFired(Timer.TICK));
  }

  List<Effect> step(Event event) {
    replica.step(nowMicros, event, out);
    replica.checkInvariants();
    return out.take();
  }

  /** The rare branches taken since the last call. */
  List<Probe.Branch> marks() {
    return out.takeProbes().stream()
        .filter(Probe.Mark.class::isInstance)
        .map(probe -> ((Probe.Mark) probe).branch())
        .toList();
  }
}
