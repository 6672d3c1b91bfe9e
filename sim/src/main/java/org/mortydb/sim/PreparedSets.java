package org.mortydb.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;

/**
 * What each execution read and wrote, as its Prepares say: the only witness of a transaction whose
 * client died, or gave up, before it was told the outcome.
 */
final class PreparedSets {
  private final Map<ExecutionId, List<Prepare>> prepares = new HashMap<>();

  /** The executions of each transaction, in the order in which both were prepared. */
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
    // One object goes to all replicas of a partition.
    if (known.isEmpty() || !known.getLast().equals(prepare)) {
      known.add(prepare);
    }
  }

  /** All transactions of which anything was prepared, in the order of their first Prepares. */
  Set<TxnId> transactions() {
    return Collections.unmodifiableSet(executions.keySet());
  }

  /** The participants of an execution, empty if it was never prepared. */
  List<Integer> participants(ExecutionId execution) {
    @Nullable List<Prepare> known = prepares.get(execution);
    return known == null ? List.of() : known.getFirst().participants();
  }

  /** What an execution read, in every partition. */
  List<Read> reads(ExecutionId execution) {
    Map<Key, Read> reads = new LinkedHashMap<>();
    for (Prepare prepare : prepares.getOrDefault(execution, List.of())) {
      prepare.reads().forEach(read -> reads.put(read.key(), read));
    }
    return List.copyOf(reads.values());
  }

  /** What an execution has scanned. */
  List<KeyRange> ranges(ExecutionId execution) {
    @Nullable List<Prepare> known = prepares.get(execution);
    return known == null ? List.of() : known.getFirst().ranges();
  }

  /** What an execution wrote, in every partition. */
  List<Write> writes(ExecutionId execution) {
    Map<Key, Write> writes = new LinkedHashMap<>();
    for (Prepare prepare : prepares.getOrDefault(execution, List.of())) {
      prepare.writes().forEach(write -> writes.put(write.key(), write));
    }
    return List.copyOf(writes.values());
  }

  /** What the executions of a transaction wrote, all together. */
  List<Write> writes(TxnId txn) {
    List<Write> writes = new ArrayList<>();
    for (int execution : executions.getOrDefault(txn, List.of())) {
      writes.addAll(writes(new ExecutionId(txn, execution)));
    }
    return writes;
  }
}
