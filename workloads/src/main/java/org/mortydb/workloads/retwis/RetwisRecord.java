package org.mortydb.workloads.retwis;

import java.util.Arrays;

/**
 * What the workload stores: immutable, bounded in size, and the subject of the rules by which the
 * transactions derive new values from old ones. Arrays are owned by their record and never changed.
 */
sealed interface RetwisRecord {

  /** Most entries of a list of users. */
  int MAX_USERS = 8;

  /** Most entries of a timeline. */
  int MAX_TIMELINE = 10;

  /** The kind of record, which is also the kind of key it stands under. */
  RecordKind kind();

  /**
   * A user's registration.
   *
   * @param generation how often the id was registered, from 1
   * @param tweets how many tweets the user has posted since
   * @param name what the user is called
   */
  record Profile(int generation, int tweets, String name) implements RetwisRecord {
    @Override
    public RecordKind kind() {
      return RecordKind.PROFILE;
    }

    Profile registeredAgain(String newName) {
      return new Profile(generation + 1, 0, newName);
    }

    Profile tweeted() {
      return new Profile(generation, tweets + 1, name);
    }
  }

  /**
   * Who follows the user.
   *
   * @param cursor counts the tweets delivered; the follower whose turn it is follows from it
   * @param users at most {@link #MAX_USERS}, oldest first
   */
  record Followers(int cursor, int[] users) implements RetwisRecord {
    static final Followers NONE = new Followers(0, new int[0]);

    @Override
    public RecordKind kind() {
      return RecordKind.FOLLOWERS;
    }

    /** Whose timeline receives the next tweet; {@code author} itself when nobody follows. */
    int next(int author) {
      return users.length == 0 ? author : users[cursor % users.length];
    }

    Followers delivered() {
      return new Followers((cursor + 1) & Integer.MAX_VALUE, users);
    }

    Followers with(int user) {
      return new Followers(cursor, UserList.with(users, user));
    }

    Followers without(int user) {
      return new Followers(cursor, UserList.without(users, user));
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Followers other
          && cursor == other.cursor
          && Arrays.equals(users, other.users);
    }

    @Override
    public int hashCode() {
      return 31 * cursor + Arrays.hashCode(users);
    }
  }

  /**
   * Whom the user follows.
   *
   * @param users at most {@link #MAX_USERS}, oldest first
   */
  record Following(int[] users) implements RetwisRecord {
    static final Following NONE = new Following(new int[0]);

    @Override
    public RecordKind kind() {
      return RecordKind.FOLLOWING;
    }

    boolean contains(int user) {
      return UserList.contains(users, user);
    }

    Following with(int user) {
      return new Following(UserList.with(users, user));
    }

    Following without(int user) {
      return new Following(UserList.without(users, user));
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Following other && Arrays.equals(users, other.users);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(users);
    }
  }

  /**
   * The newest tweets that reached the user.
   *
   * @param authors who wrote them, at most {@link #MAX_TIMELINE}, oldest first
   * @param numbers the number of each among its author's tweets; as long as {@code authors}
   */
  record Timeline(int[] authors, int[] numbers) implements RetwisRecord {
    static final Timeline EMPTY = new Timeline(new int[0], new int[0]);

    @Override
    public RecordKind kind() {
      return RecordKind.TIMELINE;
    }

    Timeline with(int author, int number) {
      return new Timeline(
          UserList.append(authors, author, MAX_TIMELINE),
          UserList.append(numbers, number, MAX_TIMELINE));
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Timeline other
          && Arrays.equals(authors, other.authors)
          && Arrays.equals(numbers, other.numbers);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(authors) + Arrays.hashCode(numbers);
    }
  }

  /**
   * A user's newest tweet.
   *
   * @param number its place among the user's tweets, from 1; 0 before the first
   * @param text what it says
   */
  record Tweet(int number, String text) implements RetwisRecord {
    @Override
    public RecordKind kind() {
      return RecordKind.TWEET;
    }
  }

  /**
   * Where a user was last mentioned.
   *
   * @param author in whose tweet
   * @param number the tweet's number
   * @param text how it begins
   */
  record Mention(int author, int number, String text) implements RetwisRecord {
    @Override
    public RecordKind kind() {
      return RecordKind.MENTION;
    }
  }
}
