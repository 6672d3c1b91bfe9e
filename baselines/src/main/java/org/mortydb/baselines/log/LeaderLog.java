package org.mortydb.baselines.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Write;

/**
 * The leader's copy of a partition's log. It replicates entries to the followers, and reports when
 * a majority holds them. The leader is stable: there is no election, and an appended entry stays.
 *
 * <p>Entries are sent in batches. While fewer than two batches are unacknowledged, an append is
 * sent at once. Otherwise it waits for the next acknowledgement, but no longer than an eighth of a
 * round trip. A tick sends lost entries again. Entries are kept until every follower has
 * acknowledged them. With {@link #MAX_KEPT_ENTRIES} entries the log is full: its owner must append
 * no promises until a follower has caught up.
 */
public final class LeaderLog {
  /** The log is full when it keeps this many entries for followers that are behind. */
  public static final int MAX_KEPT_ENTRIES = 1 << 18;

  /** A batch with more bytes of keys and values is split. */
  private static final int MAX_BATCH_BYTES = 1 << 20;

  private static final int MAX_BATCH_ENTRIES = 1_024;
  private static final int MAX_BATCHES_IN_FLIGHT = 2;
  private static final long MAX_GATHERING_MICROS = 500;
  private static final long MIN_GATHERING_MICROS = 20;

  /** A follower's address and progress. */
  private static final class Follower {
    final ReplicaId id;
    long acknowledged;
    long sent;
    long knownApplied;
    long progressMicros;

    Follower(ReplicaId id) {
      this.id = id;
    }
  }

  private record Kept(LogEntry entry, long notBeforeMicros) {}

  private final int quorum;
  private final List<Follower> followers = new ArrayList<>();
  private final ReplicationListener listener;

  /**
   * Entries after {@code base}. All followers have acknowledged, and the leader has applied, the
   * entries up to {@code base}.
   */
  private final ArrayList<Kept> kept = new ArrayList<>();

  private long base;
  private long last;
  private long replicated;
  private long applied;

  /** The last index of each batch without a majority. */
  private final ArrayDeque<Long> batches = new ArrayDeque<>();

  private boolean entriesToSend;
  private boolean progressToSend;
  private boolean flushArmed;
  private boolean waitArmed;

  /** The smoothed round trip to the quorum, measured with one batch at a time. */
  private long roundTripMicros;

  private long measuredIndex;
  private long measuredMicros;

  /**
   * @param self the leader
   * @param replicas the number of the partition's replicas
   * @param quorum the number of replicas that must hold an entry, including the leader
   */
  public LeaderLog(ReplicaId self, int replicas, int quorum, ReplicationListener listener) {
    this.quorum = quorum;
    this.listener = listener;
    for (int index = 0; index < replicas; index++) {
      if (index != self.index()) {
        followers.add(new Follower(new ReplicaId(self.partition(), index)));
      }
    }
  }

  /** The index of the last entry; 0 when there is none. */
  public long lastIndex() {
    return last;
  }

  /** The index of the last applied entry. */
  public long appliedIndex() {
    return applied;
  }

  /** The number of entries kept for followers or not applied yet. */
  public int keptEntries() {
    return kept.size();
  }

  /** Whether followers are so far behind that no new transaction may begin. */
  public boolean isFull() {
    return kept.size() >= MAX_KEPT_ENTRIES;
  }

  /** Appends an entry. It is applied as soon as a majority holds it. */
  public void append(LogEntry entry) {
    append(entry, Long.MIN_VALUE);
  }

  /**
   * Appends an entry.
   *
   * @param notBeforeMicros the clock time before which neither this entry nor a later one is
   *     applied
   */
  public void append(LogEntry entry, long notBeforeMicros) {
    kept.add(new Kept(entry, notBeforeMicros));
    last++;
    entriesToSend = true;
  }

  // ---- sending ------------------------------------------------------------------------------

  /**
   * Sends the entries that the step has appended, or arms a timer to gather more. Called at the end
   * of every step.
   *
   * @param safeMicros every later entry has a timestamp above it
   */
  public void endStep(long nowMicros, long safeMicros, Effects out) {
    if (quorum == 1 || followers.isEmpty()) {
      advance(nowMicros, out);
    }
    if (entriesToSend && batches.size() < MAX_BATCHES_IN_FLIGHT) {
      flush(nowMicros, safeMicros, out);
    } else if ((entriesToSend || progressToSend) && !flushArmed) {
      flushArmed = true;
      long gathering = Math.max(MIN_GATHERING_MICROS, roundTripMicros / 8);
      out.armTimer(Timer.FLUSH, Math.min(gathering, MAX_GATHERING_MICROS));
    }
  }

  /** The time to gather entries is over. */
  public void onFlush(long nowMicros, long safeMicros, Effects out) {
    flushArmed = false;
    if (entriesToSend || progressToSend) {
      flush(nowMicros, safeMicros, out);
    }
  }

  /** Sends all unsent entries to the followers, and the index up to which they may apply. */
  public void flush(long nowMicros, long safeMicros, Effects out) {
    if (entriesToSend) {
      batches.add(last);
      if (measuredIndex == 0) {
        measuredIndex = last;
        measuredMicros = nowMicros;
      }
    }
    entriesToSend = false;
    progressToSend = false;
    if (flushArmed) {
      flushArmed = false;
      out.cancelTimer(Timer.FLUSH);
    }
    @Nullable Append shared = null;
    for (Follower follower : followers) {
      if (follower.acknowledged >= follower.sent) {
        follower.progressMicros = nowMicros;
      }
      // Followers are mostly at the same index, and then share a message.
      if (shared != null && shared.firstIndex() == follower.sent + 1) {
        follower.sent = last;
        out.send(follower.id, shared);
      } else {
        shared = sendFrom(follower, safeMicros, out);
      }
    }
  }

  /** Sends all unsent entries to a follower. Returns the last message, which ends with the log. */
  private Append sendFrom(Follower follower, long safeMicros, Effects out) {
    while (true) {
      Append append = batchFrom(follower.sent + 1, safeMicros);
      follower.sent = append.lastIndex();
      out.send(follower.id, append);
      if (follower.sent == last) {
        return append;
      }
    }
  }

  private Append batchFrom(long first, long safeMicros) {
    ArrayList<LogEntry> entries = new ArrayList<>();
    int bytes = 0;
    for (long i = first; i <= last; i++) {
      LogEntry entry = kept.get((int) (i - base - 1)).entry;
      bytes += size(entry);
      if (!entries.isEmpty() && (bytes > MAX_BATCH_BYTES || entries.size() == MAX_BATCH_ENTRIES)) {
        break;
      }
      entries.add(entry);
    }
    boolean complete = first + entries.size() - 1 == last;
    return new Append(first, entries, applied, complete ? safeMicros : 0);
  }

  private static int size(LogEntry entry) {
    List<Write> writes =
        switch (entry) {
          case LogEntry.Prepared prepared -> prepared.writes();
          case LogEntry.Committed committed -> committed.writes();
          case LogEntry.Aborted ignored -> List.of();
        };
    int size = 0;
    for (int i = 0; i < writes.size(); i++) {
      size += writes.get(i).key().size() + writes.get(i).value().size();
    }
    return size;
  }

  /**
   * Sends entries again to a follower that has not answered for some round trips, from its last
   * acknowledged entry on.
   *
   * @param patienceMicros the least time without an answer
   */
  public void onTick(long nowMicros, long patienceMicros, long safeMicros, Effects out) {
    long patience = Math.max(patienceMicros, 3 * roundTripMicros);
    for (Follower follower : followers) {
      boolean behind = follower.acknowledged < last || follower.knownApplied < applied;
      long waited = nowMicros - follower.progressMicros;
      if (behind && (waited >= patience || waited < 0)) {
        follower.progressMicros = nowMicros;
        follower.sent = follower.acknowledged;
        Append append = batchFrom(follower.sent + 1, safeMicros);
        follower.sent = Math.max(follower.sent, append.lastIndex());
        out.send(follower.id, append);
      }
    }
    // A lost batch would measure the patience, not the network.
    if (measuredIndex != 0 && nowMicros - measuredMicros > patience) {
      measuredIndex = 0;
    }
  }

  // ---- acknowledgements ---------------------------------------------------------------------

  /** Handles a follower's acknowledgement. */
  public void onReply(long nowMicros, ReplicaId from, AppendReply reply, Effects out) {
    for (Follower follower : followers) {
      if (follower.id.equals(from)) {
        if (reply.lastIndex() > last) {
          throw new IllegalStateException(
              from + " acknowledges entry " + reply.lastIndex() + ", the last one is " + last);
        }
        if (reply.lastIndex() > follower.acknowledged
            || reply.appliedIndex() > follower.knownApplied) {
          follower.acknowledged = Math.max(follower.acknowledged, reply.lastIndex());
          follower.knownApplied = Math.max(follower.knownApplied, reply.appliedIndex());
          follower.sent = Math.max(follower.sent, follower.acknowledged);
          follower.progressMicros = nowMicros;
        }
      }
    }
    advance(nowMicros, out);
  }

  /** The commit wait of the next entry may be over. */
  public void onWaited(long nowMicros, Effects out) {
    waitArmed = false;
    advance(nowMicros, out);
  }

  private void advance(long nowMicros, Effects out) {
    long majority = majority();
    while (replicated < majority) {
      replicated++;
      listener.replicated(nowMicros, kept.get((int) (replicated - base - 1)).entry, out);
    }
    while (!batches.isEmpty() && batches.peek() <= replicated) {
      batches.remove();
    }
    if (measuredIndex != 0 && measuredIndex <= replicated) {
      long sample = Math.max(0, nowMicros - measuredMicros);
      roundTripMicros = roundTripMicros == 0 ? sample : (7 * roundTripMicros + sample) / 8;
      measuredIndex = 0;
    }
    while (applied < replicated) {
      Kept next = kept.get((int) (applied - base));
      if (next.notBeforeMicros > nowMicros) {
        if (!waitArmed) {
          waitArmed = true;
          out.armTimer(Timer.COMMIT_WAIT, next.notBeforeMicros - nowMicros);
        }
        break;
      }
      applied++;
      progressToSend = true;
      listener.applied(nowMicros, next.entry, out);
    }
    truncate();
  }

  /** The last index that a quorum of replicas holds. */
  private long majority() {
    long[] held = new long[followers.size() + 1];
    held[0] = last;
    for (int i = 0; i < followers.size(); i++) {
      held[i + 1] = followers.get(i).acknowledged;
    }
    Arrays.sort(held);
    return held[held.length - quorum];
  }

  /**
   * Checks the whole state.
   *
   * @throws IllegalStateException when an invariant is broken
   */
  public void checkInvariants() {
    boolean isOrdered = base <= applied && applied <= replicated && replicated <= last;
    if (!isOrdered || kept.size() != last - base) {
      throw new IllegalStateException(
          "broken invariant: %d entries kept after %d, applied to %d, replicated to %d, of %d"
              .formatted(kept.size(), base, applied, replicated, last));
    }
    for (Follower follower : followers) {
      if (follower.acknowledged < base || follower.acknowledged > last) {
        throw new IllegalStateException(
            "broken invariant: %s has %d entries, those to %d are dropped"
                .formatted(follower.id, follower.acknowledged, base));
      }
    }
  }

  private void truncate() {
    long done = applied;
    for (Follower follower : followers) {
      done = Math.min(done, follower.acknowledged);
    }
    // Removal from the front takes time in proportion to the rest, so it is done in large pieces.
    if (done - base >= 256 && done - base >= kept.size() / 2) {
      kept.subList(0, (int) (done - base)).clear();
      base = done;
    }
  }
}
