package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.commit;
import static org.mortydb.protocol.testing.Make.committed;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.prepare;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.version;
import static org.mortydb.protocol.testing.Make.watermark;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** The three replicas of a partition, whose clocks may be wrong (docs/protocol.md, section 6). */
class WrongClockTest {
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, 2_000_000, 50_000, 200_000, 8);
  private static final long YEAR = 365 * 86_400_000_000L;
  private static final long START = 3 * YEAR;

  private record Posted(ReplicaId from, ReplicaId to, Message message) {}

  private final List<ReplicaDriver> replicas = new ArrayList<>();
  private final long[] wrongMicros = new long[3];
  private final ArrayDeque<Posted> posted = new ArrayDeque<>();
  private long nowMicros = START;

  WrongClockTest() {
    for (int i = 0; i < 3; i++) {
      replicas.add(driver(i));
    }
  }

  private static ReplicaDriver driver(int index) {
    return new ReplicaDriver(replica(index), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
  }

  private void run(long micros) {
    for (long end = nowMicros + micros; nowMicros < end; ) {
      nowMicros += OPTIONS.tickMicros();
      for (int i = 0; i < 3; i++) {
        post(i, at(i).tickAfter(0));
      }
      deliver();
    }
  }

  private ReplicaDriver at(int index) {
    ReplicaDriver driver = replicas.get(index);
    driver.nowMicros = nowMicros + wrongMicros[index];
    return driver;
  }

  private void post(int from, List<Effect> effects) {
    for (Effect effect : effects) {
      if (effect instanceof Sent(ReplicaId to, Message message)) {
        posted.add(new Posted(replica(from), to, message));
      } else if (effect instanceof Broadcast(int ignored, Message message)) {
        for (int i = 0; i < 3; i++) {
          posted.add(new Posted(replica(from), replica(i), message));
        }
      }
    }
  }

  private void deliver() {
    for (Posted next = posted.poll(); next != null; next = posted.poll()) {
      int to = next.to().index();
      post(to, at(to).step(new Event.Received(next.from(), next.message())));
    }
  }

  private void install(long at, String key, String value) {
    for (int i = 0; i < 3; i++) {
      post(i, at(i).receive(prepare(at, 0).writes(key, 1, value).message()));
      post(i, at(i).receive(commit(at, 0)));
    }
    deliver();
  }

  private void restartWithoutMemory(int index) {
    replicas.set(index, driver(index));
    replicas.get(index).replica.join(1, false);
  }

  private void assertCurrent(int index) {
    Replica.Census census = replicas.get(index).replica.census();
    assertThat(replicas.get(index).replica.isServing()).isTrue();
    assertThat(census.fenceMicros()).isLessThanOrEqualTo(nowMicros + OPTIONS.allowedSkewMicros());
    assertThat(nowMicros - census.watermarkMicros())
        .isLessThan(OPTIONS.retentionMicros() + 1_000_000);
  }

  @Test
  void aServerWithoutMemoryWhoseClockIsAYearAheadFencesNobody() {
    install(START, "a", "x");
    run(10_000_000);
    wrongMicros[2] = YEAR;
    restartWithoutMemory(2);
    run(10_000_000);
    assertThat(replicas.get(2).replica.isServing()).isFalse();
    assertThat(replicas.get(0).replica.census().refusedFence()).isNotNull();
    assertCurrent(0);
    assertCurrent(1);
    wrongMicros[2] = 0;
    run(20_000_000);
    for (int i = 0; i < 3; i++) {
      assertCurrent(i);
      assertThat(replicas.get(i).replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(START, 1), "x"));
    }
  }

  @Test
  void aServerWithoutMemoryWhoseClockIsAYearBehindJoinsOnceItIsRight() {
    install(START, "a", "x");
    run(10_000_000);
    wrongMicros[2] = -YEAR;
    restartWithoutMemory(2);
    run(10_000_000);
    assertThat(replicas.get(2).replica.isServing()).isFalse();
    wrongMicros[2] = 0;
    run(20_000_000);
    assertCurrent(2);
  }

  @Test
  void aFirstReplicaWhoseClockIsAYearAheadMovesNoWatermark() {
    run(10_000_000);
    wrongMicros[0] = YEAR;
    run(20_000_000);
    assertCurrent(1);
    assertCurrent(2);
    wrongMicros[0] = 0;
    run(20_000_000);
    for (int i = 0; i < 3; i++) {
      assertCurrent(i);
    }
  }

  /** Two clocks are ahead: the partition is fenced in the future, and serves nobody. */
  @Test
  void aPartitionThatIsFencedInTheFutureServesAgainOnceTheClocksHavePassedTheFence() {
    run(10_000_000);
    wrongMicros[0] = 60_000_000;
    wrongMicros[1] = 60_000_000;
    run(30_000_000);
    wrongMicros[0] = 0;
    wrongMicros[1] = 0;
    long fence = replicas.get(1).replica.census().fenceMicros();
    assertThat(fence).isGreaterThan(nowMicros + OPTIONS.allowedSkewMicros());
    run(fence - nowMicros + 20_000_000);
    for (int i = 0; i < 3; i++) {
      assertCurrent(i);
    }
  }

  /** The way out if the fence is far: a backup has everything, and is restored elsewhere. */
  @Test
  void aPartitionThatIsFencedInTheFutureIsBackedUp() {
    install(START, "a", "x");
    install(START + 1, "a", "y");
    run(10_000_000);
    wrongMicros[0] = YEAR;
    wrongMicros[1] = YEAR;
    run(60_000_000);
    wrongMicros[0] = 0;
    wrongMicros[1] = 0;
    run(1_000_000);
    assertThat(replicas.get(1).replica.census().watermarkMicros())
        .isGreaterThan(nowMicros + OPTIONS.allowedSkewMicros());
    assertThat(readCut(nowMicros + OPTIONS.allowedSkewMicros()))
        .containsExactly(committed("a", version(START + 1, 1), "y"));
    assertThat(readCut(START)).isNull();
  }

  /** What the second replica answers; null if it does not hold the cut. */
  private @Nullable List<VersionedValue> readCut(long cut) {
    List<Effect> effects = at(1).receive(new Message.ReadCut(txn(cut), KeyRange.ALL, 1 << 20));
    return effects.getFirst() instanceof Sent(var ignored, Message.CutReply reply)
            && reply.state() == Message.CutState.READ
        ? reply.rows()
        : null;
  }

  /** The way out while only f replicas are fenced in the future: see docs/how-to. */
  @Test
  void aReplicaThatIsFencedInTheFutureIsReplaced() {
    install(START, "a", "x");
    run(10_000_000);
    // The clock of the third replica was ahead, and so was that of a replica which then joined.
    wrongMicros[2] = YEAR;
    long clock = nowMicros + YEAR;
    at(2).receive(replica(1), new Message.TruncatePrepare(watermark(clock), clock));
    wrongMicros[2] = 0;
    run(1_000_000);
    assertThat(replicas.get(2).replica.census().fenceMicros()).isGreaterThan(nowMicros + YEAR / 2);
    assertCurrent(0);
    restartWithoutMemory(2);
    run(20_000_000);
    for (int i = 0; i < 3; i++) {
      assertCurrent(i);
      assertThat(replicas.get(i).replica.newestCommitted(key("a")))
          .isEqualTo(committed("a", version(START, 1), "x"));
    }
  }
}
