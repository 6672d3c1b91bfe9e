package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.execution;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.Show;

class BallotTest {
  private static final long OPENED_MICROS = 1_000;

  private final EffectRecorder out = new EffectRecorder();
  private final Ballot ballot =
      new Ballot(
          new PreparedExecution(
              execution(100, 1), List.of(0), List.of(), List.of(), List.of(), false, false),
          3,
          OPENED_MICROS);

  private List<String> effects() {
    return Show.effects(out.take());
  }

  @Test
  void isAboutTheCommitOfItsExecution() {
    assertThat(ballot.commit()).isEqualTo(Outcome.commit(1, List.of(0)));
  }

  @Test
  void lastVotesGetHalfTheTimeOfTheMajority() {
    ballot.votes.record(0, 0, Vote.COMMIT);
    ballot.noteMajority(2, OPENED_MICROS + 300);
    ballot.votes.record(0, 1, Vote.COMMIT);
    ballot.noteMajority(2, OPENED_MICROS + 400);
    ballot.noteMajority(2, OPENED_MICROS + 900);
    ballot.limitWait(50, out);
    assertThat(effects()).containsExactly("arm SLOW_PATH 250");
  }

  @Test
  void openConditionsDoNotMakeTheWaitLonger() {
    ballot.votes.record(0, 0, Vote.COMMIT_ON_CONDITION);
    ballot.votes.record(0, 1, Vote.COMMIT_ON_CONDITION);
    ballot.noteMajority(2, OPENED_MICROS + 400);
    ballot.votes.record(0, 0, Vote.COMMIT);
    ballot.noteMajority(2, OPENED_MICROS + 9_000);
    ballot.limitWait(50, out);
    assertThat(effects()).containsExactly("arm SLOW_PATH 250");
  }

  @Test
  void knowsHowLongTheMajorityTook() {
    assertThat(ballot.majorityTookMicros(OPENED_MICROS + 70)).isEqualTo(70);
    ballot.votes.record(0, 0, Vote.COMMIT_ON_CONDITION);
    ballot.votes.record(0, 1, Vote.COMMIT_ON_CONDITION);
    ballot.noteMajority(2, OPENED_MICROS + 400);
    assertThat(ballot.majorityTookMicros(OPENED_MICROS + 9_000)).isEqualTo(400);
  }

  @Test
  void clockThatWasSetBackCountsAsNoTime() {
    ballot.votes.record(0, 0, Vote.COMMIT);
    ballot.votes.record(0, 1, Vote.COMMIT);
    ballot.noteMajority(2, OPENED_MICROS - 400);
    ballot.limitWait(50, out);
    assertThat(effects()).containsExactly("arm SLOW_PATH 50");
  }

  @Test
  void eachTimerIsArmedOnceAndFiresOnce() {
    ballot.limitWait(50, out);
    ballot.limitWait(60, out);
    ballot.revoteAfter(70, out);
    ballot.revoteAfter(80, out);
    assertThat(effects()).containsExactly("arm SLOW_PATH 50", "arm REVOTE 70");
    assertThat(ballot.slowPathFired()).isTrue();
    assertThat(ballot.slowPathFired()).isFalse();
    assertThat(ballot.revoteFired()).isTrue();
    assertThat(ballot.revoteFired()).isFalse();
    ballot.stopWaiting(out);
    assertThat(effects()).isEmpty();
  }

  @Test
  void timersThatAreArmedAreCancelledAtTheEndOfTheWait() {
    ballot.limitWait(50, out);
    ballot.revoteAfter(70, out);
    effects();
    ballot.stopWaiting(out);
    assertThat(effects()).containsExactly("cancel SLOW_PATH", "cancel REVOTE");
    assertThat(ballot.slowPathFired()).isFalse();
    assertThat(ballot.revoteFired()).isFalse();
  }
}
