package org.mortydb.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading a directory without using it. */
@Timeout(60)
class StoredDirectoryTest {
  private final SimulatedDisk disk = new SimulatedDisk();
  private final List<String> records = new ArrayList<>();

  private StoredDirectory read(SimulatedDisk of) throws IOException {
    records.clear();
    return StoredDirectory.read(of, Opened.PATH, this::take, this::take);
  }

  private void take(byte tag, ByteBuffer payload) {
    records.add(StandardCharsets.UTF_8.decode(payload).toString());
  }

  private static Map<String, String> files(SimulatedDisk of) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    for (String name : of.list(Opened.PATH)) {
      files.put(name, Arrays.toString(of.read(Opened.PATH.resolve(name))));
    }
    return files;
  }

  @Test
  void nothingIsChanged() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("early");
    opened.checkpoint("state");
    opened.appendForced("one", "two");
    opened.storage().close();
    Map<String, String> before = files(disk);
    StoredDirectory stored = read(disk);
    assertThat(files(disk)).isEqualTo(before);
    assertThat(records).containsExactly("state", "one", "two");
    assertThat(stored.identity()).isEqualTo(Opened.IDENTITY);
    assertThat(stored.incarnation()).isEqualTo(1);
    assertThat(stored.lastStop()).isEqualTo(LastStop.CLEAN);
    assertThat(stored.checkpointRecords()).isEqualTo(1);
    assertThat(stored.logRecords()).isEqualTo(2);
    assertThat(stored.cutBytes()).isZero();
    // It can still be used, and only that counts as a start.
    assertThat(Opened.open(disk).storage().incarnation()).isEqualTo(2);
  }

  @Test
  void aTornEndIsToldAndStays() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one");
    Opened.awaitMark(disk);
    Path segment = Opened.segments(disk).getLast();
    int whole = disk.read(segment).length;
    opened.appendForced("the last one");
    SimulatedDisk torn = disk.copy();
    torn.put(segment, Arrays.copyOf(torn.read(segment), whole + 5));
    torn.remove(Opened.PATH.resolve(Names.FORCED)); // the batch was not forced
    Map<String, String> before = files(torn);
    StoredDirectory stored = read(torn);
    assertThat(stored.cutBytes()).isEqualTo(5);
    assertThat(stored.lastStop()).isEqualTo(LastStop.CRASH);
    assertThat(records).containsExactly("one");
    assertThat(files(torn)).isEqualTo(before);
  }

  @Test
  void damageIsNamed() throws Exception {
    Opened opened = Opened.open(disk);
    opened.appendForced("one", "two");
    opened.storage().close();
    Path segment = Opened.segments(disk).getFirst();
    byte[] bytes = disk.read(segment);
    bytes[bytes.length / 2] ^= 1;
    disk.put(segment, bytes);
    assertThatThrownBy(() -> read(disk))
        .isInstanceOf(DamagedStorageException.class)
        .hasMessageContaining(segment + " is damaged at offset ");
  }

  @Test
  void whatIsInUseOrNoDirectoryIsRefused() throws Exception {
    Opened opened = Opened.open(disk);
    assertThatThrownBy(() -> read(disk))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("in use by another process");
    opened.storage().close();
    disk.delete(Opened.PATH.resolve("state"));
    assertThatThrownBy(() -> read(disk)).isInstanceOf(DamagedStorageException.class);
    SimulatedDisk empty = new SimulatedDisk();
    Io.createDirectories(empty, Opened.PATH);
    assertThatThrownBy(() -> read(empty))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("is no data directory of a server");
  }
}
