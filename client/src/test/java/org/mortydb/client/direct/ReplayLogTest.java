package org.mortydb.client.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.client.LimitExceededException;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Value;

/** The operations that the body's thread and the engine's thread record must be the same. */
class ReplayLogTest {
  private static final Key A = Key.of("a");
  private static final Key B = Key.of("b");
  private static final Value ONE = Value.of("1");
  private static final Value TWO = Value.of("2");

  private final ReplayLog log = new ReplayLog();

  /** A write, and a read of two keys that waits for its answer. */
  @BeforeEach
  void takeTwoOperations() {
    log.write(A, ONE);
    log.begin(A);
    log.begin(B);
    assertThat(log.take()).isEqualTo(batch(0, List.of(new ReplayLog.Write(A, ONE)), List.of(A, B)));
  }

  private static ReplayLog.Batch batch(int place, List<ReplayLog.Write> writes, List<Key> reads) {
    return new ReplayLog.Batch(place, writes, reads);
  }

  @Test
  void aBatchSaysWhereItBegins() {
    log.answer(1, List.of(ONE, ONE));
    assertThat(log.takeScan(KeyRange.ALL, 1).place()).isEqualTo(2);
    log.answerScan(2, List.of());
    log.unroll(1, List.of(ONE, ONE));
    log.rewind();
    log.write(A, ONE); // replayed
    log.begin(B);
    assertThat(log.take().place()).isEqualTo(2);
  }

  @Test
  void theNextRunSeesTheNewValuesOfAParallelReadThatBecameStale() {
    log.answer(1, List.of(ONE, ONE));
    assertThat(log.stored(B)).isEqualTo(ONE);
    log.unroll(1, List.of(ONE, TWO));
    log.rewind();
    assertThat(log.seen(A)).isEqualTo(ONE);
    assertThat(log.seen(B)).isEqualTo(TWO);
  }

  @Test
  void anAnswerOfAnotherPlaceKindOrSizeIsRefused() {
    assertThatThrownBy(() -> log.answer(0, List.of(ONE, ONE)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("operation 0")
        .hasMessageContaining("recorded 2 operations");
    assertThatThrownBy(() -> log.answer(1, List.of(ONE)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a read of 1 keys");
    assertThatThrownBy(() -> log.answerScan(1, List.of()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> log.unroll(0, List.of(ONE))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> log.unrollScan(2, List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("operation 2");
  }

  @Test
  void theLastReadAloneIsAnsweredWithinAnExecution() {
    log.answer(1, List.of(ONE, ONE));
    log.begin(Key.of("c"));
    log.begin(Key.of("d"));
    log.take();
    assertThatThrownBy(() -> log.answer(1, List.of(TWO, TWO)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("operation 1");
  }

  @Test
  void aBatchThatBeginsElsewhereEndsTheTransaction() {
    TestCluster cluster = new TestCluster(1);
    ClientEngine engine = cluster.client(1, EngineOptions.DEFAULTS);
    List<Mail<String>> mails = new ArrayList<>();
    DirectDriver<String> driver = new DirectDriver<>(mails::add);
    engine.perform(() -> engine.drive(TransactionOptions.DEFAULTS, driver));
    engine.perform(() -> driver.read(1, 0, batch(1, List.of(), List.of(A))));
    assertThat(cluster.errors())
        .singleElement()
        .satisfies(e -> assertThat(e).hasMessageContaining("a driver that has 1 operations"));
    assertThat(mails.getLast())
        .isInstanceOfSatisfying(
            Mail.Completed.class,
            end -> assertThat(end.result()).isInstanceOf(Result.OutcomeUnknown.class));
    assertThat(engine.inFlight()).isZero();
    assertThat(engine.coordinators()).isZero();
  }

  /** Whoever catches the exception goes on without the operation, which must then not be sent. */
  @Test
  void anOperationBeyondTheLimitIsNoPartOfTheTransaction() {
    log.answer(1, List.of(ONE, ONE));
    for (int i = 3; i < Limits.MAX_OPERATIONS - 1; i++) {
      log.begin(Key.of("k" + i));
    }
    log.write(Key.of("last"), ONE);
    assertThatThrownBy(() -> log.begin(Key.of("refused")))
        .isInstanceOf(LimitExceededException.class);
    assertThatThrownBy(() -> log.write(Key.of("refused"), ONE))
        .isInstanceOf(LimitExceededException.class);
    ReplayLog.Batch batch = log.take();
    assertThat(batch.reads()).hasSize(Limits.MAX_OPERATIONS - 4).doesNotContain(Key.of("refused"));
  }

  /** A body that depends on chance merges into a key that it had only read before. */
  @Test
  void aValueThatWasReadWithoutTheMergesOfThisRunLeavesThePath() {
    log.answer(1, List.of(ONE, ONE));
    log.unroll(1, List.of(ONE, TWO));
    log.rewind();
    log.write(A, ONE); // replayed
    log.write(B, Merge.add(1));
    assertThat(log.hasDiverged()).isFalse();
    log.seen(B);
    assertThat(log.hasDiverged()).isTrue();
  }
}
