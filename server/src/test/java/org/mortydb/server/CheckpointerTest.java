package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.storage.CheckpointOptions;
import org.mortydb.storage.CheckpointWriter;
import org.mortydb.storage.Durability;
import org.mortydb.storage.Identity;
import org.mortydb.storage.LogListener;
import org.mortydb.storage.LogOptions;
import org.mortydb.storage.RecordConsumer;
import org.mortydb.storage.Storage;
import org.mortydb.storage.StorageException;
import org.mortydb.storage.StorageOptions;
import org.mortydb.transport.EventLoops;
import org.mortydb.wire.StoredRecord;
import org.mortydb.wire.StoredRecordDecoder;
import org.mortydb.wire.StoredRecordEncoder;

/** Checkpoints of a server whose replicas come and go. */
@Timeout(30)
class CheckpointerTest {
  private static final ReplicaId REPLICA = new ReplicaId(1, 0);
  private static final ClusterMap MAP =
      ClusterMap.first(1, 1).moved(1, 10, 1, Map.of(1, List.of("0", "1", "2")), Map.of(7, 1));

  @TempDir private Path folder;

  private final List<StoredRecord> restored = new ArrayList<>();
  private final StoredRecordEncoder encoder = new StoredRecordEncoder();

  private final RecordConsumer consumer =
      new RecordConsumer() {
        @Override
        public void accept(byte tag, ByteBuffer payload) throws IOException {
          restored.add(StoredRecordDecoder.decode(payload));
        }

        @Override
        public void end() {}
      };

  private static final class Silent implements LogListener {
    @Override
    public void onKept(long position) {}

    @Override
    public void onForced(long nanos) {}

    @Override
    public void onFailed(StorageException cause) {
      throw new AssertionError(cause);
    }
  }

  private Storage open() throws Exception {
    StorageOptions options =
        new StorageOptions(
            new LogOptions(Durability.ASYNC, Duration.ofMillis(10), 1 << 20, 1 << 16),
            new CheckpointOptions(1 << 20, 1 << 16));
    return Storage.open(
        folder.resolve("data"), new Identity("c", "s"), options, consumer, consumer, new Silent());
  }

  private void append(Storage storage, LogRecord record) {
    storage.log().append(ServerStorage.REPLICA, encoder.encode(REPLICA, record));
    storage.log().flush();
  }

  /** A restart could not read the others without it: they do not say which map has the replica. */
  @Test
  void theFirstRecordOfAnEndedReplicaStaysAsLongAsItsOtherRecordsDo() throws Exception {
    EventLoop loop = new DefaultEventLoop();
    try (Storage storage = open()) {
      append(storage, new LogRecord.Hosted(MAP));
      Checkpointer checkpointer =
          new Checkpointer(storage, List.of(), loop, 400, 1, StorageObserver.NONE);
      checkpointer.start();
      while (checkpointer.lastMark() == 0) {
        Thread.sleep(1);
      }
      for (long i = 1; i < 50; i++) {
        append(storage, new LogRecord.Locked(List.of(i, i, i)));
      }
      checkpointer.ended(REPLICA, new LogRecord.Hosted(MAP));
      while (checkpointer.lastBytes() == 0) {
        Thread.sleep(1);
      }
      checkpointer.stop();
    } finally {
      var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
    restored.clear();
    open().close();
    assertThat(restored.getFirst()).isEqualTo(new StoredRecord(REPLICA, new LogRecord.Hosted(MAP)));
    assertThat(restored).hasSize(50);
  }

  /** The log must not grow for ever because one checkpoint has failed, however it did. */
  @Test
  void anErrorEndsOneCheckpointAlone() throws Exception {
    EventLoopGroup group = EventLoops.create(1, "test");
    SingleThreadEventLoop loop = (SingleThreadEventLoop) group.next();
    try (Storage storage = open();
        TestCluster cluster = new TestCluster("")) {
      Directory directory = new Directory(cluster.config, cluster.config.servers().getFirst());
      LoopHost loopHost = new LoopHost(loop, directory, new ServerCounters(), MicrosClock.SYSTEM);
      List<PartitionHost> hosts = new CopyOnWriteArrayList<>();
      AtomicInteger failed = new AtomicInteger();
      StorageObserver observer =
          new StorageObserver() {
            @Override
            public void forced(long nanos) {}

            @Override
            public void held(long nanos) {}

            @Override
            public void checkpointed(boolean complete, long nanos) {
              failed.addAndGet(complete ? 0 : 1);
            }
          };
      Checkpointer checkpointer = new Checkpointer(storage, hosts, loop, 400, 1, observer);
      checkpointer.start();
      while (checkpointer.lastMark() == 0) {
        Thread.sleep(1);
      }
      // A machine that cannot be copied.
      hosts.add(
          new PartitionHost(
              REPLICA, (now, event, out) -> {}, loopHost, null, StorageObserver.NONE));
      for (long i = 1; i < 50; i++) {
        append(storage, new LogRecord.Locked(List.of(i, i, i)));
      }
      while (failed.get() == 0) {
        Thread.sleep(1);
      }
      // One that cannot begin. The end of the one before may still be on its way.
      CheckpointWriter other = beginAnother(storage);
      int before = failed.get();
      while (failed.get() < before + 2) {
        Thread.sleep(1);
      }
      hosts.clear();
      other.abandon();
      while (checkpointer.lastBytes() == 0) {
        Thread.sleep(1);
      }
      checkpointer.stop();
    } finally {
      var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static CheckpointWriter beginAnother(Storage storage) throws InterruptedException {
    while (true) {
      try {
        return storage.beginCheckpoint(storage.log().position());
      } catch (IllegalStateException e) {
        Thread.sleep(1); // one is being written
      }
    }
  }
}
