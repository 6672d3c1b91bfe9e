package org.mortydb.protocol.past;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.PastState;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Completed;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Resumed;
import org.mortydb.protocol.testing.EffectRecorder.ResumedScan;
import org.mortydb.protocol.testing.EffectRecorder.Retired;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** The client's half of a transaction that reads the past (docs/protocol.md, section 16). */
class PastCoordinatorTest {
  private static final long NOW = 50_000_000;
  private static final TxnId TXN = new TxnId(NOW, 9, 0);
  private static final TxnId WATERMARK = new TxnId(NOW - 1_000_000, Long.MAX_VALUE, 0);
  private static final TxnId PLACE = Places.of(TXN, WATERMARK);
  private static final TxnId WRITER = new TxnId(NOW - 5_000_000, 3, 0);
  private static final Topology TWO = new Topology(1, 0, 0);
  private static final Key A = in(0, 1);
  private static final Key B = in(1, 1);

  private final HeardPlaces heard = new HeardPlaces();
  private final EffectRecorder out = new EffectRecorder();
  private PastCoordinator reader = reader(PastGoal.newestFrom(TxnId.INITIAL));
  private long now = NOW;

  private PastCoordinator reader(PastGoal goal) {
    return reader(goal, Seen.NOTHING);
  }

  private PastCoordinator reader(PastGoal goal, Seen seen) {
    return new PastCoordinator(TXN, goal, TWO, CoordinatorOptions.DEFAULTS, heard, seen);
  }

  /** A key of a partition. */
  private static Key in(int partition, int nth) {
    int left = nth;
    for (int i = 0; ; i++) {
      Key key = Key.of("k" + i);
      if (TWO.partitionOf(key) == partition && --left == 0) {
        return key;
      }
    }
  }

  private static VersionedValue row(Key key, String value) {
    return new VersionedValue(key, new WriteId(WRITER, 1), Value.of(value), true);
  }

  private List<Effect> step(Event event) {
    reader.step(now, event, out);
    return out.take();
  }

  private List<Sent> get(Key... keys) {
    return sent(step(new Event.CallGet(0, List.of(keys))));
  }

  private List<Effect> reply(
      int partition, int index, int request, PastState state, TxnId place, VersionedValue... rows) {
    return step(
        new Event.Received(
            new ReplicaId(partition, index),
            new PastReply(TXN, request, state, place, WATERMARK, List.of(rows), null)));
  }

  private static List<Sent> sent(List<Effect> effects) {
    List<Sent> sent = new ArrayList<>();
    for (Effect effect : effects) {
      if (effect instanceof Sent one) {
        sent.add(one);
      }
    }
    return sent;
  }

  private static Sent question(
      int partition, int index, int request, PastLevel level, TxnId place) {
    Key key = partition == 0 ? A : B;
    return new Sent(
        new ReplicaId(partition, index), new ReadPast(TXN, request, level, place, List.of(key)));
  }

  private static Effect values(int operation, String... values) {
    return new Resumed(0, operation, List.of(values).stream().map(Value::of).toList());
  }

  private static Completion completion(List<Effect> effects) {
    assertThat(effects).contains(new Retired());
    return effects.stream()
        .filter(Completed.class::isInstance)
        .map(effect -> ((Completed) effect).completion())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void replicaThatCannotBeReachedIsNotWaitedFor() {
    TxnId bound = TxnId.INITIAL;
    assertThat(get(A)).containsExactly(question(0, 0, 0, PastLevel.NEWEST, bound));
    assertThat(sent(step(new Event.Unreachable(Set.of(new ReplicaId(0, 0))))))
        .containsExactly(question(0, 1, 0, PastLevel.NEWEST, bound));
    assertThat(sent(step(new Event.Unreachable(Set.of(new ReplicaId(1, 0)))))).isEmpty();
    assertThat(reply(0, 1, 0, PastState.READ, PLACE, row(A, "a"))).contains(values(0, "a"));
    assertThat(get(B)).containsExactly(question(1, 1, 1, PastLevel.AT, PLACE));
  }

  @Test
  void theFirstReadFindsOutThePlaceAndTheNextReadsAreThere() {
    assertThat(get(A)).containsExactly(question(0, 0, 0, PastLevel.NEWEST, TxnId.INITIAL));
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"))).containsExactly(values(0, "1"));
    assertThat(get(B)).containsExactly(question(1, 0, 1, PastLevel.AT, PLACE));
    assertThat(reply(1, 0, 1, PastState.READ, PLACE, row(B, "2"))).containsExactly(values(1, "2"));
    Completion.Committed committed =
        (Completion.Committed) completion(step(new Event.CallCommit(0)));
    assertThat(committed.position()).isEqualTo(PLACE).isEqualTo(reader.place());
    assertThat(committed.path()).isEqualTo(Completion.Path.PAST);
    assertThat(committed.reads()).containsExactly(row(A, "1"), row(B, "2"));
    assertThat(committed.writes()).isEmpty();
  }

  @Test
  void aPlaceThatWasHeardOfServesAllPartitionsInOneRound() {
    heard.heard(WATERMARK, NOW - 1_000);
    assertThat(get(A, B))
        .containsExactlyInAnyOrder(
            question(0, 0, 0, PastLevel.AT, PLACE), question(1, 0, 1, PastLevel.AT, PLACE));
    reply(1, 0, 1, PastState.READ, PLACE, row(B, "2"));
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "1")))
        .containsExactly(values(0, "1", "2"));
  }

  @Test
  void withoutAHeardPlaceOnePartitionIsAskedBeforeTheOthers() {
    assertThat(get(A, B)).containsExactly(question(0, 0, 0, PastLevel.NEWEST, TxnId.INITIAL));
    assertThat(sent(reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"))))
        .containsExactly(question(1, 0, 1, PastLevel.AT, PLACE));
    assertThat(reply(1, 0, 1, PastState.READ, PLACE, row(B, "2")))
        .containsExactly(values(0, "1", "2"));
  }

  @Test
  void aPlaceThatWasHeardOfLongAgoOrIsTooLowIsNotUsed() {
    heard.heard(WATERMARK, NOW - 300_000);
    assertThat(get(A)).containsExactly(question(0, 0, 0, PastLevel.NEWEST, TxnId.INITIAL));
    heard.heard(WATERMARK, NOW);
    TxnId lowest = Places.from(NOW - 500_000);
    reader = reader(PastGoal.newestFrom(lowest));
    assertThat(get(A)).containsExactly(question(0, 0, 0, PastLevel.NEWEST, lowest));
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "too old"))).isEmpty();
  }

  @Test
  void aReplicaThatIsBehindSendsTheQuestionToTheNextOneAndThenItWaits() {
    reader = reader(PastGoal.at(PLACE));
    assertThat(get(A)).containsExactly(question(0, 0, 0, PastLevel.AT, PLACE));
    assertThat(sent(reply(0, 0, 0, PastState.BEHIND, TxnId.INITIAL)))
        .containsExactly(question(0, 1, 0, PastLevel.AT, PLACE));
    assertThat(reply(0, 0, 0, PastState.BEHIND, TxnId.INITIAL)).as("a second time").isEmpty();
    assertThat(sent(reply(0, 1, 0, PastState.BEHIND, TxnId.INITIAL)))
        .containsExactly(question(0, 2, 0, PastLevel.AT, PLACE));
    assertThat(sent(reply(0, 2, 0, PastState.BEHIND, TxnId.INITIAL))).isEmpty();
    now += 20_000;
    assertThat(sent(step(new Event.TimerFired(Timer.RESEND))))
        .containsExactly(question(0, 0, 0, PastLevel.AT, PLACE));
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"))).containsExactly(values(0, "1"));
  }

  /** Otherwise those that can be reached would be asked again at once, as fast as they answer. */
  @Test
  void theReaderWaitsAfterTheLastReplicaAlsoIfThatCannotBeReached() {
    for (int lost = 1; lost < 3; lost++) {
      reader = reader(PastGoal.at(PLACE));
      step(new Event.Unreachable(Set.of(new ReplicaId(0, lost))));
      get(A);
      assertThat(sent(reply(0, 0, 0, PastState.BEHIND, TxnId.INITIAL)))
          .containsExactly(question(0, 3 - lost, 0, PastLevel.AT, PLACE));
      assertThat(sent(reply(0, 3 - lost, 0, PastState.BEHIND, TxnId.INITIAL))).isEmpty();
      now += 20_000;
      assertThat(sent(step(new Event.TimerFired(Timer.RESEND))))
          .containsExactly(question(0, 0, 0, PastLevel.AT, PLACE));
    }
  }

  /** Another attempt asks for votes. */
  @Test
  void aReaderThatNeedsANewerPlaceThanAMajorityHasGivesUp() {
    TxnId lowest = new TxnId(NOW - 500_000, 0, 0);
    reader = reader(PastGoal.newestFrom(lowest));
    get(A);
    assertThat(heard.isAboveAll(lowest, now)).as("nothing was heard of").isFalse();
    reply(0, 0, 0, PastState.BEHIND, TxnId.INITIAL);
    assertThat(completion(reply(0, 1, 0, PastState.BEHIND, TxnId.INITIAL)))
        .isEqualTo(new Completion.Aborted(TXN, AbortReason.BEHIND));
    assertThat(heard.isAboveAll(lowest, now)).isTrue();
    assertThat(heard.isAboveAll(new TxnId(WATERMARK.timeMicros(), 0, 0), now)).isFalse();
    assertThat(heard.isAboveAll(lowest, now + 200_001)).as("long ago").isFalse();
  }

  @Test
  void aReplicaThatDoesNotServeSendsTheQuestionToTheNextOne() {
    get(A);
    assertThat(
            sent(
                step(
                    new Event.Received(
                        new ReplicaId(0, 0), new Refused(TXN, Refusal.NOT_SERVING, now)))))
        .containsExactly(question(0, 1, 0, PastLevel.NEWEST, TxnId.INITIAL));
  }

  @Test
  void aLostQuestionIsAskedOfTheNextReplica() {
    get(A);
    now += CoordinatorOptions.DEFAULTS.resendMicros();
    assertThat(sent(step(new Event.TimerFired(Timer.RESEND))))
        .containsExactly(question(0, 1, 0, PastLevel.NEWEST, TxnId.INITIAL));
  }

  @Test
  void aPlaceOfItsOwnThatIsGoneIsChosenAgainUnlessTheApplicationHasSeenIt() {
    heard.heard(WATERMARK, NOW);
    get(A);
    assertThat(sent(reply(0, 0, 0, PastState.GONE, TxnId.INITIAL)))
        .containsExactly(question(0, 0, 1, PastLevel.NEWEST, TxnId.INITIAL));
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "late"))).isEmpty();
    reply(0, 0, 1, PastState.READ, PLACE, row(A, "1"));
    get(B);
    assertThat(sent(reply(1, 0, 2, PastState.GONE, TxnId.INITIAL)))
        .containsExactly(question(1, 1, 2, PastLevel.AT, PLACE));
    reply(1, 1, 2, PastState.GONE, TxnId.INITIAL);
    assertThat(completion(reply(1, 2, 2, PastState.GONE, TxnId.INITIAL)))
        .isEqualTo(new Completion.Aborted(TXN, AbortReason.TRUNCATED));
  }

  /** Two partitions may have no place in common until the watermark of one of them moves. */
  @Test
  void aPlaceIsNotChosenAgainAndAgainWithoutAPause() {
    get(A, B);
    reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"));
    assertThat(sent(reply(1, 0, 1, PastState.GONE, TxnId.INITIAL)))
        .contains(question(0, 0, 2, PastLevel.NEWEST, TxnId.INITIAL));
    assertThat(sent(reply(0, 0, 2, PastState.READ, PLACE, row(A, "1"))))
        .containsExactly(question(1, 0, 3, PastLevel.AT, PLACE));
    assertThat(sent(reply(1, 0, 3, PastState.GONE, TxnId.INITIAL))).isEmpty();
    assertThat(sent(step(new Event.TimerFired(Timer.RESEND))))
        .contains(question(0, 0, 4, PastLevel.NEWEST, TxnId.INITIAL));
  }

  /** The key of the first partition is deleted in between. */
  @Test
  void aScanHasNothingOfAPlaceThatWasGivenUp() {
    step(new Event.CallScan(0, KeyRange.ALL, 10));
    reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"));
    reply(1, 0, 1, PastState.GONE, TxnId.INITIAL);
    TxnId later = Places.of(TXN, new TxnId(WATERMARK.timeMicros() + 1, Long.MAX_VALUE, 0));
    reply(0, 0, 2, PastState.READ, later);
    List<Effect> answer = reply(1, 0, 3, PastState.READ, later, row(B, "2"));
    assertThat(((ResumedScan) answer.getFirst()).rows()).extracting(Row::key).containsExactly(B);
    Completion.Committed committed =
        (Completion.Committed) completion(step(new Event.CallCommit(0)));
    assertThat(committed.position()).isEqualTo(later);
    assertThat(committed.reads()).containsExactly(row(B, "2"));
  }

  @Test
  void aGivenPlaceThatIsGoneEverywhereEndsTheTransaction() {
    reader = reader(PastGoal.at(PLACE));
    get(A);
    reply(0, 0, 0, PastState.GONE, TxnId.INITIAL);
    reply(0, 1, 0, PastState.GONE, TxnId.INITIAL);
    assertThat(completion(reply(0, 2, 0, PastState.GONE, TxnId.INITIAL)))
        .isEqualTo(new Completion.Aborted(TXN, AbortReason.PLACE_GONE));
  }

  @Test
  void repliesThatDoNotFitTheQuestionAreIgnored() {
    reader = reader(PastGoal.at(PLACE));
    get(A);
    TxnId other = Places.of(new TxnId(NOW, 10, 0), WATERMARK);
    VersionedValue later =
        new VersionedValue(A, new WriteId(new TxnId(NOW, 3, 0), 1), Value.of("x"), true);
    assertThat(reply(0, 0, 0, PastState.READ, other, row(A, "x"))).isEmpty();
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(B, "x"))).isEmpty();
    assertThat(reply(0, 0, 0, PastState.READ, PLACE)).isEmpty();
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, later)).isEmpty();
    assertThat(reply(1, 0, 0, PastState.READ, PLACE, row(A, "x"))).isEmpty();
    assertThat(reply(0, 0, 5, PastState.READ, PLACE, row(A, "x"))).isEmpty();
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"))).containsExactly(values(0, "1"));
  }

  @Test
  void aRepeatedReadCostsNoMessage() {
    get(A);
    reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"));
    assertThat(step(new Event.CallGet(0, List.of(A, A)))).containsExactly(values(1, "1", "1"));
  }

  @Test
  void theRestOfALongAnswerIsAskedFor() {
    Key second = in(0, 2);
    List<Key> both = A.compareTo(second) < 0 ? List.of(A, second) : List.of(second, A);
    get(both.get(0), both.get(1));
    List<Effect> next =
        step(
            new Event.Received(
                new ReplicaId(0, 0),
                new PastReply(
                    TXN,
                    0,
                    PastState.READ,
                    PLACE,
                    WATERMARK,
                    List.of(row(both.get(0), "1")),
                    both.get(1))));
    assertThat(sent(next))
        .containsExactly(
            new Sent(
                new ReplicaId(0, 0),
                new ReadPast(TXN, 1, PastLevel.AT, PLACE, List.of(both.get(1)))));
    assertThat(reply(0, 0, 1, PastState.READ, PLACE, row(both.get(1), "2")))
        .containsExactly(values(0, "1", "2"));
  }

  @Test
  void localReadsNameNoPlaceAndHaveNone() {
    reader = reader(PastGoal.LOCAL);
    assertThat(get(A, B))
        .containsExactlyInAnyOrder(
            question(0, 0, 0, PastLevel.LOCAL, TxnId.INITIAL),
            question(1, 0, 1, PastLevel.LOCAL, TxnId.INITIAL));
    reply(0, 0, 0, PastState.READ, TxnId.INITIAL, row(A, "1"));
    assertThat(reply(1, 0, 1, PastState.READ, TxnId.INITIAL, row(B, "2")))
        .containsExactly(values(0, "1", "2"));
    Completion.Committed committed =
        (Completion.Committed) completion(step(new Event.CallCommit(0)));
    assertThat(committed.path()).isEqualTo(Completion.Path.LOCAL);
    assertThat(committed.position()).isEqualTo(TXN);
    assertThat(reader.place()).isNull();
  }

  /** A session that has seen a version of A, and something of any other key up to a place. */
  private static Seen seen(TxnId ofA, TxnId others) {
    return new Seen() {
      @Override
      public TxnId place() {
        return ofA;
      }

      @Override
      public TxnId of(Key key) {
        return key.equals(A) ? ofA : others;
      }

      @Override
      public TxnId in(KeyRange range, Predicate<Key> but) {
        return but.test(A) ? others : ofA;
      }
    };
  }

  @Test
  void aLocalAnswerFromBeforeWhatTheSessionHasSeenIsAskedForElsewhere() {
    TxnId newer = new TxnId(WRITER.timeMicros() + 1, 4, 0);
    TxnId below = new TxnId(WRITER.timeMicros() - 1, 4, 0);
    reader = reader(PastGoal.LOCAL, seen(newer, TxnId.INITIAL));
    get(A);
    assertThat(sent(reply(0, 0, 0, PastState.READ, below, row(A, "1"))))
        .containsExactly(question(0, 1, 0, PastLevel.LOCAL, TxnId.INITIAL));
    assertThat(reply(0, 0, 0, PastState.READ, below, row(A, "1"))).as("once").isEmpty();
    assertThat(reply(0, 1, 0, PastState.READ, newer, row(A, "1")))
        .as("its replica has all up to there")
        .containsExactly(values(0, "1"));
    assertThat(reader.absentTo()).as("nothing was absent").isEqualTo(TxnId.INITIAL);
    reader = reader(PastGoal.LOCAL, seen(WRITER, TxnId.INITIAL));
    get(A);
    assertThat(reply(0, 0, 0, PastState.READ, TxnId.INITIAL, row(A, "1")))
        .as("the version itself")
        .containsExactly(values(0, "1"));
  }

  @Test
  void aLocalScanThatLacksWhatTheSessionHasSeenIsAskedForElsewhere() {
    reader = reader(PastGoal.LOCAL, seen(WRITER, TxnId.INITIAL));
    step(new Event.CallScan(0, KeyRange.ALL, 10));
    TxnId below = new TxnId(WRITER.timeMicros() - 1, 4, 0);
    assertThat(sent(reply(0, 0, 0, PastState.READ, below)))
        .containsExactly(
            new Sent(
                new ReplicaId(0, 1),
                new ScanPast(TXN, 0, PastLevel.LOCAL, TxnId.INITIAL, KeyRange.ALL, 10)));
    reply(1, 0, 1, PastState.READ, WRITER);
    assertThat(reply(0, 1, 0, PastState.READ, below, row(A, "1"))).hasSize(1);
    assertThat(reader.absentTo()).as("other keys of the range are absent").isEqualTo(WRITER);
  }

  /** The session of the reader must know it, although the read is repeatable. */
  @Test
  void whatALocalScanShowsOfAKeyThatWasReadBeforeHasBeenReadToo() {
    reader = reader(PastGoal.LOCAL);
    get(A);
    reply(0, 0, 0, PastState.READ, WATERMARK, row(A, "1"));
    step(new Event.CallScan(0, KeyRange.ALL, 10));
    WriteId newer = new WriteId(new TxnId(NOW - 1_000, 4, 0), 1);
    VersionedValue scanned = new VersionedValue(A, newer, Value.of("2"), true);
    reply(0, 0, 1, PastState.READ, WATERMARK, scanned);
    List<Effect> answer = reply(1, 0, 2, PastState.READ, WATERMARK);
    assertThat(((ResumedScan) answer.getFirst()).rows()).containsExactly(new Row(A, Value.of("2")));
    assertThat(step(new Event.CallGet(0, List.of(A)))).containsExactly(values(2, "1"));
    Completion.Committed committed =
        (Completion.Committed) completion(step(new Event.CallCommit(0)));
    assertThat(committed.reads()).containsExactly(row(A, "1"), scanned);
  }

  @Test
  void aScanMergesPartitionsAndGoesOnWhereOneHasStopped() {
    reader = reader(PastGoal.at(PLACE));
    List<Key> low = List.of(A, B).stream().sorted().toList();
    KeyRange all = KeyRange.ALL;
    assertThat(sent(step(new Event.CallScan(0, all, 10))))
        .containsExactly(
            new Sent(new ReplicaId(0, 0), new ScanPast(TXN, 0, PastLevel.AT, PLACE, all, 10)),
            new Sent(new ReplicaId(1, 0), new ScanPast(TXN, 1, PastLevel.AT, PLACE, all, 10)));
    Key end = Key.of("z");
    step(
        new Event.Received(
            new ReplicaId(0, 0),
            new PastReply(TXN, 0, PastState.READ, PLACE, WATERMARK, List.of(row(A, "1")), end)));
    assertThat(sent(reply(1, 0, 1, PastState.READ, PLACE, row(B, "2"))))
        .containsExactly(
            new Sent(
                new ReplicaId(0, 0),
                new ScanPast(TXN, 2, PastLevel.AT, PLACE, new KeyRange(end, null), 10)));
    List<Effect> answer = reply(0, 0, 2, PastState.READ, PLACE);
    assertThat(answer).hasSize(1);
    assertThat(((ResumedScan) answer.getFirst()).rows())
        .extracting(Row::key)
        .containsExactlyElementsOf(low);
    Completion.Committed committed =
        (Completion.Committed) completion(step(new Event.CallCommit(0)));
    assertThat(committed.ranges()).containsExactly(all);
    assertThat(committed.reads()).hasSize(2);
  }

  @Test
  void aScanThatTheLimitCutsOffHasReadUpToItsLastRow() {
    reader = reader(PastGoal.at(PLACE));
    step(new Event.CallScan(0, KeyRange.ALL, 1));
    List<Key> low = List.of(A, B).stream().sorted().toList();
    int first = TWO.partitionOf(low.getFirst());
    reply(1 - first, 0, 1 - first, PastState.READ, PLACE, row(low.get(1), "2"));
    List<Effect> answer = reply(first, 0, first, PastState.READ, PLACE, row(low.getFirst(), "1"));
    assertThat(((ResumedScan) answer.getFirst()).rows())
        .containsExactly(new Row(low.getFirst(), Value.of("1")));
    Completion.Committed committed =
        (Completion.Committed) completion(step(new Event.CallCommit(0)));
    assertThat(committed.ranges())
        .containsExactly(new KeyRange(KeyRange.ALL.from(), KeyRange.after(low.getFirst())));
    assertThat(committed.reads()).containsExactly(row(low.getFirst(), "1"));
  }

  @Test
  void anAbortIsConsistentByItselfAndTheDeadlineEndsTheRest() {
    assertThat(completion(step(new Event.CallCommitReads(0))))
        .isEqualTo(new Completion.Aborted(TXN, AbortReason.APPLICATION));
    reader = reader(PastGoal.at(PLACE));
    get(A);
    reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"));
    assertThat(completion(step(new Event.CallCommitReads(0))))
        .isInstanceOf(Completion.Committed.class);
    reader = reader(PastGoal.at(PLACE));
    get(A);
    assertThat(completion(step(new Event.TimerFired(Timer.DEADLINE))))
        .isEqualTo(new Completion.Aborted(TXN, AbortReason.DEADLINE));
    assertThat(reply(0, 0, 0, PastState.READ, PLACE, row(A, "1"))).isEmpty();
  }

  /** The newest version says nothing about merges below, which may commit later. */
  @Test
  void aLocalAnswerThatLacksAMergeTheSessionHasSeenIsAskedForElsewhere() {
    TxnId merge = new TxnId(WRITER.timeMicros() - 5, 4, 0);
    WriteId base = new WriteId(new TxnId(WRITER.timeMicros() - 9, 4, 0), 1);
    WriteId newest = new WriteId(WRITER, 1);
    VersionedValue without = new VersionedValue(A, newest, Value.of("1"), true, List.of(base));
    VersionedValue with =
        new VersionedValue(A, newest, Value.of("2"), true, List.of(base, new WriteId(merge, 1)));
    reader = reader(PastGoal.LOCAL, seen(merge, TxnId.INITIAL));
    get(A);
    assertThat(sent(reply(0, 0, 0, PastState.READ, base.writer(), without)))
        .containsExactly(question(0, 1, 0, PastLevel.LOCAL, TxnId.INITIAL));
    assertThat(reply(0, 1, 0, PastState.READ, base.writer(), with)).containsExactly(values(0, "2"));
    reader = reader(PastGoal.LOCAL, seen(base.writer(), TxnId.INITIAL));
    get(A);
    assertThat(reply(0, 0, 0, PastState.READ, TxnId.INITIAL, without))
        .as("the base is all that it knows")
        .containsExactly(values(0, "1"));
  }

  @Test
  void aWriteIsADefect() {
    assertThatThrownBy(() -> step(new Event.CallPut(0, A, Value.of("x"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("reads the past");
  }

  @Test
  void placesAreUniqueAndNotAboveTheWatermark() {
    for (long time = 1; time < 1_000; time++) {
      TxnId low = new TxnId(500, Long.MIN_VALUE, 0);
      TxnId reading = new TxnId(time, 7, 0);
      assertThat(Places.of(reading, low).isAfter(low)).isFalse();
      assertThat(Places.of(reading, WATERMARK).isAfter(WATERMARK)).isFalse();
      assertThat(Places.of(reading, WATERMARK))
          .isNotEqualTo(Places.of(new TxnId(time + 1, 7, 0), WATERMARK));
    }
  }

  /** A frame has 16 MiB at most, and nobody answers a question that is longer. */
  @Test
  void longKeysAreAskedForInSeveralQuestions() {
    List<Key> keys = new ArrayList<>();
    for (int i = 0; keys.size() < 1_000; i++) {
      Key key = Key.of("%04d".formatted(i) + "k".repeat(Limits.MAX_KEY_BYTES - 4));
      if (TWO.partitionOf(key) == 0) {
        keys.add(key);
      }
    }
    heard.heard(WATERMARK, NOW);
    List<Sent> questions = get(keys.toArray(Key[]::new));
    List<Key> asked = new ArrayList<>();
    List<Effect> end = List.of();
    for (Sent question : questions) {
      ReadPast read = (ReadPast) question.message();
      assertThat(read.keys().stream().mapToLong(Key::size).sum()).isLessThanOrEqualTo(1 << 20);
      asked.addAll(read.keys());
      List<VersionedValue> rows = read.keys().stream().map(key -> row(key, "v")).toList();
      end = reply(0, 0, read.request(), PastState.READ, PLACE, rows.toArray(VersionedValue[]::new));
    }
    assertThat(asked).isEqualTo(keys);
    assertThat(end)
        .singleElement()
        .isInstanceOfSatisfying(
            Resumed.class, resumed -> assertThat(resumed.values()).hasSize(keys.size()));
  }
}
