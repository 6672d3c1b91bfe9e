package org.mortydb.workloads.retwis;

import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.retwis.RetwisRecord.Followers;
import org.mortydb.workloads.retwis.RetwisRecord.Mention;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.retwis.RetwisRecord.Tweet;
import org.mortydb.workloads.retwis.RetwisRequest.AddUser;
import org.mortydb.workloads.retwis.RetwisRequest.Follow;
import org.mortydb.workloads.retwis.RetwisRequest.GetTimeline;
import org.mortydb.workloads.retwis.RetwisRequest.PostTweet;
import org.mortydb.workloads.rows.Rows;

/**
 * The four transactions, in continuation-passing style. Reads are sequential, but for the tweets of
 * a timeline if these are read together. The values read determine the values written, and once
 * also the key.
 */
final class RetwisTransactions {
  private static final int MENTION_TEXT = 40;

  private RetwisTransactions() {}

  /**
   * The body that executes a request.
   *
   * @param users the number of users
   * @param together whether the tweets of a timeline are read in one operation
   */
  static TransactionBody<Trace> body(
      RetwisRequest request, int users, Timelines timelines, boolean together) {
    return switch (request) {
      case AddUser add -> (txn, ctx) -> addUser(txn, ctx, add, timelines);
      case Follow follow -> (txn, ctx) -> follow(txn, ctx, follow);
      case PostTweet post -> (txn, ctx) -> postTweet(txn, ctx, post, timelines);
      case GetTimeline get -> (txn, ctx) -> getTimeline(txn, ctx, get, users, timelines, together);
    };
  }

  private static void addUser(
      Transaction<Trace> txn, Context<Trace> ctx, AddUser request, Timelines timelines) {
    int user = request.user();
    RetwisTable.PROFILE.get(
        txn,
        ctx,
        user,
        (c, profile) -> {
          c = RetwisTable.PROFILE.put(txn, c, user, profile.registeredAgain(request.name()));
          c = RetwisTable.FOLLOWERS.put(txn, c, user, Followers.NONE);
          c = timelines.put(txn, c, user, Timeline.EMPTY);
          Rows.commit(txn, c);
        });
  }

  private static void follow(Transaction<Trace> txn, Context<Trace> ctx, Follow request) {
    int follower = request.follower();
    int followee = request.followee();
    RetwisTable.FOLLOWING.get(
        txn,
        ctx,
        follower,
        (c1, following) ->
            RetwisTable.FOLLOWERS.get(
                txn,
                c1,
                followee,
                (c, followers) -> {
                  if (following.contains(followee)) {
                    c = RetwisTable.FOLLOWING.put(txn, c, follower, following.without(followee));
                    c = RetwisTable.FOLLOWERS.put(txn, c, followee, followers.without(follower));
                  } else {
                    c = RetwisTable.FOLLOWING.put(txn, c, follower, following.with(followee));
                    c = RetwisTable.FOLLOWERS.put(txn, c, followee, followers.with(follower));
                  }
                  Rows.commit(txn, c);
                }));
  }

  private static void postTweet(
      Transaction<Trace> txn, Context<Trace> ctx, PostTweet request, Timelines timelines) {
    int author = request.author();
    RetwisTable.PROFILE.get(
        txn,
        ctx,
        author,
        (c1, profile) ->
            RetwisTable.FOLLOWERS.get(
                txn,
                c1,
                author,
                (c2, followers) -> {
                  int number = profile.tweets() + 1;
                  timelines.append(
                      txn,
                      c2,
                      followers.next(author),
                      author,
                      number,
                      c -> {
                        String text = "#" + number + " " + request.text();
                        String start = text.substring(0, Math.min(text.length(), MENTION_TEXT));
                        Mention mention = new Mention(author, number, start);
                        c = RetwisTable.PROFILE.put(txn, c, author, profile.tweeted());
                        c = RetwisTable.TWEET.put(txn, c, author, new Tweet(number, text));
                        c = RetwisTable.FOLLOWERS.put(txn, c, author, followers.delivered());
                        c = RetwisTable.MENTION.put(txn, c, request.mentioned(), mention);
                        Rows.commit(txn, c);
                      });
                }));
  }

  private static void getTimeline(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      GetTimeline request,
      int users,
      Timelines timelines,
      boolean together) {
    timelines.get(
        txn,
        ctx,
        request.user(),
        (c, timeline) -> {
          int[] authors = tweetsToRead(request, timeline, users);
          if (together) {
            RetwisTable.TWEET.getAll(txn, c, authors, after -> Rows.commit(txn, after));
          } else {
            readTweets(txn, c, authors, 0);
          }
        });
  }

  /** Reads the tweets of {@code authors} from the {@code at}-th on, one after another. */
  private static void readTweets(
      Transaction<Trace> txn, Context<Trace> ctx, int[] authors, int at) {
    if (at == authors.length) {
      Rows.commit(txn, ctx);
    } else {
      RetwisTable.TWEET.get(
          txn, ctx, authors[at], (c, tweet) -> readTweets(txn, c, authors, at + 1));
    }
  }

  /**
   * The authors in the timeline, newest first and each once, then drawn users. A drawn user that is
   * among them already is replaced by the next user that is not.
   */
  static int[] tweetsToRead(GetTimeline request, Timeline timeline, int users) {
    int wanted = Math.min(request.reads() - 1, users);
    int[] chosen = new int[wanted];
    int n = 0;
    int[] authors = timeline.authors();
    for (int i = authors.length - 1; i >= 0 && n < wanted; i--) {
      if (!contains(chosen, n, authors[i])) {
        chosen[n++] = authors[i];
      }
    }
    for (int i = 0; n < wanted; i++) {
      int user = request.others()[i];
      while (contains(chosen, n, user)) {
        user = (user + 1) % users;
      }
      chosen[n++] = user;
    }
    return chosen;
  }

  /** Whether a user is among the first {@code length} ones. */
  static boolean contains(int[] users, int length, int user) {
    for (int i = 0; i < length; i++) {
      if (users[i] == user) {
        return true;
      }
    }
    return false;
  }
}
