package org.mortydb.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A locked data directory: its owner, and how its previous use ended. */
final class DataDirectory implements Closeable {
  private static final Logger log = LoggerFactory.getLogger(DataDirectory.class);

  private final Disk disk;
  private final Path path;
  private final Disk.Lock lock;
  private final DirectoryState before;
  private DirectoryState state;
  private volatile boolean closed;

  private DataDirectory(Disk disk, Path path, Disk.Lock lock, DirectoryState before) {
    this.disk = disk;
    this.path = path;
    this.lock = lock;
    this.before = before;
    this.state = before;
  }

  /**
   * Locks a directory; creates it if it is missing or empty.
   *
   * @throws StorageException when another process uses the directory, it belongs to another server,
   *     or it is not a data directory
   */
  static DataDirectory open(Disk disk, Path path, Identity identity) throws IOException {
    Io.createDirectories(disk, path);
    Disk.Lock lock = disk.lock(path.resolve(Names.LOCK));
    if (lock == null) {
      throw new DirectoryInUseException(
          "the data directory "
              + path
              + " is in use by another process: stop that one, or give "
              + identity
              + " a directory of its own");
    }
    try {
      return new DataDirectory(disk, path, lock, state(disk, path, identity));
    } catch (IOException | RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  /** Whether there is a data directory at a path. */
  static boolean exists(Disk disk, Path path) throws IOException {
    try {
      return disk.list(path).contains(Names.STATE);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static DirectoryState state(Disk disk, Path path, Identity identity) throws IOException {
    Path file = path.resolve(Names.STATE);
    List<String> names = disk.list(path);
    if (!names.contains(Names.STATE)) {
      return create(disk, path, identity, names);
    }
    DirectoryState state = DirectoryState.read(disk, file);
    if (!state.identity().equals(identity)) {
      throw new StorageException(
          "the data directory "
              + path
              + " belongs to "
              + state.identity()
              + ", not to "
              + identity
              + ": give this server its own directory");
    }
    for (String name : names) {
      if (Names.isTemporary(name) && !disk.isReadOnly()) {
        log.info("deleting {}, left over from a crash", path.resolve(name));
        disk.delete(path.resolve(name));
      }
    }
    return state;
  }

  private static DirectoryState create(Disk disk, Path path, Identity identity, List<String> names)
      throws IOException {
    for (String name : names) {
      if (Names.segmentPosition(name) >= 0 || Names.checkpointPosition(name) >= 0) {
        throw new DamagedStorageException(
            path.resolve(Names.STATE) + " is missing, beside " + path.resolve(name));
      }
      if (!name.equals(Names.LOCK) && !Names.isTemporary(name)) {
        throw new StorageException(
            "the directory "
                + path
                + " holds something else, such as "
                + name
                + ": give "
                + identity
                + " an empty directory, or a path that does not exist");
      }
    }
    DirectoryState state =
        new DirectoryState(UUID.randomUUID(), identity, 0, Durability.SYNC, "", 0, false, 0, 0);
    Io.replace(disk, path.resolve(Names.STATE), state.encode());
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null) {
      disk.forceDirectory(parent);
    }
    return state;
  }

  Disk disk() {
    return disk;
  }

  Path path() {
    return path;
  }

  Path resolve(String name) {
    return path.resolve(name);
  }

  /** Forces the directory's entries to the medium. */
  void force() throws IOException {
    disk.forceDirectory(path);
  }

  List<String> list() throws IOException {
    return disk.list(path);
  }

  UUID id() {
    return before.id();
  }

  /** Returns the number of this start. */
  long incarnation() {
    return before.incarnation() + 1;
  }

  /** Returns the end position of the log that a clean stop stored; -1 if unknown. */
  long endBefore() {
    return before.end();
  }

  LastStop lastStop() {
    if (before.incarnation() == 0) {
      return LastStop.NONE;
    }
    return before.end() >= 0 ? LastStop.CLEAN : LastStop.CRASH;
  }

  /** Whether durable records may be lost, and the doubt is not settled yet. */
  synchronized boolean isDoubtful() {
    return state.doubtful();
  }

  /** Returns the version that the records are written in; 0 if it was never stored. */
  synchronized int version() {
    return state.version();
  }

  /** Stores the version that records are written in from now on. */
  synchronized void version(int version) throws IOException {
    store(state.withVersion(version));
  }

  /**
   * Whether records that counted as kept may be missing from a log.
   *
   * @param end where the log ends
   */
  boolean mayLack(long end) throws IOException {
    if (isDoubtful()) {
      return true;
    }
    if (lastStop() != LastStop.CRASH || before.durability() != Durability.ASYNC) {
      return false;
    }
    String boot = disk.bootId();
    boolean unforcedIsLost = boot.isEmpty() || !boot.equals(before.boot());
    return unforcedIsLost || end < ForcedPosition.readWritten(this);
  }

  /** Stores that the directory is in use, and the number of this start. */
  synchronized void started(Durability durability) throws IOException {
    store(
        new DirectoryState(
            before.id(),
            before.identity(),
            incarnation(),
            durability,
            disk.bootId(),
            -1,
            state.doubtful(),
            state.version(),
            state.provisional()));
  }

  /** Stores whether records may be lost. */
  synchronized void doubt(boolean doubtful) throws IOException {
    store(state.withDoubt(doubtful, 0));
  }

  /** Whether the doubt is one that {@link #doubtForNow} has stored, at whatever start. */
  synchronized boolean isDoubtProvisional() {
    return state.provisional() != 0;
  }

  /** See {@link Storage#doubtForNow}. */
  synchronized boolean doubtForNow() throws IOException {
    if (state.doubtful() && state.provisional() != incarnation() - 1) {
      return true;
    }
    store(state.withDoubt(true, incarnation()));
    return false;
  }

  /** Stores that the use ended cleanly, with the end position of the log. */
  synchronized void stopped(long end) throws IOException {
    store(state.withEnd(end));
  }

  private void store(DirectoryState next) throws IOException {
    requireLock();
    Io.replace(disk, path.resolve(Names.STATE), next.encode());
    state = next;
  }

  /**
   * Refuses to go on if others may use the directory. What is written before this returns is seen
   * by those who open the directory later. For any thread.
   *
   * @throws StorageException after {@link #close}, or when the lock was lost
   */
  void requireLock() throws IOException {
    if (closed) {
      throw new StorageException("the data directory " + path + " is closed");
    }
    if (!lock.isHeld()) {
      throw new StorageException(
          "the lock of the data directory "
              + path
              + " is lost, because "
              + path.resolve(Names.LOCK)
              + " was deleted or replaced, or the directory was moved: another process may use the"
              + " directory; move it back, and start the server again once no other one runs");
    }
  }

  /** Unlocks. Nothing is stored from now on. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    lock.close();
  }
}
