package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.Status;

/**
 * Checks for phantoms, Adya's G2. Each of two transactions searches for rows of their pair and
 * inserts one only if there is none. So at most one of the two may commit.
 */
public final class PairsChecker {

  /**
   * An insert that has ended.
   *
   * @param row the row, which no other transaction inserts
   */
  public record Insert(long pair, long row, Status status) {}

  private PairsChecker() {}

  /**
   * Checks a history.
   *
   * @param atEnd all rows after the end of every insert
   * @param looked whether the rows were read at the end; if not, the check finds no lost rows
   */
  public static Verdict check(List<Insert> inserts, Set<Long> atEnd, boolean looked) {
    Anomalies anomalies = new Anomalies();
    Map<Long, List<Insert>> visible = new TreeMap<>();
    Set<Long> unexplained = new TreeSet<>(atEnd);
    long committed = 0;
    for (Insert insert : inserts) {
      boolean there = atEnd.contains(insert.row());
      unexplained.remove(insert.row());
      committed += insert.status() == Status.COMMITTED ? 1 : 0;
      if (insert.status() == Status.COMMITTED || there) {
        visible.computeIfAbsent(insert.pair(), _ -> new ArrayList<>()).add(insert);
      }
      if (looked && insert.status() == Status.COMMITTED && !there) {
        add(anomalies, Kind.LOST_ELEMENT, insert, "was acknowledged, but is missing at the end");
      } else if (insert.status() == Status.ABORTED && there) {
        add(anomalies, Kind.FAILED_WRITE, insert, "failed, but is present at the end");
      }
    }
    visible.forEach(
        (pair, both) -> {
          if (both.size() > 1) {
            String rows = both.stream().map(i -> "row " + i.row()).toList().toString();
            anomalies.add(
                Kind.G2_PREDICATE,
                both.stream().map(i -> "insert of row " + i.row()).toList(),
                () -> "both inserts of pair " + pair + " committed: " + rows);
          }
        });
    for (long row : unexplained) {
      anomalies.add(
          Kind.UNKNOWN_WRITER,
          List.of(),
          () -> "row " + row + " is present, but no transaction inserted it");
    }
    return anomalies.verdict(
        new Coverage(inserts.size(), committed, looked ? inserts.size() : 0, 0, 0));
  }

  private static void add(Anomalies anomalies, Kind kind, Insert insert, String what) {
    anomalies.add(
        kind,
        List.of("insert of row " + insert.row()),
        () -> "row " + insert.row() + " of pair " + insert.pair() + " " + what);
  }
}
