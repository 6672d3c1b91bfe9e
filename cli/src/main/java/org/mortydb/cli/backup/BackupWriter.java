package org.mortydb.cli.backup;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a backup. The file is compressed by gzip: a line of JSON ({@link BackupHeader}), the rows
 * in the order of their keys, their number and their digest. Until all of it is on the disk, the
 * file's name ends with {@value #PARTIAL}.
 */
final class BackupWriter implements AutoCloseable {
  static final String PARTIAL = ".partial";

  /** Written in place of a key's length after the last row. */
  static final int END = -1;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final JsonMapper MAPPER = new JsonMapper();

  private final Path file;
  private final Path partial;
  private final FileChannel channel;
  private final GZIPOutputStream gzip;
  private final DataOutputStream out;
  private final RowsDigest digest = new RowsDigest();
  private long rows;
  private long bytes;

  BackupWriter(Path file, BackupHeader header) throws IOException {
    this.file = file;
    this.partial = file.resolveSibling(file.getFileName() + PARTIAL);
    this.channel =
        FileChannel.open(
            partial,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
    this.gzip = new GZIPOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
    this.out = new DataOutputStream(new BufferedOutputStream(gzip, BUFFER_BYTES));
    out.write((MAPPER.writeValueAsString(header) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  void write(BackupRow row) throws IOException {
    byte[] key = row.key().bytes();
    byte[] value = row.value().bytes();
    out.writeInt(key.length);
    out.write(key);
    out.writeInt(value.length);
    out.write(value);
    out.writeLong(row.writer().timeMicros());
    out.writeLong(row.writer().clientId());
    digest.add(row.key(), row.value());
    rows++;
    bytes += key.length + value.length;
  }

  long rows() {
    return rows;
  }

  /** Returns the size of the keys and values in bytes. */
  long bytes() {
    return bytes;
  }

  /**
   * Ends the backup, forces it to the disk, and gives it its name.
   *
   * @return the digest of the rows
   */
  String finish() throws IOException {
    String text = digest.text();
    out.writeInt(END);
    out.writeLong(rows);
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
    gzip.finish();
    channel.force(true);
    out.close();
    Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Path folder = file.toAbsolutePath().getParent();
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
    return text;
  }

  /** Closes the backup, and deletes it unless it is finished. */
  @Override
  public void close() {
    try {
      channel.close();
      Files.deleteIfExists(partial);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
