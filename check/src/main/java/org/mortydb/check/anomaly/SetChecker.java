package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.history.Status;

/**
 * Checks a set that only grows. Each transaction adds one element, and others read all elements. A
 * serial order explains the reads if and only if one of any two reads contains the other, no read
 * sees a failed addition, and no acknowledged element is missing at the end.
 */
public final class SetChecker {

  /**
   * An addition that has ended.
   *
   * @param element the element, which no other transaction adds
   * @param endMicros the time at which its client learnt the outcome
   */
  public record Addition(long element, Status status, long endMicros) {}

  /**
   * A committed read.
   *
   * @param name the name in explanations
   * @param elements the elements read
   * @param beginMicros its begin, by the clock of the additions
   * @param last whether it began after the end of all additions
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
   * @throws IllegalArgumentException if an element is added twice, so that the history cannot be
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
        report(Kind.UNKNOWN_WRITER, read, element + ", which no transaction added");
      } else {
        if (additions.get(i).status() == Status.ABORTED) {
          report(Kind.ABORTED_READ, read, element + ", whose addition failed");
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
            Kind.LOST_ELEMENT,
            List.of(read.name()),
            () ->
                "%d was acknowledged, but %s, which began after all additions, does not see it"
                    .formatted(addition.element(), read.name()));
      }
    }
  }

  /**
   * One of two reads must contain the other, limited to elements that had been added when the
   * smaller read began. A read may ask only for elements known at its begin.
   */
  private void checkComparable(int first, int second, List<BitSet> seen) {
    int a = missedBy(reads.get(second), seen.get(first), seen.get(second));
    int b = missedBy(reads.get(first), seen.get(second), seen.get(first));
    if (a >= 0 && b >= 0) {
      SetRead one = reads.get(first);
      SetRead other = reads.get(second);
      anomalies.add(
          Kind.G2_ITEM,
          List.of(one.name(), other.name()),
          () ->
              "a long fork: %s saw %d but not %d; %s saw the opposite"
                  .formatted(
                      one.name(),
                      additions.get(a).element(),
                      additions.get(b).element(),
                      other.name()));
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
    anomalies.add(kind, List.of(read.name()), () -> read.name() + " saw " + what);
  }
}
