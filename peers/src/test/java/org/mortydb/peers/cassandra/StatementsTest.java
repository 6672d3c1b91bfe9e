package org.mortydb.peers.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.peers.cassandra.Statements.Shape;

class StatementsTest {

  @Test
  void aCommitChecksWhatWasReadAndTellsWhatIsOverwritten() {
    assertThat(Statements.text(new Shape(List.of(true, false), 1, List.of(false, true))))
        .isEqualTo(
            """
            BEGIN TRANSACTION
            LET r0 = (SELECT ver, v FROM morty.kv WHERE k = ?);
            LET r1 = (SELECT ver, v FROM morty.kv WHERE k = ?);
            LET b0 = (SELECT ver FROM morty.kv WHERE k = ?);
            SELECT r0.ver, r0.v, r1.ver, r1.v, b0.ver;
            IF r0.ver = ? AND r1 IS NULL THEN
            UPDATE morty.kv SET v = ?, ver = ? WHERE k = ?;
            DELETE FROM morty.kv WHERE k = ?;
            END IF
            COMMIT TRANSACTION\
            """);
  }

  @Test
  void whatOnlyReadsHasNoCondition() {
    assertThat(Statements.text(new Shape(List.of(true), 0, List.of())))
        .isEqualTo(
            """
            BEGIN TRANSACTION
            LET r0 = (SELECT ver, v FROM morty.kv WHERE k = ?);
            SELECT r0.ver, r0.v;
            COMMIT TRANSACTION\
            """);
  }

  @Test
  void whatOnlyWritesHasNoCondition() {
    assertThat(Statements.text(new Shape(List.of(), 0, List.of(false))))
        .isEqualTo(
            """
            BEGIN TRANSACTION
            UPDATE morty.kv SET v = ?, ver = ? WHERE k = ?;
            COMMIT TRANSACTION\
            """);
  }
}
