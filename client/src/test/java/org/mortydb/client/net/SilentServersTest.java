package org.mortydb.client.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mortydb.client.net.SilentServers.Found;

class SilentServersTest {
  private static final long CHECK = SilentServers.CHECK_NANOS;
  private static final Found NOTHING_NEW = new Found(false, true);
  private static final Found NEWS = new Found(true, true);

  private final SilentServers servers = new SilentServers();

  /** Some time after any moment that could be a special one. */
  private long now = -5;

  private Found checkAfter(long nanos) {
    now += nanos;
    return servers.check(now);
  }

  /** Asks a server, which answers after a while. */
  private void answersAfter(int server, long nanos) {
    servers.asked(server, now);
    for (long left = nanos; left > 0; left -= CHECK) {
      checkAfter(Math.min(CHECK, left));
    }
    servers.heard(server, now);
  }

  @Test
  void aServerThatAnswersIsNotSilent() {
    assertThat(servers.asked(2, now)).as("checks begin").isTrue();
    assertThat(servers.asked(0, now)).as("checks go on").isFalse();
    now += CHECK / 2;
    assertThat(servers.expects(2)).isTrue();
    assertThat(servers.expects(1)).isFalse();
    assertThat(servers.heard(2, now)).as("it was not silent").isFalse();
    assertThat(servers.heard(0, now)).isFalse();
    assertThat(checkAfter(CHECK / 2)).isEqualTo(new Found(false, false));
    assertThat(servers.asked(2, now)).as("checks begin again").isTrue();
  }

  /** It may be far away. */
  @Test
  void theFirstAnswerMayTakeLong() {
    servers.asked(0, now);
    for (long left = SilentServers.FIRST_NANOS - CHECK; left > 0; left -= CHECK) {
      assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    }
    assertThat(checkAfter(CHECK)).isEqualTo(NEWS);
    servers.heard(0, now);
    answersAfter(1, 6 * CHECK);
    servers.asked(1, now);
    for (int i = 0; i < 23; i++) {
      checkAfter(CHECK);
    }
    assertThat(servers.isSilent(1)).as("what is usual is known now").isFalse();
    checkAfter(CHECK);
    assertThat(servers.isSilent(1)).isTrue();
  }

  @Test
  void aServerThatWasAskedAndSaysNothingIsSilentUntilItSaysSomething() {
    answersAfter(1, 1);
    servers.asked(1, now);
    assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    servers.asked(1, now); // the first question counts
    assertThat(checkAfter(CHECK)).isEqualTo(NEWS);
    assertThat(servers.isSilent(1)).isTrue();
    assertThat(servers.isSilent(0)).isFalse();
    assertThat(servers.isSilent(-1)).as("no server").isFalse();
    assertThat(servers.isSilent(7)).as("never asked").isFalse();
    assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    assertThat(servers.heard(1, now)).isTrue();
    assertThat(servers.isSilent(1)).isFalse();
  }

  /** Nobody may ask it meanwhile, so nothing would ever come from it. */
  @Test
  void aServerIsSilentForASecondAtMost() {
    answersAfter(0, 1);
    servers.asked(0, now);
    checkAfter(CHECK);
    checkAfter(CHECK);
    assertThat(servers.isSilent(0)).isTrue();
    for (long left = SilentServers.MOST_NANOS - CHECK; left > 0; left -= CHECK) {
      assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    }
    assertThat(checkAfter(CHECK)).isEqualTo(new Found(true, false));
    assertThat(servers.isSilent(0)).isFalse();
  }

  /** It has not read what came meanwhile. */
  @Test
  void aProcessThatStoodStillItselfAccusesNobody() {
    answersAfter(0, 1);
    servers.asked(0, now);
    assertThat(checkAfter(TimeUnit.SECONDS.toNanos(2))).isEqualTo(NOTHING_NEW);
    assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    assertThat(checkAfter(CHECK)).isEqualTo(NEWS);
  }

  /** A client that is short of processors, so that every other check is late, finds it, too. */
  @Test
  void timesInWhichTheProcessStoodStillDoNotCount() {
    answersAfter(0, 1);
    servers.asked(0, now);
    assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    assertThat(checkAfter(3 * CHECK)).isEqualTo(NOTHING_NEW);
    assertThat(checkAfter(CHECK)).isEqualTo(NEWS);
    servers.heard(0, now);
    now += CHECK / 2;
    servers.asked(0, now);
    assertThat(checkAfter(3 * CHECK)).as("asked since the last check").isEqualTo(NOTHING_NEW);
    assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    assertThat(checkAfter(CHECK)).isEqualTo(NEWS);
  }

  @Test
  void patienceFollowsWhatIsUsual() {
    for (int i = 0; i < 60; i++) {
      answersAfter(0, 2 * CHECK - 1);
    }
    servers.asked(0, now);
    for (int i = 0; i < 6; i++) {
      assertThat(checkAfter(CHECK)).isEqualTo(NOTHING_NEW);
    }
    for (int i = 0; i < 2; i++) {
      checkAfter(CHECK);
    }
    assertThat(servers.isSilent(0)).as("four times as long").isTrue();
  }

  @Test
  void oneLongSilenceDoesNotMakeTheNextOneUsual() {
    answersAfter(0, 1);
    answersAfter(0, TimeUnit.MILLISECONDS.toNanos(900));
    servers.asked(0, now);
    checkAfter(CHECK);
    checkAfter(CHECK);
    assertThat(servers.isSilent(0)).isTrue();
  }

  @Test
  void nothingIsExpectedByALinkThatHasEnded() {
    answersAfter(0, 1);
    servers.asked(0, now);
    checkAfter(CHECK);
    checkAfter(CHECK);
    servers.forget(0);
    servers.forget(9);
    assertThat(servers.isSilent(0)).isFalse();
    assertThat(servers.expects(0)).isFalse();
    assertThat(checkAfter(CHECK)).isEqualTo(new Found(false, false));
  }
}
