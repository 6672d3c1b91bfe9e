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
 * The check for phantoms, Adya's G2: of a pair of transactions each looks for rows of the pair, and
 * inserts one only if there is none, so that at most one of the two may commit.
 */
public final class PairsChecker {

  /**
   * An insert that ended.
   *
   * @param row inserted by nobody else
   */
  public record Insert(long pair, long row, Status status) {}

  private PairsChecker() {}

  /**
   * Checks a history.
   *
   * @param atEnd all rows that were there when every insert had ended
   * @param looked whether that was looked at; if not, nothing can be lost
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
        add(anomalies, Kind.LOST_ELEMENT, insert, "was acknowledged, and is missing in the end");
      } else if (insert.status() == Status.ABORTED && there) {
        add(anomalies, Kind.FAILED_WRITE, insert, "had failed, and is there in the end");
      }
    }
    visible.forEach(
        (pair, both) -> {
          if (both.size() > 1) {
            String rows = both.stream().map(i -> "row " + i.row()).toList().toString();
            anomalies.add(
                () ->
                    new Anomaly(
                        Kind.G2_PREDICATE,
                        both.stream().map(i -> "insert of row " + i.row()).toList(),
                        "of pair " + pair + " both inserts committed, " + rows));
          }
        });
    for (long row : unexplained) {
      anomalies.add(
          () ->
              new Anomaly(
                  Kind.UNKNOWN_WRITER, List.of(), "row " + row + " is there: nobody inserted it"));
    }
    return anomalies.verdict(
        new Coverage(inserts.size(), committed, looked ? inserts.size() : 0, 0, 0));
  }

  private static void add(Anomalies anomalies, Kind kind, Insert insert, String what) {
    anomalies.add(
        () ->
            new Anomaly(
                kind,
                List.of("insert of row " + insert.row()),
                "row " + insert.row() + " of pair " + insert.pair() + " " + what));
  }
}
