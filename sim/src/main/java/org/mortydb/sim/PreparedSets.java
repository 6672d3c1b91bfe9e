package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/**
 * The reads and writes of each execution, taken from its Prepares. They are the only record of a
 * transaction whose client died or gave up before it learnt the outcome.
 */
final class PreparedSets {
  private final Map<ExecutionId, List<Prepare>> prepares = new HashMap<>();

  /** The executions of each transaction. Both are in the order of their first Prepares. */
  private final Map<TxnId, List<Integer>> executions = new LinkedHashMap<>();

  void add(Prepare prepare) {
    List<Prepare> known = prepares.get(prepare.execution());
    if (known == null) {
      known = new ArrayList<>(2);
      prepares.put(prepare.execution(), known);
      executions
          .computeIfAbsent(prepare.txn(), _ -> new ArrayList<>(2))
          .add(prepare.execution().number());
    }
    // All replicas of a partition get the same object.
    if (known.isEmpty() || !known.getLast().equals(prepare)) {
      known.add(prepare);
    }
  }

  /** Adds what a Register to a replica of a partition says. */
  void add(Register register, int partition) {
    List<Integer> participants = new ArrayList<>(participants(register.execution()));
    boolean news = !participants.contains(partition);
    if (news) {
      participants.add(partition);
      // The first Prepare of an execution names all its participants.
      add(
          new Prepare(
              register.execution(), register.reads(), register.ranges(), List.of(), participants));
      List<Prepare> known = of(register.execution());
      known.addFirst(known.removeLast());
    }
  }

  /** All prepared transactions, in the order of their first Prepares. */
  Set<TxnId> transactions() {
    return Collections.unmodifiableSet(executions.keySet());
  }

  /** The participants of an execution; empty if it was never prepared. */
  List<Integer> participants(ExecutionId execution) {
    return of(execution).stream().findFirst().map(Prepare::participants).orElse(List.of());
  }

  /** The reads of an execution in all partitions. */
  List<Read> reads(ExecutionId execution) {
    Map<Key, Read> reads = new LinkedHashMap<>();
    of(execution).forEach(p -> p.reads().forEach(read -> reads.put(read.key(), read)));
    return List.copyOf(reads.values());
  }

  /** The transactions whose versions any execution of a transaction has read. */
  Set<TxnId> writersRead(TxnId txn) {
    Set<TxnId> writers = new LinkedHashSet<>();
    for (int execution : executions.getOrDefault(txn, List.of())) {
      for (Read read : reads(new ExecutionId(txn, execution))) {
        if (!read.version().isInitial()) {
          writers.add(read.version().writer());
        }
      }
    }
    return writers;
  }

  /** The ranges that an execution has scanned. */
  List<KeyRange> ranges(ExecutionId execution) {
    return of(execution).stream().findFirst().map(Prepare::ranges).orElse(List.of());
  }

  /** The writes of an execution in all partitions. */
  List<Write> writes(ExecutionId execution) {
    Map<Key, Write> writes = new LinkedHashMap<>();
    of(execution).forEach(p -> p.writes().forEach(write -> writes.put(write.key(), write)));
    return List.copyOf(writes.values());
  }

  private List<Prepare> of(ExecutionId execution) {
    return prepares.getOrDefault(execution, List.of());
  }

  /** The writes of all executions of a transaction. */
  List<Write> writes(TxnId txn) {
    List<Write> writes = new ArrayList<>();
    for (int execution : executions.getOrDefault(txn, List.of())) {
      writes.addAll(writes(new ExecutionId(txn, execution)));
    }
    return writes;
  }
}
