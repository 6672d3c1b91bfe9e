package org.mortydb.protocol.system;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * The reads and writes of one attempt at a transaction, for coordinators that buffer writes until
 * the commit and never re-execute. The application sees its own writes, and reads each key from the
 * store at most once. A read without an answer is not part of the read set, because the application
 * has not seen its value.
 *
 * <p>Single-threaded, like the coordinator that owns it.
 */
public final class TransactionBuffer {
  /** The id of a value within its transaction. A transaction writes each key once, at its end. */
  private static final int VALUE_ID = 1;

  /** The only execution of an attempt. */
  private static final int EXECUTION = 0;

  /** A key read from the store. */
  public static final class ReadSlot {
    public final Key key;
    public final int partition;

    /** The position in the read set. It identifies the request, because each key is read once. */
    public final int request;

    /**
     * The coordinator's own notes: the last replica asked, the number of requests, the last time.
     */
    public int replica;

    public int attempts;
    public long askedMicros;

    /** Whether the read was answered. */
    public boolean known;

    public WriteId version = WriteId.INITIAL;
    public Value value = Value.ABSENT;

    private ReadSlot(Key key, int partition, int request) {
      this.key = key;
      this.partition = partition;
      this.request = request;
    }

    private void learn(WriteId newVersion, Value newValue) {
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

  /** The number of the application's reads and writes so far. */
  private int operations;

  /** The keys of the read that the application waits for; null when it does not wait. */
  private @Nullable List<Key> waitingKeys;

  /** The position of that read among the operations. */
  private int waitingOperation;

  /** A transaction that has neither read nor written. */
  public TransactionBuffer(Topology topology) {
    this.topology = topology;
  }

  // ---- the application ----------------------------------------------------------------------

  /** Whether the application has neither read nor written. */
  public boolean isEmpty() {
    return operations == 0;
  }

  /** Whether the application waits for a read. */
  public boolean isWaiting() {
    return waitingKeys != null;
  }

  /** Whether this many more operations are within {@link Limits#MAX_OPERATIONS}. */
  public boolean takes(int more) {
    return operations + more <= Limits.MAX_OPERATIONS;
  }

  /**
   * The application reads keys. Call {@link #resumeIfAnswered} afterwards: the transaction may know
   * all of them already.
   *
   * @return the reads to send to the store, in the order of the keys
   */
  public List<ReadSlot> get(List<Key> keys) {
    waitingOperation = operations++;
    waitingKeys = keys;
    ArrayList<ReadSlot> asked = new ArrayList<>(keys.size());
    for (Key key : keys) {
      WriteSlot own = writesByKey.get(key);
      boolean isWritten = own != null && !own.value.isMerge();
      if (!isWritten && !readsByKey.containsKey(key)) {
        ReadSlot slot = new ReadSlot(key, topology.partitionOf(key), reads.size());
        readsByKey.put(key, slot);
        reads.add(slot);
        asked.add(slot);
      }
    }
    return asked;
  }

  /** Takes an answer of the store. Ignores second answers, and answers to unknown requests. */
  public void answered(int request, WriteId version, Value value) {
    if (request >= 0 && request < reads.size() && !reads.get(request).known) {
      reads.get(request).learn(version, value);
    }
  }

  /** Resumes the application once all keys that it waits for are known. */
  public void resumeIfAnswered(CoordinatorEffects out) {
    List<Value> values = waitingKeys == null ? null : values(waitingKeys);
    if (values != null) {
      waitingKeys = null;
      out.resume(EXECUTION, waitingOperation, values);
    }
  }

  /** The values that the application sees; null while one is unknown. */
  private @Nullable List<Value> values(List<Key> keys) {
    ArrayList<Value> values = new ArrayList<>(keys.size());
    for (Key key : keys) {
      WriteSlot own = writesByKey.get(key);
      ReadSlot slot = readsByKey.get(key);
      if (own != null && !own.value.isMerge()) {
        values.add(own.value);
      } else if (slot != null && slot.known) {
        values.add(own == null ? slot.value : Merge.apply(slot.value, own.value));
      } else {
        return null;
      }
    }
    return values;
  }

  /**
   * The application writes a key. The value replaces an earlier one of this attempt; a merge
   * continues it.
   *
   * @return false if a merge does not fit the value that the attempt has put before
   */
  public boolean put(Key key, Value value) {
    operations++;
    WriteSlot slot = writesByKey.get(key);
    if (slot == null) {
      slot = new WriteSlot(key, topology.partitionOf(key), value);
      writesByKey.put(key, slot);
      writes.add(slot);
    } else {
      slot.value = value.isMerge() ? Merge.then(slot.value, value) : value;
    }
    return !slot.value.isFailed();
  }

  /**
   * Forgets all writes, for a commit of the reads alone.
   *
   * @return whether there is a read to commit: the application has seen all that it asked for, and
   *     at least one stored record
   */
  public boolean forgoWrites() {
    writesByKey.clear();
    writes.clear();
    return !reads.isEmpty() && reads.stream().allMatch(slot -> slot.known);
  }

  // ---- the read set and the write set -------------------------------------------------------

  /** All reads, answered or not, in the order in which they were first asked for. */
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

  /** The partitions of the read set and the write set. */
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
