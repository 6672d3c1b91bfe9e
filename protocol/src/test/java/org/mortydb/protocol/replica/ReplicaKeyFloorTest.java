package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.copyReply;
import static org.mortydb.protocol.testing.Make.finalAbandon;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.scan;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Standing;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.testing.EffectRecorder.Effect;

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

  /**
   * A copy has brought the commit of the writer at the floor, but no outcome of it. Its vote comes
   * too late to say what it has read: that was dropped, and is no dirty read.
   */
  @Test
  void prepareOfItsWriterThatReadBelowItIsAbandoned() {
    install(t + 10, "a", "v1");
    install(t + 20, "a", "v2");
    copy(t + 5, copied(t + 30));
    install(t + 40, "a", "v4");
    install(t + 50, "a", "v5");
    assertThat(
            replica.receive(
                prepare(t + 30, 0).reads("a", version(t + 20, 1)).writes("a", 1, "v3").message()))
        .containsExactly(toCoordinator(voted(t + 30, 0, tentative(Reason.TRUNCATED))));
    assertThat(replica.receive(get(t + 30, 0, "a")))
        .containsExactly(
            toCoordinator(new Refused(txn(t + 30), Refusal.TRUNCATED, replica.nowMicros)));
    assertThat(replica.receive(scan(t + 30, 1, KeyRange.ALL, 9)))
        .containsExactly(
            toCoordinator(new Refused(txn(t + 30), Refusal.TRUNCATED, replica.nowMicros)));
  }

  /** The reader can have committed, too: at or below the watermark of the copy all is decided. */
  @Test
  void waitForAVersionThatTheCopiedPeerHadDiscardedEndsWithAnAbandon() {
    replica.receive(put(t + 10, 0, "a", 1, "v1"));
    assertThat(replica.receive(prepare(t + 15, 0).reads("a", version(t + 10, 1)).message()))
        .isEmpty();
    assertThat(copy(t + 25, copied(t + 20), new Standing(txn(t + 10), committing(0))))
        .contains(toCoordinator(voted(t + 15, 0, tentative(Reason.TRUNCATED, absent("a")))));
  }

  private static CopiedVersion copied(long at) {
    return new CopiedVersion(key("a"), version(at, 1), value("copied"), TxnId.INITIAL);
  }

  /** Copies a peer, and returns the effects of the end of the copy. */
  private List<Effect> copy(long watermark, CopiedVersion version, Standing... outcomes) {
    TxnId reached = watermark(watermark);
    replica.receive(replica(1), new Behind(reached, reached));
    replica.receive(
        replica(1), copyReply(TxnId.INITIAL, "", null, reached, TxnId.INITIAL, version));
    return replica.receive(
        replica(1),
        new CopyOutcomesReply(
            TxnId.INITIAL, TxnId.INITIAL, reached, TxnId.INITIAL, List.of(outcomes)));
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
