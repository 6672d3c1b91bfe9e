package org.mortydb.protocol.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** The orders that the protocol rests on: transactions, views, versions. */
class OrderTest {

  private static void assertBefore(TxnId a, TxnId b) {
    assertThat(a).isLessThan(b);
    assertThat(a.isBefore(b)).isTrue();
    assertThat(b.isAfter(a)).isTrue();
    assertThat(b.isBefore(a)).isFalse();
    assertThat(a.isAfter(b)).isFalse();
    assertThat(a).isNotEqualTo(b);
  }

  @Test
  void timesAndHomesHaveBounds() {
    new TxnId(Limits.MAX_TIME_MICROS, 1, Limits.MAX_PARTITIONS - 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TxnId(Limits.MAX_TIME_MICROS + 1, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new TxnId(-1, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new TxnId(1, 1, Limits.MAX_PARTITIONS));
    assertThatIllegalArgumentException().isThrownBy(() -> new TxnId(1, 1, -1));
  }

  @Test
  void transactionsAreOrderedByTimeThenByClient() {
    assertBefore(new TxnId(1, 9, 0), new TxnId(2, 1, 0));
    assertBefore(new TxnId(2, 1, 0), new TxnId(2, 9, 0));
    assertBefore(new TxnId(2, -1, 0), new TxnId(2, 1, 0));
    assertBefore(TxnId.INITIAL, new TxnId(1, Long.MIN_VALUE, 0));
  }

  /** Only hostile clients use one time with two homes. */
  @Test
  void homePartitionIsPartOfTheIdentityAndComesLastInTheOrder() {
    TxnId here = new TxnId(2, 1, 0);
    TxnId there = new TxnId(2, 1, 5);
    assertThat(here).isNotEqualTo(there);
    assertBefore(there, here);
    assertBefore(new TxnId(2, 1, 0), new TxnId(2, 2, 5));
    assertBefore(new TxnId(2, Long.MAX_VALUE, 5), new TxnId(2, Long.MAX_VALUE, 0));
  }

  @Test
  void transactionIsNeitherBeforeNorAfterItself() {
    TxnId id = new TxnId(2, 1, 0);
    assertThat(id.isBefore(id)).isFalse();
    assertThat(id.isAfter(id)).isFalse();
  }

  @Test
  void viewsAreOrderedByRoundThenByProposer() {
    assertThat(new View(1, 1).isAbove(View.CLIENT)).isTrue();
    assertThat(new View(1, 2).isAbove(new View(1, 1))).isTrue();
    assertThat(new View(2, 1).isAbove(new View(1, 2))).isTrue();
    assertThat(View.CLIENT.isAbove(View.CLIENT)).isFalse();
  }

  @Test
  void initialVersionIsTheOnlyOneWithoutAValueNumber() {
    assertThat(WriteId.INITIAL.isInitial()).isTrue();
    assertThat(new WriteId(new TxnId(1, 1, 0), 1).isInitial()).isFalse();
  }
}
