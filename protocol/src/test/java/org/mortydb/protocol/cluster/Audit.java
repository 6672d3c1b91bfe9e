package org.mortydb.protocol.cluster;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Watches everything that crosses the network of a cluster, and holds it against the invariants of
 * docs/protocol.md, section 7. The serial order is that of the transaction ids, so the last check
 * is the plainest one can have: it runs the committed programs one after the other.
 */
final class Audit {
  /** Executions of one transaction that are looked at; there are hardly ever more. */
  private static final int MAX_EXECUTIONS = 40;

  /** An invariant does not hold. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String invariant, String what) {
      super(invariant + ": " + what);
    }
  }

  /** What the audit may ask the replicas. */
  interface Replicas {
    boolean holds(ReplicaId replica, ExecutionId execution);

    boolean holdsOnCondition(ReplicaId replica, ExecutionId execution);

    @Nullable Outcome outcomeOf(ReplicaId replica, TxnId txn);
  }

  /** One execution as its Prepares have it. */
  private record Execution(
      List<Integer> participants, Map<Key, WriteId> reads, Set<Read> all, Map<Key, Write> writes) {

    Execution(List<Integer> participants) {
      this(participants, new HashMap<>(), new HashSet<>(), new HashMap<>());
    }
  }

  private record Ballot(TxnId txn, View view) {}

  private final int f;
  private final boolean forgetful;
  private final Replicas replicas;
  private final Map<TxnId, Program> programs = new HashMap<>();
  private final Map<TxnId, Outcome> outcomes = new HashMap<>();
  private final Map<Ballot, Outcome> proposals = new HashMap<>();
  private final Map<TxnId, Completion> completions = new TreeMap<>();
  private final Map<ExecutionId, Execution> executions = new HashMap<>();
  private final Map<TxnId, Set<ReplicaId>> acceptors = new HashMap<>();
  private final Map<ExecutionId, Set<ReplicaId>> voters = new HashMap<>();
  private final Set<TxnId> dead = new HashSet<>();

  /** What was committed to each key, once that was checked. */
  private final Map<Key, TreeMap<TxnId, Write>> history = new HashMap<>();

  /** The value at each of these versions. */
  private final Map<Key, TreeMap<TxnId, Value>> values = new HashMap<>();

  private long digest;

  /**
   * @param forgetful whether replicas may lose what they voted
   */
  Audit(int f, Replicas replicas, boolean forgetful) {
    this.f = f;
    this.forgetful = forgetful;
    this.replicas = replicas;
  }

  void begun(TxnId txn, Program program) {
    programs.put(txn.withoutHome(), program);
  }

  /** The coordinator's process ended; nobody was told of an outcome unless it was before. */
  void died(TxnId txn) {
    dead.add(txn);
  }

  int deaths() {
    return dead.size();
  }

  /** A digest of every message that was sent, in order. */
  long digest() {
    return digest;
  }

  void sent(Endpoint from, Endpoint to, Message message) {
    digest = Program.mix(digest + message.toString().hashCode() + 31L * to.hashCode());
    switch (message) {
      case Message.Prepare prepare -> {
        Execution execution =
            executions.computeIfAbsent(
                prepare.execution(), id -> new Execution(prepare.participants()));
        for (Read read : prepare.reads()) {
          execution.reads.put(read.key(), read.version()); // the newest is the last
          execution.all.add(read);
        }
        for (Write write : prepare.writes()) {
          execution.writes.put(write.key(), write);
        }
      }
      case Message.Register register -> {
        Execution execution =
            executions.computeIfAbsent(
                register.execution(), id -> new Execution(new ArrayList<>()));
        if (to instanceof ReplicaId(int partition, int ignored)
            && !execution.participants.contains(partition)) {
          execution.participants.add(partition);
        }
        for (Read read : register.reads()) {
          execution.reads.put(read.key(), read.version()); // the newest is the last
          execution.all.add(read);
        }
      }
      case Message.PrepareReply(
              ExecutionId execution,
              PrepareAnswer.Voted(Vote.Commit(boolean onCondition))) -> {
        if (from instanceof ReplicaId voter && !onCondition) {
          voters.computeIfAbsent(execution, id -> new HashSet<>()).add(voter);
        }
      }
      case Message.Finalize finalize -> {
        Outcome other =
            proposals.put(new Ballot(finalize.txn(), finalize.view()), finalize.value());
        if (other != null && !other.equals(finalize.value())) {
          throw new Violation(
              "one value in a view", finalize.txn() + " " + other + " " + finalize.value());
        }
      }
      case Message.FinalizeReply reply -> {
        if (reply.answer() instanceof FinalizeAnswer.Accepted
            && from instanceof ReplicaId acceptor) {
          acceptors.computeIfAbsent(reply.txn(), txn -> new HashSet<>()).add(acceptor);
        }
      }
      case Message.Decide decide -> decided(decide.txn(), decide.outcome());
      default -> {}
    }
  }

  private void decided(TxnId txn, Outcome outcome) {
    Outcome other = outcomes.put(txn, outcome);
    if (other != null && !other.equals(outcome)) {
      throw new Violation("I1", txn + " is both " + other + " and " + outcome);
    }
  }

  /**
   * A coordinator is certain. Then the replicas have to be such that whoever recovered the
   * transaction from now on, from whatever quorums, would decide the same (section 4).
   */
  void certain(TxnId txn, Outcome outcome, Completion.Path path) {
    decided(txn, outcome);
    switch (outcome) {
      case Outcome.Abort() -> checkNotRecoverable(txn);
      case Outcome.Commit(int number, List<Integer> participants) -> {
        if (path == Completion.Path.LEARNT) {
          return;
        }
        ExecutionId execution = new ExecutionId(txn, number);
        if (path == Completion.Path.READ_ONLY) {
          checkRegistered(execution, executions.get(execution).participants);
          return;
        }
        int accepted = acceptors.getOrDefault(txn, Set.of()).size();
        if (path == Completion.Path.SLOW && accepted < f + 1) {
          throw new Violation("slow path", execution + " was accepted by " + accepted);
        }
        int needed = forgetful ? 1 : path == Completion.Path.SLOW ? f + 1 : 2 * f + 1;
        for (int partition : participants) {
          int holders = holders(execution, partition, false);
          if (holders < needed) {
            throw new Violation(
                "I2", execution + " has " + holders + " holders in partition " + partition);
          }
        }
      }
    }
  }

  /** Nobody holds a read-only execution, but f+1 replicas have registered its reads. */
  private void checkRegistered(ExecutionId execution, List<Integer> participants) {
    for (int partition : participants) {
      long registered =
          voters.getOrDefault(execution, Set.of()).stream()
              .filter(voter -> voter.partition() == partition)
              .count();
      if (registered < f + 1) {
        throw new Violation(
            "I2", execution + " is registered by " + registered + " in partition " + partition);
      }
    }
  }

  /** A replica voted to commit an execution. */
  void voted(ExecutionId execution) {
    if (outcomes.get(execution.txn()) instanceof Outcome.Abort) {
      checkNotRecoverable(execution.txn());
    }
  }

  /**
   * No execution of an aborted transaction may look to a recovery as if it could have committed.
   */
  private void checkNotRecoverable(TxnId txn) {
    for (int number = 0; ; number++) {
      ExecutionId execution = new ExecutionId(txn, number);
      Execution prepared = executions.get(execution);
      if (prepared == null) {
        if (number > MAX_EXECUTIONS) {
          return;
        }
        continue;
      }
      boolean recoverable = true;
      for (int partition : prepared.participants) {
        recoverable &= holders(execution, partition, true) >= f + 1;
      }
      if (recoverable) {
        throw new Violation("I1", txn + " aborted, but " + execution + " could be recovered");
      }
    }
  }

  /**
   * How many replicas hold an execution.
   *
   * @param silent counts only those from which a recovery would learn nothing beyond the vote: not
   *     those that hold it on condition of what never commits, of which they tell when they know
   */
  private int holders(ExecutionId execution, int partition, boolean silent) {
    int holders = 0;
    for (int index = 0; index < 2 * f + 1; index++) {
      ReplicaId replica = new ReplicaId(partition, index);
      boolean tells =
          replicas.outcomeOf(replica, execution.txn()) != null
              || acceptors.getOrDefault(execution.txn(), Set.of()).contains(replica)
              || (replicas.holdsOnCondition(replica, execution) && hasReadInVain(execution));
      if (replicas.holds(replica, execution) && !(silent && tells)) {
        holders++;
      }
    }
    return holders;
  }

  /** Whether something that an execution has read never commits, or not with that value. */
  private boolean hasReadInVain(ExecutionId execution) {
    return requireNonNull(executions.get(execution)).all.stream()
        .anyMatch(
            entry -> {
              WriteId read = entry.version();
              if (!(outcomes.get(read.writer())
                  instanceof Outcome.Commit(int number, var ignored))) {
                return outcomes.get(read.writer()) instanceof Outcome.Abort;
              }
              Execution committed = executions.get(new ExecutionId(read.writer(), number));
              Write write = committed == null ? null : committed.writes.get(entry.key());
              return write == null || write.valueId() != read.valueId();
            });
  }

  void completed(Completion completion) {
    if (completions.put(completion.txn(), completion) != null) {
      throw new Violation("one completion", completion.toString());
    }
    switch (completion) {
      case Completion.Committed committed -> {
        Execution execution =
            executions.get(new ExecutionId(committed.txn(), committed.execution()));
        Map<Key, WriteId> reads = new HashMap<>();
        committed.reads().forEach(read -> reads.put(read.key(), read.version()));
        Map<Key, Write> writes = new HashMap<>();
        committed.writes().forEach(write -> writes.put(write.key(), write));
        if (execution == null
            || !execution.reads.equals(reads)
            || !execution.writes.equals(writes)) {
          throw new Violation("told as prepared", completion + " was prepared as " + execution);
        }
        // Whoever asks about a read-only commit hears of no participants (section 3).
        boolean readOnly = committed.path() == Completion.Path.READ_ONLY;
        List<Integer> participants = readOnly ? List.of() : execution.participants;
        decided(committed.txn(), Outcome.commit(committed.execution(), participants));
      }
      case Completion.Aborted aborted -> decided(aborted.txn(), Outcome.ABORT);
      case Completion.Unknown ignored -> {}
    }
  }

  boolean isCommitted(ExecutionId execution) {
    return outcomes.get(execution.txn()) instanceof Outcome.Commit(int number, List<Integer> in)
        && number == execution.number();
  }

  int completed() {
    return completions.size();
  }

  long committed() {
    return outcomes.values().stream().filter(Outcome.Commit.class::isInstance).count();
  }

  List<Completion> unknown() {
    return completions.values().stream().filter(Completion.Unknown.class::isInstance).toList();
  }

  /** I3 and I4 over all that was committed. */
  void checkSerializable() {
    TreeMap<TxnId, Execution> committed = new TreeMap<>();
    outcomes.forEach(
        (txn, outcome) -> {
          if (outcome instanceof Outcome.Commit(int number, List<Integer> ignored)) {
            committed.put(txn, requireNonNull(executions.get(new ExecutionId(txn, number))));
          }
        });
    Map<Key, Value> store = new HashMap<>();
    for (Entry<TxnId, Execution> entry : committed.entrySet()) {
      TxnId txn = entry.getKey();
      Execution execution = entry.getValue();
      execution.reads.forEach((key, read) -> checkRead(txn, key, read, history, outcomes));
      checkProgram(txn, execution, store);
      execution.writes.forEach(
          (key, write) -> {
            history.computeIfAbsent(key, k -> new TreeMap<>()).put(txn, write);
            Value before = store.getOrDefault(key, Value.ABSENT);
            store.put(key, Program.applied(before, write.value()));
            values
                .computeIfAbsent(key, k -> new TreeMap<>())
                .put(txn, requireNonNull(store.get(key)));
          });
    }
  }

  /** Whether a backup has read what was committed at or below its cut, and nothing else. */
  void checkBackup(TxnId cut, List<VersionedValue> rows) {
    Map<Key, WriteId> expected = new TreeMap<>();
    history.forEach(
        (key, versions) -> {
          Entry<TxnId, Write> newest = versions.floorEntry(cut);
          if (newest != null && !newest.getValue().value().isAbsent()) {
            expected.put(key, new WriteId(newest.getKey(), newest.getValue().valueId()));
          }
        });
    Map<Key, WriteId> found = new TreeMap<>();
    rows.stream()
        .filter(row -> !row.value().isAbsent())
        .forEach(row -> found.put(row.key(), row.version()));
    for (VersionedValue row : rows) {
      Value at = requireNonNull(requireNonNull(values.get(row.key())).floorEntry(cut)).getValue();
      if (!row.value().equals(at)) {
        throw new Violation("I3", "the backup at " + cut + " has " + row + " and not " + at);
      }
    }
    if (!found.equals(expected)) {
      throw new Violation(
          "I3", "the backup at " + cut + " has read " + found + " and not " + expected);
    }
  }

  private static void checkRead(
      TxnId txn,
      Key key,
      WriteId read,
      Map<Key, TreeMap<TxnId, Write>> history,
      Map<TxnId, Outcome> outcomes) {
    TreeMap<TxnId, Write> versions = history.getOrDefault(key, new TreeMap<>());
    Write version = versions.get(read.writer());
    if (!read.isInitial() && (version == null || version.valueId() != read.valueId())) {
      throw new Violation(
          "I4",
          txn
              + " read "
              + read
              + " of "
              + key
              + ", whose writer is "
              + outcomes.get(read.writer())
              + " with "
              + version);
    }
    Entry<TxnId, Write> newest = versions.lowerEntry(txn);
    if (read.isInitial() && newest != null && newest.getValue().value().isAbsent()) {
      return; // an old deletion is shown like a key that was never written
    }
    if (newest != null && !newest.getKey().equals(read.writer())) {
      throw new Violation(
          "I3", txn + " read " + read + " of " + key + " and missed the write of " + newest);
    }
  }

  /** The committed execution is what the program does when nobody is beside it. */
  private void checkProgram(TxnId txn, Execution execution, Map<Key, Value> store) {
    Program.Effect alone = requireNonNull(programs.get(txn.withoutHome())).run(store);
    Map<Key, Value> writes = new HashMap<>();
    execution.writes.forEach((key, write) -> writes.put(key, write.value()));
    Set<Key> reads = new HashSet<>(execution.reads.keySet());
    reads.removeAll(alone.scanned()); // shown by a scan, or seen to be absent
    Set<Key> readAlone = new HashSet<>(alone.reads().keySet());
    readAlone.removeAll(alone.scanned());
    if (!alone.commits() || !alone.writes().equals(writes) || !readAlone.equals(reads)) {
      throw new Violation(
          "serial execution", txn + " did " + execution + " but alone it does " + alone);
    }
  }
}
