package org.mortydb.workloads.retwis;

import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.InvalidOptionException;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.RetwisRecord.Followers;
import org.mortydb.workloads.retwis.RetwisRecord.Following;
import org.mortydb.workloads.retwis.RetwisRecord.Mention;
import org.mortydb.workloads.retwis.RetwisRecord.Profile;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.retwis.RetwisRecord.Tweet;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.sampling.Sampler;

/** Retwis: a number of users with their records, and the mix of transactions. */
public final class Retwis implements Workload {
  static final int MIN_USERS = 2;

  /** The number of users that one transaction fills. */
  private static final int USERS_PER_FILLING = 50;

  /** The number of records that one transaction reads when all records are read back. */
  private static final int RECORDS_PER_READING = 60;

  /** The number of users that each user follows at first. */
  private static final int FOLLOWED_AT_FIRST = 4;

  private final int users;
  private final double zipf;
  private final Timelines timelines;
  private final boolean together;

  /**
   * @param keys the number of records, six for each user
   * @param zipf the exponent of the users' popularity; 0 for uniform
   * @throws InvalidOptionException if one is out of range
   */
  public Retwis(int keys, double zipf) {
    this(keys, zipf, false, false);
  }

  /**
   * @param merges whether posts are appended to timelines without reading them
   * @param together whether the tweets of a timeline are read in one operation
   * @see #Retwis(int, double)
   */
  public Retwis(int keys, double zipf, boolean merges, boolean together) {
    this.timelines = new Timelines(merges);
    this.together = together;
    this.users = RetwisPlugin.KEYS.require(keys) / RecordKind.PER_USER;
    this.zipf = RetwisPlugin.ZIPF.require(zipf);
  }

  @Override
  public String name() {
    return "retwis";
  }

  @Override
  public List<String> types() {
    return RetwisTransactionType.labels();
  }

  @Override
  public boolean merges() {
    return timelines.merges();
  }

  @Override
  public long records() {
    return (long) users * RecordKind.PER_USER;
  }

  @Override
  public String recordName(long record) {
    return RecordId.key(record).toString();
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    Sampler sampler = Sampler.zipf(random, users, zipf);
    RequestGenerator requests = new RequestGenerator(random, sampler);
    return () -> {
      RetwisRequest request = requests.next();
      int type = request.type().ordinal();
      TransactionBody<Trace> body = RetwisTransactions.body(request, users, timelines, together);
      return request.type() == RetwisTransactionType.GET_TIMELINE
          ? Planned.reading(type, body)
          : new Planned(type, body);
    };
  }

  @Override
  public int initialTransactionCount() {
    return Math.ceilDiv(users, USERS_PER_FILLING);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.batches(
        part,
        parts,
        users,
        USERS_PER_FILLING,
        (first, end) -> {
          long seed = random.nextLong();
          return new Planned(
              RetwisTransactionType.ADD_USER.ordinal(),
              (txn, ctx) -> fill(txn, ctx, first, end, seed));
        });
  }

  /**
   * A share of the transactions that read all records, each record once.
   *
   * @param part the number of the share, 0 to {@code parts} - 1
   */
  public Source readingBack(int part, int parts) {
    return Source.batches(
        part,
        parts,
        Math.toIntExact(records()),
        RECORDS_PER_READING,
        (first, end) ->
            new Planned(
                RetwisTransactionType.GET_TIMELINE.ordinal(),
                (txn, ctx) -> read(txn, ctx, first, end)));
  }

  /** The number of transactions in all shares of {@link #readingBack}. */
  public int readingsBack() {
    return Math.ceilDiv(Math.toIntExact(records()), RECORDS_PER_READING);
  }

  private void read(Transaction<Trace> txn, Context<Trace> ctx, long record, long end) {
    if (record == end) {
      Rows.commit(txn, ctx);
    } else if (RecordId.kind(record) == RecordKind.TIMELINE) {
      timelines.get(txn, ctx, RecordId.user(record), (c, content) -> read(txn, c, record + 1, end));
    } else {
      RetwisTable.of(RecordId.kind(record))
          .get(txn, ctx, RecordId.user(record), (c, content) -> read(txn, c, record + 1, end));
    }
  }

  /** Writes all records of some users. Repeated calls write the same. */
  private void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, int end, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Context<Trace> c = ctx;
    for (int user = first; user < end; user++) {
      int[] followees = neighbours(user, 1);
      int[] followers = neighbours(user, -1);
      int author = followees[0];
      String text = Phrases.text(random);
      c = RetwisTable.PROFILE.put(txn, c, user, new Profile(1, 0, Phrases.name(random)));
      c = RetwisTable.FOLLOWERS.put(txn, c, user, new Followers(0, followers));
      c = RetwisTable.FOLLOWING.put(txn, c, user, new Following(followees));
      c = timelines.put(txn, c, user, new Timeline(followees, new int[followees.length]));
      c = RetwisTable.TWEET.put(txn, c, user, new Tweet(0, text));
      c = RetwisTable.MENTION.put(txn, c, user, new Mention(author, 0, ""));
    }
    Rows.commit(txn, c);
  }

  /** The next users in one direction, on the circle of all users. */
  private int[] neighbours(int user, int direction) {
    int[] others = new int[Math.min(FOLLOWED_AT_FIRST, users - 1)];
    for (int i = 0; i < others.length; i++) {
      others[i] = Math.floorMod(user + direction * (i + 1), users);
    }
    return others;
  }
}
