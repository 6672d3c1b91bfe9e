package org.mortydb.protocol.testing;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/** Keeps the effects of a machine, typed and in order, until they are taken. */
public final class EffectRecorder implements CoordinatorEffects {

  /** One effect. */
  public sealed interface Effect {}

  public record Sent(Endpoint to, Message message) implements Effect {}

  public record Broadcast(int partition, Message message) implements Effect {}

  public record Armed(Timer timer, long delayMicros) implements Effect {}

  public record Cancelled(Timer timer) implements Effect {}

  public record Resumed(int execution, int operation, List<Value> values) implements Effect {}

  public record ResumedScan(int execution, int operation, List<Row> rows) implements Effect {}

  public record BatchEndAwaited() implements Effect {}

  public record Completed(Completion completion) implements Effect {}

  public record Retired() implements Effect {}

  public record Appended(LogRecord logged) implements Effect {}

  /** What follows in the same step leaves when what was appended before is durable. */
  public record HeldUntilDurable() implements Effect {}

  /** See {@link org.mortydb.protocol.machine.Effects#holdUntilWritten}. */
  public record HeldUntilWritten() implements Effect {}

  private List<Effect> effects = new ArrayList<>();
  private List<Probe> probes = new ArrayList<>();
  private List<String> forwarding = new ArrayList<>();

  /** What happened since the last call. */
  public List<Effect> take() {
    List<Effect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }

  /** What was told to observers since the last call. */
  public List<Probe> takeProbes() {
    List<Probe> taken = probes;
    probes = new ArrayList<>();
    return taken;
  }

  /** What the transaction tells and asks others of its client, since the last call. */
  public List<String> takeForwarding() {
    List<String> taken = forwarding;
    forwarding = new ArrayList<>();
    return taken;
  }

  @Override
  public void follow(Key key) {
    forwarding.add("follow " + key);
  }

  @Override
  public void shown(List<Write> writes, boolean asked) {
    for (Write write : writes) {
      forwarding.add(
          (asked ? "prepared " : "put ")
              + write.key()
              + "/"
              + write.valueId()
              + "="
              + write.value());
    }
  }

  @Override
  public void withdrawn() {
    forwarding.add("withdrawn");
  }

  @Override
  public void send(Endpoint to, Message message) {
    effects.add(new Sent(to, message));
  }

  @Override
  public void broadcast(int partition, Message message) {
    effects.add(new Broadcast(partition, message));
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {
    effects.add(new Armed(timer, delayMicros));
  }

  @Override
  public void cancelTimer(Timer timer) {
    effects.add(new Cancelled(timer));
  }

  @Override
  public void append(LogRecord logged) {
    effects.add(new Appended(logged));
  }

  @Override
  public void holdUntilDurable() {
    effects.add(new HeldUntilDurable());
  }

  @Override
  public void holdUntilWritten() {
    effects.add(new HeldUntilWritten());
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
  public void resume(int execution, int operation, List<Value> values) {
    effects.add(new Resumed(execution, operation, values));
  }

  @Override
  public void resumeScan(int execution, int operation, List<Row> rows) {
    effects.add(new ResumedScan(execution, operation, rows));
  }

  @Override
  public void awaitBatchEnd() {
    effects.add(new BatchEndAwaited());
  }

  @Override
  public void complete(Completion completion) {
    effects.add(new Completed(completion));
  }

  @Override
  public void retire() {
    effects.add(new Retired());
  }
}
