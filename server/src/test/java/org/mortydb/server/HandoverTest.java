package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** A queue between event loops takes a bounded number of bytes. */
class HandoverTest {
  private static final TxnId TXN = new TxnId(1, 2, 0);

  @Test
  void weighsTheBytesOfKeysAndValues() {
    Key key = Key.wrap(new byte[1000]);
    Write write = new Write(key, 1, Value.wrap(new byte[100_000]));
    assertThat(MessageWeight.of(new Message.Put(TXN, 0, write))).isBetween(101_000L, 102_000L);
    ExecutionId execution = new ExecutionId(TXN, 0);
    List<Read> reads = List.of(new Read(key, WriteId.INITIAL));
    assertThat(MessageWeight.of(new Message.Prepare(execution, reads, List.of(write), List.of(0))))
        .isBetween(102_000L, 103_000L);
    assertThat(MessageWeight.of(new Message.Retract(TXN, 0, List.of(key, key))))
        .isBetween(2_000L, 3_000L);
  }

  @Test
  void dropsWhatExceedsItsBytes() throws Exception {
    ServerCounters counters = new ServerCounters();
    SingleThreadEventLoop giving = new DefaultEventLoop();
    try {
      giving
          .submit(
              () -> {
                Handover handover = new Handover(giving, null, counters);
                Value value = Value.wrap(new byte[1024 * 1024]);
                Message put = new Message.Put(TXN, 0, new Write(Key.of("k"), 1, value));
                for (int i = 0; i < 100; i++) {
                  handover.add(new Handover.Inbound(null, null, put));
                }
              })
          .get();
      assertThat(counters.handoverFull()).isBetween(37L, 38L);
    } finally {
      var unused = giving.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }
}
