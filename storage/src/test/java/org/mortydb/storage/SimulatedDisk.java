package org.mortydb.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that knows what was forced. A crash keeps that, and of the rest whatever it
 * likes: any sectors of what was written, and any first part of what happened in the directory.
 */
final class SimulatedDisk implements Disk {
  private static final int SECTOR = 512;

  /** Called before each operation that changes something, with its name and file. */
  interface Watch {
    void before(String operation, Path path) throws IOException;
  }

  private static final class Content {
    private byte[] bytes = {};
    private byte[] forced = {};
    private final List<Pending> pending = new ArrayList<>();

    Content() {}

    Content(byte[] bytes) {
      this.bytes = bytes;
      this.forced = bytes.clone();
    }

    /** Writes what is not forced yet. */
    void force() {
      for (Pending change : pending) {
        forced =
            change.bytes == null
                ? Arrays.copyOf(forced, (int) change.offset)
                : patched(forced, change.offset, change.bytes, 0, change.bytes.length);
      }
      pending.clear();
    }
  }

  /** Not forced yet: bytes at an offset, or the file's new length if there are no bytes. */
  private record Pending(long offset, byte[] bytes) {}

  /** A file's new content under a name; null: the name is gone. */
  private record Entry(Path path, Content content) {}

  private final TreeMap<Path, Content> files = new TreeMap<>();
  private final TreeMap<Path, Content> forcedFiles = new TreeMap<>();
  private final List<Entry> pendingEntries = new ArrayList<>();
  private final Set<Path> directories = new HashSet<>(Set.of(Path.of("/")));
  private final Set<Path> forcedDirectories = new HashSet<>(directories);
  private final Set<Path> locks = new HashSet<>();
  private Watch watch = (operation, path) -> {};
  private CountDownLatch gate = new CountDownLatch(0);
  private long capacity = Long.MAX_VALUE;
  private boolean shortWrites;
  private String bootId = "boot";
  private long forces;
  private boolean forcesFail;

  // ---- set up by tests ----------------------------------------------------------------------

  synchronized void watch(Watch newWatch) {
    watch = newWatch;
  }

  /** From now on files hold at most so many bytes together. */
  synchronized void limitTo(long bytes) {
    capacity = bytes;
  }

  /** From now on a write takes a part of what it is given only. */
  synchronized void writeShort() {
    shortWrites = true;
  }

  /**
   * From now on forces fail as they do on Linux: what was to be forced can still be read, counts as
   * clean, and is never written. False ends that.
   */
  synchronized void failForces(boolean fail) {
    forcesFail = fail;
  }

  /** Holds up all writes until the latch that this returns is counted down. */
  synchronized CountDownLatch holdWrites() {
    gate = new CountDownLatch(1);
    return gate;
  }

  synchronized long forces() {
    return forces;
  }

  synchronized byte[] read(Path path) {
    return files.get(path).bytes.clone();
  }

  /** Puts a file there, forced with the directories above it. */
  synchronized void put(Path path, byte[] bytes) {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      directories.add(above);
      forcedDirectories.add(above);
    }
    Content content = new Content(bytes.clone());
    files.put(path, content);
    forcedFiles.put(path, content);
  }

  synchronized void remove(Path path) {
    files.remove(path);
    forcedFiles.remove(path);
  }

  synchronized List<Path> paths() {
    return List.copyOf(files.keySet());
  }

  synchronized long used() {
    return files.values().stream().mapToLong(content -> content.bytes.length).sum();
  }

  /** A disk with all that was written: what is left when the process is killed. */
  synchronized SimulatedDisk copy() {
    SimulatedDisk copy = new SimulatedDisk();
    copy.bootId = bootId;
    files.forEach((path, content) -> copy.put(path, content.bytes));
    return copy;
  }

  /** The same disk after the end of the process: nothing is locked. */
  synchronized SimulatedDisk releasingLocks() {
    locks.clear();
    return this;
  }

  /** A disk as it may be found when the power has failed now. */
  synchronized SimulatedDisk crash(RandomGenerator random) {
    TreeMap<Path, Content> names = new TreeMap<>(forcedFiles);
    int kept = random.nextInt(pendingEntries.size() + 1);
    for (Entry entry : pendingEntries.subList(0, kept)) {
      if (entry.content == null) {
        names.remove(entry.path);
      } else {
        names.put(entry.path, entry.content);
      }
    }
    SimulatedDisk after = new SimulatedDisk();
    after.bootId = bootId + "'";
    after.directories.addAll(forcedDirectories);
    after.forcedDirectories.addAll(forcedDirectories);
    names.forEach(
        (path, content) -> {
          if (isReachable(path)) {
            after.put(path, survivor(content, random));
          }
        });
    return after;
  }

  private static byte[] survivor(Content content, RandomGenerator random) {
    byte[] bytes = content.forced.clone();
    double odds = random.nextInt(3) / 2.0;
    for (Pending pending : content.pending) {
      if (pending.bytes == null) {
        bytes = random.nextDouble() < odds ? Arrays.copyOf(bytes, (int) pending.offset) : bytes;
        continue;
      }
      int length = pending.bytes.length;
      int from = 0;
      while (from < length) {
        int to = (int) Math.min(length, from + SECTOR - (pending.offset + from) % SECTOR);
        if (random.nextDouble() < odds) {
          bytes = patched(bytes, pending.offset + from, pending.bytes, from, to - from);
        }
        from = to;
      }
    }
    return bytes;
  }

  private static byte[] patched(byte[] bytes, long offset, byte[] source, int from, int length) {
    byte[] patched = Arrays.copyOf(bytes, (int) Math.max(bytes.length, offset + length));
    System.arraycopy(source, from, patched, (int) offset, length);
    return patched;
  }

  // ---- the disk -----------------------------------------------------------------------------

  @Override
  public synchronized boolean isDirectory(Path directory) {
    return directories.contains(directory);
  }

  @Override
  public synchronized void createDirectory(Path directory) throws IOException {
    watch.before("create", directory);
    if (!directories.contains(directory.getParent())) {
      throw new NoSuchFileException(directory.getParent().toString());
    }
    directories.add(directory);
  }

  /** Whether a crash keeps a path: all directories above it are on the medium. */
  private boolean isReachable(Path path) {
    Path parent = path.getParent();
    return parent == null || (forcedDirectories.contains(parent) && isReachable(parent));
  }

  @Override
  public synchronized List<String> list(Path directory) {
    return files.keySet().stream()
        .filter(path -> directory.equals(path.getParent()))
        .map(path -> path.getFileName().toString())
        .toList();
  }

  @Override
  public synchronized DiskFile open(Path file) throws IOException {
    Content content = files.get(file);
    if (content == null) {
      throw new FileNotFoundException(file.toString());
    }
    return new OpenFile(file, content);
  }

  @Override
  public synchronized DiskFile create(Path file) throws IOException {
    watch.before("create", file);
    Content content = new Content();
    enter(file, content);
    return new OpenFile(file, content);
  }

  private void enter(Path path, Content content) {
    if (content == null) {
      files.remove(path);
    } else {
      files.put(path, content);
    }
    pendingEntries.add(new Entry(path, content));
  }

  @Override
  public synchronized void rename(Path from, Path to) throws IOException {
    watch.before("rename", to);
    Content content = files.remove(from);
    // One step: a crash keeps both halves or none, so the old name's end comes with the new one.
    files.put(to, content);
    pendingEntries.add(new Entry(to, content));
    pendingEntries.add(new Entry(from, null));
  }

  @Override
  public synchronized void delete(Path file) throws IOException {
    watch.before("delete", file);
    enter(file, null);
  }

  @Override
  public synchronized void forceDirectory(Path directory) throws IOException {
    watch.before("force", directory);
    directories.stream()
        .filter(path -> directory.equals(path.getParent()))
        .forEach(forcedDirectories::add);
    forcedFiles.clear();
    forcedFiles.putAll(files);
    pendingEntries.clear();
  }

  @Override
  public String bootId() {
    return bootId;
  }

  @Override
  public synchronized Lock lock(Path file) {
    if (!locks.add(file)) {
      return null;
    }
    if (!files.containsKey(file)) {
      Content empty = new Content();
      files.put(file, empty);
      forcedFiles.put(file, empty);
    }
    Content locked = files.get(file);
    return new Lock() {
      @Override
      public boolean isHeld() {
        synchronized (SimulatedDisk.this) {
          return locks.contains(file) && files.get(file) == locked;
        }
      }

      @Override
      public void close() {
        synchronized (SimulatedDisk.this) {
          locks.remove(file);
        }
      }
    };
  }

  private final class OpenFile implements DiskFile {
    private final Path path;
    private final Content content;

    OpenFile(Path path, Content content) {
      this.path = path;
      this.content = content;
    }

    @Override
    public int read(ByteBuffer into, long offset) {
      synchronized (SimulatedDisk.this) {
        int left = content.bytes.length - (int) offset;
        if (left <= 0) {
          return -1;
        }
        int bytes = Math.min(left, into.remaining());
        into.put(content.bytes, (int) offset, bytes);
        return bytes;
      }
    }

    @Override
    public int write(ByteBuffer from, long offset) throws IOException {
      CountDownLatch held;
      synchronized (SimulatedDisk.this) {
        held = gate;
      }
      try {
        held.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      synchronized (SimulatedDisk.this) {
        watch.before("write", path);
        long room = capacity - used();
        if (room <= 0) {
          throw new IOException("No space left on device");
        }
        int bytes = (int) Math.min(from.remaining(), room);
        bytes = shortWrites ? (bytes + 1) / 2 : bytes;
        byte[] taken = new byte[bytes];
        from.get(taken);
        content.bytes = patched(content.bytes, offset, taken, 0, bytes);
        content.pending.add(new Pending(offset, taken));
        return bytes;
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (SimulatedDisk.this) {
        watch.before("force", path);
        forces++;
        if (forcesFail) {
          content.pending.clear();
          throw new IOException("Input/output error");
        }
        content.force();
      }
    }

    @Override
    public long size() {
      synchronized (SimulatedDisk.this) {
        return content.bytes.length;
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (SimulatedDisk.this) {
        watch.before("truncate", path);
        content.bytes = Arrays.copyOf(content.bytes, (int) Math.min(size, content.bytes.length));
        content.pending.add(new Pending(size, null));
      }
    }

    @Override
    public void close() {}
  }
}
