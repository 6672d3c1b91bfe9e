package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;

/**
 * The operations of the current execution in the application's order, and what is known of the keys
 * that any execution touched. Read unrolling is {@link #truncateAfter}: what came before a stale
 * read stays, what came after it is dropped.
 */
final class ExecutionLog {

  /** An operation of the application. */
  sealed interface Operation {}

  /**
   * Parallel reads.
   *
   * @param slots for each key where its value comes from; null where the transaction's own earlier
   *     write answers
   * @param ownWrites for each key the value of that own write, else null
   */
  record ReadOperation(@Nullable ReadSlot[] slots, @Nullable Value[] ownWrites)
      implements Operation {

    boolean isAnswered() {
      for (ReadSlot slot : slots) {
        if (slot != null && !slot.known) {
          return false;
        }
      }
      return true;
    }

    List<Value> values() {
      ArrayList<Value> values = new ArrayList<>(slots.length);
      for (int i = 0; i < slots.length; i++) {
        ReadSlot slot = slots[i];
        Value own = ownWrites[i];
        if (slot != null) {
          values.add(slot.value);
        } else if (own != null) {
          values.add(own);
        }
      }
      return values;
    }
  }

  /** A write. */
  record WriteOperation(WriteSlot slot, Value value) implements Operation {}

  private final Topology topology;
  private final ArrayList<Operation> operations = new ArrayList<>(8);
  private final HashMap<Key, ReadSlot> readSlots = new HashMap<>();
  private final HashMap<Key, WriteSlot> writeSlots = new HashMap<>();

  // The same slots in the order of their first use: effects are never made in hash order.
  private final ArrayList<ReadSlot> reads = new ArrayList<>(8);
  private final ArrayList<WriteSlot> writes = new ArrayList<>(4);

  ExecutionLog(Topology topology) {
    this.topology = topology;
  }

  int size() {
    return operations.size();
  }

  /** Every key ever read, in the order of the first read. */
  List<ReadSlot> reads() {
    return reads;
  }

  /** Every key ever written, in the order of the first write. */
  List<WriteSlot> writes() {
    return writes;
  }

  @Nullable ReadSlot readSlot(Key key) {
    return readSlots.get(key);
  }

  ReadOperation readAt(int operation) {
    if (operations.get(operation) instanceof ReadOperation read) {
      return read;
    }
    throw new IllegalStateException("operation " + operation + " is not a read");
  }

  /** Appends parallel reads. Own writes answer first, then what was read before. */
  ReadOperation read(List<Key> keys) {
    int operation = operations.size();
    ReadSlot[] slots = new ReadSlot[keys.size()];
    Value[] ownWrites = new Value[keys.size()];
    for (int i = 0; i < slots.length; i++) {
      Key key = keys.get(i);
      WriteSlot write = writeSlots.get(key);
      if (write != null && write.value != null) {
        ownWrites[i] = write.value;
        continue;
      }
      ReadSlot slot = readSlots.get(key);
      if (slot == null) {
        slot = new ReadSlot(key, topology.partitionOf(key));
        readSlots.put(key, slot);
        reads.add(slot);
      }
      if (!slot.isLive()) {
        slot.operation = operation;
      }
      slots[i] = slot;
    }
    ReadOperation read = new ReadOperation(slots, ownWrites);
    operations.add(read);
    return read;
  }

  /** Appends a write. */
  WriteSlot write(Key key, Value value) {
    WriteSlot slot = writeSlots.get(key);
    if (slot == null) {
      slot = new WriteSlot(key, topology.partitionOf(key));
      writeSlots.put(key, slot);
      writes.add(slot);
    }
    slot.value = value;
    operations.add(new WriteOperation(slot, value));
    return slot;
  }

  /** Drops every operation after {@code operation}. */
  void truncateAfter(int operation) {
    if (operation + 1 >= operations.size()) {
      return;
    }
    operations.subList(operation + 1, operations.size()).clear();
    for (ReadSlot slot : reads) {
      if (slot.operation > operation) {
        slot.operation = ReadSlot.DROPPED;
      }
    }
    for (WriteSlot slot : writes) {
      slot.value = null;
    }
    for (Operation kept : operations) {
      if (kept instanceof WriteOperation(WriteSlot slot, Value value)) {
        slot.value = value;
      }
    }
  }
}
