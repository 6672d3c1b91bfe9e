package org.mortydb.protocol.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.CutReply;
import org.mortydb.protocol.message.Message.CutState;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** What a replica tells of a cut of the serial order (docs/protocol.md, section 11). */
class ReplicaCutTest {
  private static final long RETENTION = 10_000_000;
  private static final long TICK = 50_000;
  private static final int ALL = 1 << 20;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, RETENTION, TICK, 60_000_000, 4);

  private final ReplicaDriver replica =
      new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
  private final long t = ReplicaDriver.START_MICROS;

  private void install(long at, String key, String value) {
    replica.receive(prepare(at, 0).writes(key, 1, value).message());
    replica.receive(commit(at, 0));
  }

  private void delete(long at, String key) {
    replica.receive(prepare(at, 0).deletes(key, 1).message());
    replica.receive(commit(at, 0));
  }

  private static CutReply told(List<Effect> effects) {
    assertThat(effects).hasSize(1);
    return (CutReply) ((Sent) effects.getFirst()).message();
  }

  private CutReply ask(long cut) {
    return ask(cut, KeyRange.ALL, ALL);
  }

  private CutReply ask(long cut, KeyRange range, int limit) {
    return told(replica.receive(new ReadCut(txn(cut), range, limit)));
  }

  private static List<String> rows(CutReply reply) {
    assertThat(reply.state()).isEqualTo(CutState.READ);
    return reply.rows().stream()
        .map(row -> row.key() + "=" + new String(row.value().bytes(), UTF_8))
        .toList();
  }

  /** Time passes; everything up to the watermark is decided, and what can be is forgotten. */
  private void reach(long watermark) {
    replica.nowMicros = Math.max(replica.nowMicros, watermark) + RETENTION + TICK;
    replica.truncate(watermark);
    replica.reachedEverywhere(watermark);
    replica.tickAfter(0);
  }

  @Test
  void isReadWhenTheWatermarkIsThere() {
    install(t + 10, "a", "1");
    install(t + 20, "b", "2");
    assertThat(ask(t + 30).state()).isEqualTo(CutState.HELD);
    assertThat(ask(t + 30).rows()).isEmpty();
    reach(t + 100);
    assertThat(rows(ask(t + 30))).containsExactly("a=1", "b=2");
    assertThat(ask(t + 30).watermark().timeMicros()).isEqualTo(t + 100);
  }

  /** A round that has fenced may still learn of commits. */
  @Test
  void isNotReadBeforeThatBecauseOfAFence() {
    install(t + 10, "a", "1");
    ask(t + 30);
    replica.nowMicros += RETENTION + TICK;
    replica.fence(t + 100);
    assertThat(ask(t + 30).state()).isEqualTo(CutState.HELD);
  }

  @Test
  void isWhatItWasWhateverComesLater() {
    install(t + 10, "a", "old");
    install(t + 15, "gone", "later");
    ask(t + 30);
    install(t + 25, "late", "below the cut");
    for (int i = 4; i < 30; i++) {
      install(t + 10L * i, "a", "new " + i); // more than are kept of a key
    }
    install(t + 40, "b", "new");
    delete(t + 50, "gone");
    reach(t + 1_000);
    ask(t + 30);
    reach(t + 2_000);
    assertThat(rows(ask(t + 30))).containsExactly("a=old", "gone=later", "late=below the cut");
  }

  @Test
  void tellsOfDeletions() {
    install(t + 10, "a", "1");
    delete(t + 20, "a");
    ask(t + 30);
    reach(t + 100);
    assertThat(ask(t + 30).rows()).singleElement().matches(row -> row.value().isAbsent());
  }

  @Test
  void hasWhatIsAtTheCutItselfAndNothingThatNeverCommitted() {
    install(t + 30, "a", "at the cut");
    replica.receive(prepare(t + 20, 0).writes("b", 1, "voted on").message());
    ask(t + 30);
    reach(t + 100);
    assertThat(rows(ask(t + 30))).containsExactly("a=at the cut");
  }

  @Test
  void isToldInPartsOfAnyRange() {
    for (String key : List.of("a", "b", "c", "d", "e")) {
      install(t + 10 + key.charAt(0), key, "12345");
    }
    ask(t + 500);
    reach(t + 1_000);
    CutReply first = ask(t + 500, KeyRange.ALL, 8);
    assertThat(rows(first)).containsExactly("a=12345", "b=12345");
    assertThat(first.next()).isEqualTo(key("c"));
    CutReply second = ask(t + 500, new KeyRange(key("c"), key("e")), ALL);
    assertThat(second.from()).isEqualTo(key("c"));
    assertThat(rows(second)).containsExactly("c=12345", "d=12345");
    assertThat(second.next()).isNull();
    assertThat(ask(t + 500, KeyRange.ALL, 0).next()).isEqualTo(key("a"));
  }

  @Test
  void isGoneOnceTheWatermarkHasPassedIt() {
    install(t + 10, "a", "1");
    reach(t + 100);
    assertThat(ask(t + 30).state()).isEqualTo(CutState.GONE);
    assertThat(ask(t + 100).state()).isEqualTo(CutState.GONE);
    assertThat(ask(t + 101).state()).isEqualTo(CutState.HELD);
  }

  @Test
  void isGivenUpWhenNobodyAsksAnyMore() {
    install(t + 10, "a", "1");
    ask(t + 30);
    install(t + 40, "a", "2");
    reach(t + 100);
    assertThat(rows(ask(t + 30))).containsExactly("a=1");
    replica.tickAfter(OPTIONS.holdMicros() - 1);
    assertThat(rows(ask(t + 30))).as("each question counts").containsExactly("a=1");
    replica.tickAfter(OPTIONS.holdMicros());
    assertThat(ask(t + 30).state()).isEqualTo(CutState.GONE);
  }

  @Test
  void isGoneWhereAHotKeyHasForgottenItAlready() {
    for (int i = 1; i <= 5; i++) { // the limit is 4, and 3 are kept once it is exceeded
      install(t + 10L * i, "a", "v" + i);
    }
    assertThat(ask(t + 25).state()).isEqualTo(CutState.GONE);
    assertThat(ask(t + 30).state()).isEqualTo(CutState.HELD);
    reach(t + 100);
    assertThat(rows(ask(t + 30))).containsExactly("a=v3");
  }

  @Test
  void doesNotOutliveARestart() {
    install(t + 10, "a", "1");
    ask(t + 30);
    install(t + 40, "a", "2");
    reach(t + 100);
    replica.truncate(t + 100);
    List<LogRecord> log = List.copyOf(replica.log);
    ReplicaDriver next = replica.restarted(log);
    next.receive(get(next.nowMicros, 0, "z"));
    assertThat(told(next.receive(new ReadCut(txn(t + 30), KeyRange.ALL, ALL))).state())
        .isEqualTo(CutState.GONE);
  }

  @Test
  void isGoneWhereAPeerIsCopied() {
    ask(t + 30);
    replica.receive(replica(2), new Behind(watermark(t + 2_000), watermark(t + 2_000)));
    assertThat(ask(t + 30).state()).isEqualTo(CutState.GONE);
    assertThat(ask(t + 3_000).state()).as("the copy is under way").isEqualTo(CutState.GONE);
  }

  /** The log has what the end of a copy has written, but not the watermark of the copy. */
  @Test
  void isGoneWhereACopyThatEndedAboveLacksVersions() {
    install(t + 10, "a", "1");
    List<LogRecord> log = new ArrayList<>(replica.log);
    log.add(new LogRecord.Fenced(watermark(t + 60)));
    log.add(new LogRecord.Version(key("a"), version(t + 55, 1), value("3")));
    log.add(new LogRecord.HistoryFrom(watermark(t + 60)));
    Outcome.Commit commit = new Outcome.Commit(0, List.of(0));
    log.add(new LogRecord.Settled(txn(t + 20), commit)); // has written another value of the key
    log.add(new LogRecord.Settled(txn(t + 55), commit));
    ReplicaDriver next = replica.restarted(log);
    assertThat(told(next.receive(new ReadCut(txn(t + 30), KeyRange.ALL, ALL))).state())
        .isEqualTo(CutState.GONE);
    assertThat(told(next.receive(new ReadCut(txn(t + 70), KeyRange.ALL, ALL))).state())
        .isEqualTo(CutState.HELD);
  }

  @Test
  void isRefusedByWhoDoesNotServe() {
    ReplicaDriver joining =
        new ReplicaDriver(replica(1), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
    joining.replica.join(1, false);
    joining.tickAfter(0);
    List<Effect> answer = joining.receive(new ReadCut(txn(t + 30), KeyRange.ALL, ALL));
    assertThat(answer)
        .containsExactly(
            toCoordinator(new Refused(txn(t + 30), Refusal.NOT_SERVING, joining.nowMicros)));
  }

  @Test
  void areHeldForAFewAtATime() {
    for (int i = 1; i <= 8; i++) {
      assertThat(ask(t + i).state()).isEqualTo(CutState.HELD);
    }
    assertThat(ask(t + 9).state()).isEqualTo(CutState.BUSY);
    assertThat(ask(t + 8).state()).isEqualTo(CutState.HELD);
  }

  @Test
  void costsNothingAfterwards() {
    install(t + 10, "a", "1");
    ask(t + 30);
    install(t + 40, "a", "2");
    install(t + 50, "a", "3");
    reach(t + 100);
    assertThat(rows(ask(t + 30))).containsExactly("a=1");
    replica.tickAfter(OPTIONS.holdMicros());
    reach(t + 200);
    reach(t + 300 + RETENTION); // versions stay a little longer than the watermark needs
    reach(t + 301 + RETENTION);
    ArrayList<LogRecord> kept = new ArrayList<>();
    replica.replica.copyVersions(0, 10, kept::add);
    assertThat(kept.stream().filter(LogRecord.Version.class::isInstance)).hasSize(1);
  }
}
