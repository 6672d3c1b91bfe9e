package org.mortydb.workloads.retwis;

/**
 * One transaction with all random choices made. Its body, which may be called again from any read
 * on, depends only on the request and on the values read.
 */
sealed interface RetwisRequest {

  /** The type of the transaction. */
  RetwisTransactionType type();

  /**
   * Registers an existing id again, so that the number of keys stays the same.
   *
   * @param name the new name
   */
  record AddUser(int user, String name) implements RetwisRequest {
    @Override
    public RetwisTransactionType type() {
      return RetwisTransactionType.ADD_USER;
    }
  }

  /** Makes {@code follower} follow {@code followee}, or stop to. The users differ. */
  record Follow(int follower, int followee) implements RetwisRequest {
    @Override
    public RetwisTransactionType type() {
      return RetwisTransactionType.FOLLOW;
    }
  }

  /**
   * Posts a tweet.
   *
   * @param mentioned the mentioned user
   * @param text the text after the tweet's number
   */
  record PostTweet(int author, int mentioned, String text) implements RetwisRequest {
    @Override
    public RetwisTransactionType type() {
      return RetwisTransactionType.POST_TWEET;
    }
  }

  /**
   * Reads a timeline and the tweets of its authors.
   *
   * @param reads the number of records including the timeline: 1 to 10
   * @param others users whose tweets are read when the timeline has too few authors; {@code reads -
   *     1} of them
   */
  record GetTimeline(int user, int reads, int[] others) implements RetwisRequest {
    @Override
    public RetwisTransactionType type() {
      return RetwisTransactionType.GET_TIMELINE;
    }
  }
}
