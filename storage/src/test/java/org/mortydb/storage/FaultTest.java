package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The disk fails: the log stops for good, says so, and loses nothing that it had kept. */
@Timeout(60)
class FaultTest {
  private final SimulatedDisk disk = new SimulatedDisk();

  /** A loss of power keeps no file in a directory whose own name it loses. */
  @Test
  void directoriesAboveANewOneAreAsDurableAsItsRecords() throws Exception {
    Path path = Path.of("/srv/tea/data/a");
    StorageOptions options = Opened.small(Durability.SYNC);
    Opened.open(disk, path, Opened.IDENTITY, options).appendForced("kept");
    SimulatedDisk crashed = disk.crash(new SplittableRandom(1));
    assertThat(Opened.open(crashed, path, Opened.IDENTITY, options).fromLog)
        .containsExactly("kept");
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "force", "create", "rename"})
  void afterAFailureNothingIsTriedAgain(String operation) throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("kept");
    AtomicInteger tries = new AtomicInteger();
    disk.watch(
        (name, path) -> {
          if (name.equals(operation)) {
            tries.incrementAndGet();
            throw new IOException("Input/output error");
          }
        });
    // Creating and renaming come with the next segment only.
    List<String> appended = new ArrayList<>(List.of("kept"));
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                String text = "x".repeat(500) + i;
                opened.appendForced(text);
                appended.add(text);
              }
            })
        .isInstanceOf(LogStoppedException.class)
        .hasMessageContaining(Opened.PATH.toString())
        .hasMessageContaining("Input/output error")
        .hasMessageContaining("mend the disk");
    while (opened.failure.get() == null) {
      Thread.sleep(1);
    }
    assertThat(opened.failure.get()).isSameAs(opened.log().failure());
    int tried = tries.get();
    disk.watch((name, path) -> {});
    long used = disk.used();
    assertThatThrownBy(() -> opened.append("late")).isInstanceOf(LogStoppedException.class);
    assertThatThrownBy(() -> opened.storage().close()).isInstanceOf(StorageException.class);
    assertThat(tries.get()).isEqualTo(tried);
    assertThat(disk.used()).isEqualTo(used);

    Opened again = Opened.open(disk);
    assertThat(again.fromLog).startsWith(appended.toArray(String[]::new));
    assertThat(again.storage().lastStop()).isEqualTo(LastStop.CRASH);
  }

  /**
   * After a failed force the records can be read, but are not on the medium, and another force of
   * the same file does not put them there. What the next start reads must survive a power failure.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whatAStartReadsAfterAFailedForceIsOnTheMedium(int fullSegments) throws Exception {
    Opened opened = Opened.open(disk);
    for (int i = 0; i < fullSegments * 9; i++) {
      opened.appendForced(i + " " + "x".repeat(450));
    }
    disk.failForces(true);
    opened.append("read after the failed force");
    while (opened.failure.get() == null) {
      Thread.sleep(1);
    }
    disk.failForces(false);

    SimulatedDisk mended = disk;
    Opened again = Opened.open(mended.releasingLocks());
    List<String> read = List.copyOf(again.fromLog);
    again.appendForced("after the restart");
    Opened last = Opened.open(mended.crash(new SplittableRandom(fullSegments)));
    assertThat(last.fromLog).startsWith(read.toArray(String[]::new)).endsWith("after the restart");
  }

  /**
   * A start seals the last segment, and its force fails: the seal can be read, but is not on the
   * medium. The next start must not believe it, also if the stop before was clean.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSealWhoseForceHasFailedIsWrittenAgain(boolean clean) throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    Path first = Opened.segments(disk).getLast();
    if (clean) {
      opened.storage().close();
    }
    SimulatedDisk used = disk.releasingLocks();
    AtomicBoolean successor = new AtomicBoolean();
    used.watch(
        (name, path) -> {
          successor.compareAndSet(false, name.equals("rename") && !path.equals(first));
          used.failForces(name.equals("force") && path.equals(first) && successor.get());
        });
    assertThatThrownBy(() -> Opened.open(used)).isInstanceOf(StorageException.class);
    used.watch((name, path) -> {});
    used.failForces(false);

    Opened again = Opened.open(used);
    assertThat(again.fromLog).containsExactly("one");
    again.appendForced("two");
    Opened last = Opened.open(used.crash(new SplittableRandom(1)));
    assertThat(last.fromLog).containsExactly("one", "two");
  }

  /**
   * The name of a checkpoint can be read, but may not be on the medium. Until it is, a start that
   * uses the checkpoint must leave alone what the checkpoint replaces.
   */
  @Test
  void aCheckpointWhoseNameIsNotForcedReplacesNothing() throws Exception {
    Opened before = Opened.open(disk);
    before.appendForced("one");
    String large = "x".repeat(9 * 1024 * 1024); // a file that is deleted in steps
    before.checkpoint(large);
    Path first = Opened.checkpoints(disk).getLast();
    before.appendForced("two");
    before.storage().close();
    Opened opened = Opened.open(disk); // its segment stays empty
    AtomicBoolean renamed = new AtomicBoolean();
    disk.watch(
        (name, path) -> {
          renamed.compareAndSet(false, name.equals("rename") && path.toString().endsWith(".ckpt"));
          if (renamed.get() && name.equals("force")) {
            throw new IOException("Input/output error");
          }
        });
    assertThatThrownBy(() -> opened.checkpoint("state 2")).hasMessageContaining("nothing is lost");

    SimulatedDisk used = disk.releasingLocks();
    List<SimulatedDisk> crashed = crashesBeforeDeletionOf(first, used);
    assertThat(Opened.open(used).fromCheckpoint).containsExactly("state 2");
    requireOneOf(large, crashed);
  }

  /** The old checkpoint is shortened, and that is forced, before it is deleted. */
  @Test
  void theNameOfACheckpointIsForcedBeforeWhatItReplacesIsShortened() throws Exception {
    Opened opened = Opened.open(disk);
    String large = "x".repeat(9 * 1024 * 1024);
    opened.checkpoint(large);
    Path first = Opened.checkpoints(disk).getLast();
    opened.appendForced("two");
    List<SimulatedDisk> crashed = crashesBeforeDeletionOf(first, disk);
    opened.checkpoint("state 2");
    requireOneOf(large, crashed);
  }

  /** Collects what losses of power leave at the moment before a file is deleted. */
  private static List<SimulatedDisk> crashesBeforeDeletionOf(Path file, SimulatedDisk disk) {
    List<SimulatedDisk> crashed = new ArrayList<>();
    disk.watch(
        (name, path) -> {
          if (name.equals("delete") && path.equals(file)) {
            for (int seed = 0; seed < 10; seed++) {
              crashed.add(disk.crash(new SplittableRandom(seed)));
            }
          }
        });
    return crashed;
  }

  private static void requireOneOf(String first, List<SimulatedDisk> crashed) throws IOException {
    assertThat(crashed).hasSize(10);
    for (SimulatedDisk one : crashed) {
      Opened last = Opened.open(one);
      assertThat(last.fromCheckpoint.getFirst()).isIn(first, "state 2");
      if (!last.fromCheckpoint.getFirst().equals("state 2")) {
        assertThat(last.fromLog).containsExactly("two");
      }
    }
  }

  private static final StorageOptions SELDOM_FORCED =
      new StorageOptions(
          new LogOptions(Durability.ASYNC, Duration.ofMillis(200), 4096, 16 * 1024),
          new CheckpointOptions(1 << 30, 4096));

  /** The votes were told, and the system may have dropped them, although the machine went on. */
  @Test
  void afterAFailedForceAnAsyncDirectoryIsInDoubt() throws Exception {
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, SELDOM_FORCED);
    disk.watch(
        (name, path) -> {
          if (name.equals("force") && path.toString().contains("log-")) {
            throw new IOException("Input/output error");
          }
        });
    keep(opened, "told");
    while (opened.failure.get() == null) {
      Thread.sleep(1);
    }
    assertThatThrownBy(() -> opened.storage().close()).isInstanceOf(StorageException.class);
    disk.watch((name, path) -> {});
    assertThat(StoredDirectory.read(disk, Opened.PATH, (a, b) -> {}, (a, b) -> {}).doubtful())
        .isTrue();
    Opened again = Opened.open(disk);
    assertThat(again.storage().isDoubtful()).isTrue();
    again.storage().settled();
    assertThat(again.storage().isDoubtful()).isFalse();
  }

  /** The event loops of a server that is being closed may take nothing more. */
  @Test
  void aLogWhoseUserCannotBeToldLeavesItsDoubt() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    Storage storage =
        Storage.open(
            disk,
            Opened.PATH,
            Opened.IDENTITY,
            SELDOM_FORCED,
            (tag, payload) -> {},
            (tag, payload) -> {},
            new LogListener() {
              @Override
              public void onKept(long position) {
                told.countDown();
              }

              @Override
              public void onFailed(StorageException failure) {
                throw new IllegalStateException("the event loop has ended");
              }
            });
    disk.watch(
        (name, path) -> {
          if (name.equals("force") && path.toString().contains("log-")) {
            throw new IOException("Input/output error");
          }
        });
    storage.log().append((byte) 1, Opened.bytes("told"));
    told.await();
    assertThatThrownBy(storage::close).isInstanceOf(StorageException.class);
    disk.watch((name, path) -> {});
    assertThat(Opened.open(disk).storage().isDoubtful()).isTrue();
  }

  /** As above, but the process was killed before it could say so. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAsyncLogThatLacksWhatWasWrittenIsInDoubt(boolean lacks) throws Exception {
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, SELDOM_FORCED);
    Path segment = Opened.segments(disk).getLast();
    keep(opened, "one");
    int whole = disk.read(segment).length;
    keep(opened, "two");
    SimulatedDisk killed = disk.copy();
    if (lacks) {
      killed.put(segment, Arrays.copyOf(killed.read(segment), whole));
    }
    assertThat(StoredDirectory.read(killed, Opened.PATH, (a, b) -> {}, (a, b) -> {}).doubtful())
        .isEqualTo(lacks);
    // A start that fails, after it has emptied the note.
    killed.watch(
        (name, path) -> {
          if (name.equals("write") && path.endsWith(Names.FORCED)) {
            throw new IOException("Input/output error");
          }
        });
    assertThatThrownBy(() -> Opened.open(killed)).isInstanceOf(StorageException.class);
    killed.watch((name, path) -> {});
    Opened again = Opened.open(killed);
    assertThat(again.fromLog).startsWith("one");
    assertThat(again.storage().isDoubtful()).isEqualTo(lacks);
  }

  private static void keep(Opened opened, String text) throws Exception {
    long position = opened.append(text);
    while (opened.kept.get() < position) {
      Thread.sleep(1);
    }
  }

  @Test
  void aDirectoryInDoubtIsSeenWithoutAStart() throws Exception {
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, SELDOM_FORCED);
    keep(opened, "told");
    SimulatedDisk crashed = disk.crash(new SplittableRandom(1));
    assertThat(StoredDirectory.read(crashed, Opened.PATH, (a, b) -> {}, (a, b) -> {}).doubtful())
        .isTrue();
    assertThat(Opened.open(crashed).storage().isDoubtful()).isTrue();
  }

  /** A thread that comes too late must not overwrite what the next use has stored. */
  @Test
  void nothingIsStoredAfterTheEnd() throws Exception {
    Opened opened = Opened.open(disk);
    opened.storage().close();
    Opened next = Opened.open(disk);
    byte[] state = disk.read(Opened.PATH.resolve(Names.STATE));
    assertThatThrownBy(() -> opened.storage().settled()).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> opened.storage().version(3)).isInstanceOf(StorageException.class);
    assertThat(disk.read(Opened.PATH.resolve(Names.STATE))).isEqualTo(state);
    next.storage().close();
  }

  @Test
  void aFullDiskStopsTheLogAndRoomLetsItStartAgain() throws Exception {
    Opened opened = Opened.open(disk);
    disk.limitTo(disk.used() + 20_000);
    List<String> kept = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                String text = kept.size() + "x".repeat(300);
                opened.appendForced(text);
                kept.add(text);
              }
            })
        .isInstanceOf(LogStoppedException.class)
        .hasMessageContaining("No space left on device")
        .hasMessageContaining("make room");
    assertThat(kept.size()).isGreaterThan(30);
    assertThatThrownBy(() -> opened.storage().close()).isInstanceOf(StorageException.class);

    // Fuller still: starting is refused, and changes nothing for the worse.
    disk.limitTo(0);
    assertThatThrownBy(() -> Opened.open(disk))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("No space left on device")
        .hasMessageContaining(Opened.PATH.toString());
    disk.limitTo(Long.MAX_VALUE);
    Opened again = Opened.open(disk);
    assertThat(again.fromLog.subList(0, kept.size())).isEqualTo(kept);
    assertThat(again.fromLog.size()).isLessThanOrEqualTo(kept.size() + 1);
  }

  @Test
  void shortWritesAreContinued() throws Exception {
    disk.writeShort();
    Opened opened = Opened.open(disk);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      texts.add("text " + i + "z".repeat(i * 11));
      opened.appendForced(texts.getLast());
    }
    opened.storage().close();
    assertThat(Opened.open(disk).fromLog).isEqualTo(texts);
  }

  @ParameterizedTest
  @EnumSource
  void anAppenderLearnsWhyTheLogStopped(Durability durability) throws Exception {
    Opened opened = Opened.open(disk, Opened.PATH, Opened.IDENTITY, Opened.small(durability));
    disk.watch(
        (name, path) -> {
          if (name.equals("force")) {
            throw new IOException("Input/output error");
          }
        });
    opened.append("never forced");
    while (opened.failure.get() == null) {
      Thread.sleep(1);
    }
    assertThatThrownBy(() -> opened.append("late"))
        .isInstanceOf(LogStoppedException.class)
        .hasCause(opened.failure.get());
    assertThatThrownBy(() -> opened.log().awaitForced(Long.MAX_VALUE))
        .isInstanceOf(LogStoppedException.class);
  }

  /** Another process may have begun a checkpoint under the same name. */
  @Test
  void withoutItsLockACheckpointDeletesNothing() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    CheckpointWriter writer = opened.storage().beginCheckpoint(opened.log().position());
    while (!writer.offer((byte) 1, Opened.bytes("state"))) {
      Thread.onSpinWait();
    }
    disk.put(Opened.PATH.resolve(Names.LOCK), new byte[0]);
    assertThatThrownBy(() -> writer.finish().join()).hasMessageContaining("lock");
    assertThat(disk.paths()).anyMatch(path -> path.toString().endsWith(".ckpt.tmp"));
    assertThat(Opened.checkpoints(disk)).isEmpty();
  }

  /** Direct memory may be short; another checkpoint can be written later. */
  @Test
  void anErrorEndsACheckpoint() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    disk.watch(
        (name, path) -> {
          if (path.toString().contains("checkpoint-")) {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
          }
        });
    assertThatThrownBy(() -> opened.checkpoint("state 1")).hasMessageContaining("nothing is lost");
    disk.watch((name, path) -> {});
    opened.checkpoint("state 2");
    assertThat(Opened.open(disk.copy()).fromCheckpoint).containsExactly("state 2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "force", "create", "rename"})
  void aCheckpointThatFailsCostsNothing(String operation) throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one", "two");
    opened.checkpoint("state 1");
    opened.appendForced("three");
    Opened.awaitMark(disk);
    disk.watch(
        (name, path) -> {
          if (name.equals(operation) && path.toString().contains("checkpoint-")) {
            throw new IOException("Input/output error");
          }
        });
    assertThatThrownBy(() -> opened.checkpoint("state 2"))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("checkpoint-")
        .hasMessageContaining("nothing is lost");
    disk.watch((name, path) -> {});
    opened.appendForced("four");
    SimulatedDisk killed = disk.copy();
    Opened again = Opened.open(killed);
    assertThat(again.fromCheckpoint).containsExactly("state 1");
    assertThat(again.fromLog).containsExactly("three", "four");
    opened.checkpoint("state 3");
    assertThat(Opened.open(disk.copy()).fromCheckpoint).containsExactly("state 3");
  }
}
