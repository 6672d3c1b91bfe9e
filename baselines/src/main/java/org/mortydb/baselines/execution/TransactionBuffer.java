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
 * The read set and the buffered writes of a transaction. A read without an answer is no part of the
 * read set, because nobody has seen its value. Used by one thread at a time.
 */
public final class TransactionBuffer {
  /** The id of a value within its transaction. A transaction writes each key once, at its end. */
  private static final int VALUE_ID = 1;

  /** A key read from the store. */
  public static final class ReadSlot {
    public final Key key;
    public final int partition;

    /** The position in the read set. It identifies the request, because each key is read once. */
    public final int request;

    /** The last replica that was asked, and the number of replicas that were asked. */
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

    /** Records the answer to the read. */
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

  // The slots in the order of their first use. The order of effects must not depend on hashes.
  private final ArrayList<ReadSlot> reads = new ArrayList<>(8);
  private final ArrayList<WriteSlot> writes = new ArrayList<>(4);

  /** The buffer of a new transaction. */
  public TransactionBuffer(Topology topology) {
    this.topology = topology;
  }

  /** Buffers a write. It replaces an earlier write of the same key. */
  public void write(Key key, Value value) {
    WriteSlot slot = writesByKey.get(key);
    if (slot == null) {
      slot = new WriteSlot(key, topology.partitionOf(key), value);
      writesByKey.put(key, slot);
      writes.add(slot);
    }
    slot.value = value;
  }

  /** Forgets all writes. */
  public void forgoWrites() {
    writesByKey.clear();
    writes.clear();
  }

  /** The value that the transaction has written to a key; null if there is none. */
  public @Nullable Value written(Key key) {
    WriteSlot slot = writesByKey.get(key);
    return slot == null ? null : slot.value;
  }

  /** The read of a key. Created if it is the first. */
  public ReadSlot read(Key key) {
    ReadSlot slot = readsByKey.get(key);
    if (slot == null) {
      slot = new ReadSlot(key, topology.partitionOf(key), reads.size());
      readsByKey.put(key, slot);
      reads.add(slot);
    }
    return slot;
  }

  /** The read that a reply answers; null if it is already answered or unknown. */
  public @Nullable ReadSlot unanswered(int request) {
    if (request < 0 || request >= reads.size()) {
      return null;
    }
    ReadSlot slot = reads.get(request);
    return slot.known ? null : slot;
  }

  /** The values that the application sees, with its own writes first; null while one is unknown. */
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

  /** Whether the application has seen all that it asked for, and at least one stored record. */
  public boolean hasRead() {
    return !reads.isEmpty() && reads.stream().allMatch(slot -> slot.known);
  }

  /** All reads, in the order in which they were requested. */
  public List<ReadSlot> reads() {
    return reads;
  }

  /** Whether the transaction has no writes. */
  public boolean isReadOnly() {
    return writes.isEmpty();
  }

  /** The partitions that the transaction writes. */
  public BitSet writtenPartitions() {
    BitSet partitions = new BitSet();
    writes.forEach(slot -> partitions.set(slot.partition));
    return partitions;
  }

  /** The partitions that the transaction reads or writes. */
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

  /** All versions read from the store. */
  public List<VersionedValue> allReads() {
    ArrayList<VersionedValue> all = new ArrayList<>(reads.size());
    for (ReadSlot slot : reads) {
      if (slot.known) {
        all.add(new VersionedValue(slot.key, slot.version, slot.value, true));
      }
    }
    return all;
  }

  /** All writes. */
  public List<Write> allWrites() {
    ArrayList<Write> all = new ArrayList<>(writes.size());
    for (WriteSlot slot : writes) {
      all.add(new Write(slot.key, VALUE_ID, slot.value));
    }
    return all;
  }
}
