package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.Status;

/**
 * The check of a set that only grows: each element is added by a transaction of its own, and others
 * read all elements at once. Some serial order explains the reads exactly if of any two of them one
 * holds all of the other, nothing that failed is ever seen, and, once all is over, nothing that was
 * acknowledged is missing.
 */
public final class SetChecker {

  /**
   * An addition that ended.
   *
   * @param element added by nobody else
   * @param endMicros when its end was known
   */
  public record Addition(long element, Status status, long endMicros) {}

  /**
   * A read that committed.
   *
   * @param name for people
   * @param elements what was seen
   * @param beginMicros when it began, by the clock of the additions
   * @param last whether it began when all additions had ended
   */
  public record SetRead(String name, List<Long> elements, long beginMicros, boolean last) {
    public SetRead {
      elements = List.copyOf(elements);
    }
  }

  private final Map<Long, Integer> index = new TreeMap<>();
  private final List<Addition> additions;
  private final List<SetRead> reads;
  private final Anomalies anomalies = new Anomalies();

  private SetChecker(List<Addition> additions, List<SetRead> reads) {
    this.additions = additions;
    this.reads = reads;
  }

  /**
   * Checks a history.
   *
   * @throws IllegalArgumentException when an element is added twice: such a history cannot be
   *     checked
   */
  public static Verdict check(List<Addition> additions, List<SetRead> reads) {
    return new SetChecker(additions, reads).run();
  }

  private Verdict run() {
    for (int i = 0; i < additions.size(); i++) {
      if (index.put(additions.get(i).element(), i) != null) {
        throw new IllegalArgumentException(
            "element " + additions.get(i).element() + " is added twice: elements must be unique");
      }
    }
    List<BitSet> seen = new ArrayList<>();
    for (SetRead read : reads) {
      seen.add(elementsOf(read));
    }
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).last()) {
        checkNothingLost(reads.get(i), seen.get(i));
      }
      for (int j = 0; j < i; j++) {
        checkComparable(j, i, seen);
      }
    }
    long committed = additions.stream().filter(a -> a.status() == Status.COMMITTED).count();
    return anomalies.verdict(
        new Coverage(
            additions.size() + reads.size(), committed + reads.size(), reads.size(), 0, 0));
  }

  private BitSet elementsOf(SetRead read) {
    BitSet elements = new BitSet();
    for (long element : read.elements()) {
      Integer i = index.get(element);
      if (i == null) {
        report(Kind.UNKNOWN_WRITER, read, element + ", which nobody has added");
      } else {
        if (additions.get(i).status() == Status.ABORTED) {
          report(Kind.ABORTED_READ, read, element + ", whose addition had failed");
        }
        if (elements.get(i)) {
          report(Kind.DUPLICATE_ELEMENT, read, element + " twice");
        }
        elements.set(i);
      }
    }
    return elements;
  }

  private void checkNothingLost(SetRead read, BitSet seen) {
    for (int i = 0; i < additions.size(); i++) {
      Addition addition = additions.get(i);
      if (addition.status() == Status.COMMITTED && !seen.get(i)) {
        anomalies.add(
            () ->
                new Anomaly(
                    Kind.LOST_ELEMENT,
                    List.of(read.name()),
                    addition.element()
                        + " was acknowledged, and "
                        + read.name()
                        + ", which began when all had ended, does not see it"));
      }
    }
  }

  /**
   * A read answers for what it has seen, and for what had been added when it began: one may have
   * asked for those elements alone that were known then.
   */
  private void checkComparable(int first, int second, List<BitSet> seen) {
    int a = missedBy(reads.get(second), seen.get(first), seen.get(second));
    int b = missedBy(reads.get(first), seen.get(second), seen.get(first));
    if (a >= 0 && b >= 0) {
      SetRead one = reads.get(first);
      SetRead other = reads.get(second);
      anomalies.add(
          () ->
              new Anomaly(
                  Kind.INCOMPARABLE_READS,
                  List.of(one.name(), other.name()),
                  "%s saw %d and not %d, %s the other way round"
                      .formatted(
                          one.name(),
                          additions.get(a).element(),
                          additions.get(b).element(),
                          other.name())));
    }
  }

  private int missedBy(SetRead read, BitSet others, BitSet own) {
    BitSet missed = (BitSet) others.clone();
    missed.andNot(own);
    return missed.stream()
        .filter(i -> additions.get(i).endMicros() < read.beginMicros())
        .findFirst()
        .orElse(-1);
  }

  private void report(Kind kind, SetRead read, String what) {
    anomalies.add(() -> new Anomaly(kind, List.of(read.name()), read.name() + " saw " + what));
  }
}
