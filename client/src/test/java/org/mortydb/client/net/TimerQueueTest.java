package org.mortydb.client.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.ClientEngine;
import org.mortydb.client.engine.EngineHost;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.EngineTimer;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Topology;

class TimerQueueTest {

  /** Timers as an engine makes them, which nobody else can. */
  private static List<EngineTimer> timers(int atLeast) {
    List<EngineTimer> timers = new ArrayList<>();
    EngineHost host =
        new EngineHost() {
          @Override
          public long nowMicros() {
            return 1;
          }

          @Override
          public void send(Endpoint to, Message message) {}

          @Override
          public void broadcast(int partition, Message message) {}

          @Override
          public void schedule(long delayMicros, EngineTimer timer) {
            timers.add(timer);
          }

          @Override
          public void cancel(EngineTimer timer) {}

          @Override
          public void handOver(Runnable task) {}

          @Override
          public void awaitBatchEnd() {}

          @Override
          public void onError(Throwable error) {
            throw new AssertionError(error);
          }
        };
    ClientEngine engine =
        new ClientEngine(
            new ClientId(1),
            new Topology(1, 0),
            EngineOptions.DEFAULTS,
            new SplittableRandom(1),
            host);
    TypedKey<String> key = TypedKey.of(Key.of("k"), Codecs.STRING);
    while (timers.size() < atLeast) {
      engine.execute(
          "",
          (txn, ctx) -> txn.get(ctx, key, (c, v) -> txn.commit(c)),
          new ResultHandler<String>() {
            @Override
            public void completed(Result<String> result) {}

            @Override
            public void failed(Throwable cause) {}
          });
    }
    return timers;
  }

  @Test
  void behavesLikeASortedMap() {
    SplittableRandom random = new SplittableRandom(7);
    List<EngineTimer> timers = timers(300);
    TimerQueue queue = new TimerQueue();
    TreeMap<Long, EngineTimer> expected = new TreeMap<>();
    // The clock of nanoTime may pass through the largest number.
    long now = Long.MAX_VALUE - 200_000;
    long offset = now;
    for (int i = 0; i < 20_000; i++) {
      EngineTimer timer = timers.get(random.nextInt(timers.size()));
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          long after = random.nextLong(10_000);
          if (!expected.containsValue(timer) && !expected.containsKey(now - offset + after)) {
            expected.put(now - offset + after, timer);
            queue.add(timer, now + after);
          }
        }
        case 2 -> {
          expected.values().remove(timer);
          queue.remove(timer);
        }
        default -> {
          now += random.nextLong(200);
          while (!expected.isEmpty() && expected.firstKey() <= now - offset) {
            assertThat(queue.poll(now)).isSameAs(expected.pollFirstEntry().getValue());
          }
          assertThat(queue.poll(now)).isNull();
        }
      }
      assertThat(queue.size()).isEqualTo(expected.size());
      if (!expected.isEmpty()) {
        assertThat(queue.earliestNanos(0)).isEqualTo(expected.firstKey() + offset);
      }
    }
    assertThat(now).isNegative();
  }
}
