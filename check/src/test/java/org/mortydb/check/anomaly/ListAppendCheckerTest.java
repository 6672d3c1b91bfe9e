package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.check.anomaly.Anomaly.Kind;

class ListAppendCheckerTest {
  private final ListHistories lists = new ListHistories();

  @Test
  void acceptsASerialHistory() {
    lists
        .committed("rx", "ax1", "rx1", "ry")
        .committed("rx1", "ax2", "ry", "ay3")
        .aborted("ax4")
        .unknown("ax5")
        .unknown("ax6")
        .committed("rx125", "ry3")
        .end("rx125")
        .end("ry3");
    assertSerializable();
  }

  @Test
  void acceptsHistoriesWhoseSerialOrderIsNotTheRealOrder() {
    lists.committed("rx1").committed("ax1");
    assertSerializable();
  }

  @Test
  void reportsAbortedRead() {
    lists.aborted("ax1").committed("rx1");
    assertThat(assertViolation(Kind.ABORTED_READ).explanation())
        .contains("T2", "x = [1]", "'1'", "T1");
  }

  @Test
  void reportsIntermediateRead() {
    lists.committed("ax1", "ax2").committed("rx1");
    assertFirst(Kind.INTERMEDIATE_READ);
  }

  @Test
  void reportsReadOfAnElementThatNobodyAppended() {
    lists.committed("rx1");
    assertViolation(Kind.UNKNOWN_WRITER);
  }

  @Test
  void reportsDuplicateElement() {
    lists.committed("ax1").committed("rx11");
    assertViolation(Kind.DUPLICATE_ELEMENT);
  }

  @Test
  void reportsUnrepeatableRead() {
    lists.committed("ax1").committed("rx", "rx1");
    assertViolation(Kind.INTERNAL);
  }

  @Test
  void reportsMissingOwnAppend() {
    lists.committed("rx", "ax1", "rx");
    assertViolation(Kind.INTERNAL);
  }

  @Test
  void reportsAReadThatHasAnotherAppendInPlaceOfTheOwn() {
    lists.committed("ax2").committed("ax1", "rx2");
    assertFirst(Kind.INTERNAL);
  }

  @Test
  void reportsLostUpdate() {
    lists.committed("rx", "ax1").committed("rx", "ax2").committed("rx2");
    assertThat(assertFirst(Kind.LOST_UPDATE).explanation()).contains("T1", "T2", "[]");
  }

  @Test
  void reportsIncompatibleOrder() {
    lists.committed("ax1").committed("ax2").committed("rx12").committed("rx21");
    assertFirst(Kind.INCOMPATIBLE_ORDER);
  }

  @Test
  void reportsLostElement() {
    lists.committed("ax1").committed("ax2").end("rx2");
    assertThat(assertViolation(Kind.LOST_ELEMENT).explanation())
        .contains("'1'", " x ", "T1", "[2]");
  }

  @Test
  void reportsLossOfAnElementThatWasRead() {
    lists.unknown("ax1").committed("rx1").end("rx");
    assertViolation(Kind.LOST_ELEMENT);
  }

  @Test
  void reportsWriteCycle() {
    lists.committed("ax1", "ay2").committed("ax3", "ay4").committed("rx13").committed("ry42");
    assertViolation(Kind.G0);
  }

  @Test
  void reportsCircularInformationFlow() {
    lists.committed("ax1", "ry2").committed("ay2", "rx1");
    Anomaly anomaly = assertViolation(Kind.G1C);
    assertThat(anomaly.transactions()).containsExactlyInAnyOrder("T1", "T2");
    assertThat(anomaly.explanation())
        .containsPattern("WR: T1 .*x = \\[1].* T2")
        .containsPattern("WR: T2 .*y = \\[2].* T1");
  }

  @Test
  void reportsReadSkew() {
    lists.committed("ax1", "ay2").committed("rx1", "ry");
    assertThat(assertViolation(Kind.G_SINGLE).explanation())
        .containsPattern("RW: T2 .*y = \\[].* T1");
  }

  @Test
  void reportsWriteSkew() {
    lists.committed("rx", "ry", "ax1").committed("rx", "ry", "ay2").committed("rx1", "ry2");
    assertViolation(Kind.G2_ITEM);
  }

  @Test
  void reportsLongFork() {
    lists.committed("ax1").committed("ay2").committed("rx1", "ry").committed("rx", "ry2");
    assertViolation(Kind.G2_ITEM);
  }

  @Test
  void placesAppendsThatNobodySawAfterAllReaders() {
    lists.committed("rx", "ay1").committed("ax2", "ry");
    assertThat(ListAppendChecker.check(lists.history()).isSerializable()).isFalse();
  }

  @Test
  void checksRealTimeAndSessionsOnlyWhenAsked() {
    lists.committed("ax1").committed("rx");
    assertSerializable();
    for (Order order : List.of(Order.SESSION, Order.REAL_TIME)) {
      Verdict verdict = ListAppendChecker.check(lists.history(), order);
      assertThat(((Verdict.Violated) verdict).first().getFirst().kind()).isEqualTo(Kind.ORDER);
      assertThat(verdict.toString()).containsPattern("ORDER: T1 .*T2");
    }
  }

  @Test
  void refusesElementsThatAreNotUnique() {
    lists.committed("ax1").committed("ax1");
    assertThatThrownBy(() -> ListAppendChecker.check(lists.history()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("element '1'")
        .hasMessageContaining("key 'x'");
  }

  private void assertSerializable() {
    Verdict verdict = ListAppendChecker.check(lists.history());
    assertThat(verdict.isSerializable()).as(verdict.toString()).isTrue();
  }

  private Anomaly assertViolation(Kind kind) {
    List<Anomaly> first = violations();
    assertThat(first).extracting(Anomaly::kind).containsExactly(kind);
    return first.getFirst();
  }

  private Anomaly assertFirst(Kind kind) {
    List<Anomaly> first = violations();
    assertThat(first.getFirst().kind()).as(first.toString()).isEqualTo(kind);
    return first.getFirst();
  }

  private List<Anomaly> violations() {
    Verdict verdict = ListAppendChecker.check(lists.history());
    assertThat(verdict).isInstanceOf(Verdict.Violated.class);
    return ((Verdict.Violated) verdict).first();
  }
}
