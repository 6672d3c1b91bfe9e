package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.storage.CheckpointOptions;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.Log;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogOptions;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.transport.EventLoops;

/** Messages that wait for the log (docs/protocol.md, section 8). */
@Timeout(30)
class HoldingTest {
  private static final TxnId TXN = new TxnId(5, 77, 0);

  @TempDir private Path folder;

  private final EventLoopGroup group = EventLoops.create(1, "test");
  private final SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
  private final ServerCounters counters = new ServerCounters();

  @Test
  void leaveOnceTheirRecordsAreForced() throws Exception {
    leaveOnceTheirRecordsAre(Effects::holdUntilDurable, LoopHost::releaseLater, loopHost -> {});
  }

  @Test
  void leaveOnceTheirRecordsAreWritten() throws Exception {
    leaveOnceTheirRecordsAre(
        Effects::holdUntilWritten, loopHost -> {}, LoopHost::releaseWrittenLater);
  }

  /**
   * A replica of a new partition that a loss of power makes its server forget would found the
   * partition once more: its promises would be forgotten, and nobody in doubt.
   */
  @ParameterizedTest
  @EnumSource(Durability.class)
  void aNewReplicaBeginsOnceItsFirstRecordIsForced(Durability durability) throws Exception {
    LoopHost loopHost = loopHost();
    AtomicReference<Log> log = new AtomicReference<>();
    Queue<Event> seen = new ConcurrentLinkedQueue<>();
    List<Long> forced = new CopyOnWriteArrayList<>();
    PartitionHost host =
        new PartitionHost(
            new ReplicaId(1, 0),
            (nowMicros, event, out) -> {
              seen.add(event);
              forced.add(log.get().forcedPosition());
            },
            loopHost,
            null,
            StorageObserver.NONE);
    LogListener listener =
        new LogListener() {
          @Override
          public void onKept(long position) {
            loopHost.releaseLater();
          }

          @Override
          public void onForced(long nanos) {
            loopHost.beginLater();
          }

          @Override
          public void onFailed(StorageException cause) {
            throw new IllegalStateException(cause);
          }
        };
    try (Storage storage = open(durability, Duration.ofMillis(200), listener)) {
      log.set(storage.log());
      host.storeIn(storage.log());
      Event asked = new Event.Received(new ClientId(77), new Message.Inquire(TXN));
      long first =
          onLoop(
              () -> {
                loopHost.add(host);
                host.begin(new LogRecord.Serving(true));
                long end = storage.log().position();
                loopHost.run(host, asked);
                return end;
              });
      while (seen.isEmpty()) {
        Thread.sleep(1);
      }
      onLoop(
          () -> {
            loopHost.run(host, asked);
            return 0;
          });
      assertThat(seen).containsExactly(new Event.TimerFired(Timer.TICK), asked);
      assertThat(forced).allMatch(position -> position >= first);
    } finally {
      var unused = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }

  private LoopHost loopHost() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      return new LoopHost(
          loop,
          new Directory(cluster.config, cluster.config.servers().getFirst()),
          counters,
          MicrosClock.SYSTEM);
    }
  }

  private void leaveOnceTheirRecordsAre(
      Consumer<Effects> holds, Consumer<LoopHost> onKept, Consumer<LoopHost> onWritten)
      throws Exception {
    LoopHost loopHost = loopHost();
    PartitionHost host =
        new PartitionHost(
            new ReplicaId(0, 0),
            (nowMicros, event, out) -> {
              out.append(new LogRecord.Serving(true));
              holds.accept(out);
              out.send(new ClientId(77), new Message.InquireReply(TXN));
            },
            loopHost,
            null,
            StorageObserver.NONE);
    loopHost.add(host);
    try (Storage storage = open(loopHost, onKept, onWritten)) {
      host.storeIn(storage.log());
      // The log is written in a later turn of the loop.
      long leftAtOnce =
          onLoop(
              () -> {
                host.step(new Event.Received(new ClientId(77), new Message.Inquire(TXN)));
                host.release();
                return left();
              });
      assertThat(leftAtOnce).isZero();
      while (onLoop(this::left) == 0) {
        Thread.sleep(1);
      }
      assertThat(storage.log().writtenPosition()).isEqualTo(storage.log().position());
    } finally {
      var unused = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }

  /** The log may have room although it is slow: messages are longer than their records. */
  @Test
  void requestsAreDroppedWhileTooManyMessagesWait() throws Exception {
    int most = 64 * 1024;
    LoopHost loopHost = loopHost();
    PartitionHost host =
        new PartitionHost(
            new ReplicaId(0, 0),
            (nowMicros, event, out) -> {
              out.append(new LogRecord.Serving(true));
              out.holdUntilDurable();
              for (int i = 0; i < most / 2; i++) {
                out.send(new ClientId(77), new Message.InquireReply(TXN));
              }
            },
            loopHost,
            null,
            StorageObserver.NONE);
    loopHost.add(host);
    try (Storage storage = open(loopHost, LoopHost::releaseLater, one -> {})) {
      host.storeIn(storage.log());
      Event request = new Event.Received(new ClientId(77), new Message.Inquire(TXN));
      long dropped =
          onLoop(
              () -> {
                host.step(request);
                host.step(request);
                host.step(request);
                return counters.logCongested.sum();
              });
      assertThat(dropped).isEqualTo(1);
      while (onLoop(this::left) < most) {
        Thread.sleep(1);
      }
      onLoop(
          () -> {
            host.step(request);
            return 0;
          });
      assertThat(counters.logCongested.sum()).as("those that waited have left").isEqualTo(1);
    } finally {
      var unused = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }

  /** Messages that have left: they reach nobody, because no client is connected. */
  private long left() {
    return counters.unreachable();
  }

  private <T> T onLoop(Callable<T> task) throws Exception {
    return loop.submit(task).get();
  }

  private Storage open(LoopHost loopHost, Consumer<LoopHost> onKept, Consumer<LoopHost> onWritten)
      throws Exception {
    return open(
        Durability.SYNC,
        Duration.ofSeconds(1),
        new LogListener() {
          @Override
          public void onKept(long position) {
            onKept.accept(loopHost);
          }

          @Override
          public void onWritten(long position) {
            onWritten.accept(loopHost);
          }

          @Override
          public void onFailed(StorageException cause) {
            throw new IllegalStateException(cause);
          }
        });
  }

  private Storage open(Durability durability, Duration forceInterval, LogListener listener)
      throws Exception {
    return Storage.open(
        folder.resolve("data"),
        new Identity("tea", "s0"),
        new StorageOptions(
            new LogOptions(durability, forceInterval, 1 << 20, 1 << 16),
            new CheckpointOptions(1 << 20, 1 << 16)),
        (tag, payload) -> {},
        (tag, payload) -> {},
        listener);
  }
}
