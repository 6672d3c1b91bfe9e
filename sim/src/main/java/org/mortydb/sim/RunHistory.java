package org.mortydb.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.History;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.check.history.ListHistory;
import org.mortydb.check.history.ListOperation;
import org.mortydb.check.history.Status;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.workload.Journal;
import org.mortydb.sim.workload.Program;

/** Collects the observations of a run's clients for the checkers. */
final class RunHistory {
  private final Kernel kernel;
  private final Watch watch;
  private final HistoryRecorder recorder = new HistoryRecorder();
  private final ListHistory lists = new ListHistory();
  private final List<Unresolved> unresolved = new ArrayList<>();
  private final List<Ended> ended = new ArrayList<>();

  /** Commits whose clients have heard of them before they were durable. */
  private final List<Ended> acknowledged = new ArrayList<>();

  private final List<EndedProgram> endedPrograms = new ArrayList<>();

  /** An attempt whose client has learnt the outcome, or a backup. */
  private record Ended(Completion completion, long beginMicros, long endMicros) {}

  /** A part of a program; the transaction that committed it, or null. */
  private record EndedProgram(@Nullable TxnId txn, ClientTransaction<ListOperation> part) {}

  /** A transaction whose client gave up without an outcome. */
  private record Unresolved(TxnId txn, long beginMicros, long endMicros) {}

  /**
   * What merges make of the values below, in the serial order. The checkers get these values in the
   * place of the merges: a merge is a blind write of the value that it makes.
   */
  private static final class MergedValues {
    private final Map<Key, Value> newest = new TreeMap<>();
    private final Map<Key, Map<WriteId, Value>> made = new TreeMap<>();
    private final Map<Key, Map<TxnId, WriteId>> sums = new TreeMap<>();

    List<Ended> fold(List<Ended> all) {
      List<Ended> folded = new ArrayList<>();
      List<Ended> committed = new ArrayList<>();
      for (Ended one : all) {
        (one.completion instanceof Completion.Committed ? committed : folded).add(one);
      }
      committed.sort(
          Comparator.comparing(one -> ((Completion.Committed) one.completion).position()));
      for (Ended one : committed) {
        if (one.completion instanceof Completion.Committed c) {
          folded.add(new Ended(fold(c), one.beginMicros, one.endMicros));
        }
      }
      return folded;
    }

    /** A baseline renumbers a sum when another one is installed below it. */
    private WriteId numbered(VersionedValue read) {
      Map<TxnId, WriteId> ofKey = sums.get(read.key());
      return ofKey == null
          ? read.version()
          : ofKey.getOrDefault(read.version().writer(), read.version());
    }

    private Completion.Committed fold(Completion.Committed c) {
      List<VersionedValue> reads = new ArrayList<>();
      for (VersionedValue read : c.reads()) {
        Value value = read.value();
        if (value.isMerge()) { // nobody has seen what it read
          Map<WriteId, Value> ofKey = made.get(read.key());
          value = ofKey == null ? value : ofKey.getOrDefault(read.version(), value);
        }
        reads.add(new VersionedValue(read.key(), numbered(read), value, true));
      }
      List<Write> writes = new ArrayList<>();
      for (Write write : c.writes()) {
        Value below = newest.getOrDefault(write.key(), Value.ABSENT);
        Value value = write.value().isMerge() ? Merge.apply(below, write.value()) : write.value();
        newest.put(write.key(), value);
        WriteId id = new WriteId(c.txn(), write.valueId());
        made.computeIfAbsent(write.key(), _ -> new HashMap<>()).put(id, value);
        if (Merge.isSum(write.value())) {
          sums.computeIfAbsent(write.key(), _ -> new HashMap<>()).put(c.txn(), id);
        }
        writes.add(new Write(write.key(), write.valueId(), value));
      }
      return new Completion.Committed(
          c.txn(), c.position(), c.execution(), c.path(), reads, c.ranges(), writes);
    }
  }

  RunHistory(Kernel kernel, Watch watch) {
    this.kernel = kernel;
    this.watch = watch;
  }

  /**
   * Ends the recording, and resolves the transactions whose clients never learnt the outcome. What
   * the operator has given up is left out.
   */
  History finish() {
    ended.removeIf(
        one ->
            watch.isLost(one.completion.txn())
                || (one.completion instanceof Completion.Committed c
                    && watch.isLost(c.position())));
    for (Ended one : acknowledged) {
      TxnId txn = one.completion.txn();
      if (watch.asyncCommits().isLost(txn)) {
        unresolved.add(new Unresolved(txn, one.beginMicros, one.endMicros));
      } else {
        ended.add(one);
      }
    }
    unresolved.removeIf(u -> watch.isLost(u.txn));
    unresolved.forEach(u -> resolve(u.txn, u.beginMicros, u.endMicros));
    for (TxnId txn : watch.prepared().transactions()) {
      // The records of maps are in no scan: only their own transactions know them.
      if (!watch.hasEnded(txn) && !watch.isLost(txn) && !Changes.isOfChange(txn)) {
        resolve(txn, 0, kernel.nowMicros());
      }
    }
    for (Ended one : new MergedValues().fold(ended)) {
      recorder.record(recorder.size(), one.beginMicros, one.endMicros, one.completion);
    }
    for (EndedProgram program : endedPrograms) {
      if (program.txn == null
          || !(watch.isLost(program.txn) || watch.asyncCommits().isLost(program.txn))) {
        lists.add(program.part);
      }
    }
    return recorder.finish();
  }

  ListHistory lists() {
    return lists;
  }

  /** Records the end of an attempt. Each attempt counts as a session of its own. */
  void attemptEnded(CompletedAttempt attempt) {
    long end = kernel.nowMicros();
    long took = Math.max(0, attempt.endMicros() - attempt.beginMicros());
    if (attempt.completion() instanceof Completion.Unknown unknown) {
      unresolved.add(new Unresolved(unknown.txn(), Math.max(0, end - took), end));
    } else {
      boolean async =
          attempt.completion() instanceof Completion.Committed committed
              && committed.path() == Completion.Path.ASYNC;
      (async ? acknowledged : ended)
          .add(new Ended(attempt.completion(), Math.max(0, end - took), end));
    }
  }

  /** Records a backup: a read of the whole state at a cut. */
  void backedUp(TxnId cut, List<VersionedValue> rows, long beginMicros) {
    Completion.Committed read =
        new Completion.Committed(
            cut, cut, 0, Completion.Path.LEARNT, rows, List.of(KeyRange.ALL), List.of());
    ended.add(new Ended(read, beginMicros, kernel.nowMicros()));
  }

  /** Records a transaction whose client does not know the outcome, with the outcome others know. */
  private void resolve(TxnId txn, long beginMicros, long endMicros) {
    Optional<Outcome> outcome = watch.outcomeOf(txn);
    Status status = Status.UNKNOWN;
    List<VersionedValue> reads = new ArrayList<>();
    List<Write> writes = watch.prepared().writes(txn);
    if (outcome.isPresent() && outcome.get() instanceof Outcome.Commit(int number, _)) {
      ExecutionId execution = new ExecutionId(txn, number);
      for (Read read : watch.prepared().reads(execution)) {
        Value value = watch.valueOf(read.key(), read.version());
        reads.add(new VersionedValue(read.key(), read.version(), value, true));
      }
      Completion.Committed committed =
          new Completion.Committed(
              txn,
              watch.positionOf(txn),
              number,
              Completion.Path.LEARNT,
              reads,
              watch.prepared().ranges(execution),
              watch.prepared().writes(execution));
      ended.add(new Ended(committed, beginMicros, endMicros));
      return;
    } else if (outcome.isPresent()) {
      status = Status.ABORTED;
    }
    recorder.record(recorder.size(), beginMicros, endMicros, txn, status, reads, writes);
  }

  /**
   * Records the end of a program, with all its attempts.
   *
   * @param txn the transaction of its last attempt, null if unknown
   */
  void programEnded(
      Program program,
      int session,
      long beginMicros,
      Status status,
      @Nullable TxnId txn,
      Program.@Nullable State finalState) {
    List<List<ListOperation.Append>> attempts = program.attempts();
    for (int i = 0; i < attempts.size(); i++) {
      boolean last = i == attempts.size() - 1;
      String name = program.name() + "." + (i + 1);
      List<ListOperation> appends = new ArrayList<>(attempts.get(i));
      if (!last || status == Status.ABORTED) {
        add(null, name, session, beginMicros, Status.ABORTED, appends);
      } else if (status == Status.UNKNOWN || finalState == null) {
        add(null, name, session, beginMicros, Status.UNKNOWN, appends);
      } else {
        List<ListOperation> operations = Program.listOperations(finalState.journal());
        Set<ListOperation> kept = new HashSet<>(operations);
        appends.removeIf(kept::contains);
        add(txn, name, session, beginMicros, Status.COMMITTED, operations);
        if (!appends.isEmpty()) {
          add(null, name + " (given up)", session, beginMicros, Status.ABORTED, appends);
        }
      }
    }
  }

  private void add(
      @Nullable TxnId txn,
      String name,
      int session,
      long beginMicros,
      Status status,
      List<ListOperation> operations) {
    if (!operations.isEmpty()) {
      ClientTransaction<ListOperation> part =
          new ClientTransaction<>(
              name, session, beginMicros, kernel.nowMicros(), status, operations);
      endedPrograms.add(new EndedProgram(txn, part));
    }
  }

  /** Compares what the code of a committed program saw and wrote with what its coordinator says. */
  void checkJournal(Program program, Journal journal, Completion.Committed committed) {
    View view = new View(program, committed, journal);
    view.compareReads();
    view.compareWrites();
    view.differences.forEach(this::violated);
  }

  /**
   * Compares what a program saw that gave up with the reads that its coordinator has validated.
   * Several executions may have given up; the coordinator speaks of one of them.
   */
  void checkForgone(Program program, Completion.Committed committed) {
    List<String> last = List.of(committed.txn() + " has not given up, its program has");
    for (Journal journal : program.forgone()) {
      View view = new View(program, committed, journal);
      view.compareReads();
      last = view.differences;
      if (last.isEmpty()) {
        return;
      }
    }
    last.forEach(this::violated);
  }

  private void violated(String difference) {
    watch.violated(Rule.JOURNAL, difference);
  }

  /** What the code of a program saw, and what the coordinator says that it saw. */
  private static final class View {
    final List<String> differences = new ArrayList<>();
    private final Program program;
    private final Completion.Committed committed;
    private final Map<String, String> read = new TreeMap<>();
    private final Map<String, String> written = new TreeMap<>();
    private final Set<String> scanned = new TreeSet<>();
    private final Set<String> begun = new TreeSet<>();

    /** What the code has merged into keys, as one merge for each. */
    private final Map<String, Value> merged = new TreeMap<>();

    /** What it then read there. */
    private final Map<String, String> readMerged = new TreeMap<>();

    View(Program program, Completion.Committed committed, Journal journal) {
      this.program = program;
      this.committed = committed;
      journal.entries().forEach(this::add);
    }

    private void add(Journal.Entry entry) {
      String key = entry.key();
      String value = entry.value() == null ? "absent" : "=" + entry.value();
      switch (entry) {
        case Journal.Entry.Wrote wrote -> written.put(key, value);
        case Journal.Entry.Begun _ -> begun.add(key);
        case Journal.Entry.Merged(String name, Value merge) ->
            merged.merge(name, merge, Merge::then);
        case Journal.Entry.Got _, Journal.Entry.Scanned _ -> {
          if (entry instanceof Journal.Entry.Scanned) {
            scanned.add(key);
          }
          Map<String, String> from = merged.containsKey(key) ? readMerged : read;
          String expected = written.containsKey(key) ? written.get(key) : from.get(key);
          if (expected == null) {
            from.put(key, value);
          } else if (!expected.equals(value)) {
            differences.add(committed.txn() + " got " + key + " " + value + " after " + expected);
          }
        }
      }
    }

    void compareReads() {
      Map<String, String> reportedReads = new TreeMap<>();
      Map<String, String> reportedMerged = new TreeMap<>();
      for (VersionedValue reported : committed.reads()) {
        String key = reported.key().toString();
        reportedReads.put(key, text(reported.value()));
        Value merge = merged.get(key);
        if (merge != null && readMerged.containsKey(key)) {
          reportedMerged.put(key, text(Merge.apply(reported.value(), merge)));
        }
      }
      compare("reads after merges", readMerged, reportedMerged);
      for (String key : scanned) {
        // A scan's range covers absent keys. A scan over own writes may read the versions below.
        boolean covered =
            committed.ranges().stream().anyMatch(range -> range.contains(Key.of(key)));
        if (covered && !reportedReads.containsKey(key) && "absent".equals(read.get(key))) {
          read.remove(key);
        } else if (written.containsKey(key) && !read.containsKey(key)) {
          reportedReads.remove(key);
        }
      }
      // A scan shows what the own merges make of the version that it has read.
      reportedReads.keySet().removeIf(key -> merged.containsKey(key) && !read.containsKey(key));
      if (program.readsTheSameAgain()) {
        begun.stream().filter(key -> !read.containsKey(key)).forEach(reportedReads::remove);
      } else {
        reportedReads.keySet().retainAll(read.keySet());
      }
      compare("reads", read, reportedReads);
    }

    void compareWrites() {
      Map<String, String> reportedWrites = new TreeMap<>();
      committed.writes().stream()
          .filter(w -> !w.value().isMerge())
          .forEach(w -> reportedWrites.put(w.key().toString(), text(w.value())));
      compare("writes", written, reportedWrites);
    }

    private void compare(
        String what, Map<String, String> application, Map<String, String> coordinator) {
      if (!application.equals(coordinator)) {
        differences.add(
            "%s#%d: the application saw the %s %s, the coordinator reports %s"
                .formatted(committed.txn(), committed.execution(), what, application, coordinator));
      }
    }
  }

  private static String text(Value value) {
    return value.isAbsent() ? "absent" : "=" + new String(value.bytes(), StandardCharsets.UTF_8);
  }
}
