package org.mortydb.baselines.log;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LogEntry;

/**
 * A follower's copy of a partition's log. It takes entries in any order, acknowledges entries
 * without a gap before them, and applies them in order, as far as the leader allows.
 */
public final class FollowerLog {
  /** Entries that are further ahead of a gap are dropped; the leader sends them again. */
  private static final int MAX_AHEAD = 1 << 14;

  private record Promise(long index, long safeMicros) {}

  private final Consumer<LogEntry> apply;

  /** Entries without a gap before them that are not applied yet. */
  private final ArrayDeque<LogEntry> waiting = new ArrayDeque<>();

  /** Entries beyond a gap. */
  private final TreeMap<Long, LogEntry> ahead = new TreeMap<>();

  /** Safe times, each valid once the entry with its index is applied. */
  private final ArrayDeque<Promise> promises = new ArrayDeque<>();

  private long last;
  private long applied;
  private long mayApply;
  private long safeMicros;

  /**
   * @param apply receives each entry once, in order
   */
  public FollowerLog(Consumer<LogEntry> apply) {
    this.apply = apply;
  }

  /** Handles an append. Entries may be new, known, or partly known. */
  public AppendReply onAppend(Append append) {
    long index = append.firstIndex();
    for (LogEntry entry : append.entries()) {
      if (index == last + 1) {
        take(entry);
      } else if (index > last && index - last <= MAX_AHEAD) {
        ahead.put(index, entry);
      }
      index++;
    }
    while (!ahead.isEmpty() && ahead.firstKey() <= last + 1) {
      Map.Entry<Long, LogEntry> next = ahead.pollFirstEntry();
      if (next.getKey() == last + 1) {
        take(next.getValue());
      }
    }
    mayApply = Math.max(mayApply, append.appliedIndex());
    while (applied < mayApply && !waiting.isEmpty()) {
      applied++;
      apply.accept(waiting.remove());
    }
    promise(append.lastIndex(), append.safeMicros());
    return new AppendReply(last, applied);
  }

  private void take(LogEntry entry) {
    waiting.add(entry);
    last++;
  }

  private void promise(long index, long micros) {
    Promise newest = promises.peekLast();
    boolean isNews =
        micros > safeMicros
            && (newest == null || (micros > newest.safeMicros && index >= newest.index));
    if (isNews) {
      if (newest != null && newest.index == index) {
        promises.removeLast();
      }
      promises.add(new Promise(index, micros));
    }
    while (!promises.isEmpty() && promises.peek().index <= applied) {
      safeMicros = Math.max(safeMicros, promises.remove().safeMicros);
    }
  }

  /**
   * No entry with a timestamp at or below it will be applied any more, except outcomes of
   * transactions with an applied prepared entry.
   */
  public long safeMicros() {
    return safeMicros;
  }

  /** The index of the last entry without a gap before it. */
  public long lastIndex() {
    return last;
  }

  /** The index of the last applied entry. */
  public long appliedIndex() {
    return applied;
  }
}
