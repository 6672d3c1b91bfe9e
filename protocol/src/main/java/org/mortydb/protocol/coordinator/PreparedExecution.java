package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/**
 * An execution as it was when replicas were asked to vote on it. Kept until the outcome, because
 * the outcome may be the commit of an older execution.
 *
 * @param registers whether replicas are asked to register its reads: it has no outcome
 * @param async whether replicas also say when their votes are written
 */
record PreparedExecution(
    ExecutionId id,
    List<Integer> participants,
    List<VersionedValue> reads,
    List<KeyRange> ranges,
    List<Write> writes,
    boolean registers,
    boolean async) {

  int number() {
    return id.number();
  }

  /** Whether the sets are so small that replicas can take them. */
  boolean fits() {
    long entries = 0;
    long bytes = 0;
    for (int i = 0; i < reads.size(); i++) {
      VersionedValue read = reads.get(i);
      int itsEntries = 1 + read.below().size();
      entries += itsEntries;
      bytes += (long) itsEntries * (read.key().size() + Limits.ENTRY_BYTES);
    }
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      bytes += (long) write.key().size() + write.value().size() + Limits.ENTRY_BYTES;
    }
    return entries <= Limits.MAX_OPERATIONS && bytes <= Limits.MAX_REQUEST_BYTES;
  }

  /** Whether a value that was read is made of merges, which the watermark will pass. */
  boolean readsMerges() {
    return reads.stream().anyMatch(read -> !read.below().isEmpty());
  }

  Outcome commit() {
    return Outcome.commit(id.number(), participants);
  }

  /**
   * The request to one participant: the reads, ranges and writes of its keys. It is a Prepare, or a
   * Register.
   */
  FromClient requestFor(int partition, Topology topology) {
    boolean all = participants.size() == 1;
    List<KeyRange> itsRanges = all ? ranges : rangesOf(partition, topology);
    ArrayList<Read> itsReads = new ArrayList<>(all ? reads.size() : 4);
    for (VersionedValue read : reads) {
      if (all || topology.partitionOf(read.key()) == partition) {
        read.forEachRead(itsReads::add);
      }
    }
    if (registers) {
      return new Register(id, itsReads, itsRanges, topology.map().number());
    }
    List<Write> itsWrites = writes;
    if (!all) {
      itsWrites = new ArrayList<>(4);
      for (Write write : writes) {
        if (topology.partitionOf(write.key()) == partition) {
          itsWrites.add(write);
        }
      }
    }
    return new Prepare(id, itsReads, itsRanges, itsWrites, participants, async);
  }

  /** The keys that were read at one participant. */
  List<Key> keysOf(int partition, Topology topology) {
    ArrayList<Key> keys = new ArrayList<>(reads.size());
    for (VersionedValue read : reads) {
      if (participants.size() == 1 || topology.partitionOf(read.key()) == partition) {
        keys.add(read.key());
      }
    }
    return keys;
  }

  private List<KeyRange> rangesOf(int partition, Topology topology) {
    return ranges.isEmpty()
        ? ranges
        : ranges.stream().filter(range -> topology.mayHold(partition, range)).toList();
  }
}
