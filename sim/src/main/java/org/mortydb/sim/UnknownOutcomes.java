package org.mortydb.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * The transactions whose clients have reported the outcome as unknown, and whether they had time
 * enough to learn it.
 *
 * <p>A client waits for a grace period (docs/protocol.md, section 4, Deadline). That is enough if
 * it proposes the outcome itself. But once a recovery has fenced it, the outcome may take as long
 * as a chain of recoveries: a replica whose vote is conditional answers a recovery only when every
 * version read is decided, and those transactions may wait for others in turn (section 5). So the
 * time to learn the outcome of such a transaction begins when the last one that it has read is
 * decided.
 */
final class UnknownOutcomes {
  /** When some process first knew the outcome, in micros of virtual time. */
  private final Map<TxnId, Long> decided = new HashMap<>();

  private final Set<TxnId> recovered = new HashSet<>();
  private final List<Report> reports = new ArrayList<>();

  /**
   * A client has reported an unknown outcome.
   *
   * @param waitedMicros how long nothing else had kept a recovery from deciding; the longest time
   *     there is if nothing ever did
   */
  private record Report(TxnId txn, long waitedMicros) {}

  /** Some process knows the outcome of a transaction. Only the first time counts. */
  void decided(TxnId txn, long nowMicros) {
    decided.putIfAbsent(txn, nowMicros);
  }

  /** A replica begins to recover a transaction. */
  void recovers(TxnId txn) {
    recovered.add(txn);
  }

  /**
   * A client reports that it does not know the outcome.
   *
   * @param writers the transactions whose versions some prepared execution has read
   */
  void reported(TxnId txn, Set<TxnId> writers, long nowMicros) {
    long waited = Long.MAX_VALUE;
    if (recovered.contains(txn)) {
      for (TxnId writer : writers) {
        @Nullable Long since = decided.get(writer);
        waited = Math.min(waited, since == null ? 0 : nowMicros - since);
      }
    }
    reports.add(new Report(txn, waited));
  }

  /**
   * The transactions whose clients should have known the outcome when they reported it as unknown.
   *
   * @param patienceMicros how long it may take to learn an outcome that waits for nothing else
   */
  List<TxnId> missed(long patienceMicros) {
    return reports.stream()
        .filter(report -> report.waitedMicros >= patienceMicros)
        .map(Report::txn)
        .toList();
  }
}
