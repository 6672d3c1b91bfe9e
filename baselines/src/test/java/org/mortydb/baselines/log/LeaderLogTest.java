package org.mortydb.baselines.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.AppendReply;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

class LeaderLogTest {
  private static final ReplicaId LEADER = new ReplicaId(0, 0);
  private static final ReplicaId ONE = new ReplicaId(0, 1);
  private static final ReplicaId TWO = new ReplicaId(0, 2);

  private final List<Long> replicated = new ArrayList<>();
  private final List<Long> applied = new ArrayList<>();
  private final Outbox out = new Outbox();
  private final LeaderLog log = new LeaderLog(LEADER, 3, 2, new Recorder());

  private final class Recorder implements ReplicationListener {
    @Override
    public void replicated(long nowMicros, LogEntry entry, Effects effects) {
      replicated.add(entry.txn().timeMicros());
    }

    @Override
    public void applied(long nowMicros, LogEntry entry, Effects effects) {
      applied.add(entry.txn().timeMicros());
    }
  }

  private static final class Outbox implements Effects {
    record Sent(Endpoint to, Append append) {}

    final List<Sent> sent = new ArrayList<>();
    final List<Timer> armed = new ArrayList<>();
    long delayMicros;

    @Override
    public void send(Endpoint to, Message message) {
      sent.add(new Sent(to, (Append) message));
    }

    @Override
    public void broadcast(int partition, Message message) {
      throw new AssertionError("a log speaks to each follower by itself");
    }

    @Override
    public void armTimer(Timer timer, long micros) {
      armed.add(timer);
      delayMicros = micros;
    }

    @Override
    public void cancelTimer(Timer timer) {
      armed.remove(timer);
    }

    List<Append> to(Endpoint endpoint) {
      List<Append> appends =
          sent.stream().filter(s -> s.to.equals(endpoint)).map(Sent::append).toList();
      sent.removeIf(s -> s.to.equals(endpoint));
      return appends;
    }
  }

  private static LogEntry entry(long number) {
    return new LogEntry.Committed(new TxnId(number, 1, 0), 2 * number, List.of());
  }

  private void append(long now, long... numbers) {
    for (long number : numbers) {
      log.append(entry(number));
    }
    log.endStep(now, 0, out);
  }

  private void reply(long now, ReplicaId from, long last) {
    log.onReply(now, from, new AppendReply(last, 0), out);
    log.endStep(now, 0, out);
  }

  @Test
  void anEntryIsReplicatedWhenAMajorityHoldsIt() {
    append(0, 1);
    assertThat(out.to(ONE)).hasSize(1);
    assertThat(out.to(TWO)).hasSize(1);
    assertThat(replicated).isEmpty();
    reply(100, TWO, 1);
    assertThat(replicated).containsExactly(1L);
    assertThat(applied).containsExactly(1L);
    reply(200, ONE, 1);
    assertThat(applied).containsExactly(1L);
  }

  @Test
  void whatIsAppendedInOneStepTravelsTogether() {
    append(0, 1, 2, 3);
    Append sent = out.to(ONE).getFirst();
    assertThat(sent.firstIndex()).isEqualTo(1);
    assertThat(sent.entries()).containsExactly(entry(1), entry(2), entry(3));
  }

  @Test
  void beyondTwoBatchesEntriesGatherUntilOneIsAcknowledged() {
    append(0, 1);
    append(10, 2);
    append(20, 3);
    append(30, 4);
    assertThat(out.to(ONE)).hasSize(2);
    assertThat(out.armed).containsExactly(Timer.FLUSH);
    reply(400, ONE, 1);
    assertThat(out.to(ONE).getLast().entries()).containsExactly(entry(3), entry(4));
    assertThat(out.armed).isEmpty();
  }

  @Test
  void theyGatherNoLongerThanATimerSays() {
    append(0, 1);
    append(10, 2);
    append(20, 3);
    out.to(ONE);
    assertThat(out.delayMicros).isLessThanOrEqualTo(500);
    log.onFlush(520, 0, out);
    assertThat(out.to(ONE).getFirst().entries()).containsExactly(entry(3));
  }

  @Test
  void appliesInOrderAfterTheCommitWait() {
    log.append(entry(1), 1_000);
    log.append(entry(2));
    log.endStep(0, 0, out);
    reply(100, ONE, 2);
    assertThat(replicated).containsExactly(1L, 2L);
    assertThat(applied).isEmpty();
    assertThat(out.armed).contains(Timer.COMMIT_WAIT);
    log.onWaited(1_000, out);
    assertThat(applied).containsExactly(1L, 2L);
  }

  @Test
  void sendsAgainFromWhatIsAcknowledged() {
    append(0, 1, 2);
    out.sent.clear();
    log.onTick(10, 1_000, 0, out);
    assertThat(out.sent).isEmpty();
    reply(20, ONE, 1);
    out.sent.clear();
    log.onTick(1_100, 1_000, 0, out);
    assertThat(out.to(ONE).getFirst().entries()).containsExactly(entry(2));
    assertThat(out.to(TWO).getFirst().entries()).containsExactly(entry(1), entry(2));
  }

  @Test
  void aClockThatIsSetBackDoesNotDelayWhatIsSentAgain() {
    append(5_000_000, 1);
    out.sent.clear();
    log.onTick(10, 1_000, 0, out);
    assertThat(out.to(ONE).getFirst().entries()).containsExactly(entry(1));
    out.sent.clear();
    log.onTick(20, 1_000, 0, out);
    assertThat(out.sent).isEmpty();
  }

  /** A message holds 1,024 entries at most. */
  @Test
  void onlyTheEndOfTheLogPromisesThatNothingCommitsBelowATime() {
    for (int i = 1; i <= 1_500; i++) {
      log.append(entry(i));
    }
    log.endStep(0, 77, out);
    assertThat(out.to(ONE))
        .extracting(Append::lastIndex, Append::safeMicros)
        .containsExactly(tuple(1_024L, 0L), tuple(1_500L, 77L));
    log.onTick(2_000, 1_000, 88, out);
    assertThat(out.to(ONE).getFirst().safeMicros()).isZero();
  }

  @Test
  void eachFollowerGetsWhatItHasNotBeenSent() {
    for (int i = 1; i <= 1_500; i++) {
      log.append(entry(i));
    }
    log.endStep(0, 0, out);
    reply(10, ONE, 1_500);
    log.onTick(2_000, 1_000, 0, out); // sends a part to the other one again
    out.sent.clear();
    append(2_100, 1_501);
    assertThat(out.to(ONE)).extracting(Append::firstIndex).containsExactly(1_501L);
    assertThat(out.to(TWO)).extracting(Append::firstIndex).containsExactly(1_025L);
  }

  /** What comes before its turn may come again with what was missing. */
  @Test
  void whatCameTwiceDoesNotHoldUpWhatComesLater() {
    FollowerLog end = new FollowerLog(entry -> {});
    end.onAppend(new Append(3, List.of(entry(3)), 0, 0));
    end.onAppend(new Append(1, List.of(entry(1), entry(2), entry(3)), 0, 0));
    end.onAppend(new Append(5, List.of(entry(5)), 0, 0));
    assertThat(end.onAppend(new Append(4, List.of(entry(4)), 0, 0)).lastIndex()).isEqualTo(5);
  }

  @Test
  void repliesAreIdempotentAndMayComeInAnyOrder() {
    append(0, 1, 2, 3);
    reply(10, ONE, 3);
    reply(20, ONE, 1);
    reply(30, ONE, 3);
    assertThat(applied).containsExactly(1L, 2L, 3L);
    assertThatThrownBy(() -> reply(40, ONE, 4)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void forgetsWhatAllHaveAcknowledgedAndSaysWhenItIsFull() {
    for (int i = 1; i <= 10_000; i++) {
      append(i, i);
      reply(i, ONE, i);
      reply(i, TWO, i);
    }
    assertThat(log.keptEntries()).isLessThan(600);
    assertThat(log.isFull()).isFalse();
    for (int i = 0; i < LeaderLog.MAX_KEPT_ENTRIES; i++) {
      log.append(entry(20_000 + i));
    }
    assertThat(log.isFull()).isTrue();
    assertThat(log.keptEntries()).isLessThan(LeaderLog.MAX_KEPT_ENTRIES + 600);
  }

  /** Leader and followers over a network that loses, repeats and reorders. */
  @Test
  void followersApplyTheSameInTheSameOrder() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Long> leaderApplied = new ArrayList<>();
      LeaderLog leader =
          new LeaderLog(
              LEADER,
              3,
              2,
              new ReplicationListener() {
                @Override
                public void replicated(long nowMicros, LogEntry entry, Effects effects) {}

                @Override
                public void applied(long nowMicros, LogEntry entry, Effects effects) {
                  leaderApplied.add(entry.txn().timeMicros());
                }
              });
      List<List<Long>> followersApplied = List.of(new ArrayList<>(), new ArrayList<>());
      List<FollowerLog> followers =
          followersApplied.stream()
              .map(to -> new FollowerLog(entry -> to.add(entry.txn().timeMicros())))
              .toList();
      Outbox network = new Outbox();
      long number = 0;
      for (long now = 0; now < 200_000 && leaderApplied.size() < 300; now += 100) {
        if (number < 300 && random.nextInt(3) > 0) {
          leader.append(entry(++number));
        }
        leader.endStep(now, now, network);
        if (now % 5_000 == 0) {
          leader.onTick(now, 5_000, now, network);
        }
        leader.onFlush(now, now, network);
        for (int i = random.nextInt(4); i > 0 && !network.sent.isEmpty(); i--) {
          int at = random.nextInt(network.sent.size());
          Outbox.Sent message = network.sent.get(at);
          if (random.nextInt(10) > 0) {
            network.sent.remove(at);
          }
          if (random.nextInt(10) > 0) {
            int follower = ((ReplicaId) message.to).index() - 1;
            AppendReply reply = followers.get(follower).onAppend(message.append);
            if (random.nextInt(10) > 0) {
              leader.onReply(now, (ReplicaId) message.to, reply, network);
            }
          }
        }
      }
      assertThat(leaderApplied).as("seed %d", seed).hasSize(300).isSorted();
      for (List<Long> follower : followersApplied) {
        assertThat(leaderApplied.subList(0, follower.size())).isEqualTo(follower);
      }
    }
  }

  @Test
  void aPromiseHoldsOnlyWhenAllBeforeItIsApplied() {
    List<Long> follower = new ArrayList<>();
    FollowerLog end = new FollowerLog(entry -> follower.add(entry.txn().timeMicros()));
    end.onAppend(new Append(2, List.of(entry(2)), 2, 40));
    assertThat(end.safeMicros()).isZero();
    assertThat(end.onAppend(new Append(1, List.of(entry(1)), 1, 0)))
        .isEqualTo(new AppendReply(2, 2));
    assertThat(end.safeMicros()).isEqualTo(40);
    end.onAppend(new Append(3, List.of(entry(3)), 2, 60));
    assertThat(end.safeMicros()).isEqualTo(40);
    end.onAppend(new Append(4, List.of(), 3, 0));
    assertThat(end.safeMicros()).isEqualTo(60);
    assertThat(follower).containsExactly(1L, 2L, 3L);
  }
}
