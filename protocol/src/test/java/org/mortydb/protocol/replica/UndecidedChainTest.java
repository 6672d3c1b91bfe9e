package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.INITIAL;
import static org.mortydb.protocol.testing.Make.replica;
import static org.mortydb.protocol.testing.Make.version;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;
import org.mortydb.protocol.testing.Make;

/**
 * How long the three replicas of a partition need for transactions that a client leaves undecided
 * (docs/protocol.md, section 5). Each message takes one hop.
 */
class UndecidedChainTest {
  private static final long HOP = 10_000;
  private static final long TICK = 50_000;
  private static final ReplicaOptions OPTIONS =
      new ReplicaOptions(500_000, 10_000_000, TICK, 1_000_000, 1_000);
  private static final long START = ReplicaDriver.START_MICROS;

  private record Posted(ReplicaId from, ReplicaId to, Message message) {}

  private final List<ReplicaDriver> replicas = new ArrayList<>();
  private List<Posted> posted = new ArrayList<>();
  private long nowMicros = START;

  UndecidedChainTest() {
    for (int i = 0; i < 3; i++) {
      replicas.add(new ReplicaDriver(replica(i), new Topology(1, 0), OPTIONS, ReplicaRules.SOUND));
    }
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

  private void hop() {
    nowMicros += HOP;
    List<Posted> arriving = posted;
    posted = new ArrayList<>();
    for (ReplicaDriver each : replicas) {
      each.nowMicros = nowMicros;
    }
    for (Posted next : arriving) {
      int to = next.to().index();
      post(to, replicas.get(to).step(new Event.Received(next.from(), next.message())));
    }
    for (int i = 0; i < 3 && nowMicros % TICK == 0; i++) {
      post(i, replicas.get(i).tickAfter(0));
    }
  }

  /**
   * The hops from the first recovery on until all is decided everywhere.
   *
   * @param chained whether each transaction reads what the one before it writes
   */
  private long hopsToDecide(int transactions, boolean chained) {
    prepare(transactions, chained);
    while (replicas.stream().allMatch(each -> each.replica.undecided().size() == transactions)) {
      hop();
    }
    long first = nowMicros;
    while (replicas.stream().anyMatch(each -> !each.replica.undecided().isEmpty())) {
      hop();
      assertThat(nowMicros).isLessThan(START + 60_000_000);
    }
    return (nowMicros - first) / HOP;
  }

  private void prepare(int transactions, boolean chained) {
    for (int n = 0; n < transactions; n++) {
      String key = chained ? "a" : "a" + n;
      Message request =
          Make.prepare(START + n, 0)
              .reads(key, chained && n > 0 ? version(START + n - 1, 1) : INITIAL)
              .writes(key, 1, "x")
              .message();
      for (ReplicaDriver each : replicas) {
        each.receive(request);
      }
    }
    for (int i = 0; i < 3; i++) {
      assertThat(replicas.get(i).replica.undecided()).hasSize(transactions);
    }
  }

  @Test
  void independentOnesAreDecidedTogether() {
    assertThat(hopsToDecide(100, false)).isLessThan(10);
  }

  /** And goes on once all of the chain is decided. */
  @Test
  void theWatermarkWaitsForAChain() {
    int links = 60;
    prepare(links, true);
    nowMicros += OPTIONS.retentionMicros() + 1_000_000; // a round is due
    long begun = nowMicros;
    while (replicas.getFirst().replica.census().watermarkMicros() < START + links) {
      hop();
      assertThat(nowMicros).isLessThan(begun + 60_000_000);
    }
    assertThat((nowMicros - begun) / HOP).isGreaterThan(3L * links);
    assertThat(replicas).allMatch(each -> each.replica.undecided().isEmpty());
  }

  /** The promise for each waits until the one before it is decided. */
  @Test
  void eachLinkOfAChainTakesAboutTwoRoundTrips() {
    long hops = hopsToDecide(100, true);
    assertThat(hops).isBetween(3L * 100, 6L * 100);
  }
}
