package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Torn tails are cut, everything else that is not as it was written is refused. */
@Timeout(120)
class DamageTest {
  private final SimulatedDisk disk = new SimulatedDisk();
  private final RandomGenerator random =
      RandomGeneratorFactory.of("L64X128MixRandom").create(20260101);

  /** Several segments, a checkpoint before some of them, records after it. */
  private List<String> fill(boolean close) throws Exception {
    Opened opened = Opened.open(disk);
    for (int i = 0; i < 30; i++) {
      opened.appendForced("early " + i + "x".repeat(200));
    }
    opened.checkpoint("state 1", "state 2");
    String[] texts = new String[24];
    Arrays.setAll(texts, i -> "late " + i + "y".repeat(200));
    opened.appendForced(texts);
    Opened.awaitMark(disk);
    if (close) {
      opened.storage().close();
    }
    assertThat(Opened.segments(disk).size()).isGreaterThanOrEqualTo(2);
    return List.of(texts);
  }

  private static Opened reopen(SimulatedDisk damaged) throws IOException {
    return Opened.open(damaged);
  }

  // ---- torn tails ---------------------------------------------------------------------------

  /** The last batch, cut after any of its bytes, and followed by what a disk may have there. */
  @Test
  void aTornLastBatchIsCut() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one", "two");
    Opened.awaitMark(disk);
    Path segment = Opened.segments(disk).getLast();
    int whole = disk.read(segment).length;
    opened.appendForced("the last one, and it is a little longer");
    SimulatedDisk killed = disk.copy();
    byte[] bytes = killed.read(segment);
    for (int length = whole; length < bytes.length; length++) {
      for (byte[] rest : rests(bytes, length)) {
        SimulatedDisk torn = killed.copy();
        torn.put(segment, rest);
        torn.remove(Opened.PATH.resolve(Names.FORCED)); // the batch was not forced
        Opened again = reopen(torn);
        assertThat(again.fromLog).startsWith("one", "two").hasSizeBetween(2, 3);
        again.appendForced("new");
        assertThat(reopen(torn.copy()).fromLog).startsWith("one", "two").endsWith("new");
      }
    }
  }

  private List<byte[]> rests(byte[] bytes, int length) {
    byte[] cut = Arrays.copyOf(bytes, length);
    byte[] zeros = Arrays.copyOf(cut, bytes.length + 100);
    byte[] noise = Arrays.copyOf(cut, bytes.length + 100);
    for (int i = length; i < noise.length; i++) {
      noise[i] = (byte) random.nextInt();
    }
    return List.of(cut, zeros, noise);
  }

  @Test
  void aTornTailIsNoDamageEvenIfLaterPartsOfItAreThere() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    Opened.awaitMark(disk);
    Path segment = Opened.segments(disk).getLast();
    int whole = disk.read(segment).length;
    var gate = disk.holdWrites();
    opened.append("held up");
    Thread.sleep(20);
    for (int i = 0; i < 20; i++) {
      opened.append("in one batch " + i);
    }
    gate.countDown();
    opened.log().awaitForced(opened.log().position());
    byte[] bytes = disk.read(segment);
    // The end of the last batch reached the disk, its beginning did not.
    int lastMark = lastMarkBefore(bytes, bytes.length - RecordFormat.MARK_BYTES - 1);
    assertThat(lastMark).isGreaterThan(whole);
    byte[] torn = Arrays.copyOf(bytes, bytes.length);
    Arrays.fill(torn, lastMark, lastMark + 60, (byte) 0);
    boolean idleMarkIsThere =
        RecordFormat.kind(ByteBuffer.wrap(bytes), bytes.length - RecordFormat.MARK_BYTES)
            == RecordFormat.MARK;
    torn = idleMarkIsThere ? Arrays.copyOf(torn, torn.length - RecordFormat.MARK_BYTES) : torn;
    SimulatedDisk crashed = disk.copy();
    crashed.put(segment, torn);
    crashed.remove(Opened.PATH.resolve(Names.FORCED)); // the batch was not forced
    assertThat(reopen(crashed).fromLog)
        .startsWith("one", "held up")
        .doesNotContain("in one batch 19");
  }

  private static int lastMarkBefore(byte[] bytes, int end) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int at = FileHeader.BYTES;
    int mark = -1;
    while (at < end) {
      mark = RecordFormat.kind(buffer, at) == RecordFormat.MARK ? at : mark;
      at += RecordFormat.HEADER_BYTES + RecordFormat.length(buffer, at);
    }
    return mark;
  }

  // ---- flipped bits -------------------------------------------------------------------------

  /** After a stop in order, no flipped bit goes unseen. */
  @Test
  void everyFlippedByteIsRefusedAfterACleanStop() throws Exception {
    fill(true);
    for (Path path : dataFiles()) {
      byte[] bytes = disk.read(path);
      for (int i = 0; i < bytes.length; i++) {
        int at = i;
        SimulatedDisk damaged = flipped(path, bytes, at);
        assertThatThrownBy(() -> reopen(damaged))
            .describedAs("byte %d of %s", at, path)
            .isInstanceOf(StorageException.class)
            .hasMessageContaining(path.toString());
      }
    }
  }

  /** After a crash, a flipped bit is refused, or is in a mark that nothing was appended after. */
  @Test
  void noFlippedByteLosesARecordAfterACrash() throws Exception {
    List<String> late = fill(false);
    SimulatedDisk killed = disk.copy();
    int accepted = 0;
    for (Path path : dataFiles()) {
      byte[] bytes = killed.read(path);
      for (int i = 0; i < bytes.length; i++) {
        SimulatedDisk damaged = killed.copy();
        damaged.put(path, flip(bytes, i));
        try {
          assertThat(reopen(damaged).fromLog).isEqualTo(late);
          accepted++;
        } catch (StorageException e) {
          assertThat(e).hasMessageContaining(path.toString());
        }
      }
    }
    assertThat(accepted).isEqualTo(RecordFormat.MARK_BYTES);
  }

  /**
   * All files that a restart reads: no segment that ends where the checkpoint begins, or before.
   */
  private List<Path> dataFiles() {
    long from =
        disk.paths().stream()
            .mapToLong(path -> Names.checkpointPosition(path.getFileName().toString()))
            .max()
            .orElse(-1);
    List<Path> files = new ArrayList<>(disk.paths());
    files.removeIf(path -> path.endsWith(Names.LOCK) || path.endsWith(Names.FORCED));
    List<Path> segments = Opened.segments(disk);
    for (int i = 0; i + 1 < segments.size(); i++) {
      if (Names.segmentPosition(segments.get(i + 1).getFileName().toString()) <= from) {
        files.remove(segments.get(i));
      }
    }
    return files;
  }

  private SimulatedDisk flipped(Path path, byte[] bytes, int at) {
    SimulatedDisk damaged = disk.copy();
    damaged.put(path, flip(bytes, at));
    return damaged;
  }

  private byte[] flip(byte[] bytes, int at) {
    byte[] damaged = bytes.clone();
    damaged[at] ^= (byte) (1 << random.nextInt(8));
    return damaged;
  }

  // ---- files --------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyMissingFileIsRefused(boolean clean) throws Exception {
    fill(clean);
    for (Path path : dataFiles()) {
      SimulatedDisk damaged = disk.copy();
      damaged.remove(path);
      assertThatThrownBy(() -> reopen(damaged))
          .describedAs("without %s", path)
          .isInstanceOf(DamagedStorageException.class)
          .hasMessageContaining("missing")
          .hasMessageContaining("empty directory");
    }
  }

  @Test
  void everyShortenedFileIsRefusedAfterACleanStop() throws Exception {
    fill(true);
    for (Path path : dataFiles()) {
      byte[] bytes = disk.read(path);
      for (int length = 0; length < bytes.length; length++) {
        SimulatedDisk damaged = disk.copy();
        damaged.put(path, Arrays.copyOf(bytes, length));
        assertThatThrownBy(() -> reopen(damaged))
            .describedAs("%d bytes of %s", length, path)
            .isInstanceOf(DamagedStorageException.class)
            .hasMessageContaining(path.toString());
      }
    }
  }

  /** The end of the log that was forced is also noted beside it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aShortenedLastSegmentIsRefusedAfterTheEndOfTheProcess(boolean emptied) throws Exception {
    fill(false);
    SimulatedDisk killed = disk.copy();
    Path last = Opened.segments(killed).getLast();
    byte[] bytes = killed.read(last);
    int length = emptied ? FileHeader.BYTES : bytes.length / 2;
    killed.put(last, Arrays.copyOf(bytes, length));
    assertThatThrownBy(() -> reopen(killed))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining(last.toString());
  }

  /** It is a clue, and no part of the data: without it, a start believes the log alone. */
  @Test
  void aLostNoteOfTheForcedEndIsNoDamage() throws Exception {
    List<String> late = fill(false);
    Path note = Opened.PATH.resolve(Names.FORCED);
    for (byte[] content : List.of(new byte[0], new byte[7], new byte[100])) {
      SimulatedDisk damaged = disk.copy();
      damaged.put(note, content);
      assertThat(reopen(damaged).fromLog).isEqualTo(late);
    }
    SimulatedDisk without = disk.copy();
    without.remove(note);
    assertThat(reopen(without).fromLog).isEqualTo(late);
  }

  @Test
  void aCopiedSegmentIsRefused() throws Exception {
    fill(true);
    Path last = Opened.segments(disk).getLast();
    long next = Names.segmentPosition(last.getFileName().toString()) + disk.read(last).length;
    Path copy = last.resolveSibling(Names.segment(next));
    disk.put(copy, disk.read(last));
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining(last.getFileName().toString());
  }

  @Test
  void whatFollowsTheEndOfASegmentIsRefused() throws Exception {
    fill(true);
    List<Path> read = new ArrayList<>(dataFiles());
    read.retainAll(Opened.segments(disk));
    read.removeLast(); // its end may be torn
    assertThat(read).isNotEmpty();
    for (Path segment : read) {
      SimulatedDisk damaged = disk.copy();
      byte[] bytes = disk.read(segment);
      damaged.put(segment, Arrays.copyOf(bytes, bytes.length + 1));
      assertThatThrownBy(() -> reopen(damaged))
          .isInstanceOf(DamagedStorageException.class)
          .hasMessageContaining(segment.toString())
          .hasMessageContaining("something after its end");
    }
  }

  /** The seal proves that everything before it was once whole, and that another one followed. */
  @Test
  void aDamagedMarkBeforeASealIsRefused() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    Opened.awaitMark(disk);
    opened.storage().close();
    Opened.open(disk); // goes on in another segment, so the first is sealed
    List<Path> segments = Opened.segments(disk);
    byte[] bytes = disk.read(segments.getFirst());
    int mark = lastMarkBefore(bytes, bytes.length);
    assertThat(mark + RecordFormat.MARK_BYTES + RecordFormat.HEADER_BYTES).isEqualTo(bytes.length);
    SimulatedDisk damaged = disk.copy();
    damaged.put(segments.getFirst(), flip(bytes, mark + RecordFormat.HEADER_BYTES));
    segments.subList(1, segments.size()).forEach(damaged::remove);
    damaged.remove(Opened.PATH.resolve(Names.FORCED));
    assertThatThrownBy(() -> reopen(damaged))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining(segments.getFirst() + " is damaged at offset " + mark);
  }

  @Test
  void aLogThatIsLongerThanAtTheStopIsRefused() throws Exception {
    Opened first = Opened.open(disk);
    first.appendForced("one");
    first.storage().close();
    Path state = Opened.PATH.resolve(Names.STATE);
    byte[] older = disk.read(state);
    Opened second = Opened.open(disk);
    second.appendForced("two");
    second.storage().close();
    disk.put(state, older);
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining("has been closed in order at");
  }

  @Test
  void aSegmentOfAnotherDirectoryIsRefused() throws Exception {
    SimulatedDisk other = new SimulatedDisk();
    Opened.open(other).storage().close();
    reopen(disk).storage().close();
    Path segment = Opened.segments(disk).getFirst();
    disk.put(segment, other.read(segment));
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining(segment + " belongs to the data directory with the id");
  }

  @Test
  void anOlderSegmentInPlaceOfALaterOneIsRefused() throws Exception {
    fill(true);
    List<Path> segments = Opened.segments(disk);
    disk.put(segments.getLast(), disk.read(segments.getFirst()));
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining("renamed or copied");
  }

  @Test
  void otherFilesAreLeftAlone() throws Exception {
    List<String> late = fill(true);
    Path notes = Opened.PATH.resolve("notes.txt");
    disk.put(notes, new byte[10]);
    assertThat(reopen(disk).fromLog).isEqualTo(late);
    assertThat(disk.paths()).contains(notes);
  }

  // ---- whose, and which version -------------------------------------------------------------

  @Test
  void anotherServersDirectoryIsRefused() throws Exception {
    fill(true);
    assertThatThrownBy(
            () ->
                Opened.open(
                    disk, Opened.PATH, new Identity("test", "b"), Opened.small(Durability.SYNC)))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("server 'a' of cluster 'test'")
        .hasMessageContaining("server 'b'")
        .hasMessageContaining(Opened.PATH.toString());
  }

  @Test
  void aDirectoryWithSomethingElseIsRefused() {
    disk.put(Opened.PATH.resolve("photo.jpg"), new byte[1]);
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("photo.jpg")
        .hasMessageContaining("empty directory");
  }

  @Test
  void aDirectoryInUseIsRefused() throws Exception {
    Opened opened = reopen(disk);
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("in use")
        .hasMessageContaining(Opened.PATH.toString());
    opened.storage().close();
    reopen(disk).storage().close();
  }

  @Test
  void anotherVersionIsRefused() throws Exception {
    fill(true);
    for (Path path : List.of(Opened.segments(disk).getLast(), Opened.checkpoints(disk).getLast())) {
      ByteBuffer bytes = ByteBuffer.wrap(disk.read(path));
      bytes.putInt(8, 2);
      int sum = (int) RecordFormat.checksum(bytes.slice(0, FileHeader.BYTES - 4)).getValue();
      SimulatedDisk newer = disk.copy();
      newer.put(path, bytes.putInt(FileHeader.BYTES - 4, sum).array());
      assertThatThrownBy(() -> reopen(newer))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(path + " has format version 2")
          .hasMessageContaining("reads version 1");
    }
  }

  @Test
  void anotherVersionOfTheStateIsRefused() throws Exception {
    fill(true);
    Path path = Opened.PATH.resolve(Names.STATE);
    String text = new String(disk.read(path), StandardCharsets.UTF_8);
    String body = text.substring(0, text.lastIndexOf("crc32c=")).replace("data 1", "data 3");
    long sum = RecordFormat.checksum(Opened.bytes(body)).getValue();
    disk.put(path, String.format("%scrc32c=%08x%n", body, sum).getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> reopen(disk))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(path + " has format version 3")
        .hasMessageContaining("reads versions 1 to 2");
  }
}
