package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The machine's file systems. */
final class SystemDisk implements Disk {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** The files that this process has locked, by {@link #keyOf}. Guards itself. */
  private static final Set<Object> HELD = new HashSet<>();

  @Override
  public boolean isDirectory(Path directory) {
    return Files.isDirectory(directory);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new SystemFile(
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return new SystemFile(
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.delete(file);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public String bootId() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    synchronized (HELD) {
      // The system drops all locks of a process on a file when the process closes any descriptor of
      // that file. So a file that this process has locked must not be opened, under any path.
      Object before = keyOf(file);
      if (before != null && HELD.contains(before)) {
        return null;
      }
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
      FileLock lock = null;
      try {
        lock = channel.tryLock();
      } finally {
        if (lock == null) {
          channel.close();
        }
      }
      Object key = keyOf(file);
      if (lock == null || key == null || (before != null && !before.equals(key))) {
        channel.close();
        return null; // another process has it, or replaces it just now
      }
      HELD.add(key);
      return new SystemLock(file, key, channel);
    }
  }

  /** Identifies a file, whatever its path; null if it does not exist. */
  private static @Nullable Object keyOf(Path file) throws IOException {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      return key == null ? file.toRealPath() : key;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private record SystemLock(Path file, Object key, FileChannel channel) implements Lock {
    @Override
    public boolean isHeld() throws IOException {
      return channel.isOpen() && key.equals(keyOf(file));
    }

    @Override
    public void close() throws IOException {
      synchronized (HELD) {
        if (channel.isOpen()) {
          HELD.remove(key);
          channel.close();
        }
      }
    }
  }

  private record SystemFile(FileChannel channel) implements DiskFile {
    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
      return channel.read(into, offset);
    }

    @Override
    public int write(ByteBuffer from, long offset) throws IOException {
      return channel.write(from, offset);
    }

    @Override
    public void force() throws IOException {
      // The times of access and change are not worth a second write.
      channel.force(false);
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      channel.truncate(size);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
