package org.mortydb.baselines.machine;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;

/** Records the effects of a machine. */
public final class Recorder implements CoordinatorEffects {
  public record Sent(Endpoint to, Message message) {}

  private final Topology topology;
  private final List<Sent> sent = new ArrayList<>();
  public final EnumMap<Timer, Long> timers = new EnumMap<>(Timer.class);
  public @Nullable List<Value> resumed;
  public @Nullable Completion completion;
  public int retirements;

  /** The emitted probes. */
  public final List<Probe> probes = new ArrayList<>();

  public Recorder(Topology topology) {
    this.topology = topology;
  }

  /** The messages since the last call. */
  public List<Sent> take() {
    List<Sent> taken = List.copyOf(sent);
    sent.clear();
    return taken;
  }

  /** The messages of one type since the last call; other messages are dropped. */
  public <M extends Message> List<M> take(Class<M> type) {
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
  public void resumeScan(int execution, int operation, List<Row> rows) {
    throw new IllegalStateException("a system that cannot scan has: " + rows);
  }

  @Override
  public void awaitBatchEnd() {
    throw new IllegalStateException("nothing here is gathered");
  }

  @Override
  public void complete(Completion ended) {
    if (completion != null) {
      throw new IllegalStateException("completed twice: " + completion + ", " + ended);
    }
    completion = ended;
  }

  @Override
  public boolean probing() {
    return true;
  }

  @Override
  public void probe(Probe probe) {
    probes.add(probe);
  }

  @Override
  public void retire() {
    retirements++;
  }

  /** A key of a partition. */
  public static Key key(Topology topology, int partition) {
    for (int i = 0; ; i++) {
      Key key = Key.of("key" + i);
      if (topology.partitionOf(key) == partition) {
        return key;
      }
    }
  }
}
