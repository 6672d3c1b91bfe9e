package org.mortydb.protocol.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DueQueueTest {

  @Test
  void agreesWithAQueue() {
    SplittableRandom random = new SplittableRandom(1);
    DueQueue queue = new DueQueue();
    ArrayDeque<Integer> model = new ArrayDeque<>();
    for (int i = 0; i < 100_000; i++) {
      int shareAdded = i / 5_000 % 2 == 0 ? 60 : 40;
      if (random.nextInt(100) < shareAdded) {
        queue.add(i, -10L * i);
        model.add(i);
      } else if (!model.isEmpty()) {
        assertThat(queue.firstTime()).isEqualTo(-10L * model.element());
        assertThat(queue.poll()).isEqualTo(model.remove());
      }
      assertThat(queue.size()).isEqualTo(model.size());
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
      int[] first = new int[1 + random.nextInt(4)];
      assertThat(Arrays.stream(first, 0, queue.peek(first)).boxed().toList())
          .isEqualTo(model.stream().limit(first.length).toList());
    }
  }

  @Test
  void knowsHowManyHaveWaited() {
    DueQueue queue = new DueQueue();
    for (int i = 0; i < 40; i++) {
      queue.add(i, i);
    }
    for (int i = 0; i < 30; i++) {
      queue.poll();
    }
    for (int i = 40; i < 45; i++) {
      queue.add(i, i); // the ring goes on at its beginning
    }
    assertThat(queue.haveWaited(15, 44)).isTrue();
    assertThat(queue.haveWaited(15, 43)).isFalse();
    assertThat(queue.haveWaited(14, 43)).isTrue();
    assertThat(queue.haveWaited(16, 100)).isFalse();
  }

  @Test
  void aQueueThatWasLongBecomesSmallAgain() {
    DueQueue queue = new DueQueue();
    for (int i = 0; i < 100_000; i++) {
      queue.add(i, i);
    }
    assertThat(queue.places()).isEqualTo(1 << 17);
    for (int i = 0; i < 100_000; i++) {
      assertThat(queue.poll()).isEqualTo(i);
    }
    assertThat(queue.places()).isEqualTo(16);
  }
}
