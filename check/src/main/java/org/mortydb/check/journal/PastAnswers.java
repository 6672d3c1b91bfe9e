package org.mortydb.check.journal;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How old the answers of transactions were that have read the past. An answer is stale if
 * transactions between its place and the time at which the reader began have written something that
 * it has read: an answer of the present would have differed.
 *
 * @param answers the number of these transactions
 * @param stale the number of stale ones
 * @param staleShare the share of stale ones
 * @param ageP50Micros the median age of the state that was read, when the reader began
 * @param ageP99Micros the 99th percentile likewise
 * @param ageMaxMicros the highest age
 */
public record PastAnswers(
    long answers,
    long stale,
    double staleShare,
    long ageP50Micros,
    long ageP99Micros,
    long ageMaxMicros) {

  /** Counts them while a history is replayed in the order of ids. */
  static final class Counter {
    private final LongArrayList ages = new LongArrayList();
    private final Long2ObjectOpenHashMap<List<Answer>> readersOf = new Long2ObjectOpenHashMap<>();
    private final ArrayDeque<Answer> open = new ArrayDeque<>();
    private long stale;

    private static final class Answer {
      final long beganMicros;
      final LongArrayList records = new LongArrayList();
      boolean isStale;

      Answer(long beganMicros) {
        this.beganMicros = beganMicros;
      }
    }

    /** The next transaction is one that has read the past. */
    void read(ObservedTransaction reader) {
      close(reader.id().timeMicros());
      ages.add(reader.ageMicros());
      Answer answer = new Answer(reader.id().timeMicros() + reader.ageMicros());
      for (@Nullable ObservedRead r = reader.lastRead(); r != null; r = r.previous()) {
        answer.records.add(r.record());
        readersOf.computeIfAbsent(r.record(), (long _) -> new ArrayList<>()).add(answer);
      }
      open.add(answer);
    }

    /** The next transaction has written a record. */
    void wrote(long timeMicros, long record) {
      List<Answer> readers = readersOf.get(record);
      if (readers != null) {
        for (Answer answer : readers) {
          if (timeMicros <= answer.beganMicros && !answer.isStale) {
            answer.isStale = true;
            stale++;
          }
        }
      }
    }

    /** Forgets answers to readers that began before a time. */
    private void close(long timeMicros) {
      while (!open.isEmpty() && open.getFirst().beganMicros < timeMicros) {
        Answer over = open.removeFirst();
        for (long record : over.records) {
          List<Answer> readers = readersOf.get(record);
          if (readers != null && readers.remove(over) && readers.isEmpty()) {
            readersOf.remove(record);
          }
        }
      }
    }

    /** The result; null if no transaction has read the past. */
    @Nullable PastAnswers result() {
      int count = ages.size();
      if (count == 0) {
        return null;
      }
      ages.sort(null);
      return new PastAnswers(
          count,
          stale,
          Math.round(1e4 * stale / count) / 1e4,
          ages.getLong(count / 2),
          ages.getLong((int) Math.min(count - 1, count * 99L / 100)),
          ages.getLong(count - 1));
    }
  }
}
