package org.mortydb.experiments.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.bench.simulated.Handling;
import org.mortydb.bench.simulated.Handling.Kind;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.experiments.chain.ChainCollector.Forward;
import org.mortydb.experiments.chain.ChainCollector.Observed;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Chains made by hand: A in region 0 writes, B in region 1 reads it from the replica there. The
 * delay between regions is 960 ns, within a region 45 ns, and each handling takes 10 ns.
 */
final class ChainTest {
  private static final long FAR = 960;
  private static final long NEAR = 45;
  private static final long WORK = 10;
  private static final ReplicaId REPLICA = new ReplicaId(0, 1);
  private static final Key K = Key.of("k");
  private static final Key OTHER = Key.of("other");
  private static final Value VALUE = Value.of("v");
  private static final ClientId CLIENT_A = new ClientId(1);
  private static final ClientId CLIENT_B = new ClientId(2);
  private static final TxnId OLD = new TxnId(5, 4, 0);
  private static final TxnId A = new TxnId(10, 1, 0);
  private static final TxnId BETWEEN = new TxnId(15, 3, 0);
  private static final TxnId B = new TxnId(20, 2, 0);
  private static final WriteId BY_A = new WriteId(A, 1);
  private static final int READ_OF_K = 0;
  private static final int READ_OF_OTHER = 1;

  private final List<Handling> handlings = new ArrayList<>();
  private final List<CompletedAttempt> attempts = new ArrayList<>();
  private final List<Forward> forwards = new ArrayList<>();

  // ---- the world ----------------------------------------------------------------------------

  /** A message that its receiver handles {@link #WORK} after its arrival. */
  private Handling message(
      Endpoint at, int from, int to, Message message, @Nullable Handling cause, long left) {
    long arrived = left + (from == to ? NEAR : FAR);
    long start = arrived + WORK;
    return add(
        new Handling(Kind.MESSAGE, at, from, to, message, cause, left, arrived, start, start));
  }

  private Handling add(Handling handling) {
    handlings.add(handling);
    return handling;
  }

  /** A message that leaves {@link #WORK} after its cause began. */
  private Handling sent(Endpoint at, int from, int to, Message message, Handling cause) {
    return message(at, from, to, message, cause, cause.startNanos() + WORK);
  }

  private Handling begin(ClientId at, int region, long nanos) {
    return add(
        new Handling(Kind.BEGIN, at, region, region, null, null, nanos, nanos, nanos, nanos));
  }

  private static Message.Prepare prepare(TxnId txn, int execution, Key key, int valueId) {
    return new Message.Prepare(
        new ExecutionId(txn, execution),
        List.of(),
        List.of(new Write(key, valueId, VALUE)),
        List.of(0));
  }

  private static Message.Push push(int request, WriteId version) {
    return new Message.Push(B, request, 2, version, VALUE, true);
  }

  private static Message.PrepareReply abandon(TxnId txn, Vote.Reason reason) {
    return abandon(txn, 1, false, reason);
  }

  private static Message.PrepareReply abandon(
      TxnId txn, int execution, boolean isFinal, Vote.Reason reason) {
    return new Message.PrepareReply(
        new ExecutionId(txn, execution),
        new PrepareAnswer.Voted(new Vote.Abandon(isFinal, reason, List.of())));
  }

  private void committed(TxnId txn, @Nullable WriteId read, int wrote) {
    List<VersionedValue> reads =
        read == null ? List.of() : List.of(new VersionedValue(K, read, VALUE, true));
    attempts.add(
        new CompletedAttempt(
            new Completion.Committed(
                txn, txn, 0, Path.FAST, reads, List.of(new Write(K, wrote, VALUE))),
            0,
            txn.timeMicros() - 2,
            0,
            0,
            1,
            3));
  }

  /** B reads the key early. */
  private void readsEarly() {
    sent(REPLICA, 1, 1, new Message.Get(B, READ_OF_K, K), begin(CLIENT_B, 1, 100));
  }

  /** A's first Prepare arrives at B's replica; it leaves at 1,000. */
  private Handling preparesA() {
    return sent(REPLICA, 0, 1, prepare(A, 0, K, 1), begin(CLIENT_A, 0, 990));
  }

  private Handling shownToB(Handling cause) {
    return sent(CLIENT_B, 1, 1, push(READ_OF_K, BY_A), cause);
  }

  private void preparesB(Handling cause) {
    sent(REPLICA, 1, 1, prepare(B, 1, K, 7), cause);
  }

  private Chain chain() {
    committed(B, BY_A, 7);
    committed(A, WriteId.INITIAL, 1);
    return Chain.of(new Observed(handlings, List.of(), attempts, forwards, 500, 1_000_000), K);
  }

  /** The only step. Its segments follow each other. */
  private Step step() {
    Chain chain = chain();
    assertThat(chain.steps()).hasSize(1);
    Step step = chain.steps().getFirst();
    long at = step.fromNanos();
    for (Segment segment : step.segments()) {
      assertThat(segment.fromNanos()).as("%s", segment).isEqualTo(at);
      at = segment.toNanos();
    }
    assertThat(at).isEqualTo(step.toNanos());
    return step;
  }

  private static Map<Part, Long> parts(Step step) {
    Map<Part, Long> parts = new EnumMap<>(Part.class);
    for (Part part : Part.values()) {
      if (step.nanos(part) > 0) {
        parts.put(part, step.nanos(part));
      }
    }
    return parts;
  }

  // ---- the parts ----------------------------------------------------------------------------

  @Test
  void theDirectWayIsDelaysAndProcessors() {
    readsEarly();
    preparesB(shownToB(preparesA()));
    Step step = step();
    assertThat(step.crosses()).isTrue();
    assertThat(step.fromNanos()).isEqualTo(1_000);
    assertThat(parts(step))
        .isEqualTo(Map.of(Part.CROSSING, FAR, Part.LOCAL, NEAR, Part.PROCESSOR, 4 * WORK));
    assertThat(step.segments().getFirst().event()).contains("Prepare#0 of predecessor arrives");
    assertThat(step.segments().getLast().event()).contains("Prepare#1 of writer leaves");
    assertThat(step.obstacle()).isNull();
  }

  @Test
  void aLaterVoteOfThePredecessorIsARevote() {
    readsEarly();
    Handling first = preparesA();
    Handling abandoned = sent(CLIENT_A, 1, 0, abandon(A, Vote.Reason.WRITE_MISSED), first);
    Handling second = sent(REPLICA, 0, 1, prepare(A, 1, K, 1), abandoned);
    preparesB(shownToB(second));
    Step step = step();
    assertThat(parts(step))
        .isEqualTo(
            Map.of(
                Part.CROSSING,
                FAR,
                Part.LOCAL,
                NEAR,
                Part.PROCESSOR,
                4 * WORK,
                Part.REVOTE,
                second.startNanos() - first.startNanos()));
    assertThat(step.nanos(Part.REVOTE, Medium.CROSSING)).isEqualTo(2 * FAR);
    assertThat(step.nanos(Part.REVOTE, Medium.PROCESSOR)).isEqualTo(4 * WORK);
    assertThat(step.obstacle()).isEqualTo(new Step.Obstacle(Part.REVOTE, "WRITE_MISSED tentative"));
  }

  @Test
  void theReadersOwnAbandonedVoteIsARevote() {
    readsEarly();
    Handling known = preparesA();
    Handling own = message(REPLICA, 1, 1, prepare(B, 0, K, 6), begin(CLIENT_B, 1, 2_900), 3_000);
    Handling told =
        sent(
            CLIENT_B,
            1,
            1,
            new Message.PrepareReply(
                new ExecutionId(B, 0),
                new PrepareAnswer.Voted(
                    new Vote.Abandon(
                        false,
                        Vote.Reason.MISSED_WRITE,
                        List.of(new VersionedValue(K, BY_A, VALUE, false))))),
            own);
    preparesB(told);
    assertThat(parts(step())).containsEntry(Part.REVOTE, own.startNanos() - known.startNanos());
  }

  @Test
  void theAbortOfATransactionBetweenIsAnAbortedNeighbour() {
    readsEarly();
    message(REPLICA, 1, 1, prepare(BETWEEN, 0, K, 1), null, 700);
    Handling known = preparesA();
    Handling abort =
        message(REPLICA, 1, 1, new Message.Decide(BETWEEN, Outcome.ABORT), null, 4_000);
    attempts.add(
        new CompletedAttempt(
            new Completion.Aborted(BETWEEN, AbortReason.CONFLICT), 0, 0, 0, 0, 1, 0));
    message(CLIENT_B, 1, 1, abandon(BETWEEN, 0, true, Vote.Reason.DIRTY_READ), null, 2_500);
    message(CLIENT_B, 1, 1, abandon(BETWEEN, Vote.Reason.WRITE_MISSED), null, 3_000);
    preparesB(shownToB(abort));
    Chain chain = chain();
    assertThat(parts(chain.steps().getFirst()))
        .containsEntry(Part.ABORTED, abort.startNanos() - known.startNanos())
        .doesNotContainKey(Part.REST);
    assertThat(chain.steps().getFirst().obstacle())
        .isEqualTo(new Step.Obstacle(Part.ABORTED, "CONFLICT, WRITE_MISSED tentative"));
    assertThat(chain.aborted()).isEqualTo(Map.of("CONFLICT, WRITE_MISSED tentative", 1));
  }

  @Test
  void aVersionThatSettlesWithAnOutcomeWaitsForIt() {
    readsEarly();
    Handling known = preparesA();
    Handling outcome =
        message(REPLICA, 0, 1, new Message.Decide(A, Outcome.commit(0, List.of(0))), null, 5_000);
    preparesB(shownToB(outcome));
    Step step = step();
    assertThat(parts(step)).containsEntry(Part.OUTCOME, outcome.startNanos() - known.startNanos());
    assertThat(step.obstacle()).isEqualTo(new Step.Obstacle(Part.OUTCOME, "none at once"));
  }

  @Test
  void aVoteThatWaitsForAnotherWriterIsAnOlderVersion() {
    readsEarly();
    Handling known = preparesA();
    Handling older = message(REPLICA, 0, 1, prepare(OLD, 0, OTHER, 1), null, 2_500);
    preparesB(shownToB(older));
    assertThat(parts(step())).containsEntry(Part.OLDER, older.startNanos() - known.startNanos());
  }

  @Test
  void aReaderThatComesAfterTheVersionIsLate() {
    Handling known = preparesA();
    Handling get = sent(REPLICA, 1, 1, new Message.Get(B, READ_OF_K, K), begin(CLIENT_B, 1, 9_000));
    preparesB(sent(CLIENT_B, 1, 1, new Message.GetReply(B, READ_OF_K, 1, BY_A, VALUE, true), get));
    Step step = step();
    assertThat(parts(step)).containsEntry(Part.LATE, get.startNanos() - known.startNanos());
    assertThat(step.nanos(Part.LATE, Medium.LOCAL)).as("the Get").isEqualTo(NEAR);
    assertThat(step.nanos(Part.LATE, Medium.UNKNOWN))
        .as("before the transaction began")
        .isEqualTo(9_000 - known.startNanos());
  }

  @Test
  void aReaderThatWaitsForAnotherKeyHasTheVersion() {
    readsEarly();
    Handling shown = shownToB(preparesA());
    Handling other = message(CLIENT_B, 1, 1, push(READ_OF_OTHER, new WriteId(OLD, 1)), null, 6_000);
    preparesB(other);
    assertThat(parts(step()))
        .containsEntry(Part.OTHER_KEY, other.startNanos() - shown.startNanos());
  }

  @Test
  void furtherReadsBecauseOfTheVersionCannotBeAvoided() {
    readsEarly();
    Handling shown = shownToB(preparesA());
    Handling get = sent(REPLICA, 1, 1, new Message.Get(B, READ_OF_OTHER, OTHER), shown);
    Handling reply =
        sent(
            CLIENT_B,
            1,
            1,
            new Message.GetReply(B, READ_OF_OTHER, 1, WriteId.INITIAL, VALUE, true),
            get);
    preparesB(reply);
    assertThat(parts(step()))
        .isEqualTo(Map.of(Part.CROSSING, FAR, Part.LOCAL, 3 * NEAR, Part.PROCESSOR, 8 * WORK));
  }

  // ---- forwarded versions -------------------------------------------------------------------

  /** A's client is told of its version for B in the handling of A's Prepare, or because of it. */
  private void forwardedToB(Handling at) {
    forwards.add(new Forward(B, K, BY_A, at));
  }

  @Test
  void aVersionThatIsForwardedInTheSameTurnTakesNoTime() {
    Handling turn = begin(CLIENT_A, 0, 990);
    sent(REPLICA, 0, 1, prepare(A, 0, K, 1), turn);
    sent(REPLICA, 0, 1, prepare(B, 1, K, 7), turn);
    forwardedToB(turn);
    Chain chain = chain();
    assertThat(chain.steps().getFirst().forwarded()).isTrue();
    assertThat(chain.steps().getFirst().segments()).isEmpty();
    assertThat(chain.empty()).isOne();
  }

  @Test
  void aVersionThatIsForwardedToAnotherLoopTakesProcessorTimeOnly() {
    Handling turn = begin(CLIENT_A, 0, 990);
    sent(REPLICA, 0, 1, prepare(A, 0, K, 1), turn);
    Handling told =
        add(new Handling(Kind.BATCH_END, CLIENT_B, 0, 0, null, turn, 995, 995, 1_200, 1_210));
    forwardedToB(told);
    shownToB(message(REPLICA, 0, 1, prepare(A, 0, K, 1), turn, 1_000));
    preparesB(told);
    Step step = step();
    assertThat(step.forwarded()).isTrue();
    assertThat(parts(step)).isEqualTo(Map.of(Part.PROCESSOR, 1_220 - 1_000L));
    assertThat(step.segments().getFirst().event()).contains("another loop", "is told");
  }

  @Test
  void aReaderThatFollowsTheKeyOnlyLaterIsLate() {
    Handling turn = begin(CLIENT_A, 0, 990);
    sent(REPLICA, 0, 1, prepare(A, 0, K, 1), turn);
    Handling older = message(CLIENT_A, 0, 0, push(READ_OF_K, new WriteId(OLD, 1)), null, 2_000);
    forwardedToB(older);
    preparesB(older);
    Step step = step();
    assertThat(step.forwarded()).isTrue();
    assertThat(parts(step))
        .isEqualTo(Map.of(Part.LATE, older.startNanos() - 1_000, Part.PROCESSOR, WORK));
  }

  @Test
  void aReaderOfAForwardedVersionMayWaitForAnotherKey() {
    Handling turn = begin(CLIENT_A, 0, 990);
    sent(REPLICA, 0, 1, prepare(A, 0, K, 1), turn);
    forwardedToB(turn);
    Handling other = message(CLIENT_A, 0, 0, push(READ_OF_OTHER, new WriteId(OLD, 1)), null, 2_000);
    preparesB(other);
    assertThat(parts(step()))
        .isEqualTo(Map.of(Part.OTHER_KEY, other.startNanos() - 1_000, Part.PROCESSOR, WORK));
  }

  @Test
  void aVersionThatItsWriterAsksVotesForAgainIsARevote() {
    Handling turn = begin(CLIENT_A, 0, 990);
    sent(REPLICA, 0, 1, prepare(A, 0, K, 1), turn);
    Handling again =
        add(new Handling(Kind.TIMER, CLIENT_A, 0, 0, null, turn, 1_000, 3_000, 3_010, 3_010));
    sent(REPLICA, 0, 1, prepare(A, 2, K, 1), again);
    forwardedToB(again);
    preparesB(again);
    assertThat(parts(step()))
        .isEqualTo(Map.of(Part.REVOTE, again.startNanos() - 1_000, Part.PROCESSOR, WORK));
  }

  @Test
  void aVersionThatAReplicaShowsToOthersOfItsClientIsNotForwarded() {
    readsEarly();
    Handling known = preparesA();
    forwards.add(new Forward(B, OTHER, BY_A, known));
    forwards.add(new Forward(B, K, new WriteId(OLD, 1), known));
    preparesB(shownToB(known));
    assertThat(step().forwarded()).isFalse();
  }

  @Test
  void whatIsNotExplainedIsShown() {
    readsEarly();
    preparesA();
    Handling timer =
        add(new Handling(Kind.TIMER, CLIENT_B, 1, 1, null, null, 2_000, 7_000, 7_010, 7_010));
    preparesB(timer);
    Step step = step();
    assertThat(parts(step)).containsOnlyKeys(Part.REST);
    assertThat(step.nanos(Part.REST, Medium.TIMER)).isEqualTo(5_000);
    assertThat(step.nanos(Part.REST, Medium.UNKNOWN)).isEqualTo(1_000);
  }

  // ---- the chain ----------------------------------------------------------------------------

  @Test
  void aValueThatLeftBeforeItsPredecessorTakesNoTime() {
    readsEarly();
    message(REPLICA, 1, 1, prepare(B, 0, K, 7), begin(CLIENT_B, 1, 600), 700);
    preparesB(shownToB(preparesA()));
    Chain chain = chain();
    assertThat(chain.steps().getFirst().segments()).isEmpty();
    assertThat(chain.empty()).isEqualTo(1);
  }

  @Test
  void neighboursThatHaveNotReadFromEachOtherAreNoStep() {
    preparesA();
    message(REPLICA, 1, 1, prepare(B, 0, K, 7), begin(CLIENT_B, 1, 600), 700);
    committed(A, WriteId.INITIAL, 1);
    committed(B, null, 7);
    Chain chain =
        Chain.of(new Observed(handlings, List.of(), attempts, forwards, 500, 1_000_000), K);
    assertThat(chain.steps()).isEmpty();
    assertThat(chain.separated()).isEqualTo(1);
    assertThat(chain.updates()).isEqualTo(2);
    assertThat(chain.reexecutions()).isEqualTo(6);
    assertThat(chain.prepares()).isEqualTo(2);
    assertThat(chain.offsetMicros()).isEqualTo(2.0);
  }

  @Test
  void theHottestKeyHasTheMostCommittedWriters() {
    committed(A, null, 1);
    attempts.add(
        new CompletedAttempt(
            new Completion.Committed(
                B,
                B,
                0,
                Path.FAST,
                List.of(),
                List.of(new Write(OTHER, 1, VALUE), new Write(K, 2, VALUE))),
            0,
            0,
            0,
            0,
            1,
            0));
    assertThat(Members.hottest(new Observed(handlings, List.of(), attempts, forwards, 0, 1)))
        .isEqualTo(K);
    assertThat(Members.hottest(new Observed(handlings, List.of(), List.of(), forwards, 0, 1)))
        .isNull();
  }

  /** The figures of the regional delays: 50.7 k transactions/s at one update in 34. */
  @Test
  void boundsComeFromTheDelays() {
    ChainRecord.Bounds none = ChainRecord.Bounds.of(3, 960, 90, 0);
    assertThat(none.perSecond()).isBetween(1_490.0, 1_495.0);
    assertThat(none.slotsPerSecond()).isZero();
    assertThat(none.applies()).isEqualTo(none.perSecond());
    ChainRecord.Bounds slots = ChainRecord.Bounds.of(3, 960, 90, 8_000);
    assertThat(slots.slotsPerSecond()).isBetween(9_900.0, 9_910.0);
    assertThat(slots.applies()).isEqualTo(slots.slotsPerSecond());
    assertThat(ChainRecord.Bounds.of(3, 960, 90, 900).slotsPerSecond()).isZero();
  }
}
