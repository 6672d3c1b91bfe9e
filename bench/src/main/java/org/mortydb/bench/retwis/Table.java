package org.mortydb.bench.retwis;

import org.mortydb.bench.history.Trace;
import org.mortydb.bench.retwis.StoredRecord.Followers;
import org.mortydb.bench.retwis.StoredRecord.Following;
import org.mortydb.bench.retwis.StoredRecord.Mention;
import org.mortydb.bench.retwis.StoredRecord.Profile;
import org.mortydb.bench.retwis.StoredRecord.Timeline;
import org.mortydb.bench.retwis.StoredRecord.Tweet;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;

/**
 * All records of one kind, as transactions see them: reads and writes go through here, so that all
 * of them are traced.
 *
 * @param <T> the records
 */
final class Table<T extends StoredRecord> {
  static final Table<Profile> PROFILE =
      new Table<>(RecordKind.PROFILE, Profile.class, new Profile(0, 0, "nobody"));
  static final Table<Followers> FOLLOWERS =
      new Table<>(RecordKind.FOLLOWERS, Followers.class, Followers.NONE);
  static final Table<Following> FOLLOWING =
      new Table<>(RecordKind.FOLLOWING, Following.class, Following.NONE);
  static final Table<Timeline> TIMELINE =
      new Table<>(RecordKind.TIMELINE, Timeline.class, Timeline.EMPTY);
  static final Table<Tweet> TWEET = new Table<>(RecordKind.TWEET, Tweet.class, new Tweet(0, ""));
  static final Table<Mention> MENTION =
      new Table<>(RecordKind.MENTION, Mention.class, new Mention(0, 0, ""));

  private final RecordKind kind;
  private final Class<T> type;
  private final T missing;
  private final RecordCodec codec;

  private Table(RecordKind kind, Class<T> type, T missing) {
    this.kind = kind;
    this.type = type;
    this.missing = missing;
    this.codec = new RecordCodec(kind);
  }

  /** The records of a kind. */
  static Table<? extends StoredRecord> of(RecordKind kind) {
    return switch (kind) {
      case PROFILE -> PROFILE;
      case FOLLOWERS -> FOLLOWERS;
      case FOLLOWING -> FOLLOWING;
      case TIMELINE -> TIMELINE;
      case TWEET -> TWEET;
      case MENTION -> MENTION;
    };
  }

  /** Reads a user's record and ends the turn; one that was never written is an empty one. */
  void get(Transaction<Trace> txn, Context<Trace> ctx, int user, Continuation<Trace, T> next) {
    int record = RecordId.of(kind, user);
    txn.get(
        ctx,
        key(record),
        (after, value) -> {
          Trace trace = after.state();
          if (value == null) {
            next.resume(after.with(trace.read(record, null, 0)), missing);
          } else {
            Trace read = trace.read(record, value.stamp(), value.valueHash());
            next.resume(after.with(read), type.cast(value.content()));
          }
        });
  }

  /** Writes a user's record. */
  Context<Trace> put(Transaction<Trace> txn, Context<Trace> ctx, int user, T content) {
    int record = RecordId.of(kind, user);
    Trace trace = ctx.state();
    StampedRecord value = StampedRecord.of(trace.stamp(), content);
    txn.put(ctx, key(record), value);
    return ctx.with(trace.wrote(record, value.valueHash()));
  }

  private TypedKey<StampedRecord> key(int record) {
    return TypedKey.of(RecordId.key(record), codec);
  }
}
