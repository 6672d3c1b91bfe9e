package org.mortydb.storage;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.LoggerFactory;

/** A directory that was opened, with what was read from it and what its log told. */
final class Opened implements LogListener {
  static final Path PATH = Path.of("/data/a");
  static final Identity IDENTITY = new Identity("test", "a");

  final List<String> fromCheckpoint = new ArrayList<>();
  final List<String> fromLog = new ArrayList<>();
  final AtomicLong kept = new AtomicLong();
  final AtomicReference<StorageException> failure = new AtomicReference<>();
  private Storage storage;

  static {
    // Tests damage thousands of directories on purpose.
    ((Logger) LoggerFactory.getLogger("org.mortydb.storage")).setLevel(Level.ERROR);
  }

  private Opened() {}

  /** Segments of 4 KiB and little buffers. */
  static StorageOptions small(Durability durability) {
    return new StorageOptions(
        new LogOptions(durability, Duration.ofMillis(2), 4096, 16 * 1024),
        new CheckpointOptions(1 << 30, 4096));
  }

  static Opened open(Disk disk) throws IOException {
    return open(disk, PATH, IDENTITY, small(Durability.SYNC));
  }

  static Opened open(Disk disk, Path path, Identity identity, StorageOptions options)
      throws IOException {
    Opened opened = new Opened();
    opened.storage =
        Storage.open(
            disk,
            path,
            identity,
            options,
            (tag, payload) -> opened.fromCheckpoint.add(text(payload)),
            (tag, payload) -> opened.fromLog.add(text(payload)),
            opened);
    return opened;
  }

  Storage storage() {
    return storage;
  }

  Log log() {
    return storage.log();
  }

  /** Appends a record; returns the position after it. */
  long append(String text) {
    return log().append((byte) 7, bytes(text));
  }

  /** Appends records and waits after each until it is forced. */
  void appendForced(String... texts) throws InterruptedException {
    for (String text : texts) {
      log().awaitForced(append(text));
    }
  }

  /** Waits until the log has written the mark that it writes when there is nothing else to do. */
  static void awaitMark(SimulatedDisk disk) throws InterruptedException {
    while (true) {
      Path last = segments(disk).getLast();
      ByteBuffer bytes = ByteBuffer.wrap(disk.read(last));
      int at = bytes.capacity() - RecordFormat.MARK_BYTES;
      if (at >= FileHeader.BYTES && RecordFormat.kind(bytes, at) == RecordFormat.MARK) {
        return;
      }
      Thread.sleep(1);
    }
  }

  static List<Path> segments(SimulatedDisk disk) {
    return disk.paths().stream()
        .filter(path -> Names.segmentPosition(path.getFileName().toString()) >= 0)
        .toList();
  }

  static List<Path> checkpoints(SimulatedDisk disk) {
    return disk.paths().stream()
        .filter(path -> Names.checkpointPosition(path.getFileName().toString()) >= 0)
        .toList();
  }

  /** Writes a checkpoint and waits for it. */
  CheckpointInfo checkpoint(String... texts) {
    CheckpointWriter writer = storage.beginCheckpoint(log().position());
    for (String text : texts) {
      while (!writer.offer((byte) 3, bytes(text))) {
        Thread.onSpinWait();
      }
    }
    return writer.finish().join();
  }

  @Override
  public void onKept(long position) {
    kept.set(position);
  }

  @Override
  public void onFailed(StorageException cause) {
    failure.set(cause);
  }

  static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  static String text(ByteBuffer payload) {
    return StandardCharsets.UTF_8.decode(payload).toString();
  }

  /** Does not care. */
  static final class Silent implements LogListener {
    @Override
    public void onKept(long position) {}

    @Override
    public void onFailed(StorageException failure) {}
  }
}
