package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

class LostWritesTest {
  private static final KeySpace<String, String> TEXT =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING);
  private static final TypedKey<String> HOT = TEXT.key("hot");
  private static final TypedKey<String> SLOW = TEXT.key("slow");

  private final LostWrites lost = new LostWrites();

  private static Write write(int number) {
    return new Write(Key.of("key " + number), 1, Value.of("x"));
  }

  @Test
  void theLatestKeysAreRememberedAndOldOnesForgotten() {
    assertThat(lost.mayHave(write(0).key())).isFalse();
    for (int i = 0; i < LostWrites.KEYS; i++) {
      lost.add(List.of(write(i)));
      assertThat(lost.mayHave(write(0).key())).isTrue();
    }
    for (int i = LostWrites.KEYS; i < 20 * LostWrites.KEYS; i++) {
      lost.add(List.of(write(i)));
      assertThat(lost.mayHave(write(i - LostWrites.KEYS / 2).key())).isTrue();
    }
    long remembered =
        IntStream.range(0, 15 * LostWrites.KEYS)
            .filter(number -> lost.mayHave(write(number).key()))
            .count();
    assertThat(remembered).isLessThan(15 * LostWrites.KEYS / 5);
  }

  /** The writer writes without a look, and then waits for a slow read. */
  @Test
  void aWriteThatOthersHaveReadPastIsShownEarlyWhenItsTransactionTriesAgain() {
    TestCluster cluster = new TestCluster(1);
    ClientEngine writer = cluster.client(1, EngineOptions.DEFAULTS);
    ClientEngine reader = cluster.client(2, EngineOptions.DEFAULTS);
    Ended<String> filled = new Ended<>();
    reader.execute(
        "",
        (txn, ctx) -> {
          txn.put(ctx, HOT, "old");
          txn.commit(ctx);
        },
        filled);
    cluster.runUntil(filled::isOver);
    cluster.network(
        (from, to, message) ->
            message instanceof Get get && get.key().equals(SLOW.key()) ? 20_000 : 1_000);
    Ended<String> written = new Ended<>();
    writer.execute(
        "",
        (txn, ctx) -> {
          txn.put(ctx, HOT, "new");
          txn.get(ctx, SLOW, (c, v) -> txn.commit(c));
        },
        written);
    cluster.run(500);
    Ended<String> read = new Ended<>();
    reader.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                HOT,
                (c, v) -> {
                  txn.put(c, HOT, v + ", newer");
                  txn.commit(c);
                }),
        read);
    cluster.runUntil(read::isOver);
    read.committed();
    cluster.run(15_000);
    assertThat(written.isOver()).isFalse();
    assertThat(cluster.count(Put.class)).isZero();

    cluster.runUntil(written::isOver);
    written.committed();
    assertThat(written.result().info().attempts()).isEqualTo(2);
    assertThat(cluster.count(Put.class)).isEqualTo(3);
  }
}
