package org.mortydb.baselines.tapir;

import java.util.List;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.system.TransactionBuffer;
import org.mortydb.protocol.system.TransactionBuffer.ReadSlot;

/** The execution phase of an attempt: the application's reads and buffered writes. */
final class Execution {
  /** An attempt has a single execution; there is no re-execution. */
  static final int NUMBER = 0;

  private final Topology topology;
  private final TransactionBuffer buffer;

  Execution(Topology topology) {
    this.topology = topology;
    this.buffer = new TransactionBuffer(topology);
  }

  /** The reads and writes. */
  TransactionBuffer buffer() {
    return buffer;
  }

  /** Reads keys in parallel; resumes the application at once if all are known. */
  void get(TxnId txn, List<Key> keys, long nowMicros, CoordinatorEffects out) {
    for (ReadSlot slot : buffer.get(keys)) {
      slot.replica = topology.closest(slot.partition);
      ask(txn, slot, nowMicros, out);
    }
    buffer.resumeIfAnswered(out);
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

  /** Records the first answer to a read. */
  void answered(TapirMessage.GetReply reply, CoordinatorEffects out) {
    buffer.answered(reply.request(), reply.version(), reply.value());
    buffer.resumeIfAnswered(out);
  }

  /**
   * Asks the next replicas for all unanswered reads that were requested at or before a given time.
   */
  void askAgain(TxnId txn, long askedByMicros, long nowMicros, CoordinatorEffects out) {
    for (ReadSlot slot : buffer.reads()) {
      if (!slot.known && slot.askedMicros <= askedByMicros) {
        askNext(txn, slot, nowMicros, out);
      }
    }
  }

  /**
   * Asks the next replicas for the reads that one has refused.
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
