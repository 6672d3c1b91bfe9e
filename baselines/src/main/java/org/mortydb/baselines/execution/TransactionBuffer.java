package org.mortydb.baselines.execution;

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
 * was not answered is no part of the read set: nobody has seen anything of it. Used by one thread
 * at a time.
 */
public final class TransactionBuffer {
  /** A transaction writes each key once, in the end. */
  private static final int VALUE_ID = 1;

  /** A key read from the store. */
  public static final class ReadSlot {
    public final Key key;
    public final int partition;

    /** Its place in the read set, which names the request: a key is read once. */
    public final int request;

    /** The replica asked last, and how many were asked before it. */
    public int replica;

    public int attempts;
    public long askedMicros;

    public boolean known;
    public WriteId version = WriteId.INITIAL;
    public Value value = Value.ABSENT;

    private ReadSlot(Key key, int partition, int request) {
      this.key = key;
      this.partition = partition;
      this.request = request;
    }

    /** The read was answered. */
    public void learn(WriteId newVersion, Value newValue) {
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

  /** Of a transaction that has done nothing. */
  public TransactionBuffer(Topology topology) {
    this.topology = topology;
  }

  /** Buffers a write, which replaces an earlier one. */
  public void write(Key key, Value value) {
    WriteSlot slot = writesByKey.get(key);
    if (slot == null) {
      slot = new WriteSlot(key, topology.partitionOf(key), value);
      writesByKey.put(key, slot);
      writes.add(slot);
    }
    slot.value = value;
  }

  /** What the transaction has written to a key, null if nothing. */
  public @Nullable Value written(Key key) {
    WriteSlot slot = writesByKey.get(key);
    return slot == null ? null : slot.value;
  }

  /** The read of a key, made if it is the first. */
  public ReadSlot read(Key key) {
    ReadSlot slot = readsByKey.get(key);
    if (slot == null) {
      slot = new ReadSlot(key, topology.partitionOf(key), reads.size());
      readsByKey.put(key, slot);
      reads.add(slot);
    }
    return slot;
  }

  /** The read that a reply answers; null if it was answered before, or never asked for. */
  public @Nullable ReadSlot unanswered(int request) {
    if (request < 0 || request >= reads.size()) {
      return null;
    }
    ReadSlot slot = reads.get(request);
    return slot.known ? null : slot;
  }

  /** What the application sees of keys, its own writes first; null while one is not known. */
  public @Nullable List<Value> values(List<Key> keys) {
    ArrayList<Value> values = new ArrayList<>(keys.size());
    for (Key key : keys) {
      Value own = written(key);
      if (own != null) {
        values.add(own);
      } else {
        ReadSlot slot = read(key);
        if (!slot.known) {
          return null;
        }
        values.add(slot.value);
      }
    }
    return values;
  }

  /** All reads, in the order in which they were first asked for. */
  public List<ReadSlot> reads() {
    return reads;
  }

  /** Whether nothing was written. */
  public boolean isReadOnly() {
    return writes.isEmpty();
  }

  /** The partitions written. */
  public BitSet writtenPartitions() {
    BitSet partitions = new BitSet();
    writes.forEach(slot -> partitions.set(slot.partition));
    return partitions;
  }

  /** The partitions read or written. */
  public BitSet participants() {
    BitSet participants = new BitSet();
    for (ReadSlot slot : reads) {
      if (slot.known) {
        participants.set(slot.partition);
      }
    }
    participants.or(writtenPartitions());
    return participants;
  }

  /** The read set at a partition. */
  public List<Read> readsAt(int partition) {
    ArrayList<Read> at = new ArrayList<>(reads.size());
    for (ReadSlot slot : reads) {
      if (slot.known && slot.partition == partition) {
        at.add(new Read(slot.key, slot.version));
      }
    }
    return at;
  }

  /** The write set at a partition. */
  public List<Write> writesAt(int partition) {
    ArrayList<Write> at = new ArrayList<>(writes.size());
    for (WriteSlot slot : writes) {
      if (slot.partition == partition) {
        at.add(new Write(slot.key, VALUE_ID, slot.value));
      }
    }
    return at;
  }

  /** All that was read from the store. */
  public List<VersionedValue> allReads() {
    ArrayList<VersionedValue> all = new ArrayList<>(reads.size());
    for (ReadSlot slot : reads) {
      if (slot.known) {
        all.add(new VersionedValue(slot.key, slot.version, slot.value, true));
      }
    }
    return all;
  }

  /** All that was written. */
  public List<Write> allWrites() {
    ArrayList<Write> all = new ArrayList<>(writes.size());
    for (WriteSlot slot : writes) {
      all.add(new Write(slot.key, VALUE_ID, slot.value));
    }
    return all;
  }
}
