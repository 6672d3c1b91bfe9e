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
 * The leader's end of a partition's log: replicates entries to the followers, and says when a
 * majority holds them. The leader is stable: there is no election, and an entry that was appended
 * stays.
 *
 * <p>Entries travel in batches, as many at a time as were appended meanwhile: while fewer than two
 * batches are on their way an append leaves at once, else it waits for the next acknowledgement,
 * but no longer than an eighth of a round trip. What was lost is sent again on a tick. Entries are
 * kept until every follower has acknowledged them; at {@link #MAX_KEPT_ENTRIES} the log is full,
 * and its owner must append no promises until a follower has caught up.
 */
public final class LeaderLog {
  /** When this many entries are kept for followers that are behind, the log is full. */
  public static final int MAX_KEPT_ENTRIES = 1 << 18;

  /** A batch of more than so many bytes of keys and values is split. */
  private static final int MAX_BATCH_BYTES = 1 << 20;

  private static final int MAX_BATCH_ENTRIES = 1_024;
  private static final int MAX_BATCHES_IN_FLIGHT = 2;
  private static final long MAX_GATHERING_MICROS = 500;
  private static final long MIN_GATHERING_MICROS = 20;

  /** The address of a follower, and what is known of it. */
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

  /** Entries after {@code base}, which all followers have acknowledged or which are not applied. */
  private final ArrayList<Kept> kept = new ArrayList<>();

  private long base;
  private long last;
  private long replicated;
  private long applied;

  /** The last index of each batch that no majority has acknowledged yet. */
  private final ArrayDeque<Long> batches = new ArrayDeque<>();

  private boolean entriesToSend;
  private boolean newsToSend;
  private boolean flushArmed;
  private boolean waitArmed;

  /** The round trip to the quorum, smoothed; measured with one batch at a time. */
  private long roundTripMicros;

  private long measuredIndex;
  private long measuredMicros;

  /**
   * @param self the leader
   * @param replicas how many replicas the partition has
   * @param quorum how many must hold an entry, the leader included
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

  /** The index of the last entry, 0 when there is none. */
  public long lastIndex() {
    return last;
  }

  /** The index of the last entry that was applied. */
  public long appliedIndex() {
    return applied;
  }

  /** How many entries are kept for followers, and to be applied. */
  public int keptEntries() {
    return kept.size();
  }

  /** Whether followers are so far behind that nothing new may begin. */
  public boolean isFull() {
    return kept.size() >= MAX_KEPT_ENTRIES;
  }

  /** Appends an entry that is applied as soon as a majority holds it. */
  public void append(LogEntry entry) {
    append(entry, Long.MIN_VALUE);
  }

  /**
   * Appends an entry.
   *
   * @param notBeforeMicros it is not applied, and those after it are not, before the clock shows it
   */
  public void append(LogEntry entry, long notBeforeMicros) {
    kept.add(new Kept(entry, notBeforeMicros));
    last++;
    entriesToSend = true;
  }

  // ---- sending ------------------------------------------------------------------------------

  /** Has the followers told, soon, what the next {@link #endStep} finds to tell. */
  public void tellSoon() {
    newsToSend = true;
  }

  /**
   * Sends what the step has appended, or has it wait for more; called at the end of every step.
   *
   * @param safeMicros every later entry has a timestamp above it
   */
  public void endStep(long nowMicros, long safeMicros, Effects out) {
    if (quorum == 1 || followers.isEmpty()) {
      advance(nowMicros, out);
    }
    if (entriesToSend && batches.size() < MAX_BATCHES_IN_FLIGHT) {
      flush(nowMicros, safeMicros, out);
    } else if ((entriesToSend || newsToSend) && !flushArmed) {
      flushArmed = true;
      long gathering = Math.max(MIN_GATHERING_MICROS, roundTripMicros / 8);
      out.armTimer(Timer.FLUSH, Math.min(gathering, MAX_GATHERING_MICROS));
    }
  }

  /** The gathering time is over. */
  public void onFlush(long nowMicros, long safeMicros, Effects out) {
    flushArmed = false;
    if (entriesToSend || newsToSend) {
      flush(nowMicros, safeMicros, out);
    }
  }

  /** Sends all that followers have not been sent, and how far they may apply. */
  public void flush(long nowMicros, long safeMicros, Effects out) {
    if (entriesToSend) {
      batches.add(last);
      if (measuredIndex == 0) {
        measuredIndex = last;
        measuredMicros = nowMicros;
      }
    }
    entriesToSend = false;
    newsToSend = false;
    if (flushArmed) {
      flushArmed = false;
      out.cancelTimer(Timer.FLUSH);
    }
    @Nullable Append shared = null;
    for (Follower follower : followers) {
      if (follower.acknowledged >= follower.sent) {
        follower.progressMicros = nowMicros;
      }
      // Followers are mostly equally far, and then share a message.
      if (shared != null && shared.firstIndex() == follower.sent + 1) {
        follower.sent = last;
        out.send(follower.id, shared);
      } else {
        shared = sendFrom(follower, safeMicros, out);
      }
    }
  }

  /** Sends what a follower has not been sent; returns the last message, which ends with the log. */
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
   * Sends again, from what it has acknowledged on, to a follower that has not answered for some
   * round trips.
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
    // A measured batch that was lost would tell of the patience, not of the network.
    if (measuredIndex != 0 && nowMicros - measuredMicros > patience) {
      measuredIndex = 0;
    }
  }

  // ---- acknowledgements ---------------------------------------------------------------------

  /** A follower has acknowledged. */
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
      newsToSend = true;
      listener.applied(nowMicros, next.entry, out);
    }
    truncate();
  }

  /** The last index that so many replicas hold as make the quorum. */
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
    // Removing from the front costs as much as is left, so it waits until it is worth it.
    if (done - base >= 256 && done - base >= kept.size() / 2) {
      kept.subList(0, (int) (done - base)).clear();
      base = done;
    }
  }
}
