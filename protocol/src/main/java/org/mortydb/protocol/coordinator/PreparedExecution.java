package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.KeyRange;
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

  private List<KeyRange> rangesOf(int partition, Topology topology) {
    return ranges.isEmpty()
        ? ranges
        : ranges.stream().filter(range -> topology.mayHold(partition, range)).toList();
  }
}
