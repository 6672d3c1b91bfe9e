package org.mortydb.baselines.log;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LogEntry;

/**
 * A follower's end of a partition's log: takes entries in any order, acknowledges those without a
 * gap before them, and applies them in order as far as the leader says.
 */
public final class FollowerLog {
  /** Entries ahead of a gap by more than so many are left to be sent again. */
  private static final int MAX_AHEAD = 1 << 14;

  private record Promise(long index, long safeMicros) {}

  private final Consumer<LogEntry> apply;

  /** Without a gap, but not applied. */
  private final ArrayDeque<LogEntry> waiting = new ArrayDeque<>();

  /** Beyond a gap. */
  private final TreeMap<Long, LogEntry> ahead = new TreeMap<>();

  /** What will be safe when its index is applied. */
  private final ArrayDeque<Promise> promises = new ArrayDeque<>();

  private long last;
  private long applied;
  private long mayApply;
  private long safeMicros;

  /**
   * @param apply takes the entries in their order, each once
   */
  public FollowerLog(Consumer<LogEntry> apply) {
    this.apply = apply;
  }

  /** Takes an append, whole or in part, again or for the first time. */
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
   * Nothing will be applied any more with a timestamp at or below it, except for transactions of
   * which a prepared entry was applied.
   */
  public long safeMicros() {
    return safeMicros;
  }

  /** The index of the last entry without a gap before it. */
  public long lastIndex() {
    return last;
  }

  /** The index of the last entry that was applied. */
  public long appliedIndex() {
    return applied;
  }
}
