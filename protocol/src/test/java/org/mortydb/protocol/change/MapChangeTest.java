package org.mortydb.protocol.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.key;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.change.MapChange.Awaited;
import org.mortydb.protocol.change.MapChange.Edit;
import org.mortydb.protocol.change.MapChange.Plan;
import org.mortydb.protocol.change.MapChange.Result;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CheckPartition;
import org.mortydb.protocol.message.Message.PartitionReply;
import org.mortydb.protocol.message.Message.Seal;
import org.mortydb.protocol.message.Message.SealReply;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Member;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/** A change against records in memory; the test answers for the replicas. */
class MapChangeTest {
  private static final TxnId ID = new TxnId(1, 99, 0);
  private static final long LEAD = 11_000;
  private static final long SEAL = 10_000;
  private static final long PATIENCE = 4_000;
  private static final long RESEND = 2_000;
  private static final ClusterMap FIRST = ClusterMap.first(1, 1);

  /** The bucket of "a" moves to a new partition. */
  private static final Plan PLAN =
      (last, number, partition, cut) ->
          last.moved(
              number,
              cut,
              1,
              Map.of(partition, List.of("0", "1", "2")),
              Map.of(Bucket.of(key("a")), partition));

  private static final Plan JOINS =
      (last, number, partition, cut) ->
          last.withServer(number, cut, "us-2", new Member("us", "us-2:7000"));

  private record To(ReplicaId replica, Message message) {}

  /** The records of the cluster, by number of their maps. */
  private final Map<Integer, MapRecord> records = new HashMap<>();

  private MapHistory history = new MapHistory(FIRST);
  private long nowMicros = 100_000;
  private long bytesPerSecond;

  /** One process. */
  private final class Driver implements MapChange.Host {
    final MapChange change;
    final List<To> sent = new ArrayList<>();
    final List<Integer> started = new ArrayList<>();
    final List<Result> results = new ArrayList<>();
    final ArrayDeque<Runnable> edits = new ArrayDeque<>();

    /** How many transactions commit without this process learning of it. */
    int unknown;

    /** How many transactions run again, because another process was faster. */
    int overtaken;

    Driver(Plan plan) {
      this(history, plan);
    }

    Driver(MapHistory known, Plan plan) {
      change =
          new MapChange(
              ID,
              known,
              new MapChange.Times(LEAD, SEAL, PATIENCE, RESEND, bytesPerSecond),
              plan,
              ChangeRules.SOUND,
              this);
    }

    @Override
    public void send(ReplicaId to, Message message) {
      sent.add(new To(to, message));
    }

    @Override
    public void edit(ClusterMap map, Edit edit) {
      edits.add(
          () -> {
            MapRecord stored = records.get(map.number());
            if (overtaken > 0) {
              overtaken--;
              var unusedFirstExecution = edit.of(null);
            }
            MapRecord next = edit.of(stored);
            if (next != null) {
              records.put(map.number(), next);
            }
            if (unknown > 0) {
              unknown--;
              change.onEditFailed(nowMicros);
              return;
            }
            change.onEdited(nowMicros, next == null ? stored : next, next != null);
          });
    }

    @Override
    public void starts(ClusterMap map) {
      started.add(map.number());
    }

    @Override
    public void decided(ClusterMap map) {}

    @Override
    public void ended(Result result) {
      results.add(result);
    }

    /** Ticks, and carries out the transactions that it asks for. */
    Driver runs() {
      nowMicros += RESEND;
      change.onTick(nowMicros);
      while (!edits.isEmpty()) {
        edits.remove().run();
      }
      return this;
    }

    private void answers(int partition, int index, Message message) {
      change.onMessage(nowMicros, new ReplicaId(partition, index), message);
      while (!edits.isEmpty()) {
        edits.remove().run();
      }
    }

    void seals(int index, int number, boolean sealed) {
      answers(0, index, new SealReply(ID, number, sealed));
    }

    void founded(int index, int number) {
      answers(number, index, new PartitionReply(ID, number, true, false, 0, 0, 0));
    }

    void holds(int index, int number) {
      answers(number, index, new PartitionReply(ID, number, true, true, 0, 0, 0));
    }

    boolean hasSent(Class<?> kind, int partition, int index) {
      return sent.stream()
          .anyMatch(
              to ->
                  kind.isInstance(to.message)
                      && to.replica.equals(new ReplicaId(partition, index)));
    }
  }

  private MapRecord record(int map) {
    MapRecord record = records.get(map);
    assertThat(record).isNotNull();
    return record;
  }

  private Driver sealedAndFounded() {
    Driver process = new Driver(PLAN).runs();
    process.seals(0, 1, true);
    process.founded(0, 1);
    process.founded(1, 1);
    return process;
  }

  @Test
  void proposesAsksForSealsAndForTheNewPartition() {
    Driver process = new Driver(PLAN).runs();
    assertThat(record(0).change()).isNotNull();
    assertThat(record(0).decided()).isFalse();
    assertThat(record(0).change().cutMicros()).isEqualTo(nowMicros + LEAD);
    assertThat(process.started).containsExactly(1);
    for (int i = 0; i < 3; i++) {
      assertThat(process.hasSent(CheckPartition.class, 1, i)).isTrue();
    }
    process.founded(0, 1);
    process.founded(1, 1);
    process.runs();
    for (int i = 0; i < 3; i++) {
      assertThat(process.hasSent(Seal.class, 0, i)).isTrue();
    }
  }

  /** Clients wait for what is sealed, and would wait in vain. */
  @Test
  void nothingIsSealedForPartitionsThatAreNotFounded() {
    Driver process = new Driver(PLAN);
    for (int i = 0; i < 4; i++) {
      process.runs();
      process.founded(0, 1);
      assertThat(process.hasSent(Seal.class, 0, i % 3)).isFalse();
    }
    process.founded(2, 1); // at once, not with the next repetition
    assertThat(process.hasSent(Seal.class, 0, 0)).isTrue();
  }

  @Test
  void nothingIsSealedLongBeforeTheCut() {
    Driver process = new Driver(PLAN).runs();
    record(0); // proposed
    nowMicros -= RESEND; // so that the cut is further ahead than seals are asked for
    process.founded(0, 1);
    process.founded(1, 1);
    assertThat(process.hasSent(Seal.class, 0, 0)).isFalse();
    process.runs();
    process.runs();
    assertThat(process.hasSent(Seal.class, 0, 0)).isTrue();
  }

  @Test
  void isGivenUpBeforeTheCutIfNothingIsFoundedInTime() {
    Driver process = new Driver(PLAN).runs();
    long cut = record(0).change().cutMicros();
    while (process.results.isEmpty()) {
      process.runs();
    }
    assertThat(process.results).containsExactly(Result.GIVEN_UP);
    assertThat(nowMicros).isLessThan(cut);
    assertThat(process.sent).noneMatch(to -> to.message instanceof Seal);
  }

  @Test
  void isGivenUpSoonAfterTheCutIfTheSealsAreMissing() {
    Driver process = sealedAndFounded();
    long cut = record(0).change().cutMicros();
    while (process.results.isEmpty()) {
      process.runs();
    }
    assertThat(process.results).containsExactly(Result.GIVEN_UP);
    assertThat(nowMicros).isBetween(cut + PATIENCE, cut + PATIENCE + 2 * RESEND);
  }

  @Test
  void decidesOnceFPlusOneHaveSealedAndFounded() {
    Driver process = sealedAndFounded();
    assertThat(record(0).decided()).isFalse();
    process.seals(0, 1, true); // the same once more
    assertThat(record(0).decided()).isFalse();
    process.seals(2, 1, true);
    assertThat(record(0).decided()).isTrue();
    assertThat(process.change.history().last().number()).isEqualTo(1);
    assertThat(records).doesNotContainKey(1);
  }

  @Test
  void aMergeIsDecidedOnceBothSourcesHaveSealed() {
    history = new MapHistory(ClusterMap.first(1, 2));
    Driver process = new Driver(Plans.merge(List.of(0, 1), null)).runs();
    assertThat(process.hasSent(CheckPartition.class, 2, 0)).isTrue();
    process.answers(2, 0, new PartitionReply(ID, 1, true, false, 0, 0, 0));
    process.answers(2, 1, new PartitionReply(ID, 1, true, false, 0, 0, 0));
    process.runs();
    for (int partition = 0; partition < 2; partition++) {
      for (int i = 0; i < 3; i++) {
        assertThat(process.hasSent(Seal.class, partition, i)).isTrue();
      }
    }
    process.seals(0, 1, true);
    process.seals(1, 1, true);
    assertThat(record(0).decided()).isFalse();
    process.answers(1, 0, new SealReply(ID, 1, true));
    assertThat(record(0).decided()).isFalse();
    process.answers(1, 2, new SealReply(ID, 1, true));
    assertThat(record(0).decided()).isTrue();
    assertThat(process.change.history().last().servers()).containsOnlyKeys(2);
  }

  @Test
  void oneFounderIsNotEnough() {
    Driver process = new Driver(PLAN).runs();
    process.seals(0, 1, true);
    process.seals(1, 1, true);
    process.founded(0, 1);
    process.founded(0, 1);
    assertThat(record(0).decided()).isFalse();
    process.founded(2, 1);
    assertThat(record(0).decided()).isTrue();
  }

  @Test
  void opensTheNextRecordOnceFPlusOneHoldTheKeys() {
    Driver process = sealedAndFounded();
    process.seals(1, 1, true);
    process.runs();
    process.holds(0, 1);
    assertThat(records).doesNotContainKey(1);
    process.holds(2, 1);
    assertThat(record(1).change()).isNull();
    assertThat(record(1).nextNumber()).isEqualTo(2);
    assertThat(process.results).containsExactly(Result.DONE);
  }

  /** Replicas could not learn it, and what moves would stay sealed for ever. */
  @Test
  void nothingIsProposedThatProcessesWouldNotRemember() {
    ClusterMap last = FIRST;
    MapHistory full = history;
    for (int number = 1; number < Limits.MAX_MAPS; number++) {
      last = PLAN.next(last, number, number, 10L * number);
      full = full.with(last);
    }
    records.put(last.number(), new MapRecord(Limits.MAX_MAPS, Limits.MAX_MAPS, null, false));
    Driver process = new Driver(full.closedTo(last.number()), PLAN).runs();
    assertThat(record(last.number()).change()).isNull();
    assertThat(process.results).containsExactly(Result.NOTHING);
  }

  @Test
  void isGivenUpIfMoreThanFRefuse() {
    Driver process = sealedAndFounded();
    process.seals(1, 1, false);
    assertThat(record(0).change()).isNotNull();
    process.seals(2, 1, false);
    assertThat(record(0).change()).isNull();
    assertThat(process.results).containsExactly(Result.GIVEN_UP);
    assertThat(record(0).nextNumber()).isEqualTo(2);
    assertThat(record(0).nextPartition()).isEqualTo(2); // its numbers are used up
  }

  @Test
  void isGivenUpIfTheSealsTakeTooLong() {
    Driver process = sealedAndFounded();
    nowMicros = record(0).change().cutMicros() + PATIENCE;
    process.runs();
    assertThat(process.results).containsExactly(Result.GIVEN_UP);
    assertThat(record(0).change()).isNull();
  }

  @Test
  void repliesOfAnotherChangeDoNotCount() {
    Driver process = sealedAndFounded();
    process.seals(1, 2, true);
    process.answers(0, 2, new SealReply(new TxnId(1, 98, 0), 1, true));
    assertThat(record(0).decided()).isFalse();
  }

  @Test
  void anotherProcessDecidesWhatIsProposed() {
    sealedAndFounded(); // and dies
    Driver other = new Driver(Plan.NOTHING).runs();
    other.founded(0, 1);
    other.founded(1, 1);
    other.runs();
    assertThat(other.hasSent(Seal.class, 0, 1)).isTrue();
    other.seals(1, 1, true);
    assertThat(record(0).decided()).isFalse(); // what the first has heard is lost with it
    other.seals(2, 1, true);
    assertThat(record(0).decided()).isTrue();
    other.runs();
    other.holds(1, 1);
    other.holds(2, 1);
    other.runs();
    assertThat(record(1).change()).isNull();
    assertThat(other.results).containsExactly(Result.NOTHING);
  }

  @Test
  void aProcessThatComesLateFindsTheDecision() {
    Driver slow = sealedAndFounded();
    Driver other = sealedAndFounded();
    other.seals(1, 1, true);
    assertThat(record(0).decided()).isTrue();
    nowMicros = record(0).change().cutMicros() + PATIENCE;
    slow.runs(); // would give up
    assertThat(record(0).decided()).isTrue();
    slow.runs();
    slow.holds(0, 1);
    slow.holds(1, 1);
    assertThat(slow.results).containsExactly(Result.DONE);
  }

  /** A second one would split again, or be refused because the partition is gone. */
  @Test
  void aProposalOfUnknownOutcomeIsNotRepeated() {
    Driver process = new Driver(PLAN);
    process.unknown = 1;
    process.runs();
    assertThat(record(0).change()).isNotNull();
    process.runs();
    process.seals(0, 1, true);
    process.founded(0, 1);
    process.founded(1, 1);
    process.seals(1, 1, true);
    process.runs();
    process.holds(0, 1);
    process.holds(1, 1);
    assertThat(process.results).containsExactly(Result.DONE);
    assertThat(record(1).change()).isNull();
  }

  /** Two operators split the same partition at the same time. */
  @Test
  void theSamePlanOfAnotherProcessIsNotTheOwnOne() {
    Driver first = new Driver(PLAN).runs();
    Driver second = new Driver(PLAN);
    second.overtaken = 1;
    second.runs();
    assertThat(second.started).containsExactly(1);
    assertThat(first.change.isOwn(record(0).change())).isTrue();
    assertThat(second.change.isOwn(record(0).change())).isFalse();
    first.founded(0, 1);
    first.founded(1, 1);
    first.runs();
    first.seals(0, 1, true);
    first.seals(1, 1, true);
    first.holds(0, 1);
    first.holds(1, 1);
    first.runs();
    assertThat(first.results).containsExactly(Result.DONE);
    second.runs();
    second.runs();
    assertThat(second.results).isEmpty();
    assertThat(record(1).change()).as("its own plan comes after it").isNotNull();
  }

  @Test
  void aProposalOfUnknownOutcomeThatOthersHaveCarriedOutIsNotRepeated() {
    Driver process = new Driver(PLAN);
    process.unknown = 1;
    process.runs();
    Driver other = new Driver(Plan.NOTHING).runs();
    other.founded(0, 1);
    other.founded(1, 1);
    other.runs();
    other.seals(1, 1, true);
    other.seals(2, 1, true);
    other.runs();
    other.holds(1, 1);
    other.holds(2, 1);
    other.runs();
    assertThat(other.results).containsExactly(Result.NOTHING);
    process.runs();
    process.runs();
    assertThat(process.results).containsExactly(Result.DONE);
    assertThat(record(1).change()).isNull();
  }

  /** Partition 0 holds half a second's work. */
  private Driver weighed() {
    bytesPerSecond = 1_000;
    Driver process = new Driver(PLAN).runs();
    assertThat(records).isEmpty();
    assertThat(process.hasSent(CheckPartition.class, 0, 2)).isTrue();
    process.answers(0, 1, new PartitionReply(ID, 0, true, true, 1, 400, 0));
    process.runs();
    assertThat(record(0).change().cutMicros()).isEqualTo(nowMicros + LEAD + 500_000);
    return process;
  }

  private void isCopiedAhead(Driver process, int index) {
    process.answers(1, index, new PartitionReply(ID, 1, true, false, 10, 500, 77));
  }

  /** No client waits for the copy: it is made ahead of the cut, which comes once it is made. */
  @Test
  void theCutComesOnceWhatMovesIsCopied() {
    Driver process = weighed();
    long far = record(0).change().cutMicros();
    process.founded(0, 1);
    isCopiedAhead(process, 1);
    process.runs();
    assertThat(record(0).change().cutMicros()).as("one replica is not enough").isEqualTo(far);
    isCopiedAhead(process, 2);
    process.runs();
    assertThat(record(0).change().cutMicros()).isEqualTo(nowMicros + LEAD);
    assertThat(record(0).change().number()).isEqualTo(1);
    assertThat(process.hasSent(Seal.class, 0, 0)).isFalse();
    process.founded(0, 1);
    process.founded(1, 1);
    process.runs();
    process.seals(0, 1, true);
    process.seals(1, 1, true);
    assertThat(record(0).decided()).isTrue();
    process.holds(0, 1);
    process.holds(1, 1);
    assertThat(process.results).containsExactly(Result.DONE);
  }

  @Test
  void sealsForTheLaterCutDoNotCount() {
    Driver process = weighed();
    process.founded(0, 1);
    process.seals(0, 1, true);
    isCopiedAhead(process, 1);
    isCopiedAhead(process, 2);
    process.runs();
    process.founded(0, 1);
    process.founded(1, 1);
    process.seals(1, 1, true);
    assertThat(record(0).decided()).isFalse();
    process.seals(2, 1, true);
    assertThat(record(0).decided()).isTrue();
  }

  /** A replica may seal for it already. */
  @Test
  void aCutThatIsNearStays() {
    Driver process = weighed();
    long far = record(0).change().cutMicros();
    nowMicros = far - LEAD - 2 * SEAL;
    process.founded(0, 1);
    isCopiedAhead(process, 1);
    isCopiedAhead(process, 2);
    process.runs();
    assertThat(record(0).change().cutMicros()).isEqualTo(far);
  }

  /** It has proposed the map with the later cut, and may not know that it has. */
  @Test
  void anotherProcessMakesTheCutEarlier() {
    Driver process = weighed();
    Driver other = new Driver(Plan.NOTHING).runs();
    other.founded(0, 1);
    isCopiedAhead(other, 1);
    isCopiedAhead(other, 2);
    other.runs();
    assertThat(record(0).change().cutMicros()).isEqualTo(nowMicros + LEAD);
    process.founded(0, 1);
    isCopiedAhead(process, 1);
    isCopiedAhead(process, 2);
    process.runs();
    process.founded(0, 1);
    process.founded(1, 1);
    process.seals(0, 1, true);
    process.seals(1, 1, true);
    assertThat(record(0).decided()).isTrue();
    process.runs();
    process.holds(0, 1);
    process.holds(1, 1);
    assertThat(process.results).containsExactly(Result.DONE);
  }

  @Test
  void partitionsThatDoNotSayHowMuchTheyHoldDelayNoChange() {
    bytesPerSecond = 1_000;
    Driver process = new Driver(PLAN);
    for (int i = 0; i < 8; i++) {
      process.runs();
    }
    assertThat(record(0).change()).isNotNull();
  }

  @Test
  void theNextChangeUsesHigherNumbers() {
    Driver process = sealedAndFounded();
    process.seals(1, 1, false);
    process.seals(2, 1, false);
    new Driver(PLAN).runs();
    assertThat(record(0).change()).isNotNull();
    assertThat(record(0).change().number()).isEqualTo(2);
    assertThat(record(0).change().servers()).containsOnlyKeys(0, 2);
  }

  /** Servers may still hold replicas of a partition that will never be. */
  @Test
  void theNumberOfAPartitionThatWasGivenUpIsNotUsedUnderLaterMapsEither() {
    Driver process = sealedAndFounded();
    process.seals(1, 1, false);
    process.seals(2, 1, false);
    process = new Driver(JOINS).runs();
    assertThat(process.results).containsExactly(Result.DONE);
    new Driver(process.change.history(), PLAN).runs();
    assertThat(record(2).change()).isNotNull();
    assertThat(record(2).change().number()).isEqualTo(3);
    assertThat(record(2).change().servers()).containsOnlyKeys(0, 2);
  }

  @Test
  void aProcessThatEndsTheChangeOfAnotherOneLooksUpWhichNumbersAreUsed() {
    Driver process = sealedAndFounded();
    process.seals(1, 1, false);
    process.seals(2, 1, false);
    process = new Driver(JOINS).runs();
    records.remove(2); // it has died before
    Driver other = new Driver(process.change.history(), PLAN);
    MapRecord decided = record(0);
    records.put(0, new MapRecord(1, 1, null, false)); // a read alone may be old
    other.runs();
    assertThat(records).doesNotContainKey(2);
    records.put(0, decided);
    other.runs();
    assertThat(record(2).change()).isNotNull();
    assertThat(record(2).change().servers()).containsOnlyKeys(0, 2);
  }

  /** A server joins: no partition has to seal, or to be founded. */
  @Test
  void aChangeWithoutBucketsNeedsNoReplica() {
    Driver process = new Driver(JOINS).runs();
    assertThat(record(0).decided()).isTrue();
    assertThat(record(1).change()).isNull();
    assertThat(process.results).containsExactly(Result.DONE);
    assertThat(process.sent).isEmpty();
    assertThat(process.change.history().last().joined()).containsOnlyKeys("us-2");
  }

  @Test
  void anotherFCountsForNewPartitions() {
    history = new MapHistory(ClusterMap.first(1, List.of(List.of("a", "b", "c"))));
    Plans.Members five =
        map ->
            List.of(
                new Server("a", "r"),
                new Server("b", "r"),
                new Server("c", "r"),
                new Server("d", "r"),
                new Server("e", "r"));
    Driver process = new Driver(Plans.replication(2, five)).runs();
    process.seals(0, 1, true);
    process.seals(1, 1, true); // two of three
    process.founded(0, 1);
    process.founded(1, 1);
    assertThat(record(0).decided()).isFalse();
    process.founded(4, 1); // three of five
    assertThat(record(0).decided()).isTrue();
    process.runs();
    process.holds(0, 1);
    process.holds(1, 1);
    assertThat(records).doesNotContainKey(1);
    process.holds(3, 1);
    assertThat(process.results).containsExactly(Result.DONE);
  }

  @Test
  void aCutIsAboveTheLastOneWhateverTheClock() {
    sealedAndFounded().seals(1, 1, true);
    Driver other = new Driver(Plan.NOTHING).runs();
    other.holds(0, 1);
    other.holds(1, 1);
    long before = record(0).change().cutMicros();
    nowMicros -= 50_000;
    new Driver(PLAN).runs();
    assertThat(record(1).change()).isNotNull();
    assertThat(record(1).change().cutMicros()).isEqualTo(before + 1);
  }

  @Test
  void whatHasArrivedIsWhatFPlusOneReplicasHold() {
    Driver process = new Driver(Plans.move(0, List.of("0", "1", "2"))).runs();
    process.answers(0, 1, new PartitionReply(ID, 1, true, true, 10, 1_000, 5));
    assertThat(process.change.bytes()).isEqualTo(new MapChange.Bytes(0, 1_000));
    process.answers(1, 0, new PartitionReply(ID, 1, true, false, 8, 800, 0));
    assertThat(process.change.bytes().arrived()).isZero();
    process.answers(1, 2, new PartitionReply(ID, 1, true, false, 3, 300, 0));
    assertThat(process.change.bytes().arrived()).isEqualTo(300);
    assertThat(process.change.bytes().left()).isEqualTo(700);
  }

  @Test
  void saysForWhomItWaits() {
    Driver process = new Driver(PLAN).runs();
    process.seals(0, 1, true);
    process.seals(1, 1, false);
    process.founded(0, 1);
    process.founded(2, 1);
    assertThat(process.change.awaited())
        .containsExactly(
            Map.entry(new ReplicaId(0, 1), Awaited.SEAL_REFUSED),
            Map.entry(new ReplicaId(0, 2), Awaited.SEAL));
    process.seals(2, 1, true);
    process.runs();
    process.holds(1, 1);
    assertThat(process.change.awaited())
        .containsExactly(
            Map.entry(new ReplicaId(1, 0), Awaited.KEYS),
            Map.entry(new ReplicaId(1, 2), Awaited.KEYS));
    process.holds(2, 1);
    assertThat(process.change.awaited()).isEmpty();
  }

  @Test
  void saysForWhomAChangeHasWaitedThatWasGivenUp() {
    Driver process = sealedAndFounded();
    nowMicros = record(0).change().cutMicros() + PATIENCE;
    process.runs();
    assertThat(process.results).containsExactly(Result.GIVEN_UP);
    assertThat(process.change.awaited())
        .containsExactly(
            Map.entry(new ReplicaId(0, 1), Awaited.SEAL),
            Map.entry(new ReplicaId(0, 2), Awaited.SEAL));
  }

  @Test
  void aFailedTransactionIsRepeated() {
    Driver process = new Driver(PLAN);
    process.change.onTick(nowMicros);
    assertThat(process.edits).hasSize(1);
    process.edits.clear();
    process.change.onTick(nowMicros + RESEND);
    assertThat(process.edits).isEmpty(); // one at a time
    process.change.onEditFailed(nowMicros);
    process.runs();
    assertThat(record(0).change()).isNotNull();
  }

  @Test
  void nothingToChangeEndsAtOnce() {
    assertThat(new Driver(Plan.NOTHING).runs().results).containsExactly(Result.NOTHING);
    assertThat(record(0)).isEqualTo(MapRecord.first(FIRST)); // a read alone may be old
  }
}
