package org.mortydb.workloads.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.fixture.SerialRun;
import org.mortydb.workloads.load.Workload.Next;
import org.mortydb.workloads.transfer.Records.Account;
import org.mortydb.workloads.transfer.Records.State;
import org.mortydb.workloads.transfer.TransferOptions.Form;

final class TransferTest {
  private final RandomGenerator random = new SplittableRandom(6);
  private final TransferIds ids = new TransferIds();

  private static Transfer workload(Form form, double abandon) {
    return new Transfer(new TransferOptions(form, 20, 0.9, abandon));
  }

  private final SerialRun run = new SerialRun(workload(Form.TWO_PHASE, 0));

  /** A two-phase transfer that runs step by step. */
  private final class Stepwise {
    private final TwoPhaseTransfer transfer;
    private @Nullable TransactionBody<Trace> body;
    private int steps;

    Stepwise(int from, int to, long amount) {
      transfer = new TwoPhaseTransfer(ids, random, from, to, amount, Integer.MAX_VALUE);
      body = transfer.body();
    }

    boolean step() {
      if (body == null) {
        return false;
      }
      steps++;
      Next next = transfer.after(run.run(body));
      body = next instanceof Next.Step(var following, long delayMicros) ? following : null;
      return body != null;
    }

    void steps(int count) {
      for (int i = 0; i < count; i++) {
        assertThat(step()).isTrue();
      }
    }

    void finish() {
      while (step()) {
        assertThat(steps).as("it comes to an end").isLessThan(200);
      }
    }
  }

  private Account account(int account) {
    Result<Trace> result =
        run.run(
            (txn, ctx) ->
                Records.ACCOUNTS.get(
                    txn,
                    ctx,
                    Records.account(account),
                    Account.NONE,
                    (c, found) -> txn.commit(c.with(c.state().telling(found)))));
    return (Account) ((Result.Committed<Trace>) result).value().told();
  }

  private void put(int account, Account content) {
    run.run(
        (txn, ctx) ->
            txn.commit(Records.ACCOUNTS.put(txn, ctx, Records.account(account), content)));
  }

  @ParameterizedTest
  @EnumSource
  void theSumStays(Form form) {
    SerialRun its = new SerialRun(workload(form, 0));
    its.fill();
    its.run(4, 3_000);
    assertThat(its.violated()).isEmpty();
    assertThat(its.client.values.values().stream().filter(value -> !value.isAbsent()))
        .as("coordinator records do not stay")
        .hasSize(20);
  }

  @Test
  void aTransferInTwoPhasesTakesSevenSteps() {
    run.fill();
    Stepwise transfer = new Stepwise(3, 1, 40);
    transfer.finish();
    assertThat(transfer.steps).isEqualTo(7);
    assertThat(account(3)).isEqualTo(new Account(960, 0, 0));
    assertThat(account(1)).isEqualTo(new Account(1_040, 0, 0));
  }

  @Test
  void aTransferThatIsRefusedChangesNothing() {
    run.fill();
    for (int[] pair : new int[][] {{3, 1}, {1, 3}}) {
      new Stepwise(pair[0], pair[1], 1_001).finish();
      assertThat(account(1)).isEqualTo(new Account(1_000, 0, 0));
      assertThat(account(3)).isEqualTo(new Account(1_000, 0, 0));
    }
  }

  /**
   * The client of the first transfer disappears after some steps. The second transfer completes.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void whoMeetsAHalfDoneTransferBringsItToAnEnd(int steps) {
    run.fill();
    new Stepwise(1, 2, 40).steps(steps);
    assertThat(run.violated()).isEmpty();
    new Stepwise(1, 2, 5).finish();
    new Stepwise(2, 1, 3).finish();
    boolean tookPlace = steps >= 4;
    assertThat(account(1)).isEqualTo(new Account(998 - (tookPlace ? 40 : 0), 0, 0));
    assertThat(account(2)).isEqualTo(new Account(1_002 + (tookPlace ? 40 : 0), 0, 0));
    assertThat(run.violated()).isEmpty();
  }

  /** Two or three transfers on the same accounts, with their steps in every random order. */
  @Test
  void transfersThatMeetLeaveTheSumAsItWas() {
    run.fill();
    for (int round = 0; round < 300; round++) {
      List<Stepwise> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int from = random.nextInt(3);
        all.add(new Stepwise(from, (from + random.nextInt(1, 3)) % 3, random.nextInt(1, 400)));
      }
      int steps = 0;
      while (!all.isEmpty()) {
        Stepwise one = all.get(random.nextInt(all.size()));
        if (random.nextInt(40) == 0 || !one.step()) {
          all.remove(one);
        }
        assertThat(++steps).isLessThan(5_000);
      }
      assertThat(run.violated()).as("round " + round).isEmpty();
    }
  }

  @Test
  void whatIsWrongIsFound() {
    run.fill();
    put(4, new Account(999, 0, 0));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .containsExactly("sum of all balances = sum at first");
    put(4, new Account(-1, 0, 0));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .containsExactly("sum of all balances = sum at first", "no balance is below zero");
    put(4, new Account(1_000, 77, 5));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .containsExactly("an intention has a coordinator record");
    run.run(
        (txn, ctx) -> txn.commit(Records.STATES.put(txn, ctx, Records.state(77), State.COMMITTED)));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .as("what is decided counts, and five are too many")
        .containsExactly("sum of all balances = sum at first");
    put(4, new Account(1_000, 77, -1_001));
    assertThat(run.violated())
        .extracting(Finding::condition)
        .as("what is decided must not be too much")
        .containsExactly("sum of all balances = sum at first", "no balance is below zero");
  }

  @Test
  void optionsOutOfTheirRangesAreRefused() {
    assertThatThrownBy(() -> workload(Form.TRANSACTION, 0.1))
        .hasMessageContaining("abandon needs form two-phase");
    assertThatThrownBy(() -> workload(Form.TWO_PHASE, 2)).hasMessageContaining("must be 0 to 1");
    assertThatThrownBy(() -> new TransferOptions(Form.TRANSACTION, 1, 0, 0))
        .hasMessageContaining("accounts must be 2 to");
  }
}
