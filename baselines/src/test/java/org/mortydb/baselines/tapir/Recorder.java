package org.mortydb.baselines.tapir;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;

/** Keeps what a machine has asked of its host. */
final class Recorder implements CoordinatorEffects {
  record Sent(Endpoint to, Message message) {}

  private final Topology topology;
  private final List<Sent> sent = new ArrayList<>();
  final EnumMap<Timer, Long> timers = new EnumMap<>(Timer.class);
  @Nullable List<Value> resumed;
  @Nullable Completion completion;
  int retirements;

  Recorder(Topology topology) {
    this.topology = topology;
  }

  /** What was sent since it was last asked. */
  List<Sent> take() {
    List<Sent> taken = List.copyOf(sent);
    sent.clear();
    return taken;
  }

  /** The messages of one type sent since anything was last taken; others are dropped. */
  <M extends Message> List<M> take(Class<M> type) {
    return take().stream().map(Sent::message).filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void send(Endpoint to, Message message) {
    sent.add(new Sent(to, message));
  }

  @Override
  public void broadcast(int partition, Message message) {
    for (int i = 0; i < topology.replicas(); i++) {
      send(new ReplicaId(partition, i), message);
    }
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {
    timers.put(timer, delayMicros);
  }

  @Override
  public void cancelTimer(Timer timer) {
    timers.remove(timer);
  }

  @Override
  public void resume(int execution, int operation, List<Value> values) {
    resumed = values;
  }

  @Override
  public void complete(Completion ended) {
    if (completion != null) {
      throw new IllegalStateException("completed twice: " + completion + ", " + ended);
    }
    completion = ended;
  }

  @Override
  public void retire() {
    retirements++;
  }

  /** A key of a partition. */
  static Key key(Topology topology, int partition) {
    for (int i = 0; ; i++) {
      Key key = Key.of("key" + i);
      if (topology.partitionOf(key) == partition) {
        return key;
      }
    }
  }
}
