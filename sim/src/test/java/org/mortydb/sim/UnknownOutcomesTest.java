package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.TxnId;

/** A client reports at 1,000 µs that it does not know an outcome. It needs 100 µs to learn one. */
class UnknownOutcomesTest {
  private static final long NOW = 1_000;
  private static final long PATIENCE = 100;
  private static final TxnId FIRST = new TxnId(7, 1, 0);
  private static final TxnId SECOND = new TxnId(8, 1, 0);
  private static final TxnId READER = new TxnId(9, 1, 0);

  private final UnknownOutcomes outcomes = new UnknownOutcomes();

  @Test
  void aClientLearnsTheOutcomeOfATransactionThatHasReadNothing() {
    outcomes.recovers(READER);
    outcomes.reported(READER, Set.of(), NOW);
    assertThat(outcomes.missed(PATIENCE)).containsExactly(READER);
  }

  @Test
  void aRecoveryWaitsForTheLastWriterThatTheTransactionHasRead() {
    outcomes.recovers(READER);
    outcomes.decided(FIRST, 0);
    outcomes.decided(SECOND, NOW - PATIENCE + 1);
    outcomes.reported(READER, Set.of(FIRST, SECOND), NOW);
    assertThat(outcomes.missed(PATIENCE)).isEmpty();
  }

  @Test
  void aRecoveryWaitsForAnUndecidedWriter() {
    outcomes.recovers(READER);
    outcomes.decided(FIRST, 0);
    outcomes.reported(READER, Set.of(FIRST, SECOND), NOW);
    assertThat(outcomes.missed(PATIENCE)).isEmpty();
  }

  @Test
  void aClientLearnsTheOutcomeSoonAfterTheLastWriterIsDecided() {
    outcomes.recovers(READER);
    outcomes.decided(FIRST, NOW - PATIENCE);
    outcomes.decided(FIRST, NOW);
    outcomes.reported(READER, Set.of(FIRST), NOW);
    assertThat(outcomes.missed(PATIENCE)).containsExactly(READER);
  }

  /** The client's own proposal waits for no other transaction. */
  @Test
  void aClientLearnsWhatItProposesWithoutARecovery() {
    outcomes.reported(READER, Set.of(FIRST), NOW);
    outcomes.recovers(READER);
    assertThat(outcomes.missed(PATIENCE)).containsExactly(READER);
  }
}
