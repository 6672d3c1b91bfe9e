package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/** Which transactions hear of which write (docs/protocol.md, section 14). */
class ForwardingTest {
  private static final Key A = Key.of("a");
  private static final Key B = Key.of("b");

  private final Forwarding forwarding = new Forwarding();
  private final Loop one = new Loop();
  private final Loop other = new Loop();
  private final List<String> heard = new ArrayList<>();

  private Txn t10;
  private Txn t20;
  private Txn t30;
  private Txn t40;

  @BeforeEach
  void fourTransactions() {
    t10 = new Txn(10, one);
    t20 = new Txn(20, one);
    t30 = new Txn(30, one);
    t40 = new Txn(40, one);
  }

  private List<String> heard() {
    one.run();
    other.run();
    List<String> all = List.copyOf(heard);
    heard.clear();
    return all;
  }

  @Test
  void followersAboveTheWriterHearOfAWrite() {
    t10.member.follow(t10.id, A);
    t30.member.follow(t30.id, A);
    t40.member.follow(t40.id, B);
    t20.prepares(A, 1);
    assertThat(heard()).containsExactly("30 a=20/1");
  }

  @Test
  void theNextWriterIsTheLastToHear() {
    t20.member.follow(t20.id, A);
    t30.member.follow(t30.id, A);
    t40.member.follow(t40.id, A);
    t30.puts(A, 1);
    assertThat(heard()).as("a Put is about to change").isEmpty();
    t10.prepares(A, 1);
    assertThat(heard()).containsExactly("20 a=10/1", "30 a=10/1");
    t30.prepares(A, 2);
    assertThat(heard()).containsExactly("40 a=30/2");
  }

  @Test
  void whoFollowsLaterHearsOfTheWriteBelow() {
    t40.member.follow(t40.id, A);
    t10.prepares(A, 1);
    t20.prepares(A, 1);
    heard();
    t30.member.follow(t30.id, A);
    assertThat(heard()).containsExactly("30 a=20/1");
  }

  @Test
  void aWriteThatIsOnlyPutIsNotToldToWhoFollowsLater() {
    t40.member.follow(t40.id, A);
    t20.puts(A, 1);
    t30.member.follow(t30.id, A);
    assertThat(heard()).isEmpty();
  }

  @Test
  void theSameWriteIsToldOnce() {
    t30.member.follow(t30.id, A);
    t10.prepares(A, 1);
    t10.prepares(A, 1);
    assertThat(heard()).containsExactly("30 a=10/1");
  }

  @Test
  void aWriteThatTheNextExecutionDoesNotMakeIsWithdrawn() {
    t30.member.follow(t30.id, A);
    t30.member.follow(t30.id, B);
    t10.member.shown(t10.id, List.of(write(A, 1), write(B, 1)), true);
    heard();
    t10.prepares(B, 2);
    assertThat(heard()).containsExactly("30 a gone 10/1", "30 b=10/2");
  }

  @Test
  void aPutOfTheNextExecutionLeavesWhatWasTold() {
    t30.member.follow(t30.id, A);
    t10.prepares(A, 1);
    t10.puts(A, 2);
    heard();
    t10.member.withdraw(t10.id);
    assertThat(heard()).containsExactly("30 a gone 10/1");
  }

  @Test
  void theWritesOfATransactionThatHasAbortedAreWithdrawn() {
    t30.member.follow(t30.id, A);
    t10.prepares(A, 1);
    heard();
    t10.member.withdraw(t10.id);
    assertThat(heard()).containsExactly("30 a gone 10/1");
    t20.member.follow(t20.id, A);
    assertThat(heard()).isEmpty();
  }

  /** The attempt does it, as soon as its coordinator knows. */
  @Test
  void theEndOfAnAttemptWithoutACommitWithdrawsItsWrites() {
    t30.member.follow(t30.id, A);
    t10.attempt.endTurn();
    assertThat(heard()).containsExactly("30 a=10/1");
    t10.attempt.cancel();
    assertThat(heard()).containsExactly("30 a gone 10/1");
  }

  /** The outcome takes another round trip, and nobody has to wait for it. */
  @Test
  void writesThatAreTakenBackAheadOfAnAbortAreWithdrawn() {
    t20.member.follow(t20.id, A);
    t10.attempt.endTurn();
    heard();
    t10.attempt.step(new Event.Renumber());
    assertThat(heard()).containsExactly("20 a gone 10/1");
  }

  @Test
  void anAttemptThatHasNoWorkLeftFollowsNothing() {
    t30.attempt.commit();
    assertThat(forwarding.size()).isOne();
    t30.attempt.retire();
    assertThat(forwarding.size()).isZero();
  }

  @Test
  void theWritesOfATransactionThatHasCommittedAreForgotten() {
    t30.member.follow(t30.id, A);
    t10.prepares(A, 1);
    heard();
    t10.member.leave(t10.id);
    t20.member.follow(t20.id, A);
    assertThat(heard()).isEmpty();
  }

  @Test
  void nothingIsKeptOfKeysThatNobodyFollows() {
    t10.prepares(A, 1);
    assertThat(forwarding.size()).isZero();
    t20.member.follow(t20.id, A);
    t30.member.follow(t30.id, A);
    assertThat(heard()).as("the replica has the write").isEmpty();
    t20.member.leave(t20.id);
    assertThat(forwarding.size()).isOne();
    t30.member.leave(t30.id);
    assertThat(forwarding.size()).isZero();
  }

  @Test
  void whoHasEndedMeanwhileHearsNothing() {
    t30.member.follow(t30.id, A);
    t10.prepares(A, 1);
    one.attempts.remove(t30.attempt);
    assertThat(heard()).isEmpty();
  }

  @Test
  void anotherLoopIsHandedTheTask() {
    Txn elsewhere = new Txn(50, other);
    elsewhere.member.follow(elsewhere.id, A);
    t10.prepares(A, 1);
    one.run();
    assertThat(heard).isEmpty();
    other.run();
    assertThat(heard).containsExactly("50 a=10/1");
  }

  /** Two loops write and follow the same keys at the same time; nothing is left of it. */
  @Test
  @Timeout(60)
  void loopsMayUseItTogether() throws InterruptedException {
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      int parity = t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    Loop loop = new Loop();
                    try {
                      begin.await(10, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                    for (int i = 1; i <= 20_000; i++) {
                      Txn txn = new Txn(2L * i + parity, loop);
                      txn.member.follow(txn.id, A);
                      txn.prepares(A, 1);
                      if (i % 3 == 0) {
                        txn.member.withdraw(txn.id);
                      }
                      txn.member.leave(txn.id);
                    }
                  }));
    }
    begin.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(forwarding.size()).isZero();
  }

  private static Write write(Key key, int valueId) {
    return new Write(key, valueId, Value.of("v" + valueId));
  }

  /** A transaction whose coordinator notes what it hears. */
  private final class Txn {
    private final TxnId id;
    private final Attempt attempt;
    private final Forwarding.Member member;

    Txn(long time, Loop loop) {
      id = new TxnId(time, 1, 0);
      attempt =
          new Attempt(
              loop,
              loop.attempts,
              forwarding,
              new RunningTransaction<>(
                  loop,
                  new AttemptTest.RecordingDriver(),
                  TransactionOptions.DEFAULTS,
                  0,
                  RunningTransaction.BY_TIME),
              new Listener(id),
              time,
              time);
      loop.attempts.add(attempt);
      member = forwarding.member(loop, loop.attempts, attempt);
    }

    void prepares(Key key, int valueId) {
      member.shown(id, List.of(write(key, valueId)), true);
    }

    void puts(Key key, int valueId) {
      member.shown(id, List.of(write(key, valueId)), false);
    }
  }

  private final class Listener implements CoordinatorMachine {
    private final TxnId id;

    Listener(TxnId id) {
      this.id = id;
    }

    @Override
    public TxnId txn() {
      return id;
    }

    /**
     * Shows a write at the end of a turn, follows a key at a commit, and aborts when told to. Takes
     * its writes back instead if it has to begin again.
     */
    @Override
    public void step(long now, Event event, CoordinatorEffects out) {
      if (event instanceof Event.CallYield) {
        out.shown(List.of(write(A, 1)), true);
      } else if (event instanceof Event.CallCommit) {
        out.follow(A);
      } else if (event instanceof Event.CallAbort) {
        out.complete(new Completion.Aborted(id, Completion.AbortReason.CONFLICT));
      } else if (event instanceof Event.Renumber) {
        out.withdrawn();
      } else if (event instanceof Event.Forwarded forwarded) {
        String version =
            forwarded.version().writer().timeMicros() + "/" + forwarded.version().valueId();
        heard.add(
            id.timeMicros()
                + " "
                + forwarded.key()
                + (forwarded.value() == null ? " gone " : "=")
                + version);
      }
    }
  }

  /** The loop of one engine. */
  private static final class Loop implements EngineHost {
    private final Attempts attempts = new Attempts(1);
    private final ArrayList<Runnable> handedOver = new ArrayList<>();

    void run() {
      for (Runnable next = attempts.pollForward(); next != null; next = attempts.pollForward()) {
        next.run();
      }
      handedOver.forEach(Runnable::run);
      handedOver.clear();
    }

    @Override
    public long nowMicros() {
      return 1;
    }

    @Override
    public void send(Endpoint to, Message message) {}

    @Override
    public void broadcast(int partition, Message message) {}

    @Override
    public void schedule(long delayMicros, EngineTimer timer) {}

    @Override
    public void cancel(EngineTimer timer) {}

    @Override
    public void handOver(Runnable task) {
      synchronized (handedOver) {
        handedOver.add(task);
      }
    }

    @Override
    public void awaitBatchEnd() {}

    @Override
    public void onError(Throwable error) {
      throw new AssertionError(error);
    }
  }
}
