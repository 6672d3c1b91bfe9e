package org.mortydb.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The content of the file {@code state}: lines of text, the last with the checksum of the others.
 *
 * @param id a random number from the creation of the directory
 * @param incarnation the number of the latest start, 0 before the first
 * @param durability the durability of the latest start
 * @param boot the disk's {@link Disk#bootId()} at that start
 * @param end the end position of the log after a clean stop; -1 in use and after a crash
 * @param doubtful whether records that counted as kept may be lost
 * @param version the version that the records are written in; 0 if it was never stored
 * @param provisional the number of the start that has marked the directory as doubtful for the time
 *     being; 0 if none has
 */
record DirectoryState(
    UUID id,
    Identity identity,
    long incarnation,
    Durability durability,
    String boot,
    long end,
    boolean doubtful,
    int version,
    long provisional) {
  /** The newest format of the file that this program reads. */
  static final int NEWEST_FORMAT = 2;

  /**
   * The last version whose directories have format 1. Programs that know only this format ignore
   * the line with the version, and could not read newer records.
   */
  private static final int LAST_OF_FORMAT_1 = 3;

  private static final String FORMAT = "morty-data";
  private static final String CRC = "crc32c";
  private static final int MOST_BYTES = 64 * 1024;

  /** The format of a directory whose records have a version. */
  static int formatOf(int version) {
    return version <= LAST_OF_FORMAT_1 ? 1 : 2;
  }

  ByteBuffer encode() {
    String text =
        FORMAT
            + " "
            + formatOf(version)
            + "\nid="
            + id
            + "\ncluster="
            + identity.cluster()
            + "\nserver="
            + identity.server()
            + "\nincarnation="
            + incarnation
            + "\ndurability="
            + durability
            + "\nboot="
            + boot
            + "\nend="
            + end
            + "\ndoubtful="
            + doubtful
            + (version == 0 ? "" : "\nversion=" + version)
            + (provisional == 0 ? "" : "\nprovisional=" + provisional)
            + "\n";
    return StandardCharsets.UTF_8.encode(text + CRC + "=" + checksum(text) + "\n");
  }

  static DirectoryState read(Disk disk, Path file) throws IOException {
    ByteBuffer content;
    try (DiskFile in = disk.open(file)) {
      content = ByteBuffer.allocate((int) Math.min(in.size(), MOST_BYTES));
      Io.read(in, content, 0);
    }
    content.flip();
    DirectoryState state = decode(file, StandardCharsets.UTF_8.decode(content).toString());
    if (state == null) {
      throw new DamagedStorageException(file + " is damaged");
    }
    return state;
  }

  private static @Nullable DirectoryState decode(Path file, String text) throws StorageException {
    int last = text.lastIndexOf(CRC + "=");
    if (last < 0
        || !text.substring(last).equals(CRC + "=" + checksum(text.substring(0, last)) + "\n")) {
      return null;
    }
    String[] lines = text.substring(0, last).split("\n");
    try {
      if (!lines[0].startsWith(FORMAT + " ")) {
        return null;
      }
      FileHeader.checkVersion(
          file, Long.parseLong(lines[0].substring(FORMAT.length() + 1)), NEWEST_FORMAT);
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 1; i < lines.length; i++) {
        int equals = lines[i].indexOf('=');
        values.put(lines[i].substring(0, equals), lines[i].substring(equals + 1));
      }
      return new DirectoryState(
          UUID.fromString(value(values, "id")),
          new Identity(value(values, "cluster"), value(values, "server")),
          Long.parseLong(value(values, "incarnation")),
          Durability.valueOf(value(values, "durability")),
          value(values, "boot"),
          Long.parseLong(value(values, "end")),
          Boolean.parseBoolean(value(values, "doubtful")),
          Integer.parseInt(values.getOrDefault("version", "0")),
          Long.parseLong(values.getOrDefault("provisional", "0")));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      return null;
    }
  }

  /** The same with another version. */
  DirectoryState withVersion(int next) {
    return new DirectoryState(
        id, identity, incarnation, durability, boot, end, doubtful, next, provisional);
  }

  /** The same with another doubt. */
  DirectoryState withDoubt(boolean nextDoubtful, long nextProvisional) {
    return new DirectoryState(
        id, identity, incarnation, durability, boot, end, nextDoubtful, version, nextProvisional);
  }

  /** The same with another end of the log. */
  DirectoryState withEnd(long nextEnd) {
    return new DirectoryState(
        id, identity, incarnation, durability, boot, nextEnd, doubtful, version, provisional);
  }

  private static String value(Map<String, String> values, String key) {
    String value = values.get(key);
    if (value == null) {
      throw new IllegalArgumentException(key);
    }
    return value;
  }

  private static String checksum(String text) {
    return String.format(
        "%08x", RecordFormat.checksum(StandardCharsets.UTF_8.encode(text)).getValue());
  }
}
