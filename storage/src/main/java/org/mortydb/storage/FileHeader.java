package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/** The first bytes of segments and checkpoints: their kind and owner. */
final class FileHeader {
  /** Magic number, version, directory, position, checksum. */
  static final int BYTES = 8 + 4 + 16 + 8 + 4;

  static final int VERSION = 1;

  enum Kind {
    SEGMENT("MORTYLOG", "segment of the log"),
    CHECKPOINT("MORTYCKP", "checkpoint");

    private final long magic;
    private final String described;

    Kind(String magic, String described) {
      this.magic = ByteBuffer.wrap(magic.getBytes(StandardCharsets.US_ASCII)).getLong();
      this.described = described;
    }
  }

  private FileHeader() {}

  /** Appends a header at a buffer's position. */
  static void put(ByteBuffer to, Kind kind, UUID directory, long position) {
    int at = to.position();
    to.putLong(kind.magic).putInt(VERSION);
    to.putLong(directory.getMostSignificantBits()).putLong(directory.getLeastSignificantBits());
    to.putLong(position);
    to.putInt((int) RecordFormat.checksum(to.slice(at, BYTES - 4)).getValue());
  }

  /** Refuses a file whose header does not match its name. */
  static void check(DiskFile file, Path path, Kind kind, UUID directory, long position)
      throws IOException {
    ByteBuffer header = ByteBuffer.allocate(BYTES);
    Io.read(file, header, 0);
    if (header.hasRemaining()) {
      throw new DamagedStorageException(
          path + " is damaged: it ends after " + header.position() + " bytes, within its header");
    }
    int sum = (int) RecordFormat.checksum(header.slice(0, BYTES - 4)).getValue();
    if (sum != header.getInt(BYTES - 4)) {
      throw new DamagedStorageException(
          path + " is damaged at offset 0: the checksum of its header does not hold");
    }
    if (header.getLong(0) != kind.magic) {
      throw new DamagedStorageException(path + " is no " + kind.described);
    }
    checkVersion(path, header.getInt(8), VERSION);
    UUID id = new UUID(header.getLong(12), header.getLong(20));
    if (!id.equals(directory)) {
      throw new DamagedStorageException(
          path
              + " belongs to the data directory with the id "
              + id
              + ", this one has the id "
              + directory);
    }
    if (header.getLong(28) != position) {
      throw new DamagedStorageException(
          path
              + " has been renamed or copied: by its header its position is "
              + header.getLong(28));
    }
  }

  /** Refuses a file of a format that is not from 1 to {@code newest}. */
  static void checkVersion(Path path, long version, int newest) throws StorageException {
    if (version < 1 || version > newest) {
      throw new StorageException(
          path
              + " has format version "
              + version
              + ", this program reads "
              + (newest == 1 ? "version 1" : "versions 1 to " + newest)
              + ": start the release of Morty that wrote it, or a newer one");
    }
  }
}
