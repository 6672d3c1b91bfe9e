package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.prepared;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.quorum.VoteTally;

class FreshVersionsTest {
  private final VoteTally votes = new VoteTally(List.of(0), 3);

  @Test
  void noneComeWithCommitVotes() {
    votes.record(0, 0, Vote.COMMIT);
    assertThat(FreshVersions.of(votes)).isEmpty();
  }

  @Test
  void newestOfEachKeyInTheOrderOfTheKeys() {
    votes.record(
        0,
        2,
        tentative(
            Reason.MISSED_WRITE,
            committed("b", version(30, 1), "b3"),
            committed("a", version(20, 1), "a2")));
    votes.record(0, 0, tentative(Reason.MISSED_WRITE, prepared("a", version(20, 2), "a2'")));
    votes.record(0, 1, tentative(Reason.MISSED_WRITE, committed("b", version(25, 9), "b2")));
    assertThat(FreshVersions.of(votes))
        .containsExactly(
            prepared("a", version(20, 2), "a2'"), committed("b", version(30, 1), "b3"));
  }
}
