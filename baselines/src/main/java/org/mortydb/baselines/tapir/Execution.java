package org.mortydb.baselines.tapir;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.execution.TransactionBuffer;
import org.mortydb.baselines.execution.TransactionBuffer.ReadSlot;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/** The part of an attempt in which the application runs: its reads, and its buffered writes. */
final class Execution {
  /** The only execution of an attempt: nothing is ever executed again. */
  static final int NUMBER = 0;

  private final Topology topology;
  private final TransactionBuffer buffer;

  /** Reads and writes of the application so far. */
  private int operations;

  /** The keys of the read that the application waits for, null when it does not wait. */
  private @Nullable List<Key> waitingFor;

  private int waitingOperation;

  Execution(Topology topology) {
    this.topology = topology;
    this.buffer = new TransactionBuffer(topology);
  }

  /** What was read and written. */
  TransactionBuffer buffer() {
    return buffer;
  }

  /** Whether so many more operations are within the limit. */
  boolean takes(int more) {
    return operations + more <= Limits.MAX_OPERATIONS;
  }

  void put(Key key, Value value) {
    operations++;
    buffer.write(key, value);
  }

  /** Reads keys in parallel; resumes the application at once if all are known. */
  void get(TxnId txn, List<Key> keys, long nowMicros, CoordinatorEffects out) {
    waitingFor = keys;
    waitingOperation = operations++;
    for (Key key : keys) {
      if (buffer.written(key) == null) {
        ReadSlot slot = buffer.read(key);
        if (!slot.known && slot.attempts == 0) {
          slot.replica = topology.closest(slot.partition);
          ask(txn, slot, nowMicros, out);
        }
      }
    }
    resumeIfAnswered(out);
  }

  private static void ask(TxnId txn, ReadSlot slot, long nowMicros, CoordinatorEffects out) {
    slot.attempts++;
    slot.askedMicros = nowMicros;
    out.send(
        new ReplicaId(slot.partition, slot.replica),
        new TapirMessage.Get(txn, slot.request, slot.key));
  }

  private void askNext(TxnId txn, ReadSlot slot, long nowMicros, CoordinatorEffects out) {
    slot.replica = (slot.replica + 1) % topology.replicas();
    ask(txn, slot, nowMicros, out);
  }

  /** A read was answered, by whichever replica came first. */
  void answered(TapirMessage.GetReply reply, CoordinatorEffects out) {
    ReadSlot slot = buffer.unanswered(reply.request());
    if (slot != null) {
      slot.learn(reply.version(), reply.value());
      resumeIfAnswered(out);
    }
  }

  private void resumeIfAnswered(CoordinatorEffects out) {
    List<Value> values = waitingFor == null ? null : buffer.values(waitingFor);
    if (values != null) {
      waitingFor = null;
      out.resume(NUMBER, waitingOperation, values);
    }
  }

  /** Asks the next replicas for what was asked for at or before a time and is not answered. */
  void askAgain(TxnId txn, long askedByMicros, long nowMicros, CoordinatorEffects out) {
    for (ReadSlot slot : buffer.reads()) {
      if (!slot.known && slot.askedMicros <= askedByMicros) {
        askNext(txn, slot, nowMicros, out);
      }
    }
  }

  /**
   * Asks the next replicas for what one has refused to answer.
   *
   * @return false if all replicas have refused some read
   */
  boolean askOthers(TxnId txn, Endpoint refuser, long nowMicros, CoordinatorEffects out) {
    for (ReadSlot slot : buffer.reads()) {
      if (!slot.known && refuser.equals(new ReplicaId(slot.partition, slot.replica))) {
        if (slot.attempts >= topology.replicas()) {
          return false;
        }
        askNext(txn, slot, nowMicros, out);
      }
    }
    return true;
  }
}
