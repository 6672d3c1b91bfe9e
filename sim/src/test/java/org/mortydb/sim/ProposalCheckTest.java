package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;

/** One transaction, three home replicas. */
class ProposalCheckTest {
  private static final TxnId TXN = new TxnId(7, 1, 0);
  private static final Outcome COMMIT = Outcome.commit(0, List.of(0));

  private final List<String> violations = new ArrayList<>();
  private final ProposalCheck check = new ProposalCheck(_ -> 1, violations::add);

  private static View view(int round) {
    return new View(round, round);
  }

  private void proposes(int round, Outcome value, int... acceptors) {
    check.proposed(TXN, view(round), value);
    for (int index : acceptors) {
      check.accepted(TXN, view(round), new ReplicaId(0, index));
    }
  }

  @Test
  void anOutcomeThatTooFewHaveAcceptedMayBeReplaced() {
    proposes(0, COMMIT, 0, 0);
    proposes(1, Outcome.ABORT, 1, 2);
    proposes(2, Outcome.ABORT);
    assertThat(violations).isEmpty();
    assertThat(check.acceptancesOfClient(TXN)).isEqualTo(1);
  }

  @Test
  void aChosenOutcomeMayNotBeReplaced() {
    proposes(1, COMMIT, 0, 2);
    proposes(2, COMMIT, 1);
    assertThat(violations).isEmpty();
    proposes(3, Outcome.ABORT);
    assertThat(violations).hasSize(1);
  }

  /** The proposer of the higher view has promises of replicas that accept the lower one after. */
  @Test
  void anOutcomeMayNotBeChosenBelowAnotherProposal() {
    proposes(2, Outcome.ABORT);
    proposes(1, COMMIT, 0, 1);
    assertThat(violations).hasSize(1);
  }

  @Test
  void aViewHasOneProposal() {
    proposes(1, COMMIT);
    proposes(1, COMMIT);
    assertThat(violations).isEmpty();
    proposes(1, Outcome.ABORT);
    assertThat(violations).hasSize(1);
  }

  @Test
  void aRollbackUndoesWhatWasChosen() {
    proposes(1, COMMIT, 0, 1);
    check.rolledBack();
    proposes(2, Outcome.ABORT, 0, 1);
    assertThat(violations).isEmpty();
  }
}
