package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mortydb.protocol.testing.Make.get;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.sent;
import static org.mortydb.protocol.testing.Make.toCoordinator;
import static org.mortydb.protocol.testing.Make.txn;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Effect;

/** How a partition begins (docs/protocol.md, section 9). */
class FoundingTest {
  private final EffectRecorder out = new EffectRecorder();

  /** Replica 0 in incarnation 5; the others are 6 and 7. */
  private final Founding founding = new Founding(replica(0), 3, 5);

  private static Found found(boolean locked, long... incarnations) {
    return new Found(Arrays.stream(incarnations).boxed().toList(), locked, false);
  }

  private boolean hears(int from, Found found) {
    return founding.onFound(replica(from), found, out);
  }

  private List<Effect> told() {
    out.take();
    founding.tell(out);
    return out.take();
  }

  private static List<Effect> toBoth(Found found) {
    return List.of(sent(replica(1), found), sent(replica(2), found));
  }

  @Test
  void anIncarnationIsPositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Founding(replica(0), 3, 0))
        .withMessageContaining("positive");
  }

  @Nested
  class Locking {

    @Test
    void waitsForAllIncarnations() {
      assertThat(told()).isEqualTo(toBoth(found(false, 5, 0, 0)));
      hears(1, found(false, 0, 6, 0));
      assertThat(told()).isEqualTo(toBoth(found(false, 5, 6, 0)));
    }

    @Test
    void tellsAtOnceWhenAllAreKnown() {
      hears(1, found(false, 0, 6, 0));
      assertThat(out.take()).isEmpty();
      hears(2, found(false, 0, 0, 7));
      assertThat(out.take()).isEqualTo(toBoth(found(true, 5, 6, 7)));
    }

    @Test
    void takesNobodysWordForAnother() {
      hears(1, found(false, 5, 6, 7));
      assertThat(told()).isEqualTo(toBoth(found(false, 5, 6, 0)));
    }

    @Test
    void isUndoneByANewIncarnationOfAnother() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(hears(1, found(false, 0, 9, 0))).isFalse();
      assertThat(told()).isEqualTo(toBoth(found(true, 5, 9, 7)));
    }
  }

  @Nested
  class Founded {

    @Test
    void whenAllThreeHaveLockedOnTheSame() {
      hears(1, found(false, 0, 6, 0));
      assertThat(hears(2, found(true, 5, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }

    @Test
    void onTheWordOfOneThatServesAndKnowsThisIncarnation() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(false, 0, 9, 0)); // replica 1 died, and this one locks on its new life
      assertThat(hears(2, new Found(List.of(5L, 6L, 7L), true, true))).isTrue();
    }

    @Test
    void notOnTheWordOfOneThatServesWithAnEarlierLifeOfThisReplica() {
      assertThat(hears(2, new Found(List.of(4L, 6L, 7L), true, true))).isFalse();
    }

    @Test
    void isToldToFellowFoundersButNotToThoseThatServe() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(true, 5, 6, 7));
      founding.serve();
      out.take();
      founding.confirm(replica(2), found(true, 5, 6, 7), out);
      assertThat(out.take())
          .containsExactly(sent(replica(2), new Found(List.of(5L, 6L, 7L), true, true)));
      founding.confirm(replica(2), new Found(List.of(5L, 6L, 7L), true, true), out);
      founding.confirm(replica(1), found(false, 0, 9, 0), out);
      assertThat(out.take()).isEmpty();
    }

    @Test
    void notByTwoWhateverTheySay() {
      for (int i = 0; i < 5; i++) {
        assertThat(hears(1, found(true, 5, 6, 7))).isFalse();
      }
    }

    @Test
    void notByOneWhoHasNotLocked() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(hears(1, found(false, 5, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }

    @Test
    void notByOneWhoLockedOnAnEarlierLifeOfThisReplica() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(hears(1, found(true, 4, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }

    @Test
    void notByAnOldLifeOfAnother() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 9, 7));
      hears(1, found(false, 0, 9, 0));
      assertThat(hears(2, found(true, 5, 9, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isFalse(); // late, from before it died
      assertThat(hears(1, found(true, 5, 9, 7))).isTrue();
    }

    @Test
    void notByWhatWasConfirmedBeforeANewIncarnation() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(false, 0, 9, 0));
      assertThat(hears(1, found(true, 5, 9, 7))).isFalse(); // replica 2 locked on 6
      assertThat(hears(2, found(true, 5, 9, 7))).isTrue();
    }

    @Test
    void notByStrangers() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      assertThat(founding.onFound(new ReplicaId(1, 1), found(true, 5, 6, 7), out)).isFalse();
      assertThat(hears(0, found(true, 5, 6, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6))).isFalse();
      assertThat(hears(1, found(true, 5, 0, 7))).isFalse();
      assertThat(hears(1, found(true, 5, 6, 7))).isTrue();
    }
  }

  @Nested
  class Confirming {

    @Test
    void aFounderWhoWasOneOfThem() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(true, 5, 6, 7));
      out.take();
      founding.confirm(replica(1), found(true, 5, 6, 7), out);
      assertThat(out.take())
          .containsExactly(sent(replica(1), new Found(List.of(5L, 6L, 7L), true, true)));
    }

    @Test
    void nobodyWhoHasLostHisMemorySince() {
      hears(1, found(false, 0, 6, 0));
      hears(2, found(true, 5, 6, 7));
      hears(1, found(true, 5, 6, 7));
      out.take();
      founding.confirm(replica(1), found(false, 0, 9, 0), out);
      assertThat(out.take()).isEmpty();
    }
  }

  @Nested
  class OfAReplica {
    private final ReplicaDriver replica =
        new ReplicaDriver(
            replica(0), new Topology(1, 0), ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    private final long t = ReplicaDriver.START_MICROS;

    @Test
    void servesWhenThePartitionIsFoundedAndNotBefore() {
      replica.replica.join(5);
      replica.tickAfter(0);
      assertThat(replica.receive(get(t, 0, "a")))
          .containsExactly(toCoordinator(new Refused(txn(t), Refusal.NOT_SERVING, t)));
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      assertThat(replica.replica.isServing()).isFalse();
      replica.receive(replica(1), found(true, 5, 6, 7));
      assertThat(replica.replica.isServing()).isTrue();
      assertThat(replica.marks()).contains(Branch.FOUNDED);
      assertThat(replica.log).containsExactly(new LogRecord.Serving(true));
    }

    @Test
    void confirmsAfterwardsButNotToAnotherLife() {
      replica.replica.join(5);
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      replica.receive(replica(1), found(true, 5, 6, 7));
      assertThat(replica.receive(replica(2), found(true, 5, 6, 7)))
          .containsExactly(sent(replica(2), new Found(List.of(5L, 6L, 7L), true, true)));
      assertThat(replica.receive(replica(2), found(false, 0, 0, 8))).isEmpty();
    }

    @Test
    void isWholeAfterARestartOnlyIfItHasServed() {
      replica.replica.join(5);
      assertThat(replica.restarted(replica.log).replica.isWhole()).isFalse();
      replica.receive(replica(1), found(false, 0, 6, 0));
      replica.receive(replica(2), found(true, 5, 6, 7));
      replica.receive(replica(1), found(true, 5, 6, 7));
      assertThat(replica.restarted(replica.log).replica.isWhole()).isTrue();
    }

    @Test
    void isNotWholeAnyMoreOnceItHasBegunToJoinAgain() {
      ReplicaDriver next = replica.restarted(List.of(new LogRecord.Serving(true)));
      next.replica.join(6);
      next.tickAfter(0);
      assertThat(next.restarted(next.log).replica.isWhole()).isFalse();
    }
  }
}
