package org.mortydb.workloads.retwis;

import java.util.Arrays;

/**
 * The stored records. They are immutable and bounded in size, and derive new values from old ones
 * by the rules of the workload. Each record owns its arrays.
 */
sealed interface RetwisRecord {

  /** The most entries of a list of users. */
  int MAX_USERS = 8;

  /** The most entries of a timeline. */
  int MAX_TIMELINE = 10;

  /**
   * A user's registration.
   *
   * @param generation the number of registrations of the id, from 1
   * @param tweets the number of tweets since the last registration
   * @param name the user's name
   */
  record Profile(int generation, int tweets, String name) implements RetwisRecord {
    Profile registeredAgain(String newName) {
      return new Profile(generation + 1, 0, newName);
    }

    Profile tweeted() {
      return new Profile(generation, tweets + 1, name);
    }
  }

  /**
   * The user's followers.
   *
   * @param cursor the number of delivered tweets; it determines the next follower
   * @param users at most {@link #MAX_USERS}, oldest first
   */
  record Followers(int cursor, int[] users) implements RetwisRecord {
    static final Followers NONE = new Followers(0, new int[0]);

    /**
     * The user whose timeline receives the next tweet; {@code author} if there are no followers.
     */
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
   * The users that this user follows.
   *
   * @param users at most {@link #MAX_USERS}, oldest first
   */
  record Following(int[] users) implements RetwisRecord {
    static final Following NONE = new Following(new int[0]);

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
   * @param authors their authors, at most {@link #MAX_TIMELINE}, oldest first
   * @param numbers the number of each tweet among its author's tweets; as long as {@code authors}
   */
  record Timeline(int[] authors, int[] numbers) implements RetwisRecord {
    static final Timeline EMPTY = new Timeline(new int[0], new int[0]);

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
   * @param number its number among the user's tweets, from 1; 0 before the first
   * @param text its text
   */
  record Tweet(int number, String text) implements RetwisRecord {}

  /**
   * The last tweet that mentions a user.
   *
   * @param author the tweet's author
   * @param number the tweet's number
   * @param text the beginning of its text
   */
  record Mention(int author, int number, String text) implements RetwisRecord {}
}
