package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.abort;
import static org.mortydb.protocol.testing.Make.absent;
import static org.mortydb.protocol.testing.Make.accepted;
import static org.mortydb.protocol.testing.Make.client;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.committing;
import static org.mortydb.protocol.testing.Make.drop;
import static org.mortydb.protocol.testing.Make.finalizing;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.got;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.keyIn;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.pushed;
import static org.mortydb.protocol.testing.Make.put;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.retract;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.tentative;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.voted;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;

/** What a replica does not serve, and how it says so (docs/protocol.md, sections 3 and 6). */
class ReplicaRefusalTest {
  private static final long SKEW = ReplicaOptions.DEFAULTS.allowedSkewMicros();
  private static final long AHEAD = ReplicaDriver.START_MICROS + SKEW + 1;

  private final ReplicaDriver replica = new ReplicaDriver();

  private void assertRefused(Message message, Refusal reason) {
    assertThat(replica.receive(message))
        .containsExactly(toCoordinator(new Refused(message.txn(), reason, replica.nowMicros)));
  }

  private void assertKeepsNothing() {
    assertThat(replica.replica.census().transactions()).isZero();
    assertThat(replica.replica.census().keys()).isZero();
  }

  /** Timestamps beyond the replica's clock and the allowed skew. */
  @Nested
  class ClockAhead {

    @Test
    void getIsRefusedWithTheReplicasClock() {
      assertRefused(get(AHEAD, 0, "a"), Refusal.CLOCK_AHEAD);
      assertThat(replica.marks()).containsExactly(Branch.CLOCK_REFUSED);
      assertKeepsNothing();
    }

    @Test
    void putIsRefusedWithTheReplicasClock() {
      assertRefused(put(AHEAD, 0, "a", 1, "x"), Refusal.CLOCK_AHEAD);
      assertKeepsNothing();
    }

    @Test
    void prepareGetsATentativeAbandon() {
      assertThat(replica.receive(prepare(AHEAD, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(AHEAD, 0, tentative(Vote.Reason.CLOCK_AHEAD))));
      assertKeepsNothing();
    }

    @Test
    void abortLeavesNothing() {
      assertThat(replica.receive(abort(AHEAD))).isEmpty();
      assertKeepsNothing();
    }

    @Test
    void retractLeavesNothing() {
      assertThat(replica.receive(retract(AHEAD, 1, "a"))).isEmpty();
      assertKeepsNothing();
    }

    @Test
    void dropLeavesNothing() {
      assertThat(replica.receive(drop(AHEAD, 0))).isEmpty();
      assertKeepsNothing();
    }

    @Test
    void proposalToCommitIsRefused() {
      assertRefused(finalizing(AHEAD, committing(0)), Refusal.CLOCK_AHEAD);
      assertKeepsNothing();
    }

    @Test
    void proposalToAbortIsAcceptedSoThatTheClientCanEnd() {
      assertThat(replica.receive(finalizing(AHEAD, Outcome.ABORT)))
          .containsExactly(toCoordinator(accepted(AHEAD)));
    }

    @Test
    void commitIsInstalledAllTheSame() {
      replica.receive(commit(AHEAD, 0));
      replica.receive(replica(1), prepare(AHEAD, 0).writes("a", 1, "x").fetched());
      assertThat(replica.replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(AHEAD, 1), "x"));
    }

    @Test
    void theAllowedSkewIsServed() {
      assertThat(replica.receive(prepare(AHEAD - 1, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(AHEAD - 1, 0, Vote.COMMIT)));
    }

    @Test
    void servesTheSameTransactionOnceTheClockHasCaughtUp() {
      replica.receive(prepare(AHEAD, 0).writes("a", 1, "x").message());
      replica.nowMicros++;
      assertThat(replica.receive(prepare(AHEAD, 0).writes("a", 1, "x").message()))
          .containsExactly(toCoordinator(voted(AHEAD, 0, Vote.COMMIT)));
    }
  }

  @Nested
  class WrongPartition {
    private final ReplicaDriver second =
        new ReplicaDriver(
            new ReplicaId(1, 0),
            new Topology(1, 0, 0),
            ReplicaOptions.DEFAULTS,
            ReplicaRules.SOUND);
    private final Key foreign = keyIn(0, 2, 0);
    private final Key own = keyIn(1, 2, 0);

    private void assertRefuses(Message message) {
      assertThat(second.receive(message))
          .containsExactly(
              sent(
                  client(50),
                  new Refused(txn(50), Refusal.WRONG_PARTITION, ReplicaDriver.START_MICROS)));
      assertThat(second.replica.census().keys()).isZero();
    }

    @Test
    void getIsRefused() {
      assertRefuses(new Message.Get(txn(50), 0, foreign));
    }

    @Test
    void putIsRefused() {
      assertRefuses(new Message.Put(txn(50), 0, new Write(foreign, 1, value("x"))));
    }

    @Test
    void prepareIsRefusedForOneForeignKeyAndGetsNoVote() {
      var execution = prepare(50, 0).message().execution();
      assertRefuses(
          new Message.Prepare(
              execution,
              List.of(new Read(own, INITIAL), new Read(foreign, INITIAL)),
              List.of(),
              List.of(0, 1)));
      assertRefuses(
          new Message.Prepare(
              execution, List.of(), List.of(new Write(foreign, 1, value("x"))), List.of(0, 1)));
    }

    @Test
    void ownKeysAreServed() {
      assertThat(second.receive(new Message.Put(txn(50), 0, new Write(own, 1, value("x")))))
          .isEmpty();
    }
  }

  @Nested
  class Oversized {
    private final Key longest = Key.wrap(new byte[Limits.MAX_KEY_BYTES]);
    private final Key tooLong = Key.wrap(new byte[Limits.MAX_KEY_BYTES + 1]);
    private final Value largest = Value.wrap(new byte[Limits.MAX_VALUE_BYTES]);
    private final Value tooLarge = Value.wrap(new byte[Limits.MAX_VALUE_BYTES + 1]);

    @Test
    void keyOfAGet() {
      assertRefused(new Message.Get(txn(50), 0, tooLong), Refusal.OVERSIZED);
      assertKeepsNothing();
    }

    @Test
    void keyOfAPut() {
      assertRefused(new Message.Put(txn(50), 0, new Write(tooLong, 1, largest)), Refusal.OVERSIZED);
      assertKeepsNothing();
    }

    @Test
    void valueOfAPut() {
      assertRefused(
          new Message.Put(txn(50), 0, new Write(longest, 1, tooLarge)), Refusal.OVERSIZED);
      assertKeepsNothing();
    }

    @Test
    void setsOfAPrepare() {
      var execution = new ExecutionId(txn(50), 0);
      assertRefused(
          new Message.Prepare(
              execution, List.of(new Read(tooLong, INITIAL)), List.of(), List.of(0)),
          Refusal.OVERSIZED);
      assertRefused(
          new Message.Prepare(
              execution, List.of(), List.of(new Write(longest, 1, tooLarge)), List.of(0)),
          Refusal.OVERSIZED);
      assertKeepsNothing();
    }

    @Test
    void writeSetOfAPrepare() {
      List<Write> writes = new ArrayList<>();
      for (int i = 0; i < Limits.MAX_WRITE_SET_BYTES / Limits.MAX_VALUE_BYTES; i++) {
        writes.add(new Write(Key.of("k" + i), 1, largest));
      }
      assertRefused(
          new Message.Prepare(new ExecutionId(txn(50), 0), List.of(), writes, List.of(0)),
          Refusal.OVERSIZED);
      assertKeepsNothing();
    }

    @Test
    void numberOfOperationsOfAPrepare() {
      List<Read> reads = new ArrayList<>();
      for (int i = 0; i <= Limits.MAX_OPERATIONS; i++) {
        reads.add(new Read(Key.of("k" + i), INITIAL));
      }
      assertRefused(
          new Message.Prepare(new ExecutionId(txn(50), 0), reads, List.of(), List.of(0)),
          Refusal.OVERSIZED);
      assertKeepsNothing();
    }

    @Test
    void theLargestIsServed() {
      assertThat(replica.receive(new Message.Get(txn(50), 0, longest))).hasSize(1);
      assertThat(replica.receive(new Message.Put(txn(40), 0, new Write(longest, 1, largest))))
          .containsExactly(
              sent(client(50), new Message.Push(txn(50), 0, 2, version(40, 1), largest, false)));
    }
  }

  @Test
  void answersAddressedToACoordinatorAreIgnored() {
    assertThat(replica.receive(got(50, 0, 1, absent("a")))).isEmpty();
    assertThat(replica.receive(pushed(50, 0, 1, absent("a")))).isEmpty();
    assertThat(replica.receive(voted(50, 0, Vote.COMMIT))).isEmpty();
    assertThat(replica.receive(accepted(50))).isEmpty();
    assertThat(replica.receive(new Message.InquireReply(txn(50)))).isEmpty();
    assertThat(replica.receive(new Refused(txn(50), Refusal.TRUNCATED, 1))).isEmpty();
    assertKeepsNothing();
  }
}
