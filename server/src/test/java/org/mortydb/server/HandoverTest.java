package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.transport.EventLoops;

/** A queue between event loops takes a bounded number of bytes. */
@Timeout(30)
class HandoverTest {
  private static final TxnId TXN = new TxnId(1, 2, 0);

  private final EventLoopGroup group = EventLoops.create(1, "test");
  private final SingleThreadEventLoop giving = (SingleThreadEventLoop) group.next();
  private final ServerCounters counters = new ServerCounters();
  private final AtomicInteger taken = new AtomicInteger();
  private final Handover handover =
      new Handover(giving, Runnable::run, batch -> taken.addAndGet(batch.size()), counters);

  @AfterEach
  void stop() {
    var unused = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

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
    give(100, put(1024 * 1024));
    assertThat(counters.handoverFull()).isBetween(37L, 38L);
  }

  @Test
  void dropsWhatExceedsItsNumber() throws Exception {
    give(256 * 1024 + 5, new Message.Inquire(TXN));
    assertThat(counters.handoverFull()).isEqualTo(5);
  }

  @Test
  void whatWasTakenDoesNotCountAnyMore() throws Exception {
    for (int turn = 1; turn <= 10; turn++) {
      give(10, put(1024 * 1024));
      while (taken.get() < 10 * turn) {
        Thread.sleep(1);
      }
    }
    assertThat(counters.handoverFull()).isZero();
  }

  private static Message put(int bytes) {
    return new Message.Put(TXN, 0, new Write(Key.of("k"), 1, Value.wrap(new byte[bytes])));
  }

  /** Gives a message several times in one turn. */
  private void give(int times, Message message) throws Exception {
    giving
        .submit(
            () -> {
              for (int i = 0; i < times; i++) {
                handover.add(
                    new Handover.Inbound(null, null, message, null, MessageWeight.of(message)));
              }
            })
        .get();
  }
}
