package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;

/**
 * The operations of the current execution in the application's order, and the known state of every
 * key that any execution touched. Read unrolling is {@link #truncateAfter}: operations before a
 * stale read stay, later operations are dropped.
 */
final class ExecutionLog {

  /** An operation of the application. */
  sealed interface Operation permits ReadOperation, ScanOperation, WriteOperation {}

  /**
   * Parallel reads.
   *
   * @param slots the source of each key's value; null where the transaction's own earlier write
   *     answers
   * @param ownWrites the value of that write for each key, else null; a merge applies to the value
   *     of the source
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
          values.add(own == null ? slot.value : Merge.apply(slot.value, own));
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

  // The same slots in the order of their first use, because no effect may follow the hash order.
  private final ArrayList<ReadSlot> reads = new ArrayList<>(8);
  private final ArrayList<WriteSlot> writes = new ArrayList<>(4);

  /** The slots of {@link #reads} by key, in key order; null until something is scanned. */
  private @Nullable TreeMap<Key, ReadSlot> inOrder;

  /** The known part of each range that was ever scanned. */
  private final HashMap<KeyRange, List<ScanSlot>> scanSlots = new HashMap<>(0);

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

  /** Appends parallel reads. The transaction's own writes answer first, then its earlier reads. */
  void read(List<Key> keys) {
    int operation = operations.size();
    ReadSlot[] slots = new ReadSlot[keys.size()];
    Value[] ownWrites = new Value[keys.size()];
    for (int i = 0; i < slots.length; i++) {
      Key key = keys.get(i);
      WriteSlot write = writeSlots.get(key);
      if (write != null && write.value != null) {
        ownWrites[i] = write.value;
        if (!write.value.isMerge()) {
          continue;
        }
      }
      ReadSlot slot = readSlots.get(key);
      if (slot == null) {
        slot = slotFor(key);
      }
      if (!slot.isLive()) {
        slot.operation = operation;
      }
      slots[i] = slot;
    }
    operations.add(new ReadOperation(slots, ownWrites));
  }

  /**
   * Returns the slot of a key; makes one if there is none. If a scan of this execution covers the
   * key, the scan has read the key as absent.
   */
  ReadSlot slotFor(Key key) {
    ReadSlot slot = readSlots.get(key);
    if (slot != null) {
      return slot;
    }
    slot = new ReadSlot(key, topology.partitionOf(key));
    readSlots.put(key, slot);
    reads.add(slot);
    if (inOrder != null) {
      inOrder.put(key, slot);
      slot.operation = scanOver(key);
      if (slot.isLive()) {
        slot.learnAbsence();
      }
    }
    return slot;
  }

  /** Whether any execution has read a key, or the current one scans a range with it. */
  boolean hasSeen(Key key) {
    if (readSlots.containsKey(key)) {
      return true;
    }
    List<ScanOperation> scans = scans();
    for (int i = 0; i < scans.size(); i++) {
      if (scans.get(i).range.contains(key)) {
        return true;
      }
    }
    return false;
  }

  /** The first answered scan that covers a key, or {@link ReadSlot#DROPPED}. */
  private int scanOver(Key key) {
    for (int i = 0; i < operations.size(); i++) {
      if (operations.get(i) instanceof ScanOperation scan && scan.covers(key)) {
        return i;
      }
    }
    return ReadSlot.DROPPED;
  }

  /** Appends a scan. */
  void scan(KeyRange range, int limit) {
    if (inOrder == null) {
      inOrder = new TreeMap<>(readSlots);
    }
    List<ScanSlot> slots = scanSlots.get(range);
    if (slots == null) {
      slots = new ArrayList<>();
      for (int rank = 0; rank < topology.partitions(); rank++) {
        int partition = topology.partition(rank);
        if (topology.mayHold(partition, range)) {
          slots.add(new ScanSlot(range, partition, topology.map().number()));
        }
      }
      scanSlots.put(range, slots);
    }
    TreeMap<Key, Value> own = new TreeMap<>();
    for (WriteSlot write : writes) {
      if (write.value != null && range.contains(write.key)) {
        own.put(write.key, write.value);
      }
    }
    operations.add(new ScanOperation(range, limit, slots, own));
  }

  /** The scans of the current execution, in order. */
  List<ScanOperation> scans() {
    if (inOrder == null) {
      return List.of();
    }
    ArrayList<ScanOperation> scans = new ArrayList<>();
    for (Operation operation : operations) {
      if (operation instanceof ScanOperation scan) {
        scans.add(scan);
      }
    }
    return scans;
  }

  /** The slots of a range, in key order. */
  Collection<ReadSlot> slotsIn(KeyRange range) {
    return inOrder == null ? List.of() : range.in(inOrder).values();
  }

  /**
   * Computes the rows that a scan shows, and notes what it has read.
   *
   * @return whether they are all known, up to the limit or to the end of the range
   */
  boolean answerScan(int operation) {
    if (!(operations.get(operation) instanceof ScanOperation scan)) {
      throw new IllegalStateException("operation " + operation + " is not a scan");
    }
    for (ReadSlot slot : slotsIn(scan.range)) {
      if (slot.operation == operation) {
        slot.operation = ReadSlot.DROPPED;
      }
    }
    Key unknown = scan.unknownFrom();
    KeyRange known = scan.range.below(unknown);
    List<Row> rows = rowsIn(known, scan);
    boolean full = rows.size() == scan.limit;
    if (!full && unknown != null) {
      scan.waitForMore();
      return false;
    }
    KeyRange covered = full ? known.below(KeyRange.after(rows.getLast().key())) : scan.range;
    scan.answer(rows, covered);
    for (ReadSlot slot : slotsIn(covered)) {
      if (!slot.known) {
        slot.learnAbsence(); // an earlier execution has asked: the answer will be a newer version
      }
      if (!slot.isLive()) {
        slot.operation = operation;
      }
    }
    return true;
  }

  /** The first rows of a scan, up to its limit, in a range that is known. */
  private List<Row> rowsIn(KeyRange known, ScanOperation scan) {
    TreeMap<Key, Value> values = new TreeMap<>();
    for (ReadSlot slot : slotsIn(known)) {
      if (slot.known) {
        values.put(slot.key, slot.value);
      }
    }
    scan.ownWrites.forEach(
        (key, value) -> {
          if (known.contains(key)) {
            Value below = values.getOrDefault(key, Value.ABSENT);
            values.put(key, value.isMerge() ? Merge.apply(below, value) : value);
          }
        });
    ArrayList<Row> rows = new ArrayList<>();
    for (Map.Entry<Key, Value> entry : values.entrySet()) {
      if (!entry.getValue().isAbsent() && rows.size() < scan.limit) {
        rows.add(new Row(entry.getKey(), entry.getValue()));
      }
    }
    return rows;
  }

  Operation at(int operation) {
    return operations.get(operation);
  }

  /** Appends a write. A merge after another write of the execution becomes one write with it. */
  WriteSlot write(Key key, Value written) {
    WriteSlot slot = writeSlots.get(key);
    if (slot == null) {
      slot = new WriteSlot(key, topology.partitionOf(key));
      writeSlots.put(key, slot);
      writes.add(slot);
    }
    Value before = slot.value;
    Value value = before != null && written.isMerge() ? Merge.then(before, written) : written;
    slot.value = value;
    operations.add(new WriteOperation(slot, value));
    return slot;
  }

  /**
   * Chooses writes at a partition to retract: its replicas count as not knowing them from now on.
   *
   * @return their keys, in the order of the first write
   */
  List<Key> retract(int partition, Predicate<WriteSlot> which) {
    ArrayList<Key> keys = new ArrayList<>();
    for (WriteSlot slot : writes) {
      if (slot.partition == partition && which.test(slot)) {
        slot.retracted();
        keys.add(slot.key);
      }
    }
    return keys;
  }

  /** Whether the execution has read or scanned anything that is stored. */
  boolean hasRead() {
    return !scans().isEmpty() || reads.stream().anyMatch(ReadSlot::isLive);
  }

  /** Leaves out all writes until {@link #truncateAfter}. */
  void forgoWrites() {
    for (WriteSlot slot : writes) {
      slot.value = null;
    }
  }

  /** Drops every operation after {@code operation}. Writes that stay are no longer left out. */
  void truncateAfter(int operation) {
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
