package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Vote.Reason;

/** A key that is written faster than truncation forgets (docs/protocol.md, section 6). */
class ReplicaKeyFloorTest {
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, 10_000_000, 50_000, 60_000_000, 4);

  private final ReplicaDriver replica = new ReplicaDriver(OPTIONS);
  private final long t = ReplicaDriver.START_MICROS;

  private void install(long at, String key, String value) {
    replica.receive(prepare(at, 0).writes(key, 1, value).message());
    replica.receive(commit(at, 0));
  }

  private void installMany() {
    for (int i = 1; i <= 5; i++) { // the limit is 4, and 3 are kept once it is exceeded
      install(t + 10L * i, "a", "v" + i);
    }
  }

  @Test
  void readerBelowItIsRefused() {
    installMany();
    assertThat(replica.receive(get(t + 25, 0, "a")))
        .containsExactly(
            toCoordinator(new Refused(txn(t + 25), Refusal.TRUNCATED, replica.nowMicros)));
  }

  @Test
  void readerAboveItIsServed() {
    installMany();
    assertThat(replica.receive(get(t + 35, 0, "a")))
        .containsExactly(
            toCoordinator(got(t + 35, 0, 1, committed("a", version(t + 30, 1), "v3"))));
  }

  @Test
  void otherKeysAreServed() {
    installMany();
    assertThat(replica.receive(get(t + 25, 0, "b")))
        .containsExactly(toCoordinator(got(t + 25, 0, 1, absent("b"))));
  }

  @Test
  void prepareThatReadBelowItIsAbandoned() {
    installMany();
    assertThat(replica.receive(prepare(t + 25, 0).reads("a", version(t + 20, 1)).message()))
        .containsExactly(toCoordinator(voted(t + 25, 0, tentative(Reason.TRUNCATED))));
  }

  @Test
  void prepareThatWritesBelowItIsAbandoned() {
    installMany();
    assertThat(replica.receive(prepare(t + 25, 0).writes("a", 1, "x").message()))
        .containsExactly(toCoordinator(voted(t + 25, 0, tentative(Reason.TRUNCATED))));
  }

  @Test
  void readOfAVersionThatIsGoneIsAMissedWrite() {
    installMany();
    assertThat(replica.receive(prepare(t + 60, 0).reads("a", version(t + 10, 1)).message()))
        .containsExactly(
            toCoordinator(
                voted(
                    t + 60,
                    0,
                    finalAbandon(Reason.MISSED_WRITE, committed("a", version(t + 50, 1), "v5")))));
  }

  @Test
  void writerThatWasPreparedBelowItStillCommits() {
    replica.receive(prepare(t + 5, 0).writes("a", 1, "early").message());
    installMany();
    assertThat(replica.receive(commit(t + 5, 0))).isEmpty();
    assertThat(replica.replica.outcomeOf(txn(t + 5))).isEqualTo(committing(0));
    assertThat(replica.receive(get(t + 35, 0, "a")))
        .containsExactly(
            toCoordinator(got(t + 35, 0, 1, committed("a", version(t + 30, 1), "v3"))));
  }
}
