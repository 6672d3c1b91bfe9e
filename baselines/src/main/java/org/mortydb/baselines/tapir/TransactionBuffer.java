package org.mortydb.baselines.tapir;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * What a transaction has read and written so far: its read set and its buffered writes. A read that
 * was not answered is no part of the read set: nobody has seen anything of it.
 */
final class TransactionBuffer {
  /** A transaction writes each key once, in the end. */
  private static final int VALUE_ID = 1;

  /** A key read from the store. */
  static final class ReadSlot {
    final Key key;
    final int partition;

    /** Its place in the read set, which names the request: a key is read once. */
    final int request;

    /** The replica asked last, and how many were asked before it. */
    int replica;

    int attempts;
    long askedMicros;

    boolean known;
    WriteId version = WriteId.INITIAL;
    Value value = Value.ABSENT;

    private ReadSlot(Key key, int partition, int request) {
      this.key = key;
      this.partition = partition;
      this.request = request;
    }

    void learn(WriteId newVersion, Value newValue) {
      known = true;
      version = newVersion;
      value = newValue;
    }
  }

  private static final class WriteSlot {
    final Key key;
    final int partition;
    Value value;

    private WriteSlot(Key key, int partition, Value value) {
      this.key = key;
      this.partition = partition;
      this.value = value;
    }
  }

  private final Topology topology;
  private final HashMap<Key, ReadSlot> readsByKey = new HashMap<>();
  private final HashMap<Key, WriteSlot> writesByKey = new HashMap<>();

  // The same in the order of their first use: effects are never made in hash order.
  private final ArrayList<ReadSlot> reads = new ArrayList<>(8);
  private final ArrayList<WriteSlot> writes = new ArrayList<>(4);

  TransactionBuffer(Topology topology) {
    this.topology = topology;
  }

  void write(Key key, Value value) {
    WriteSlot slot = writesByKey.get(key);
    if (slot == null) {
      slot = new WriteSlot(key, topology.partitionOf(key), value);
      writesByKey.put(key, slot);
      writes.add(slot);
    }
    slot.value = value;
  }

  /** What the transaction has written to a key, null if nothing. */
  @Nullable Value written(Key key) {
    WriteSlot slot = writesByKey.get(key);
    return slot == null ? null : slot.value;
  }

  /** The read of a key, made if it is the first. */
  ReadSlot read(Key key) {
    ReadSlot slot = readsByKey.get(key);
    if (slot == null) {
      slot = new ReadSlot(key, topology.partitionOf(key), reads.size());
      readsByKey.put(key, slot);
      reads.add(slot);
    }
    return slot;
  }

  /** All reads, in the order in which they were first asked for. */
  List<ReadSlot> reads() {
    return reads;
  }

  /** The partitions read or written. */
  BitSet participants() {
    BitSet participants = new BitSet();
    for (ReadSlot slot : reads) {
      if (slot.known) {
        participants.set(slot.partition);
      }
    }
    writes.forEach(slot -> participants.set(slot.partition));
    return participants;
  }

  /** The read set at a partition. */
  List<Read> readsAt(int partition) {
    ArrayList<Read> at = new ArrayList<>(reads.size());
    for (ReadSlot slot : reads) {
      if (slot.known && slot.partition == partition) {
        at.add(new Read(slot.key, slot.version));
      }
    }
    return at;
  }

  /** The write set at a partition. */
  List<Write> writesAt(int partition) {
    ArrayList<Write> at = new ArrayList<>(writes.size());
    for (WriteSlot slot : writes) {
      if (slot.partition == partition) {
        at.add(new Write(slot.key, VALUE_ID, slot.value));
      }
    }
    return at;
  }

  /** All that was read from the store. */
  List<VersionedValue> allReads() {
    ArrayList<VersionedValue> all = new ArrayList<>(reads.size());
    for (ReadSlot slot : reads) {
      if (slot.known) {
        all.add(new VersionedValue(slot.key, slot.version, slot.value, true));
      }
    }
    return all;
  }

  /** All that was written. */
  List<Write> allWrites() {
    ArrayList<Write> all = new ArrayList<>(writes.size());
    for (WriteSlot slot : writes) {
      all.add(new Write(slot.key, VALUE_ID, slot.value));
    }
    return all;
  }
}
