package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LogTest {
  private final SimulatedDisk disk = new SimulatedDisk();

  @Test
  void whatWasAppendedIsReadAgain() throws Exception {
    try (Storage storage = Opened.open(disk).storage()) {
      assertThat(storage.lastStop()).isEqualTo(LastStop.NONE);
      assertThat(storage.incarnation()).isEqualTo(1);
      storage.log().append((byte) 1, Opened.bytes("one"));
      storage.log().append((byte) -2, Opened.bytes(""));
    }
    List<String> read = new ArrayList<>();
    try (Storage storage =
        Storage.open(
            disk,
            Opened.PATH,
            Opened.IDENTITY,
            Opened.small(Durability.SYNC),
            (tag, payload) -> read.add("checkpoint"),
            (tag, payload) -> read.add(tag + Opened.text(payload)),
            new Opened.Silent())) {
      assertThat(read).containsExactly("1one", "-2");
      assertThat(storage.lastStop()).isEqualTo(LastStop.CLEAN);
      assertThat(storage.incarnation()).isEqualTo(2);
    }
  }

  @Test
  void recordsOfManySegmentsAndStartsComeInTheirOrder() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int start = 0; start < 4; start++) {
      Opened opened = Opened.open(disk);
      assertThat(opened.fromLog).isEqualTo(expected);
      for (int i = 0; i < 100; i++) {
        String text = start + "-" + i + "x".repeat(i * 7 % 300);
        expected.add(text);
        opened.appendForced(text);
      }
      opened.storage().close();
    }
    assertThat(Opened.segments(disk).size()).isGreaterThan(10);
  }

  @ParameterizedTest
  @EnumSource
  void theProcessEndWithoutClosingIsSeenAndLosesNothing(Durability durability) throws Exception {
    Opened first = Opened.open(disk, Opened.PATH, Opened.IDENTITY, Opened.small(durability));
    long position = first.append("one");
    while (first.kept.get() < position) {
      Thread.sleep(1);
    }
    Opened second = Opened.open(disk.copy());
    assertThat(second.fromLog).containsExactly("one");
    assertThat(second.storage().lastStop()).isEqualTo(LastStop.CRASH);
    assertThat(second.storage().isDoubtful()).isFalse();
    first.storage().close();
  }

  @ParameterizedTest
  @EnumSource
  void theMachinesEndLeavesAnAsyncLogInDoubt(Durability durability) throws Exception {
    Opened first = Opened.open(disk, Opened.PATH, Opened.IDENTITY, Opened.small(durability));
    first.appendForced("one", "two");
    boolean doubtful = durability == Durability.ASYNC;
    SimulatedDisk crashed = disk.crash(new SplittableRandom(1));
    Opened second = Opened.open(crashed);
    assertThat(second.fromLog).containsExactly("one", "two");
    assertThat(second.storage().isDoubtful()).isEqualTo(doubtful);
    // The doubt outlives a restart in order, until it is settled.
    second.storage().close();
    Opened third = Opened.open(crashed);
    assertThat(third.storage().isDoubtful()).isEqualTo(doubtful);
    third.storage().settled();
    third.storage().close();
    assertThat(Opened.open(crashed).storage().isDoubtful()).isFalse();
    first.storage().close();
  }

  /** What proves that a doubt is settled is in the log: it must be on the medium first. */
  @Test
  void aDoubtIsSettledOnlyOnceTheLogIsForced() throws Exception {
    Opened first = Opened.open(disk, Opened.PATH, Opened.IDENTITY, Opened.small(Durability.ASYNC));
    first.appendForced("one");
    SimulatedDisk crashed = disk.crash(new SplittableRandom(1));
    StorageOptions slow =
        new StorageOptions(
            new LogOptions(Durability.ASYNC, Duration.ofMillis(200), 4096, 16 * 1024),
            new CheckpointOptions(1 << 30, 4096));
    Opened second = Opened.open(crashed, Opened.PATH, Opened.IDENTITY, slow);
    second.append("joined anew");
    second.storage().settled();
    for (int seed = 0; seed < 10; seed++) {
      Opened third = Opened.open(crashed.crash(new SplittableRandom(seed)));
      assertThat(third.fromLog).containsExactly("one", "joined anew");
    }
  }

  @Test
  void aDirectoryCanBeMarkedAsDoubtful() throws Exception {
    Storage.doubt(disk, Opened.PATH, Opened.IDENTITY);
    assertThat(disk.paths()).isEmpty(); // there is no directory to doubt
    Opened first = Opened.open(disk);
    first.appendForced("one");
    assertThatThrownBy(() -> Storage.doubt(disk, Opened.PATH, Opened.IDENTITY))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("in use");
    first.storage().close();
    Storage.doubt(disk, Opened.PATH, Opened.IDENTITY);
    Opened second = Opened.open(disk.crash(new SplittableRandom(1)));
    assertThat(second.fromLog).containsExactly("one");
    assertThat(second.storage().lastStop()).isEqualTo(LastStop.CLEAN);
    assertThat(second.storage().isDoubtful()).isTrue();
  }

  @Test
  void aBatchIsForcedOnce() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("first");
    Opened.awaitMark(disk);
    CountDownLatch gate = disk.holdWrites();
    opened.append("held up alone");
    Thread.sleep(20);
    long before = disk.forces();
    long last = 0;
    for (int i = 0; i < 100; i++) {
      last = opened.append("together " + i);
    }
    gate.countDown();
    opened.log().awaitForced(last);
    // One for the batch that was held up, one for all that came meanwhile.
    assertThat(disk.forces() - before).isLessThanOrEqualTo(2 + 2);
    while (opened.kept.get() < last) {
      Thread.sleep(1);
    }
    assertThat(opened.kept.get()).isEqualTo(last);
    opened.storage().close();
  }

  @Test
  void whatIsAppendedInARowIsWrittenInOneBatch() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("first");
    while (!opened.log().isIdle()) { // otherwise it takes what it finds, and is not woken for that
      Thread.sleep(1);
    }
    long before = opened.log().statistics().batches();
    long last = 0;
    for (int i = 0; i < 100; i++) {
      last = opened.log().appendMore((byte) 1, Opened.bytes("in a row " + i));
    }
    Thread.sleep(20);
    assertThat(opened.log().statistics().batches()).as("before the flush").isEqualTo(before);
    opened.log().flush();
    opened.log().awaitForced(last);
    assertThat(opened.log().statistics().batches()).isEqualTo(before + 1);
    opened.storage().close();
  }

  @Test
  void whatWasNotFlushedIsWrittenWhenTheLogIsClosed() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("first");
    Opened.awaitMark(disk);
    var unused = opened.log().appendMore((byte) 1, Opened.bytes("last"));
    opened.storage().close();
    assertThat(Opened.open(disk).fromLog).containsExactly("first", "last");
  }

  @Test
  void asyncTellsBeforeItForces() throws Exception {
    StorageOptions options =
        new StorageOptions(
            new LogOptions(Durability.ASYNC, java.time.Duration.ofMinutes(1), 4096, 16 * 1024),
            CheckpointOptions.DEFAULTS);
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, options);
    long before = disk.forces();
    long position = opened.append("told at once");
    while (opened.kept.get() < position) {
      Thread.sleep(1);
    }
    assertThat(disk.forces()).isEqualTo(before);
    assertThat(Opened.open(disk.copy()).fromLog).containsExactly("told at once");
    opened.storage().close();
    assertThat(disk.forces()).isGreaterThan(before);
  }

  @Test
  void asyncForcesAfterItsIntervalAndThenRests() throws Exception {
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, Opened.small(Durability.ASYNC));
    opened.appendForced("forced before long");
    Opened.awaitMark(disk);
    long forces = disk.forces();
    long used = disk.used();
    Thread.sleep(30);
    assertThat(disk.forces()).isEqualTo(forces);
    assertThat(disk.used()).isEqualTo(used);
    opened.storage().close();
  }

  /** Its interval begins with the first record that is not forced, and not with the last one. */
  @Test
  void asyncForcesAfterItsIntervalThoughMoreComesAllTheTime() throws Exception {
    StorageOptions options =
        new StorageOptions(
            new LogOptions(
                Durability.ASYNC, java.time.Duration.ofMillis(300), 16 * 1024 * 1024, 64 * 1024),
            CheckpointOptions.DEFAULTS);
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, options);
    long before = disk.forces();
    long deadlineNanos = System.nanoTime() + 3_000_000_000L;
    while (disk.forces() == before) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      opened.append("more");
      Thread.sleep(1);
    }
    opened.storage().close();
  }

  @Test
  void timesOfForcesAreInMicroseconds() throws Exception {
    Opened opened = Opened.open(disk);
    long startNanos = System.nanoTime();
    for (int i = 0; i < 10; i++) {
      opened.appendForced("forced " + i);
    }
    long tookMicros = (System.nanoTime() - startNanos) / 1_000;
    LogStatistics statistics = opened.log().statistics();
    opened.storage().close();
    assertThat(statistics.forces()).isGreaterThanOrEqualTo(10);
    assertThat(statistics.forceMicros()).isLessThanOrEqualTo(tookMicros);
    assertThat(statistics.slowestForceMicros()).isLessThanOrEqualTo(statistics.forceMicros());
    assertThat((statistics.slowestForceMicros() + 1) * statistics.forces())
        .isGreaterThanOrEqualTo(statistics.forceMicros());
  }

  @Test
  void whenTheDiskIsTooSlowAppendersWaitAndNothingIsLost() throws Exception {
    Opened opened = Opened.open(disk);
    CountDownLatch gate = disk.holdWrites();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      texts.add(i + "x".repeat(1000));
    }
    AtomicInteger taken = new AtomicInteger();
    opened.append("first");
    while (opened.log().pendingBytes() > 0) {
      Thread.sleep(1); // until the writer has taken it, and hangs
    }
    Thread appender =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (String text : texts) {
                    opened.append(text);
                    taken.incrementAndGet();
                  }
                });
    while (appender.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    assertThat(opened.log().isCongested()).isTrue();
    assertThat(taken.get()).isBetween(14, 16);
    gate.countDown();
    appender.join();
    assertThat(taken.get()).isEqualTo(texts.size());
    opened.storage().close();
    texts.addFirst("first");
    assertThat(Opened.open(disk).fromLog).isEqualTo(texts);
  }

  /** Who slows down because of it appends nothing meanwhile, and must not wait for ever. */
  @Test
  void aLogThatHasCaughtUpIsNotCongested() throws Exception {
    Opened opened = Opened.open(disk);
    CountDownLatch gate = disk.holdWrites();
    opened.append("first");
    while (opened.log().pendingBytes() > 0) {
      Thread.sleep(1); // until the writer has taken it, and hangs
    }
    while (!opened.log().isCongested()) {
      opened.append("x".repeat(1000));
    }
    gate.countDown();
    opened.log().awaitForced(opened.log().position());
    assertThat(opened.log().isCongested()).isFalse();
  }

  @Test
  void whoWaitsForRoomIsToldThatTheLogHasFailed() throws Exception {
    Opened opened = Opened.open(disk);
    CountDownLatch gate = disk.holdWrites();
    opened.append("first");
    while (opened.log().pendingBytes() > 0) {
      Thread.sleep(1); // until the writer has taken it, and hangs
    }
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread appender =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((thread, e) -> thrown.set(e))
            .start(
                () -> {
                  while (true) {
                    opened.append("x".repeat(1000));
                  }
                });
    while (appender.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    disk.failForces(true);
    gate.countDown();
    appender.join();
    assertThat(thrown.get()).isInstanceOf(LogStoppedException.class);
  }

  /** A server without a directory may promise anything: that is more than a doubt for now. */
  @Test
  void whoMarksADirectoryThatIsInDoubtForNowMarksItForGood() throws Exception {
    Opened first = Opened.open(disk);
    assertThat(first.storage().doubtForNow()).isFalse();
    first.storage().close();
    Opened second = Opened.open(disk.copy());
    assertThat(second.storage().doubtForNow()).isFalse();
    second.storage().close();
    Storage.doubt(disk, Opened.PATH, Opened.IDENTITY);
    Opened third = Opened.open(disk);
    assertThat(third.storage().doubtForNow()).isTrue();
    third.storage().close();
  }

  @Test
  void aRecordThatNeverFitsIsRefused() throws Exception {
    Opened opened = Opened.open(disk);
    int most = Opened.small(Durability.SYNC).log().maxPayloadBytes();
    assertThatThrownBy(() -> opened.log().append((byte) 1, ByteBuffer.allocate(most + 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Integer.toString(most));
    opened.log().append((byte) 1, ByteBuffer.allocate(most));
    opened.storage().close();
    assertThat(Opened.open(disk).fromLog).hasSize(1);
  }

  @Test
  void aClosedLogTakesNothing() throws IOException {
    Opened opened = Opened.open(disk);
    opened.storage().close();
    assertThatThrownBy(() -> opened.append("late"))
        .isInstanceOf(LogStoppedException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void appendersDoNotDisturbEachOther() throws Exception {
    Opened opened =
        Opened.open(
            disk,
            Opened.PATH,
            Opened.IDENTITY,
            new StorageOptions(
                new LogOptions(
                    Durability.SYNC, java.time.Duration.ofMillis(2), 64 * 1024, 1024 * 1024),
                CheckpointOptions.DEFAULTS));
    int threads = 4;
    int each = 2000;
    List<Thread> appenders =
        IntStream.range(0, threads)
            .mapToObj(
                thread ->
                    Thread.ofPlatform()
                        .start(
                            () -> {
                              for (int i = 0; i < each; i++) {
                                opened.append(thread + ":" + i);
                                while (opened.log().isCongested()) {
                                  Thread.onSpinWait();
                                }
                              }
                            }))
            .toList();
    for (Thread appender : appenders) {
      appender.join();
    }
    opened.storage().close();
    Map<String, Integer> next = new HashMap<>();
    for (String text : Opened.open(disk).fromLog) {
      String[] parts = text.split(":");
      assertThat(Integer.parseInt(parts[1])).isEqualTo(next.merge(parts[0], 1, Integer::sum) - 1);
    }
    assertThat(next)
        .hasSize(threads)
        .allSatisfy((thread, count) -> assertThat(count).isEqualTo(each));
  }
}
