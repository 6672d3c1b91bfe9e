package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The version that a directory's records are written in. */
class VersionTest {
  private static final Path STATE = Opened.PATH.resolve(Names.STATE);

  private final SimulatedDisk disk = new SimulatedDisk();

  private static String state(SimulatedDisk of) {
    return new String(of.read(STATE), StandardCharsets.UTF_8);
  }

  @Test
  void aDirectoryKeepsItsVersionOverStopsAndCrashes() throws Exception {
    Opened first = Opened.open(disk);
    assertThat(first.storage().version()).isZero();
    first.appendForced("one");
    first.storage().version(4);
    first.storage().doubt();
    for (int seed = 0; seed < 10; seed++) {
      SimulatedDisk crashed = disk.crash(new SplittableRandom(seed));
      Opened after = Opened.open(crashed);
      assertThat(after.storage().version()).isEqualTo(4);
      assertThat(after.fromLog).containsExactly("one");
      after.storage().settled();
      after.storage().close();
      Opened again = Opened.open(crashed);
      assertThat(again.storage().version()).isEqualTo(4);
      again.storage().close();
    }
  }

  /** A crash at any step of the change leaves the version before or the one after. */
  @Test
  void theVersionChangesInOneStep() throws Exception {
    for (int crashAt = 0; ; crashAt++) {
      SimulatedDisk fresh = new SimulatedDisk();
      Opened opened = Opened.open(fresh);
      opened.appendForced("one");
      opened.storage().version(3);
      int[] left = {crashAt};
      fresh.watch(
          (operation, path) -> {
            if (path.toString().contains(Names.STATE) && left[0]-- == 0) {
              throw new IOException("the machine is down");
            }
          });
      boolean changed = true;
      try {
        opened.storage().version(4);
      } catch (IOException e) {
        changed = false;
      }
      fresh.watch((operation, path) -> {});
      Opened after = Opened.open(fresh.crash(new SplittableRandom(crashAt)));
      assertThat(after.storage().version()).isIn(3, 4);
      assertThat(after.fromLog).containsExactly("one");
      if (changed) {
        assertThat(after.storage().version()).isEqualTo(4);
        assertThat(crashAt).isGreaterThan(1);
        return;
      }
    }
  }

  /** A directory of the first format, as programs wrote it before there were versions. */
  @Test
  void anOlderDirectoryIsMigratedOnceItsVersionNeedsTheNextFormat() throws Exception {
    Opened first = Opened.open(disk);
    first.appendForced("one");
    first.storage().close();
    assertThat(state(disk)).startsWith("morty-data 1\n").doesNotContain("version");

    Opened second = Opened.open(disk);
    assertThat(second.storage().version()).isZero();
    second.storage().version(3);
    second.storage().close();
    // Still the first format: the program before reads it, and ignores the line that it lacks.
    assertThat(state(disk)).startsWith("morty-data 1\n").contains("\nversion=3\n");

    Opened third = Opened.open(disk);
    third.storage().version(4);
    third.storage().close();
    assertThat(state(disk)).startsWith("morty-data 2\n").contains("\nversion=4\n");
    Opened fourth = Opened.open(disk);
    assertThat(fourth.fromLog).containsExactly("one");
    fourth.storage().close();
    assertThat(Storage.formatOf(3)).isEqualTo(1);
    assertThat(Storage.formatOf(4)).isEqualTo(Storage.newestFormat()).isEqualTo(2);
  }

  @Test
  void aProgramThatDoesNotReadTheVersionIsTold() throws Exception {
    assertThatCode(() -> Storage.requireVersion(disk, Opened.PATH, 3, 3))
        .doesNotThrowAnyException(); // there is no directory
    Opened opened = Opened.open(disk);
    opened.storage().close();
    assertThatCode(() -> Storage.requireVersion(disk, Opened.PATH, 3, 3))
        .doesNotThrowAnyException(); // it has no version
    Opened again = Opened.open(disk);
    again.storage().version(4);
    again.storage().close();
    assertThatCode(() -> Storage.requireVersion(disk, Opened.PATH, 3, 4))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> Storage.requireVersion(disk, Opened.PATH, 2, 3))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(Opened.PATH + " is written in version 4")
        .hasMessageContaining("reads versions 2 to 3")
        .hasMessageContaining("cannot be undone");
    assertThatThrownBy(() -> Storage.requireVersion(disk, Opened.PATH, 5, 5))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("reads version 5: start a release that speaks version 4")
        .hasMessageContaining("morty upgrade finish");
    String damaged = state(disk).replace("version=4", "version=x");
    disk.put(STATE, damaged.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> Storage.requireVersion(disk, Opened.PATH, 3, 4))
        .isInstanceOf(DamagedStorageException.class);
  }
}
