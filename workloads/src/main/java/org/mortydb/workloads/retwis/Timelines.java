package org.mortydb.workloads.retwis;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.rows.MergedRows;

/** The timelines: records that are read and put, or lists to which posts are appended. */
record Timelines(boolean merges) {
  /** An entry has the author in the upper half of a number, and the tweet's number in the lower. */
  private static final MergedRows<List<Long>> LISTS =
      new MergedRows<>(record -> TypedKey.of(RecordId.key(record), Codecs.listOf(Codecs.INT64)));

  private static long record(int user) {
    return RecordId.of(RecordKind.TIMELINE, user);
  }

  /** Reads a timeline and ends the turn. */
  void get(
      Transaction<Trace> txn, Context<Trace> ctx, int user, Continuation<Trace, Timeline> next) {
    if (merges) {
      LISTS.get(txn, ctx, record(user), List.of(), (c, list) -> next.resume(c, timeline(list)));
    } else {
      RetwisTable.TIMELINE.get(txn, ctx, user, next);
    }
  }

  private static Timeline timeline(List<Long> entries) {
    int[] authors = new int[entries.size()];
    int[] numbers = new int[authors.length];
    for (int i = 0; i < authors.length; i++) {
      authors[i] = (int) (entries.get(i) >>> Integer.SIZE);
      numbers[i] = (int) (long) entries.get(i);
    }
    return new Timeline(authors, numbers);
  }

  private static long entry(int author, int number) {
    return (long) author << Integer.SIZE | number;
  }

  /** Writes a timeline. */
  Context<Trace> put(Transaction<Trace> txn, Context<Trace> ctx, int user, Timeline timeline) {
    if (!merges) {
      return RetwisTable.TIMELINE.put(txn, ctx, user, timeline);
    }
    List<Long> entries = new ArrayList<>();
    for (int i = 0; i < timeline.authors().length; i++) {
      entries.add(entry(timeline.authors()[i], timeline.numbers()[i]));
    }
    return LISTS.put(txn, ctx, record(user), entries);
  }

  /** Receives a context. */
  interface Then {
    void resume(Context<Trace> ctx);
  }

  /** Adds an entry; the oldest one is dropped if the timeline is full. May end the turn. */
  void append(
      Transaction<Trace> txn, Context<Trace> ctx, int user, int author, int number, Then next) {
    if (merges) {
      long entry = entry(author, number);
      next.resume(
          MergedRows.append(LISTS, txn, ctx, record(user), entry, RetwisRecord.MAX_TIMELINE));
    } else {
      RetwisTable.TIMELINE.get(
          txn,
          ctx,
          user,
          (c, timeline) ->
              next.resume(RetwisTable.TIMELINE.put(txn, c, user, timeline.with(author, number))));
    }
  }
}
