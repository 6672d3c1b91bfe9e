package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CheckpointTest {
  private final SimulatedDisk disk = new SimulatedDisk();

  @Test
  void replayBeginsWhereTheCheckpointBegan() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("before");
    CheckpointWriter writer = opened.storage().beginCheckpoint(opened.log().position());
    assertThat(writer.offer((byte) 1, Opened.bytes("state"))).isTrue();
    opened.appendForced("meanwhile");
    CheckpointInfo info = writer.finish().join();
    opened.appendForced("after");
    assertThat(info.records()).isEqualTo(1);
    assertThat(info.position()).isEqualTo(writer.position());
    assertThat(info.bytes()).isEqualTo(disk.read(Opened.checkpoints(disk).getLast()).length);
    Opened again = Opened.open(disk.copy());
    assertThat(again.fromCheckpoint).containsExactly("state");
    assertThat(again.fromLog).containsExactly("meanwhile", "after");
  }

  @Test
  void replayCanBeginEarlierThanTheCheckpoint() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("before");
    long from = opened.log().position();
    opened.appendForced("between");
    CheckpointWriter writer = opened.storage().beginCheckpoint(from);
    writer.finish().join();
    assertThat(opened.storage().checkpointPosition()).isEqualTo(from);
    assertThat(Opened.open(disk.copy()).fromLog).containsExactly("between");
    assertThatThrownBy(() -> opened.storage().beginCheckpoint(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> opened.storage().beginCheckpoint(opened.log().position() + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The checkpoint begins within a segment that others follow: that segment stays. */
  @Test
  void whatCameAfterItIsKeptInWholeSegments() throws Exception {
    Opened opened = Opened.open(disk);
    for (int i = 0; i < 40; i++) {
      opened.appendForced("x".repeat(300));
    }
    long position = opened.log().position();
    List<String> after = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      after.add(i + "y".repeat(300));
      opened.appendForced(after.getLast());
    }
    CheckpointWriter writer = opened.storage().beginCheckpoint(position);
    assertThat(writer.offer((byte) 1, Opened.bytes("state"))).isTrue();
    writer.finish().join();
    assertThat(Opened.segments(disk)).hasSizeBetween(3, 6);
    opened.storage().close();
    Opened again = Opened.open(disk);
    assertThat(again.fromCheckpoint).containsExactly("state");
    assertThat(again.fromLog).isEqualTo(after);
  }

  @Test
  void whatItMakesSuperfluousIsDeleted() throws Exception {
    Opened opened = Opened.open(disk);
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 40; i++) {
        opened.appendForced("x".repeat(300));
      }
      opened.checkpoint("state " + round);
      assertThat(Opened.segments(disk)).hasSize(1);
      assertThat(Opened.checkpoints(disk)).hasSize(1);
    }
    opened.storage().close();
    Opened again = Opened.open(disk);
    assertThat(again.fromCheckpoint).containsExactly("state 4");
    assertThat(again.fromLog).isEmpty();
  }

  @Test
  void aSegmentThatEndsWhereItBeginsIsDeleted() throws Exception {
    Opened.open(disk).storage().close();
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    opened.storage().close();
    Opened again = Opened.open(disk); // it begins another segment
    assertThat(Opened.segments(disk)).hasSize(2);
    again.checkpoint("state");
    assertThat(Opened.segments(disk)).hasSize(1);
  }

  /** One force of all of it would make the log wait for its own. */
  @Test
  void itIsForcedInSteps() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    Opened.awaitMark(disk);
    long before = disk.forces();
    opened.checkpoint("x".repeat(3000), "y".repeat(3000), "z".repeat(3000));
    // Each of them fills a chunk; after them come the end of the file, and its name.
    assertThat(disk.forces() - before).isGreaterThanOrEqualTo(3 + 1);
  }

  @Test
  void itMayHaveMoreAndLongerRecordsThanAChunkHolds() throws Exception {
    Opened opened = Opened.open(disk);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      texts.add(i + "s".repeat(i * 331));
    }
    opened.checkpoint(texts.toArray(String[]::new));
    opened.storage().close();
    assertThat(Opened.open(disk).fromCheckpoint).isEqualTo(texts);
  }

  @Test
  void anEmptyOneIsWhole() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("before");
    opened.checkpoint();
    opened.storage().close();
    Opened again = Opened.open(disk);
    assertThat(again.fromCheckpoint).isEmpty();
    assertThat(again.fromLog).isEmpty();
  }

  @Test
  void severalAtOnePositionReplaceEachOther() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("before");
    opened.checkpoint("state 1");
    opened.checkpoint("state 2");
    assertThat(Opened.checkpoints(disk)).hasSize(1);
    opened.storage().close();
    assertThat(Opened.open(disk).fromCheckpoint).containsExactly("state 2");
  }

  @Test
  void whileTheDiskIsSlowRecordsAreNotTaken() throws Exception {
    Opened opened = Opened.open(disk);
    CountDownLatch gate = disk.holdWrites();
    CheckpointWriter writer = opened.storage().beginCheckpoint(opened.log().position());
    int taken = 0;
    while (writer.offer((byte) 1, Opened.bytes("x".repeat(1000)))) {
      taken++;
    }
    assertThat(taken).isEqualTo(8);
    gate.countDown();
    while (!writer.offer((byte) 1, Opened.bytes("x".repeat(1000)))) {
      Thread.onSpinWait();
    }
    assertThat(writer.finish().join().records()).isEqualTo(9);
    assertThatThrownBy(() -> writer.offer((byte) 1, Opened.bytes("late")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anAbandonedOneLeavesNothing() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    CheckpointWriter writer = opened.storage().beginCheckpoint(opened.log().position());
    writer.offer((byte) 1, Opened.bytes("state"));
    assertThatThrownBy(() -> opened.storage().beginCheckpoint(opened.log().position()))
        .isInstanceOf(IllegalStateException.class);
    writer.abandon();
    assertThatThrownBy(() -> writer.result().join()).hasMessageContaining("abandoned");
    assertThat(disk.paths()).noneMatch(path -> path.toString().contains("checkpoint"));
    opened.checkpoint("state 2");
    // Closing abandons one that is under way.
    opened
        .storage()
        .beginCheckpoint(opened.log().position())
        .offer((byte) 1, Opened.bytes("state 3"));
    opened.storage().close();
    Opened again = Opened.open(disk);
    assertThat(again.fromCheckpoint).containsExactly("state 2");
    assertThat(again.storage().lastStop()).isEqualTo(LastStop.CLEAN);
  }

  @Test
  void itIsWrittenNoFasterThanToldTo() throws Exception {
    StorageOptions options =
        new StorageOptions(
            LogOptions.of(Durability.SYNC), new CheckpointOptions(1024 * 1024, 16 * 1024));
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, options);
    long startNanos = System.nanoTime();
    String[] texts = new String[20];
    java.util.Arrays.fill(texts, "x".repeat(10 * 1024));
    opened.checkpoint(texts);
    // 192 KiB of full chunks at 1 MiB in a second.
    assertThat(System.nanoTime() - startNanos).isGreaterThan(150_000_000L);
    opened.storage().close();
  }

  /** It may tell of records that were not forced when it was written, so it waits for them. */
  @Test
  void itTakesEffectOnlyWhenTheLogHasReachedItsEnd() throws Exception {
    StorageOptions options =
        new StorageOptions(
            new LogOptions(Durability.ASYNC, java.time.Duration.ofMillis(300), 4096, 16 * 1024),
            CheckpointOptions.DEFAULTS);
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, options);
    CheckpointWriter writer = opened.storage().beginCheckpoint(opened.log().position());
    long position = opened.append("told of in the checkpoint");
    while (opened.kept.get() < position) {
      Thread.sleep(1);
    }
    var result = writer.finish();
    Thread.sleep(30);
    assertThat(result).isNotDone();
    result.join();
    assertThat(Opened.open(disk.copy()).fromLog).containsExactly("told of in the checkpoint");
  }
}
