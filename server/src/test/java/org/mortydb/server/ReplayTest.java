package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.storage.StorageException;
import org.mortydb.wire.StoredRecord;
import org.mortydb.wire.StoredRecordDecoder;
import org.mortydb.wire.StoredRecordEncoder;

/** A server restores its replicas with a thread for each event loop. */
@Timeout(60)
final class ReplayTest {
  private static final int PARTITIONS = 6;
  private static final int THREADS = 3;

  private final StoredRecordEncoder encoder = new StoredRecordEncoder();
  private final ConcurrentHashMap<ReplicaId, List<LogRecord>> applied = new ConcurrentHashMap<>();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private final Replay.Target target =
      new Replay.Target() {
        @Override
        public ReplicaId replicaOf(byte tag, ByteBuffer payload) throws IOException {
          return StoredRecordDecoder.replica(payload);
        }

        @Override
        public int threadOf(ReplicaId replica) {
          return replica.partition() % THREADS;
        }

        @Override
        public StoredRecord decode(ByteBuffer payload) throws IOException {
          return StoredRecordDecoder.decode(payload);
        }

        @Override
        public void apply(StoredRecord stored) throws IOException {
          if (stored.logged() instanceof LogRecord.Serving) {
            throw new StorageException("cannot be applied");
          }
          threads.add(Thread.currentThread());
          applied.computeIfAbsent(stored.replica(), _ -> new ArrayList<>()).add(stored.logged());
        }
      };

  private static LogRecord version(int number, int bytes) {
    return new LogRecord.Version(
        Key.of("key" + number),
        new WriteId(new TxnId(number + 1, 1, 0), 1),
        Value.wrap(new byte[bytes]));
  }

  private ByteBuffer encoded(int partition, LogRecord logged) {
    return encoder.encode(new ReplicaId(partition, 0), logged);
  }

  /** Far more than may wait, and records longer than a batch. */
  @Test
  void everyReplicaGetsAllItsRecordsInTheirOrder() throws Exception {
    int rounds = 3_000;
    try (Replay replay = new Replay(THREADS, target)) {
      for (int i = 0; i < rounds; i++) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          int bytes = i % 1_000 == 999 ? 1_000_000 : 1_000;
          replay.accept(ServerStorage.REPLICA, encoded(partition, version(i, bytes)));
        }
      }
      replay.end();
    }
    assertThat(applied).hasSize(PARTITIONS);
    for (List<LogRecord> records : applied.values()) {
      assertThat(records).hasSize(rounds);
      for (int i = 0; i < rounds; i++) {
        assertThat(((LogRecord.Version) records.get(i)).key()).isEqualTo(Key.of("key" + i));
      }
    }
    assertThat(threads).hasSize(THREADS).doesNotContain(Thread.currentThread());
  }

  @Test
  void aRecordThatCannotBeAppliedEndsTheStart() throws Exception {
    try (Replay replay = new Replay(THREADS, target)) {
      replay.accept(ServerStorage.REPLICA, encoded(1, version(1, 10)));
      replay.accept(ServerStorage.REPLICA, encoded(1, new LogRecord.Serving(true)));
      replay.accept(ServerStorage.REPLICA, encoded(1, version(2, 10)));
      assertThatThrownBy(replay::end).isInstanceOf(StorageException.class);
    }
    assertThat(applied.values()).containsExactly(List.of(version(1, 10)));
  }

  /** The reading thread does not wait for ever for a thread that has failed. */
  @Test
  void aFailureEndsTheReading() {
    try (Replay replay = new Replay(THREADS, target)) {
      assertThatThrownBy(
              () -> {
                replay.accept(ServerStorage.REPLICA, encoded(0, new LogRecord.Serving(true)));
                for (int i = 0; i < 100_000; i++) {
                  replay.accept(ServerStorage.REPLICA, encoded(0, version(i, 10_000)));
                }
                replay.end();
              })
          .isInstanceOf(StorageException.class);
    }
  }

  @Test
  void theThreadsEndWhenTheReadingFails() throws Exception {
    Replay replay = new Replay(THREADS, target);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int i = 0; i < 300; i++) {
        replay.accept(ServerStorage.REPLICA, encoded(partition, version(i, 1_000)));
      }
    }
    while (threads.size() < THREADS) {
      Thread.onSpinWait();
    }
    replay.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(threads).allMatch(thread -> !thread.isAlive());
  }
}
