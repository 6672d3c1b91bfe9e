package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.ReplicaOptions;

class FloorTest implements Effects {
  private static final ClientId CLIENT = new ClientId(7);
  private static final Key KEY = Key.of("key");

  private final StateMachine<Effects> replica =
      new Floor().replica(new ReplicaId(0, 0), new Topology(1, 0), ReplicaOptions.DEFAULTS);
  private final List<Message> answers = new ArrayList<>();

  @Test
  void aReaderGetsTheNewestVersionBelowIt() {
    commit(20, "b");
    commit(10, "a");
    commit(30, "c");
    assertEquals(Value.ABSENT, read(10));
    assertEquals(Value.of("a"), read(15));
    assertEquals(Value.of("b"), read(25));
    assertEquals(Value.of("c"), read(31));
  }

  @Test
  void anAbortedWriteLeavesNothing() {
    prepare(10, "a");
    send(new Message.Decide(txn(10), Outcome.ABORT));
    assertEquals(Value.ABSENT, read(20));
  }

  private void commit(long micros, String value) {
    prepare(micros, value);
    send(new Message.Decide(txn(micros), Outcome.commit(0, List.of(0))));
  }

  private void prepare(long micros, String value) {
    ExecutionId execution = new ExecutionId(txn(micros), 0);
    Write write = new Write(KEY, 1, Value.of(value));
    send(new Message.Prepare(execution, List.of(), List.of(write), List.of(0)));
    assertEquals(1, answers.size());
  }

  private Value read(long micros) {
    send(new Message.Get(txn(micros), 0, KEY));
    return ((Message.GetReply) answers.getFirst()).value();
  }

  private void send(Message message) {
    answers.clear();
    replica.step(1_000, new Event.Received(CLIENT, message), this);
  }

  private static TxnId txn(long micros) {
    return new TxnId(micros, CLIENT.id(), 0);
  }

  @Override
  public void send(Endpoint to, Message message) {
    assertEquals(CLIENT, to);
    answers.add(message);
  }

  @Override
  public void broadcast(int partition, Message message) {
    throw new UnsupportedOperationException("the floor answers one client at a time");
  }

  @Override
  public void armTimer(Timer timer, long delayMicros) {}

  @Override
  public void cancelTimer(Timer timer) {}
}
