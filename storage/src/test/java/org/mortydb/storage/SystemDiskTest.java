package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same on the machine's own file system. */
@Timeout(60)
class SystemDiskTest {
  @TempDir private Path temporary;

  private Opened open() throws Exception {
    return Opened.open(
        Disk.SYSTEM, temporary.resolve("new/data"), Opened.IDENTITY, Opened.small(Durability.SYNC));
  }

  @Test
  void recordsAndCheckpointsComeBack() throws Exception {
    Opened opened = open();
    List<String> late = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      opened.appendForced("early " + "x".repeat(300));
    }
    opened.checkpoint("state 1", "y".repeat(10_000), "state 3");
    for (int i = 0; i < 50; i++) {
      late.add("late " + i + "x".repeat(300));
      opened.appendForced(late.getLast());
    }
    assertThat(opened.log().statistics().forces()).isGreaterThanOrEqualTo(100);
    opened.storage().close();
    Opened again = open();
    assertThat(again.fromCheckpoint).containsExactly("state 1", "y".repeat(10_000), "state 3");
    assertThat(again.fromLog).isEqualTo(late);
    assertThat(again.storage().lastStop()).isEqualTo(LastStop.CLEAN);
    again.storage().close();
  }

  @Test
  void aTornTailIsCutInTheFile() throws Exception {
    open().storage().close();
    Opened opened = open();
    opened.appendForced("one", "two");
    Path segment;
    try (var files = Files.list(opened.storage().path())) {
      segment = files.filter(file -> file.toString().endsWith(".seg")).max(Path::compareTo).get();
    }
    Path copy = temporary.resolve("copy");
    Files.createDirectories(copy);
    try (var files = Files.list(opened.storage().path())) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    try (RandomAccessFile file =
        new RandomAccessFile(copy.resolve(segment.getFileName()).toFile(), "rw")) {
      file.seek(file.length());
      file.write(new byte[100]);
    }
    StorageOptions options = Opened.small(Durability.SYNC);
    Opened again = Opened.open(Disk.SYSTEM, copy, Opened.IDENTITY, options);
    assertThat(again.fromLog).containsExactly("one", "two");
    again.storage().close();
    opened.storage().close();
  }

  @Test
  void twoProcessesDoNotShareADirectory() throws Exception {
    Opened opened = open();
    assertThat(saidByAnotherProcess(opened.storage().path()))
        .contains("is in use by another process");
    assertThatThrownBy(this::open)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("in use");
    opened.storage().close();
    open().storage().close();
  }

  /** The system drops a lock when the process closes any descriptor of the file. */
  @Test
  void whatThisProcessIsRefusedCostsNoLock() throws Exception {
    Opened opened = open();
    Path path = opened.storage().path();
    Path link = Files.createSymbolicLink(temporary.resolve("link"), path);
    for (Path other : List.of(path, link)) {
      assertThatThrownBy(
              () -> Opened.open(Disk.SYSTEM, other, Opened.IDENTITY, Opened.small(Durability.SYNC)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("in use");
      assertThatThrownBy(() -> StoredDirectory.read(other, (a, b) -> {}, (a, b) -> {}))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("in use");
      assertThatThrownBy(() -> Storage.doubt(other, Opened.IDENTITY))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("in use");
    }
    assertThat(saidByAnotherProcess(path)).contains("is in use by another process");
    opened.storage().close();
  }

  /** Whoever opens the directory then has all that was promised before. */
  @ParameterizedTest
  @EnumSource
  void withoutItsLockALogPromisesNothingMore(Durability durability) throws Exception {
    Path path = temporary.resolve("data");
    Opened opened = Opened.open(Disk.SYSTEM, path, Opened.IDENTITY, Opened.small(durability));
    opened.appendForced("kept");
    Files.delete(path.resolve(Names.LOCK));
    long position = opened.append("late");
    while (opened.failure.get() == null) {
      Thread.sleep(1);
    }
    assertThat(opened.failure.get()).hasMessageContaining("lock");
    assertThat(opened.log().keptPosition()).isLessThan(position);
    assertThatThrownBy(() -> opened.storage().doubt()).hasMessageContaining("is lost");
    assertThatThrownBy(() -> opened.storage().close()).isInstanceOf(StorageException.class);
  }

  private static String saidByAnotherProcess(Path path) throws Exception {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                path.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  /** Tries to open a directory, and prints how that went. */
  static final class OtherProcess {
    private OtherProcess() {}

    public static void main(String[] args) throws Exception {
      try {
        Opened.open(Disk.SYSTEM, Path.of(args[0]), Opened.IDENTITY, Opened.small(Durability.SYNC));
        System.out.println("opened");
      } catch (StorageException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
