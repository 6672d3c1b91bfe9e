package org.mortydb.workloads.retwis;

import java.util.random.RandomGenerator;
import org.mortydb.workloads.retwis.RetwisRequest.AddUser;
import org.mortydb.workloads.retwis.RetwisRequest.Follow;
import org.mortydb.workloads.retwis.RetwisRequest.GetTimeline;
import org.mortydb.workloads.retwis.RetwisRequest.PostTweet;
import org.mortydb.workloads.sampling.Sampler;

/** Draws transactions in the mix of the papers. Not safe for use by several threads. */
final class RequestGenerator {
  /** The most records that one {@link GetTimeline} reads. */
  static final int MAX_TIMELINE_READS = 10;

  private final RandomGenerator random;
  private final Sampler users;

  /**
   * @param random draws everything except the users
   * @param users draws the users; at least two
   */
  RequestGenerator(RandomGenerator random, Sampler users) {
    this.random = random;
    this.users = users;
  }

  RetwisRequest next() {
    return switch (RetwisTransactionType.of(random.nextInt(100))) {
      case ADD_USER -> new AddUser(users.next(), Phrases.name(random));
      case FOLLOW -> {
        int follower = users.next();
        yield new Follow(follower, otherThan(follower));
      }
      case POST_TWEET -> {
        int author = users.next();
        yield new PostTweet(author, otherThan(author), Phrases.text(random));
      }
      case GET_TIMELINE -> {
        int user = users.next();
        int reads = random.nextInt(1, MAX_TIMELINE_READS + 1);
        int[] others = new int[reads - 1];
        for (int i = 0; i < others.length; i++) {
          others[i] = users.next();
        }
        yield new GetTimeline(user, reads, others);
      }
    };
  }

  private int otherThan(int user) {
    int other = users.next();
    while (other == user) {
      other = users.next();
    }
    return other;
  }
}
