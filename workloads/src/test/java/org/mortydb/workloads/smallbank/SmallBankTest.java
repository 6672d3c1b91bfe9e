package org.mortydb.workloads.smallbank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.fixture.SerialRun;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.smallbank.SmallBankTables.Money;

final class SmallBankTest {
  private final SmallBank bank = new SmallBank(new SmallBankOptions(300, 10, 0.9), 4);
  private final SerialRun run = new SerialRun(bank);

  private long cents(Rows<Money> rows, long record) {
    Result<Trace> result =
        run.run(
            (txn, ctx) ->
                rows.get(
                    txn,
                    ctx,
                    record,
                    Money.NONE,
                    (c, money) -> txn.commit(c.with(c.state().telling(money.cents())))));
    return (Long) ((Result.Committed<Trace>) result).value().told();
  }

  private void set(Rows<Money> rows, long record, long cents) {
    run.run((txn, ctx) -> txn.commit(rows.put(txn, ctx, record, new Money(cents))));
  }

  private Object run(SmallBankTransactionType type, int customer, int other) {
    Result<Trace> result =
        run.run(new SmallBankTransactions(false).of(new SmallBankRequest(type, customer, other)));
    return ((Result.Committed<Trace>) result).value().told();
  }

  @Test
  void theSumIsWhatWasPaidIn() {
    run.fill();
    assertThat(run.client.values).hasSize(900);
    run.run(3, 5_000);
    assertThat(run.violated()).isEmpty();
    assertThat(run.findings()).hasSize(3).allMatch(finding -> finding.checked() > 0);
  }

  @Test
  void theSumIsWhatWasPaidInWithMerges() {
    SerialRun its = new SerialRun(new SmallBank(new SmallBankOptions(300, 10, 0.9), true, 7));
    its.fill();
    its.run(3, 5_000);
    assertThat(its.violated()).isEmpty();
    SmallBankRequest deposit =
        new SmallBankRequest(SmallBankTransactionType.DEPOSIT_CHECKING, 1, 2);
    its.run(new SmallBankTransactions(true).of(deposit));
    assertThat(its.client.reads).hasSize(1);
    assertThat(its.violated()).hasSize(1); // what nobody has counted
  }

  @Test
  void mixAndHotspotAreAsSet() {
    SplittableRandom random = new SplittableRandom(1);
    int[] counts = new int[6];
    int hot = 0;
    for (int i = 0; i < 50_000; i++) {
      SmallBankRequest request = bank.next(random);
      counts[request.type().ordinal()]++;
      assertThat(request.other()).isNotEqualTo(request.customer()).isBetween(0, 299);
      hot += request.customer() < 10 ? 1 : 0;
    }
    for (SmallBankTransactionType type : SmallBankTransactionType.values()) {
      assertThat(counts[type.ordinal()] / 500.0).isCloseTo(type.percent(), within(0.8));
    }
    assertThat(hot / 50_000.0).isCloseTo(0.9, within(0.01));
  }

  @Test
  void transactionsDoWhatTheirNamesSay() {
    run.fill();
    set(SmallBankTables.SAVINGS, SmallBankTables.savings(1), 2_000);
    set(SmallBankTables.CHECKING, SmallBankTables.checking(1), 300);
    set(SmallBankTables.CHECKING, SmallBankTables.checking(2), 10);
    assertThat(run(SmallBankTransactionType.BALANCE, 1, 2)).isEqualTo(0L);
    assertThat(run.client.reads).hasSize(3);
    assertThat(run(SmallBankTransactionType.DEPOSIT_CHECKING, 1, 2)).isEqualTo(130L);
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(1))).isEqualTo(430);
    assertThat(run(SmallBankTransactionType.TRANSACT_SAVINGS, 1, 2)).as("refused").isEqualTo(0L);
    assertThat(run(SmallBankTransactionType.SEND_PAYMENT, 1, 2)).as("refused").isEqualTo(0L);
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(2))).isEqualTo(10);
    assertThat(run(SmallBankTransactionType.WRITE_CHECK, 1, 2)).isEqualTo(-500L);
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(1))).isEqualTo(-70);
    assertThat(run(SmallBankTransactionType.AMALGAMATE, 1, 2)).isEqualTo(0L);
    assertThat(cents(SmallBankTables.SAVINGS, SmallBankTables.savings(1))).isZero();
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(1))).isZero();
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(2))).isEqualTo(1_940);
    assertThat(run(SmallBankTransactionType.WRITE_CHECK, 1, 2))
        .as("with a penalty")
        .isEqualTo(-600L);
    assertThat(run(SmallBankTransactionType.SEND_PAYMENT, 2, 1)).isEqualTo(0L);
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(1))).isEqualTo(-100);
    assertThat(cents(SmallBankTables.CHECKING, SmallBankTables.checking(2))).isEqualTo(1_440);
  }

  @Test
  void whatIsWrongIsFound() {
    run.fill();
    set(SmallBankTables.SAVINGS, SmallBankTables.savings(7), -5);
    assertThat(run.violated())
        .extracting(Finding::condition)
        .containsExactly(
            "no savings are below zero", "sum of all accounts = sum at first + what was paid in");
    run.run(
        (txn, ctx) ->
            txn.commit(SmallBankTables.CHECKING.delete(txn, ctx, SmallBankTables.checking(7))));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .contains("every customer has a savings and a checking account");
  }

  @Test
  void optionsOutOfTheirRangesAreRefused() {
    assertThatThrownBy(() -> new SmallBankOptions(1, 0, 0.9))
        .hasMessageContaining("accounts must be");
    assertThatThrownBy(() -> new SmallBankOptions(9, 9, 0.9))
        .hasMessageContaining("hotspot must be less");
    assertThatThrownBy(() -> new SmallBankOptions(9, 1, 2))
        .hasMessageContaining("hotspotShare must be");
  }
}
