package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.ListHistory;
import org.mortydb.check.history.ListOperation;
import org.mortydb.check.history.Status;

/**
 * Writes list histories down in short: {@code "ax1"} appends 1 to x, {@code "rx12"} reads [1, 2].
 */
final class ListHistories {
  private final ListHistory history = new ListHistory();
  private int count;

  ListHistories committed(String... operations) {
    return add(Status.COMMITTED, operations);
  }

  ListHistories aborted(String... operations) {
    return add(Status.ABORTED, operations);
  }

  ListHistories unknown(String... operations) {
    return add(Status.UNKNOWN, operations);
  }

  ListHistories end(String read) {
    history.addFinalRead(read.substring(1, 2), elements(read.substring(2)));
    return this;
  }

  ListHistory history() {
    return history;
  }

  /** Transactions are named T1, T2 and so on, and run one after the other in one session. */
  private ListHistories add(Status status, String... operations) {
    count++;
    List<ListOperation> parsed = new ArrayList<>();
    for (String operation : operations) {
      String key = operation.substring(1, 2);
      String rest = operation.substring(2);
      parsed.add(
          operation.charAt(0) == 'a'
              ? new ListOperation.Append(key, rest)
              : new ListOperation.ReadList(key, elements(rest)));
    }
    history.add(
        new ClientTransaction<>("T" + count, 0, count * 10L, count * 10L + 5, status, parsed));
    return this;
  }

  private static List<String> elements(String digits) {
    return digits.chars().mapToObj(c -> String.valueOf((char) c)).toList();
  }
}
