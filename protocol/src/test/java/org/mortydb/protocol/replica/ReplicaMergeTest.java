package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.execution;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** Merges at one replica (docs/protocol.md, section 17). */
class ReplicaMergeTest {
  private static final long RETENTION = 10_000_000;
  private static final long TICK = 50_000;
  private static final int MAX_VERSIONS = 4;

  private final ReplicaDriver replica =
      new ReplicaDriver(
          replica(1),
          new Topology(1, 0),
          new ReplicaOptions(500_000, RETENTION, TICK, 60_000_000, MAX_VERSIONS),
          ReplicaRules.SOUND);

  private static Value number(long n) {
    return Merge.apply(Value.ABSENT, Merge.add(n));
  }

  private List<Effect> vote(long at, Value value) {
    return replica.receive(prepare(at, 0).merges("a", 1, value).message());
  }

  private void install(long at, Value value) {
    vote(at, value);
    replica.receive(commit(at, 0));
  }

  private static VersionedValue shown(long at, long number, WriteId... below) {
    return new VersionedValue(key("a"), version(at, 1), number(number), true, List.of(below));
  }

  private static Effect reply(long reader, VersionedValue shown) {
    return toCoordinator(
        new GetReply(
            txn(reader), 1, 1, shown.version(), shown.value(), shown.settled(), shown.below()));
  }

  @Test
  void aReaderGetsTheValueAndAllThatItIsMadeOf() {
    install(10, number(5));
    install(20, Merge.add(2));
    vote(40, Merge.max(9));
    assertThat(replica.receive(get(50, 1, "a")))
        .containsExactly(reply(50, shown(40, 9, version(10, 1), version(20, 1))));
    assertThat(replica.receive(get(35, 1, "a")))
        .containsExactly(reply(35, shown(20, 7, version(10, 1))));
  }

  @Test
  void aMergeBelowTheNewestIsPushed() {
    install(10, number(5));
    install(40, Merge.add(2));
    replica.receive(get(50, 1, "a"));
    Write late = new Write(key("a"), 1, Merge.add(100));
    assertThat(replica.receive(new Message.Put(txn(30), 0, late)))
        .containsExactly(
            toCoordinator(
                new Push(
                    txn(50),
                    1,
                    2,
                    version(40, 1),
                    number(107),
                    false,
                    List.of(version(10, 1), version(30, 1)))));
  }

  @Test
  void aMergeThatTheWatermarkHasPassedIsABase() {
    install(10, number(5));
    install(20, Merge.add(2));
    install(30, Merge.add(1));
    replica.nowMicros += RETENTION + TICK;
    replica.truncate(25);
    long late = replica.nowMicros;
    assertThat(replica.receive(get(late, 1, "a")))
        .containsExactly(reply(late, shown(30, 8, version(20, 1))));
  }

  @Test
  void aWriterInAGapOfAReaderIsAbandoned() {
    install(10, number(5));
    install(40, Merge.add(2));
    assertThat(
            replica.receive(
                prepare(50, 0).reads("a", version(10, 1)).reads("a", version(40, 1)).message()))
        .containsExactly(toCoordinator(voted(50, 0, Vote.COMMIT)));
    assertThat(vote(30, Merge.add(1)))
        .containsExactly(toCoordinator(voted(30, 0, tentative(Reason.WRITE_MISSED))));
    assertThat(vote(45, Merge.add(1)))
        .containsExactly(toCoordinator(voted(45, 0, tentative(Reason.WRITE_MISSED))));
    assertThat(vote(60, Merge.add(1))).containsExactly(toCoordinator(voted(60, 0, Vote.COMMIT)));
  }

  @Test
  void aReaderThatHasMissedAMergeInAGapIsAbandoned() {
    install(10, number(5));
    install(30, Merge.add(1));
    install(40, Merge.add(2));
    assertThat(
            replica.receive(
                prepare(50, 0).reads("a", version(10, 1)).reads("a", version(40, 1)).message()))
        .containsExactly(
            toCoordinator(
                voted(
                    50,
                    0,
                    new Vote.Abandon(
                        true,
                        Reason.MISSED_WRITE,
                        List.of(shown(40, 8, version(10, 1), version(30, 1)))))));
  }

  /**
   * The reader has read at a replica that knows nothing of the merge at 10. Here it has been taken
   * in by the one at 20, and was discarded: its gap looks empty.
   */
  @Test
  void aGapBelowAFoldedMergeIsNotVouchedFor() {
    ReplicaDriver pruned =
        replica.restarted(
            List.of(
                new LogRecord.Truncated(watermark(25), watermark(25)),
                new LogRecord.Version(key("a"), version(20, 1), number(3))));
    assertThat(
            pruned.receive(
                prepare(50, 0).reads("a", WriteId.INITIAL).reads("a", version(20, 1)).message()))
        .containsExactly(
            toCoordinator(
                voted(50, 0, new Vote.Abandon(false, Reason.TRUNCATED, List.of(shown(20, 3))))));
  }

  @Test
  void aMergeThatDoesNotFitIsAbandoned() {
    install(10, Value.of("text"));
    install(20, number(Long.MAX_VALUE));
    Effect abandoned = toCoordinator(voted(15, 0, tentative(Reason.MERGE_FAILED)));
    assertThat(vote(15, Merge.add(1))).containsExactly(abandoned);
    assertThat(vote(25, Merge.add(1)))
        .containsExactly(toCoordinator(voted(25, 0, tentative(Reason.MERGE_FAILED))));
    assertThat(vote(26, Merge.add(-1))).containsExactly(toCoordinator(voted(26, 0, Vote.COMMIT)));
  }

  @Test
  void aKeyHoldsABoundedNumberOfMerges() {
    int most = 4 * MAX_VERSIONS;
    for (int i = 1; i <= most; i++) {
      install(10L * i, Merge.add(1));
    }
    long next = 10L * most + 10;
    assertThat(vote(next, Merge.add(1)))
        .containsExactly(toCoordinator(voted(next, 0, tentative(Reason.MERGE_LIMIT))));
    assertThat(vote(next, number(1)))
        .containsExactly(toCoordinator(voted(next, 0, tentative(Reason.MERGE_LIMIT))));
    assertThat(vote(next + 1, number(1)))
        .containsExactly(toCoordinator(voted(next + 1, 0, Vote.COMMIT)));
  }

  /** Otherwise a client that decides nothing would make all readers of the key name them. */
  @Test
  void mergesBeyondTheLimitAreNotShown() {
    int most = 4 * MAX_VERSIONS;
    long next = 10L * most + 10;
    for (int i = 1; i <= most; i++) {
      vote(10L * i, Merge.add(1));
    }
    replica.receive(new Message.Put(txn(next), 0, new Write(key("a"), 1, Merge.add(1))));
    assertThat(vote(next + 1, Merge.add(1)))
        .containsExactly(toCoordinator(voted(next + 1, 0, tentative(Reason.MERGE_LIMIT))));
    assertThat(belowSeenBy(next + 5)).hasSize(most);
    replica.receive(commit(next + 1, 0));
    assertThat(belowSeenBy(next + 6)).as("what has committed is shown").hasSize(most + 1);
  }

  @Test
  void aMergeThatIsNotShownDoesNotKeepAWriteThatIsGone() {
    int most = 4 * MAX_VERSIONS;
    for (int i = 1; i <= most; i++) {
      vote(10L * i, Merge.add(1));
    }
    long writer = 10L * most + 10;
    replica.receive(new Message.Put(txn(writer), 0, new Write(key("b"), 1, number(7))));
    replica.receive(get(writer + 5, 1, "b"));
    assertThat(replica.receive(prepare(writer, 1).merges("a", 1, Merge.add(1)).message()))
        .as("readers learn that the write of the execution before is gone")
        .contains(
            toCoordinator(
                new Push(txn(writer + 5), 1, 2, WriteId.INITIAL, Value.ABSENT, true, List.of())));
  }

  /** A vote on a write that nobody sees would protect it from nobody. */
  @Test
  void aMergeThatWasNotShownGetsNoVoteBeforeItIs() {
    int most = 4 * MAX_VERSIONS;
    for (int i = 1; i <= most; i++) {
      vote(10L * i, Merge.add(1));
    }
    long late = 10L * most + 10;
    assertThat(vote(late, Merge.add(1)))
        .containsExactly(toCoordinator(voted(late, 0, tentative(Reason.MERGE_LIMIT))));
    replica.receive(new Message.Decide(txn(10), Outcome.ABORT));
    assertThat(replica.receive(prepare(late, 1).merges("a", 1, Merge.add(1)).message()))
        .as("the next execution is shown")
        .containsExactly(toCoordinator(voted(late, 1, Vote.COMMIT)));
    assertThat(belowSeenBy(late + 5)).hasSize(most);
  }

  /** The versions below the newest, the base included. */
  private List<WriteId> belowSeenBy(long reader) {
    Sent reply = (Sent) replica.receive(get(reader, 1, "a")).getFirst();
    return ((GetReply) reply.message()).below();
  }

  @Test
  void aRestartShowsAllMergesThatItHasVotedOn() {
    int most = 4 * MAX_VERSIONS;
    List<LogRecord> votes = new ArrayList<>();
    for (int i = 1; i <= most + 3; i++) {
      votes.add(
          new LogRecord.Prepared(
              execution(10L * i, 0),
              List.of(),
              List.of(),
              List.of(new Write(key("a"), 1, Merge.add(1))),
              List.of(0),
              false));
    }
    ReplicaDriver restarted = replica.restarted(votes);
    Sent reply = (Sent) restarted.receive(get(10L * most + 100, 1, "a")).getFirst();
    assertThat(((GetReply) reply.message()).below()).hasSize(most + 3);
  }

  @Test
  void entriesThatDoNotAscendAndFailedValuesAreRefused() {
    install(10, number(5));
    install(40, Merge.add(2));
    assertRefused(
        replica.receive(
            prepare(50, 0).reads("a", version(40, 1)).reads("a", version(10, 1)).message()));
    assertRefused(
        replica.receive(
            prepare(51, 0).reads("a", version(10, 1)).reads("a", version(10, 1)).message()));
    assertRefused(vote(52, Value.FAILED));
    assertRefused(
        replica.receive(new Message.Put(txn(53), 0, new Write(key("a"), 1, Value.FAILED))));
  }

  private static void assertRefused(List<Effect> effects) {
    assertThat(effects)
        .singleElement()
        .matches(
            effect ->
                effect instanceof Sent sent
                    && sent.message() instanceof Refused refused
                    && refused.reason() == Refusal.INVALID);
  }

  /** The copy may be of a peer that has more of the versions that the merge is made of. */
  @Test
  void aFoldedVersionReplacesAnUnfoldedOneOfItsWriter() {
    ReplicaDriver restarted =
        replica.restarted(
            List.of(
                new LogRecord.Version(key("a"), version(20, 1), Merge.add(1)),
                new LogRecord.Version(key("a"), version(20, 1), number(10)),
                new LogRecord.Version(key("a"), version(20, 1), Merge.add(1))));
    assertThat(restarted.replica.newestCommitted(key("a"))).isEqualTo(shown(20, 10));
  }
}
