package org.mortydb.experiments.windows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.ClusterObserver;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Records the times at which versions are read, become visible and commit, and builds windows from
 * them. It keeps all events in memory, which suits runs of some ten thousand transactions.
 */
final class WindowCollector implements ClusterObserver {
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final Map<TxnId, Attempt> attempts = new LinkedHashMap<>();

  /** Committed attempts, by attempt and by position, because systems use either in versions. */
  private final Map<TxnId, Attempt> writers = new HashMap<>();

  private long fromNanos = Long.MAX_VALUE;
  private long toNanos = Long.MAX_VALUE;

  private record Seen(WriteId version, long nanos) {}

  private record Named(Key key, int valueId) {}

  /** The events of an attempt. */
  private static final class Attempt {
    /** The versions by key, in the order in which replicas chose them. */
    private final Map<Key, List<Seen>> reads = new LinkedHashMap<>();

    private final Map<Key, Integer> partitions = new HashMap<>();

    /**
     * The first arrival of each uncommitted value at a replica, or at a reader if that is first.
     */
    private final Map<Named, Long> shown = new HashMap<>();

    /** The first installation of the commit at a replica, by partition. */
    private final Map<Integer, Long> installed = new HashMap<>();

    private final Map<Key, List<Long>> reexecutions = new HashMap<>();
    private @Nullable Completion completion;
    private long decidedNanos = UNKNOWN;
    private long endNanos = UNKNOWN;

    long outcomeNanos() {
      return decidedNanos == UNKNOWN ? endNanos : decidedNanos;
    }

    void saw(Key key, int partition, WriteId version, long nanos) {
      partitions.putIfAbsent(key, partition);
      saw(key, version, nanos);
    }

    void saw(Key key, WriteId version, long nanos) {
      reads.computeIfAbsent(key, any -> new ArrayList<>()).add(new Seen(version, nanos));
    }

    void show(Write write, long nanos) {
      shown.putIfAbsent(new Named(write.key(), write.valueId()), nanos);
    }

    /** The first time that a replica chose a version for the reader. */
    long readNanos(Key key, WriteId version) {
      return reads.getOrDefault(key, List.of()).stream()
          .filter(seen -> seen.version.equals(version))
          .mapToLong(Seen::nanos)
          .min()
          .orElse(UNKNOWN);
    }

    long visibleNanos(Write write) {
      Integer partition = partitions.get(write.key());
      long byCommit =
          partition == null ? Long.MAX_VALUE : installed.getOrDefault(partition, Long.MAX_VALUE);
      long early = shown.getOrDefault(new Named(write.key(), write.valueId()), Long.MAX_VALUE);
      long first = Math.min(byCommit, early);
      return first == Long.MAX_VALUE ? KeyWindow.NEVER : first;
    }
  }

  private Attempt of(TxnId txn) {
    return attempts.computeIfAbsent(txn, any -> new Attempt());
  }

  // ---- what is seen -------------------------------------------------------------------------

  @Override
  public void received(ReplicaId at, Message message, long nanos) {
    switch (message) {
      // Morty's writes are visible from here on, even if they abort later.
      case Message.Put put -> of(put.txn()).show(put.write(), nanos);
      case Message.Prepare prepare -> {
        Attempt attempt = of(prepare.txn());
        prepare.writes().forEach(write -> attempt.show(write, nanos));
      }
      default -> {}
    }
  }

  @Override
  public void probed(Endpoint at, Probe probe, long nanos) {
    switch (probe) {
      case Probe.ReadServed(TxnId txn, Key key, WriteId version, boolean settled) ->
          sawAt(at, txn, key, version, nanos);
      case Probe.Pushed(TxnId txn, Key key, WriteId version) -> sawAt(at, txn, key, version, nanos);
      case Probe.Voted(var execution, Vote.Abandon(boolean isFinal, var reason, var fresh)) -> {
        for (VersionedValue newer : fresh) {
          sawAt(at, execution.txn(), newer.key(), newer.version(), nanos);
        }
      }
      case Probe.Reexecuted(var execution, Key key, WriteId version) -> {
        Attempt attempt = of(execution.txn());
        attempt.saw(key, version, nanos);
        attempt.reexecutions.computeIfAbsent(key, any -> new ArrayList<>()).add(nanos);
        // The writer's client may have forwarded the version before any replica had it.
        of(version.writer()).shown.putIfAbsent(new Named(key, version.valueId()), nanos);
      }
      case Probe.Decided(TxnId txn, Outcome outcome, var path) -> of(txn).decidedNanos = nanos;
      case Probe.Installed(TxnId txn, Outcome.Commit commit)
          when at instanceof ReplicaId(int partition, int index) ->
          of(txn).installed.putIfAbsent(partition, nanos);
      default -> {}
    }
  }

  private void sawAt(Endpoint at, TxnId txn, Key key, WriteId version, long nanos) {
    if (at instanceof ReplicaId replica) {
      of(txn).saw(key, replica.partition(), version, nanos);
    }
  }

  @Override
  public void ended(CompletedAttempt attempt, long nanos) {
    Attempt known = of(attempt.completion().txn());
    known.completion = attempt.completion();
    known.endNanos = nanos;
    if (attempt.completion() instanceof Completion.Committed committed) {
      writers.put(committed.txn(), known);
      writers.put(committed.position(), known);
    }
  }

  @Override
  public void windowBegins(long nanos) {
    fromNanos = nanos;
  }

  @Override
  public void windowEnds(long nanos) {
    toNanos = nanos;
  }

  // ---- what comes of it ---------------------------------------------------------------------

  /** The windows of all attempts that ended within the measured time. */
  Windows windows() {
    List<KeyWindow> found = new ArrayList<>();
    int[] unseen = new int[1];
    attempts.forEach(
        (txn, attempt) -> {
          long end = attempt.outcomeNanos();
          if (end < fromNanos || end >= toNanos) {
            return;
          }
          switch (attempt.completion) {
            case Completion.Committed committed ->
                unseen[0] += addCommitted(found, attempt, committed, end);
            case Completion.Aborted aborted -> addAborted(found, attempt, txn, end);
            case Completion.Unknown unknown -> {}
            case null -> {}
          }
        });
    return new Windows(found, fromNanos, toNanos, unseen[0]);
  }

  /** Returns the number of reads without a known time. */
  private int addCommitted(
      List<KeyWindow> found, Attempt attempt, Completion.Committed committed, long end) {
    Map<Key, Write> writes = new HashMap<>();
    committed.writes().forEach(write -> writes.put(write.key(), write));
    int unseen = 0;
    for (VersionedValue read : committed.reads()) {
      Key key = read.key();
      long readNanos = attempt.readNanos(key, read.version());
      if (readNanos == UNKNOWN) {
        unseen++;
        continue;
      }
      Write write = writes.get(key);
      found.add(
          new KeyWindow(
              key,
              committed.txn(),
              committed.position(),
              read.version(),
              write == null ? 0 : write.valueId(),
              attempt.reads.getOrDefault(key, List.of()).getFirst().nanos,
              readNanos,
              Math.max(readNanos, settledNanos(read.version())),
              write == null ? KeyWindow.NEVER : attempt.visibleNanos(write),
              end,
              attempt.reexecutions.getOrDefault(key, List.of())));
    }
    return unseen;
  }

  private static void addAborted(List<KeyWindow> found, Attempt attempt, TxnId txn, long end) {
    attempt.reads.forEach(
        (key, seen) ->
            found.add(
                new KeyWindow(
                    key,
                    txn,
                    TxnId.INITIAL,
                    seen.getLast().version,
                    0,
                    seen.getFirst().nanos,
                    seen.getLast().nanos,
                    seen.getLast().nanos,
                    KeyWindow.NEVER,
                    end,
                    attempt.reexecutions.getOrDefault(key, List.of()))));
  }

  /** The commit of a version's writer; long ago if there is no event of it. */
  private long settledNanos(WriteId version) {
    Attempt writer = writers.get(version.writer());
    return writer == null ? UNKNOWN : writer.outcomeNanos();
  }
}
