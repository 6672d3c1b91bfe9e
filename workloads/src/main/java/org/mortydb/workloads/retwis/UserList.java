package org.mortydb.workloads.retwis;

import java.util.Arrays;

/** Short lists of users, as arrays that are copied and never changed. */
final class UserList {
  private UserList() {}

  static boolean contains(int[] users, int user) {
    for (int each : users) {
      if (each == user) {
        return true;
      }
    }
    return false;
  }

  /**
   * The list with {@code user} once, at its end. The oldest entry is dropped if the list is full.
   */
  static int[] with(int[] users, int user) {
    return contains(users, user) ? users : append(users, user, RetwisRecord.MAX_USERS);
  }

  /** The list without {@code user}. */
  static int[] without(int[] users, int user) {
    int kept = 0;
    int[] rest = new int[users.length];
    for (int each : users) {
      if (each != user) {
        rest[kept++] = each;
      }
    }
    return kept == users.length ? users : Arrays.copyOf(rest, kept);
  }

  /** The list with one more entry at its end. The oldest entry is dropped beyond the limit. */
  static int[] append(int[] list, int entry, int limit) {
    int from = Math.max(0, list.length + 1 - limit);
    int[] longer = Arrays.copyOfRange(list, from, list.length + 1);
    longer[longer.length - 1] = entry;
    return longer;
  }
}
