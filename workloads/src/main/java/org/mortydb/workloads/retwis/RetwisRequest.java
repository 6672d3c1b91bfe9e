package org.mortydb.workloads.retwis;

/**
 * One transaction to run, with everything that chance decides drawn beforehand: its body, which may
 * be called again from any read on, then depends on nothing but the request and what it reads.
 */
sealed interface RetwisRequest {

  /** Which of the four transactions. */
  RetwisTransactionType type();

  /**
   * Registers an existing id anew, which keeps the number of keys what it is.
   *
   * @param name the new name
   */
  record AddUser(int user, String name) implements RetwisRequest {
    @Override
    public RetwisTransactionType type() {
      return RetwisTransactionType.ADD_USER;
    }
  }

  /** Makes {@code follower} follow {@code followee}, or stop doing so; two different users. */
  record Follow(int follower, int followee) implements RetwisRequest {
    @Override
    public RetwisTransactionType type() {
      return RetwisTransactionType.FOLLOW;
    }
  }

  /**
   * Posts a tweet.
   *
   * @param mentioned whom it mentions
   * @param text what it says after its number
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
   * @param reads how many records, the timeline included: 1 to 10
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
