package org.mortydb.workloads.retwis;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;
import org.mortydb.workloads.retwis.RetwisRecord.Followers;
import org.mortydb.workloads.retwis.RetwisRecord.Following;
import org.mortydb.workloads.retwis.RetwisRecord.Mention;
import org.mortydb.workloads.retwis.RetwisRecord.Profile;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.retwis.RetwisRecord.Tweet;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;

/**
 * All records of one kind. All reads and writes of transactions go through here, so that they are
 * traced.
 *
 * @param <T> the records
 */
final class RetwisTable<T extends RetwisRecord> {
  static final RetwisTable<Profile> PROFILE =
      new RetwisTable<>(RecordKind.PROFILE, Profile.class, new Profile(0, 0, "nobody"));
  static final RetwisTable<Followers> FOLLOWERS =
      new RetwisTable<>(RecordKind.FOLLOWERS, Followers.class, Followers.NONE);
  static final RetwisTable<Following> FOLLOWING =
      new RetwisTable<>(RecordKind.FOLLOWING, Following.class, Following.NONE);
  static final RetwisTable<Timeline> TIMELINE =
      new RetwisTable<>(RecordKind.TIMELINE, Timeline.class, Timeline.EMPTY);
  static final RetwisTable<Tweet> TWEET =
      new RetwisTable<>(RecordKind.TWEET, Tweet.class, new Tweet(0, ""));
  static final RetwisTable<Mention> MENTION =
      new RetwisTable<>(RecordKind.MENTION, Mention.class, new Mention(0, 0, ""));

  private final RecordKind kind;
  private final Class<T> type;
  private final T missing;
  private final Rows<RetwisRecord> rows;

  private RetwisTable(RecordKind kind, Class<T> type, T missing) {
    this.kind = kind;
    this.type = type;
    this.missing = missing;
    RowCodec<RetwisRecord> codec = RetwisCodec.of(kind);
    this.rows = new Rows<>(record -> TypedKey.of(RecordId.key(record), codec), codec);
  }

  /** The records of a kind. */
  static RetwisTable<? extends RetwisRecord> of(RecordKind kind) {
    return switch (kind) {
      case PROFILE -> PROFILE;
      case FOLLOWERS -> FOLLOWERS;
      case FOLLOWING -> FOLLOWING;
      case TIMELINE -> TIMELINE;
      case TWEET -> TWEET;
      case MENTION -> MENTION;
    };
  }

  /**
   * Reads a user's record and ends the turn. A record that was never written reads as an empty one.
   */
  void get(Transaction<Trace> txn, Context<Trace> ctx, int user, Continuation<Trace, T> next) {
    rows.get(
        txn,
        ctx,
        RecordId.of(kind, user),
        (after, content) -> next.resume(after, content == null ? missing : type.cast(content)));
  }

  /** Reads the records of several users in one operation, and ends the turn. */
  void getAll(Transaction<Trace> txn, Context<Trace> ctx, int[] users, Timelines.Then next) {
    long[] records = new long[users.length];
    for (int i = 0; i < users.length; i++) {
      records[i] = RecordId.of(kind, users[i]);
    }
    rows.getAll(txn, ctx, records, (after, contents) -> next.resume(after));
  }

  /** Writes a user's record. */
  Context<Trace> put(Transaction<Trace> txn, Context<Trace> ctx, int user, T content) {
    return rows.put(txn, ctx, RecordId.of(kind, user), content);
  }
}
