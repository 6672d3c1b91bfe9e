package org.mortydb.sim.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;

class NetworkTest {
  private static final int PACKETS = 10_000;

  private record Place(int index, int region, String name) implements Node {}

  private final Node a = new Place(0, 0, "a");
  private final Node b = new Place(1, 1, "b");
  private final Kernel kernel = new Kernel();
  private final List<Integer> arrived = new ArrayList<>();
  private final List<Long> arrivals = new ArrayList<>();

  @Test
  void deliversAfterTheDelayOfThePairOfRegions() {
    Network network = network(new DelayModel(new long[][] {{1, 100}, {250, 1}}, 0, 0, 0));
    network.send(a, b, new Numbered(1));
    network.send(b, a, new Numbered(2));
    network.send(a, a, new Numbered(3));
    kernel.runUntil(1_000);
    assertThat(arrived).containsExactly(3, 1, 2);
    assertThat(arrivals).containsExactly(1L, 100L, 250L);
  }

  @Test
  void keepsTheOrderOfALinkUnlessToldOtherwise() {
    Network network = network(jittery());
    sendMany(network);
    assertThat(arrived).hasSize(PACKETS).isSorted();
  }

  @Test
  void reorders() {
    Network network = network(jittery());
    network.reorder(true);
    sendMany(network);
    assertThat(arrived).hasSize(PACKETS);
    assertThat(arrived.stream().sorted().toList()).isNotEqualTo(arrived);
  }

  @Test
  void jitterAndStragglersStayWithinTheirBounds() {
    Network network = network(new DelayModel(new long[][] {{9, 100}, {9, 9}}, 0.5, 0.1, 20));
    network.reorder(true);
    for (int i = 0; i < PACKETS; i++) {
      network.send(a, b, new Numbered(i));
    }
    kernel.runUntil(1_000_000);
    assertThat(arrivals).allMatch(micros -> micros >= 100 && micros <= 100 + 50 + 2_000);
    assertThat(arrivals.stream().filter(micros -> micros > 150).count())
        .isBetween(PACKETS / 20L, PACKETS / 10L);
  }

  @Test
  void losesItsShare() {
    Network network = network(DelayModel.constant(2, 10));
    network.lose(0.2);
    sendMany(network);
    assertThat((double) arrived.size()).isCloseTo(0.8 * PACKETS, Percentage.withPercentage(5));
  }

  @Test
  void duplicatesItsShare() {
    Network network = network(DelayModel.constant(2, 10));
    network.duplicate(0.2, 0);
    sendMany(network);
    assertThat((double) arrived.size()).isCloseTo(1.2 * PACKETS, Percentage.withPercentage(5));
    assertThat(arrived.stream().distinct()).hasSize(PACKETS);
  }

  @Test
  void duplicatesMayComeLateAndOutliveTheirOriginals() {
    Network network = network(DelayModel.constant(2, 10));
    network.lose(1);
    network.duplicate(1, 500);
    sendMany(network);
    assertThat(arrived).hasSize(PACKETS);
    assertThat(arrived.stream().sorted().toList()).isNotEqualTo(arrived);
  }

  @Test
  void dropsLateCopiesWhenAsked() {
    Network network = network(DelayModel.constant(2, 10));
    network.duplicate(1, 1_000_000);
    network.send(a, b, new Numbered(1));
    kernel.runUntil(10);
    network.dropLateCopies();
    kernel.runUntil(2_000_000);
    assertThat(arrived).containsExactly(1);
  }

  @Test
  void blocksOneDirectionUntilUnblockedAsOften() {
    Network network = network(DelayModel.constant(2, 10));
    network.block(a, b);
    network.block(a, b);
    network.unblock(a, b);
    network.send(a, b, new Numbered(1));
    network.send(b, a, new Numbered(2));
    network.unblock(a, b);
    network.send(a, b, new Numbered(3));
    kernel.runUntil(100);
    assertThat(arrived).containsExactly(2, 3);
  }

  @Test
  void slowsOneDirection() {
    Network network = network(DelayModel.constant(2, 10));
    network.slow(a, b, 90);
    network.send(a, b, new Numbered(1));
    network.send(b, a, new Numbered(2));
    network.slow(a, b, -90);
    kernel.runUntil(1_000);
    network.send(a, b, new Numbered(3));
    kernel.runUntil(2_000);
    assertThat(arrivals).containsExactly(10L, 100L, 1_010L);
  }

  private static DelayModel jittery() {
    return new DelayModel(new long[][] {{100, 100}, {100, 100}}, 1, 0.1, 20);
  }

  private Network network(DelayModel delays) {
    return new Network(kernel, delays, new SplittableRandom(5), SimTrace.digestOnly(kernel));
  }

  private void sendMany(Network network) {
    for (int i = 0; i < PACKETS; i++) {
      network.send(a, b, new Numbered(i));
      kernel.runUntil(kernel.nowMicros() + 1);
    }
    kernel.runUntil(kernel.nowMicros() + 1_000_000);
  }

  private final class Numbered extends Packet {
    private final int number;

    Numbered(int number) {
      this.number = number;
    }

    @Override
    protected Packet copy() {
      return new Numbered(number);
    }

    @Override
    protected void run() {
      arrived.add(number);
      arrivals.add(kernel.nowMicros());
    }
  }
}
