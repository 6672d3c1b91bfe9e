package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
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

  /** A client chooses which messages it sends, so a light one would pass its backlog. */
  @Test
  void weighsEveryLongMessageOfClients() {
    Key key = Key.wrap(new byte[4000]);
    ExecutionId execution = new ExecutionId(TXN, 0);
    List<Key> keys = Collections.nCopies(100, key);
    List<Read> reads = Collections.nCopies(100, new Read(key, WriteId.INITIAL));
    KeyRange range = new KeyRange(key, key);
    List<KeyRange> ranges = Collections.nCopies(16, range);
    List<Integer> participants = IntStream.range(0, 1000).boxed().toList();
    Outcome commit = Outcome.commit(0, participants);
    assertThat(MessageWeight.of(new Message.Register(execution, reads, List.of())))
        .isBetween(400_000L, 440_000L);
    assertThat(MessageWeight.of(new Message.Register(execution, List.of(), ranges)))
        .isBetween(128_000L, 140_000L);
    assertThat(
            MessageWeight.of(
                new Message.Prepare(execution, List.of(), ranges, List.of(), participants)))
        .isBetween(140_000L, 180_000L);
    assertThat(MessageWeight.of(new Message.Drop(execution, keys))).isBetween(400_000L, 440_000L);
    assertThat(MessageWeight.of(new Message.Finalize(TXN, View.CLIENT, commit)))
        .isBetween(16_000L, 40_000L);
    assertThat(MessageWeight.of(new Message.Decide(TXN, commit))).isBetween(16_000L, 40_000L);
    assertThat(MessageWeight.of(new Message.Scan(TXN, 1, range, 1))).isBetween(8_000L, 9_000L);
    assertThat(
            MessageWeight.of(
                new Message.ScanPast(TXN, 1, Message.PastLevel.LOCAL, TxnId.INITIAL, range, 1)))
        .isBetween(8_000L, 9_000L);
  }

  @Test
  void weighsTheVersionsInAnswersToClients() {
    Value value = Value.wrap(new byte[100_000]);
    List<WriteId> below = Collections.nCopies(1000, WriteId.INITIAL);
    VersionedValue row = new VersionedValue(Key.of("k"), new WriteId(TXN, 1), value, true, below);
    Vote abandon = new Vote.Abandon(false, Vote.Reason.MISSED_WRITE, List.of(row, row));
    assertThat(
            MessageWeight.of(
                new Message.PrepareReply(
                    new ExecutionId(TXN, 0), new PrepareAnswer.Voted(abandon))))
        .isBetween(200_000L, 400_000L);
    assertThat(MessageWeight.of(new Message.PushRow(TXN, 1, 1, row))).isBetween(100_000L, 200_000L);
    assertThat(
            MessageWeight.of(
                new Message.GetReply(TXN, 1, 1, row.version(), Value.ABSENT, true, below)))
        .isBetween(20_000L, 100_000L);
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
