package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/** An attempt between a scripted driver and a scripted coordinator. */
class AttemptTest {
  private static final Key A = Key.of("a");
  private static final Key B = Key.of("b");
  private static final Value ONE = Value.of("1");
  private static final Value TWO = Value.of("2");

  private final ScriptedCoordinator coordinator = new ScriptedCoordinator();
  private final Attempts attempts = new Attempts(1);
  private final RecordingDriver driver = new RecordingDriver();
  private final Attempt attempt =
      new Attempt(
          new IdleHost(),
          attempts,
          new Forwarding(),
          new RunningTransaction<>(
              new IdleHost(), driver, TransactionOptions.DEFAULTS, 0, RunningTransaction.BY_TIME),
          coordinator,
          7,
          7);
  private final List<String> heard = new ArrayList<>();

  /** A read of one key, a write, and a read of two keys that waits for its answer. */
  @BeforeEach
  void askForThreeOperations() {
    attempt.get(List.of(A), values -> heard.add("first " + values));
    answer(out -> out.resume(0, 0, List.of(ONE)));
    attempt.put(B, ONE);
    attempt.get(List.of(A, B), values -> heard.add("second " + values));
    heard.clear();
  }

  /** Has the coordinator do something, and delivers what comes of it. */
  private void answer(Script script) {
    coordinator.script = script;
    attempt.step(new Event.CallYield(0));
    if (attempts.pollReady() != null) {
      attempt.taken();
      if (!attempt.isOver()) {
        attempt.resume();
      }
    }
  }

  private String defectOf(Script script) {
    answer(script);
    assertThat(attempt.isOver()).isTrue();
    assertThat(heard).isEmpty();
    Throwable defect = attempt.takeDefect();
    assertThat(defect).isInstanceOf(IllegalStateException.class);
    return defect.getMessage();
  }

  @Test
  void anAnswerGoesToTheCodeThatAsked() {
    answer(out -> out.resume(0, 2, List.of(ONE, TWO)));
    assertThat(heard).containsExactly("second " + List.of(ONE, TWO));
    assertThat(attempt.operations()).isEqualTo(3);
  }

  @Test
  void aStaleReadDropsTheOperationsAfterIt() {
    answer(out -> out.resume(2, 0, List.of(TWO)));
    assertThat(heard).containsExactly("first " + List.of(TWO));
    assertThat(attempt.execution()).isEqualTo(2);
    assertThat(attempt.operations()).isEqualTo(1);
  }

  @Test
  void callsOfASupersededExecutionAreIgnored() {
    coordinator.script =
        out -> {
          out.resume(1, 0, List.of(TWO));
          coordinator.script = again -> heard.add("called");
          attempt.put(B, TWO);
          attempt.commit();
        };
    attempt.step(new Event.CallYield(0));
    assertThat(attempt.isSuperseded()).isTrue();
    assertThat(attempt.operations()).isEqualTo(1);
    assertThat(heard).isEmpty();
  }

  @Test
  void whatASupersededExecutionWantedIsForgotten() {
    attempt.fail(new IllegalStateException("a stale read"));
    assertThat(attempt.will()).isEqualTo(Attempt.Will.ABORT);
    answer(out -> out.resume(1, 0, List.of(TWO)));
    assertThat(attempt.will()).isEqualTo(Attempt.Will.COMMIT);
    assertThat(attempt.failure()).isNull();
  }

  /** A recovery may commit any execution that was prepared. */
  @Test
  void aCommitIsAnAbortOfTheApplicationInTheExecutionsInWhichItHasGivenUpAlone() {
    IllegalStateException cause = new IllegalStateException("given up");
    answer(out -> out.resume(2, 0, List.of(TWO)));
    attempt.fail(cause);
    assertThat(committedIn(1)).isNull();
    assertThat(committedIn(2)).isNotNull();
    assertThat(committedIn(3)).as("the same reads, prepared again").isNotNull();
    answer(out -> out.resume(4, 0, List.of(ONE)));
    assertThat(committedIn(1)).isNull();
    assertThat(committedIn(3)).isNotNull().extracting(Attempt.Forgone::failure).isEqualTo(cause);
    assertThat(committedIn(4)).isNull();
  }

  private Attempt.@Nullable Forgone committedIn(int execution) {
    TxnId txn = coordinator.txn();
    return attempt.forgone(
        new Completion.Committed(
            txn, txn, execution, Completion.Path.SLOW, List.of(), List.of(), List.of()));
  }

  /** The coordinator never took the abort: it had begun another execution, and lost a conflict. */
  @Test
  void aConflictIsReportedBeforeTheFailureOfADoomedExecution() {
    attempt.fail(new IllegalStateException("a stale read"));
    answer(out -> out.complete(new Completion.Aborted(coordinator.txn(), AbortReason.CONFLICT)));
    assertThat(attempt.mayTryAgain(AbortReason.CONFLICT)).isTrue();
    attempt.transaction.end(attempt, attempt.completion());
    assertThat(driver.failure).isNull();
    assertThat(driver.result)
        .isInstanceOfSatisfying(
            Result.AbortedByConflict.class,
            result -> assertThat(result.reason()).isEqualTo(AbortReason.CONFLICT));
  }

  @Test
  void anAnswerToAWriteIsADefect() {
    assertThat(defectOf(out -> out.resume(1, 1, List.of(ONE))))
        .contains("answered operation 1 as a read of 1 in execution 1")
        .contains("execution 0 of the client has 0: read of 1, 1: write, 2: read of 2")
        .contains(coordinator.txn().toString());
  }

  @Test
  void anAnswerBeyondTheOperationsIsADefect() {
    assertThat(defectOf(out -> out.resume(1, 3, List.of(ONE)))).contains("operation 3");
  }

  @Test
  void aFirstAnswerToAnyButTheLastOperationIsADefect() {
    assertThat(defectOf(out -> out.resume(0, 0, List.of(ONE)))).contains("operation 0");
  }

  @Test
  void anAnswerWithTooFewValuesIsADefect() {
    assertThat(defectOf(out -> out.resume(0, 2, List.of(ONE)))).contains("read of 1");
  }

  @Test
  void anAnswerOfAnotherKindIsADefect() {
    assertThat(defectOf(out -> out.resumeScan(0, 2, List.of()))).contains("as a scan");
  }

  @Test
  void anAnswerInAnEarlierExecutionIsADefect() {
    answer(out -> out.resume(2, 0, List.of(TWO)));
    heard.clear();
    assertThat(defectOf(out -> out.resume(1, 0, List.of(ONE)))).contains("in execution 1");
  }

  @Test
  void aDriverThatCountsOtherwiseIsADefect() {
    attempt.checkOperations(3);
    assertThat(attempt.isOver()).isFalse();
    attempt.checkOperations(2);
    assertThat(attempt.isOver()).isTrue();
    assertThat(attempt.takeDefect()).hasMessageContaining("a driver that has 2 operations");
  }

  @Test
  void aScanIsAnsweredAsAReadIs() {
    answer(out -> out.resume(0, 2, List.of(ONE, TWO)));
    attempt.scan(new KeyRange(A, null), 1, rows -> heard.add("third " + rows));
    answer(out -> out.resumeScan(0, 3, List.of()));
    assertThat(heard).last().isEqualTo("third []");
  }

  /** Something that a coordinator does in a step. */
  private interface Script {
    void run(CoordinatorEffects out);
  }

  private static final class ScriptedCoordinator implements CoordinatorMachine {
    private Script script = out -> {};

    @Override
    public void step(long nowMicros, Event event, CoordinatorEffects out) {
      Script current = script;
      script = ignored -> {};
      current.run(out);
    }

    @Override
    public TxnId txn() {
      return new TxnId(7, 1, 0);
    }

    @Override
    public int reexecutions() {
      return 0;
    }
  }

  static final class RecordingDriver implements Driver<String> {
    private @Nullable Result<String> result;
    private @Nullable Throwable failure;

    @Override
    public void begin(Attempt attempt) {}

    @Override
    public @Nullable String yielded(int execution) {
      return null;
    }

    @Override
    public void completed(Result<String> ended) {
      result = ended;
    }

    @Override
    public void failed(Throwable cause) {
      failure = cause;
    }
  }

  private static final class IdleHost implements EngineHost {
    @Override
    public long nowMicros() {
      return 7;
    }

    @Override
    public void send(Endpoint to, Message message) {}

    @Override
    public void broadcast(int partition, Message message) {}

    @Override
    public void schedule(long delayMicros, EngineTimer timer) {}

    @Override
    public void cancel(EngineTimer timer) {}

    @Override
    public void handOver(Runnable task) {}

    @Override
    public void awaitBatchEnd() {}

    @Override
    public void onError(Throwable error) {}
  }
}
