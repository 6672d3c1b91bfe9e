package org.mortydb.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Completed;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Resumed;
import org.mortydb.protocol.testing.EffectRecorder.Retired;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/**
 * A coordinator among replicas that answer anything in any order, with what it may do and decide
 * kept in books beside it.
 */
class CoordinatorScheduleTest {
  private static final int F = 1;
  private static final int REPLICAS = 2 * F + 1;
  private static final int PARTITIONS = 2;
  private static final int SCHEDULES = 1_500;

  /** How many schedules ended in what, to know that the tests get anywhere. */
  private final Map<String, Integer> ends = new HashMap<>();

  private static final class Books {
    final Map<Integer, List<Integer>> participants = new HashMap<>();
    final Map<Integer, Map<ReplicaId, Vote>> votes = new HashMap<>();
    final Set<Integer> accepted = new HashSet<>();
    int highest = -1;
    @Nullable Outcome proposed;
    @Nullable Outcome decided;

    /** The partitions that were asked to register, by execution. */
    final Map<Integer, TreeSet<Integer>> registered = new HashMap<>();

    boolean wrote;
    boolean readOnly;
    int completions;
    boolean retired;

    /** Whether each participant of an execution has enough votes to commit it. */
    boolean has(int quorum, int execution) {
      return has(quorum, execution, participants.get(execution));
    }

    private boolean has(int quorum, int execution, Collection<Integer> partitions) {
      Map<ReplicaId, Vote> cast = votes.getOrDefault(execution, Map.of());
      for (int partition : partitions) {
        long commits =
            cast.entrySet().stream()
                .filter(entry -> entry.getKey().partition() == partition)
                .filter(entry -> entry.getValue().isCommit())
                .count();
        if (commits < quorum) {
          return false;
        }
      }
      return true;
    }

    boolean wasFinallyAbandoned(int execution) {
      Map<ReplicaId, Vote> cast = votes.getOrDefault(execution, Map.of());
      Map<Integer, Integer> registered = new HashMap<>();
      cast.forEach(
          (replica, vote) -> {
            if (vote instanceof Vote.Abandon abandon
                && abandon.reason() == Vote.Reason.REGISTERED_READ
                && participants.get(execution).contains(replica.partition())) {
              registered.merge(replica.partition(), 1, Integer::sum);
            }
          });
      return registered.values().stream().anyMatch(count -> count > F)
          || cast.values().stream()
              .anyMatch(vote -> vote instanceof Vote.Abandon abandon && abandon.isFinal());
    }

    void note(List<Effect> effects, TxnId txn) {
      for (Effect effect : effects) {
        assertThat(retired).as("effects after the end: %s", effect).isFalse();
        switch (effect) {
          case Sent(ReplicaId to, Message.Register register) -> registers(to, register);
          case Sent(var to, Message message) -> sent(message, txn);
          case Broadcast(int partition, Message message) -> sent(message, txn);
          case Resumed resumed -> {
            assertThat(proposed).as("runs again after a proposal").isNull();
            assertThat(decided).as("runs again after the outcome").isNull();
          }
          case Completed completed -> completed(completed.completion());
          case Retired() -> retired = true;
          default -> {}
        }
      }
    }

    private void registers(ReplicaId to, Message.Register register) {
      int number = register.execution().number();
      assertThat(wrote).as("registers reads after it has written").isFalse();
      assertThat(number).isGreaterThanOrEqualTo(highest);
      highest = number;
      registered.computeIfAbsent(number, n -> new TreeSet<>()).add(to.partition());
    }

    private void completed(Completion completion) {
      assertThat(++completions).isEqualTo(1);
      if (completion instanceof Completion.Committed committed
          && committed.path() == Completion.Path.READ_ONLY) {
        assertThat(committed.execution()).isEqualTo(highest);
        assertThat(decided).as("tells of a commit that needs no outcome").isNull();
        assertThat(has(F + 1, highest, registered.get(highest))).isTrue();
        readOnly = true;
      }
    }

    private void sent(Message message, TxnId txn) {
      wrote |= message instanceof Message.Put || message instanceof Message.Prepare;
      assertThat(message.txn()).isEqualTo(txn);
      switch (message) {
        case Message.Prepare prepare -> {
          int number = prepare.execution().number();
          assertThat(proposed).as("prepares after a proposal").isNull();
          assertThat(number).isGreaterThanOrEqualTo(highest);
          highest = number;
          participants.put(number, prepare.participants());
        }
        case Message.Put put -> assertThat(proposed).isNull();
        case Message.Retract retract -> assertThat(proposed).isNull();
        case Message.Drop drop -> assertThat(proposed).isNull();
        case Message.Finalize finalize -> {
          assertThat(finalize.view()).isEqualTo(View.CLIENT);
          assertThat(finalize.value()).isEqualTo(proposed == null ? finalize.value() : proposed);
          proposed = finalize.value();
          if (proposed instanceof Outcome.Commit(int number, List<Integer> at)) {
            assertThat(number).as("proposes the last execution").isEqualTo(highest);
            assertThat(at).isEqualTo(participants.get(number));
            assertThat(has(F + 1, number)).as("proposes on enough votes").isTrue();
          }
        }
        case Message.Decide decide -> decided(decide.outcome());
        default -> {}
      }
    }

    private void decided(Outcome outcome) {
      assertThat(outcome).isEqualTo(decided == null ? outcome : decided);
      decided = outcome;
      boolean agreed = outcome.equals(proposed) && accepted.size() >= F + 1;
      switch (outcome) {
        case Outcome.Commit(int number, List<Integer> at) -> {
          assertThat(number).isEqualTo(highest);
          assertThat(agreed || has(REPLICAS, number)).as("commits on a quorum").isTrue();
        }
        case Outcome.Abort() ->
            assertThat(
                    agreed
                        || participants.isEmpty()
                        || (participants.size() == 1 && wasFinallyAbandoned(highest)))
                .as("aborts at once only while it may")
                .isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void decidesOnlyWhatItMay(long seed) {
    for (int i = 0; i < SCHEDULES; i++) {
      run(new SplittableRandom(seed * 1_000_003 + i));
    }
    assertThat(ends.keySet())
        .contains("commit fast", "commit slow", "abort fast", "abort slow", "read only", "open");
    ends.forEach((end, times) -> assertThat(times).as(end).isGreaterThan(SCHEDULES / 100));
  }

  private void run(SplittableRandom random) {
    CoordinatorOptions options =
        new CoordinatorOptions(1_000_000, 500_000, 100_000, 1_000, 0, policy(random));
    Coordinator coordinator =
        new Coordinator(
            AttemptSpec.first(1_000, 7),
            new Topology(F, new int[PARTITIONS]),
            options,
            CoordinatorRules.SOUND);
    EffectRecorder out = new EffectRecorder();
    Books books = new Books();
    long now = 1_000;
    boolean friendly = random.nextInt(3) == 0;
    for (int step = 0; step < 80 && !books.retired; step++) {
      now += random.nextInt(20_000);
      Event event = anything(random, coordinator, books, friendly);
      boolean outstanding = false;
      try {
        coordinator.step(now, event, out);
      } catch (IllegalStateException e) {
        // A commit while a read is outstanding, which a driver never asks for.
        assertThat(event).isInstanceOf(Event.CallCommit.class);
        outstanding = true;
      }
      List<Effect> effects = out.take();
      assertThat(outstanding && !effects.isEmpty()).isFalse();
      books.note(effects, coordinator.txn());
    }
    String how =
        books.readOnly
            ? "read only"
            : books.decided == null
                ? "open"
                : books.decided instanceof Outcome.Abort ? "abort" : "commit";
    ends.merge(
        how.equals("read only") || how.equals("open")
            ? how
            : how + (books.proposed == null ? " fast" : " slow"),
        1,
        Integer::sum);
  }

  private static ReexecutionPolicy policy(SplittableRandom random) {
    ReexecutionPolicy policy = ReexecutionPolicy.upTo(random.nextInt(12));
    return random.nextBoolean() ? policy.gathering() : policy;
  }

  private Event anything(
      SplittableRandom random, Coordinator coordinator, Books books, boolean friendly) {
    int execution = coordinator.execution();
    TxnId txn = coordinator.txn();
    return switch (random.nextInt(20)) {
      case 0, 1 -> new Event.CallGet(execution, List.of(key(random)));
      case 2 -> new Event.CallPut(execution, key(random), value(random));
      case 3 -> random.nextBoolean() ? new Event.CallYield(execution) : new Event.BatchEnded();
      case 4, 5 -> new Event.CallCommit(execution);
      case 6 -> {
        Timer[] timers = Timer.values();
        yield random.nextInt(8) == 0 && !friendly
            ? new Event.CallAbort(execution)
            : new Event.TimerFired(timers[random.nextInt(timers.length - 2)]);
      }
      case 7, 8, 9 -> {
        VersionedValue seen = seen(random);
        int request = random.nextInt(4);
        yield received(
            new ReplicaId(0, 0),
            random.nextBoolean()
                ? new Message.GetReply(
                    txn, request, 1, seen.version(), seen.value(), seen.settled())
                : new Message.Push(
                    txn,
                    request,
                    friendly ? 1 : 1 + random.nextInt(8),
                    seen.version(),
                    seen.value(),
                    seen.settled()));
      }
      case 10, 11 -> {
        ReplicaId from = replica(random);
        if (books.proposed != null && from.partition() == txn.home()) {
          books.accepted.add(from.index());
        }
        yield received(
            from, new Message.FinalizeReply(txn, View.CLIENT, new FinalizeAnswer.Accepted()));
      }
      default -> {
        ReplicaId from = replica(random);
        int number = Math.max(0, execution - random.nextInt(2) * random.nextInt(2));
        Vote vote = friendly || random.nextInt(3) != 0 ? Vote.COMMIT : abandon(random);
        if (books.participants.containsKey(number) || books.registered.containsKey(number)) {
          books.votes.computeIfAbsent(number, e -> new HashMap<>()).putIfAbsent(from, vote);
        }
        yield received(
            from,
            new Message.PrepareReply(new ExecutionId(txn, number), new PrepareAnswer.Voted(vote)));
      }
    };
  }

  private static Event received(ReplicaId from, Message message) {
    return new Event.Received(from, message);
  }

  private static Vote abandon(SplittableRandom random) {
    List<VersionedValue> fresh = new ArrayList<>();
    if (random.nextBoolean()) {
      fresh.add(seen(random));
    }
    Vote.Reason[] reasons = Vote.Reason.values();
    return new Vote.Abandon(random.nextInt(3) == 0, reasons[random.nextInt(reasons.length)], fresh);
  }

  private static VersionedValue seen(SplittableRandom random) {
    WriteId version = new WriteId(new TxnId(1 + random.nextInt(900), 1, 0), 1 + random.nextInt(2));
    return new VersionedValue(key(random), version, value(random), random.nextInt(32) > 0);
  }

  private static Key key(SplittableRandom random) {
    return Key.of("k" + random.nextInt(4));
  }

  private static Value value(SplittableRandom random) {
    return Value.of("v" + random.nextInt(2));
  }

  private static ReplicaId replica(SplittableRandom random) {
    return new ReplicaId(random.nextInt(PARTITIONS), random.nextInt(REPLICAS));
  }

  /** The books themselves notice a coordinator that breaks the rules. */
  @Test
  void booksNoticeASecondProposal() {
    Books books = new Books();
    TxnId txn = new TxnId(1_000, 7, 0);
    books.note(
        List.of(new Broadcast(0, new Message.Finalize(txn, View.CLIENT, Outcome.ABORT))), txn);
    books.participants.put(0, List.of(0));
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () ->
                    books.note(
                        List.of(
                            new Broadcast(
                                0,
                                new Message.Finalize(
                                    txn, View.CLIENT, Outcome.commit(0, List.of(0))))),
                        txn)))
        .isInstanceOf(AssertionError.class);
  }
}
