package org.mortydb.workloads.retwis;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;
import org.mortydb.workloads.retwis.StoredRecord.Followers;
import org.mortydb.workloads.retwis.StoredRecord.Following;
import org.mortydb.workloads.retwis.StoredRecord.Mention;
import org.mortydb.workloads.retwis.StoredRecord.Profile;
import org.mortydb.workloads.retwis.StoredRecord.Timeline;
import org.mortydb.workloads.retwis.StoredRecord.Tweet;
import org.mortydb.workloads.rows.Rows;

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
  private final Rows<StoredRecord> rows;

  private Table(RecordKind kind, Class<T> type, T missing) {
    this.kind = kind;
    this.type = type;
    this.missing = missing;
    RecordCodec codec = new RecordCodec(kind);
    this.rows = new Rows<>(record -> TypedKey.of(RecordId.key(record), codec), codec);
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
    rows.get(
        txn,
        ctx,
        RecordId.of(kind, user),
        (after, content) -> next.resume(after, content == null ? missing : type.cast(content)));
  }

  /** Writes a user's record. */
  Context<Trace> put(Transaction<Trace> txn, Context<Trace> ctx, int user, T content) {
    return rows.put(txn, ctx, RecordId.of(kind, user), content);
  }
}
