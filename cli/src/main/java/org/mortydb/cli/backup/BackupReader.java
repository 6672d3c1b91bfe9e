package org.mortydb.cli.backup;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.backup.BackupException.Kind;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.storage.FileProblem;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads a backup, and checks at its end that it is whole; see {@link BackupWriter}. */
final class BackupReader implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int MOST_HEADER_BYTES = 1 << 16;
  private static final int DIGEST_LENGTH = 64;
  private static final JsonMapper MAPPER = new JsonMapper();

  private final Path file;
  private final DataInputStream in;
  private final BackupHeader header;
  private final RowsDigest digest = new RowsDigest();
  private @Nullable Key last;
  private long rows;
  private long bytes;
  private String digestText = "";

  /**
   * Opens a backup.
   *
   * @throws BackupException when the file is not a backup, or cannot be read
   */
  BackupReader(Path file) {
    this.file = file;
    try {
      in =
          new DataInputStream(
              new BufferedInputStream(
                  new GZIPInputStream(Files.newInputStream(file), BUFFER_BYTES), BUFFER_BYTES));
    } catch (ZipException | EOFException e) {
      throw new BackupException(
          Kind.DAMAGED, file + " is not a backup: it is not compressed by gzip", e);
    } catch (IOException e) {
      throw new BackupException(Kind.FAILED, file + " cannot be read: " + FileProblem.of(e), e);
    }
    try {
      header = readHeader();
    } catch (IOException | JacksonException e) {
      throw new BackupException(
          Kind.DAMAGED, file + " is not a backup: it does not begin with a line of JSON", e);
    }
    if (!BackupHeader.FORMAT.equals(header.format())) {
      throw new BackupException(
          Kind.DAMAGED,
          "%s has the format '%s', and this version reads '%s'"
              .formatted(file, header.format(), BackupHeader.FORMAT));
    }
  }

  private BackupHeader readHeader() throws IOException {
    byte[] line = new byte[MOST_HEADER_BYTES];
    for (int length = 0; length < line.length; length++) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException();
      }
      if (next == '\n') {
        String text = new String(line, 0, length, StandardCharsets.UTF_8);
        return MAPPER.readValue(text, BackupHeader.class);
      }
      line[length] = (byte) next;
    }
    throw new IOException("the first line is too long");
  }

  BackupHeader header() {
    return header;
  }

  /**
   * Returns the next row; null at the end, once the digest has proved all rows intact.
   *
   * @throws BackupException when the file is damaged; names the place
   */
  @Nullable BackupRow next() {
    try {
      int length = in.readInt();
      if (length == BackupWriter.END) {
        readEnd();
        return null;
      }
      Key key = Key.wrap(read(length, Limits.MAX_KEY_BYTES, "key"));
      Value value = Value.wrap(read(in.readInt(), Limits.MAX_VALUE_BYTES, "value"));
      TxnId writer = new TxnId(in.readLong(), in.readLong(), 0);
      Key before = last;
      if (before != null && key.compareTo(before) <= 0) {
        throw damaged("its key is not above the one before");
      }
      last = key;
      rows++;
      bytes += key.size() + value.size();
      digest.add(key, value);
      return new BackupRow(key, value, writer);
    } catch (IOException | IllegalArgumentException e) { // the latter of a number out of bounds
      throw damaged(
          e instanceof EOFException
              ? "the file ends there, before the end of the backup"
              : e.getMessage());
    }
  }

  private byte[] read(int length, int most, String what) throws IOException {
    if (length < 0 || length > most) {
      throw damaged("its " + what + " would have " + length + " bytes");
    }
    byte[] read = new byte[length];
    in.readFully(read);
    return read;
  }

  private void readEnd() throws IOException {
    long written = in.readLong();
    byte[] text = new byte[DIGEST_LENGTH];
    in.readFully(text);
    digestText = digest.text();
    if (written != rows) {
      throw damaged("it should have %,d rows".formatted(written));
    }
    if (!digestText.equals(new String(text, StandardCharsets.US_ASCII))) {
      throw damaged("the digest of the rows is not the one in the file");
    }
    if (in.read() >= 0) { // gzip's own check comes with its end
      throw damaged("there are more bytes after its end");
    }
  }

  private BackupException damaged(@Nullable String how) {
    return new BackupException(
        Kind.DAMAGED,
        "%s is damaged at row %,d: %s; use another copy".formatted(file, rows + 1, how));
  }

  long rows() {
    return rows;
  }

  /** Returns the size of the keys and values in bytes. */
  long bytes() {
    return bytes;
  }

  /** Returns the digest of the rows, once all are read. */
  String digest() {
    return digestText;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw new BackupException(Kind.FAILED, file + " cannot be closed: " + FileProblem.of(e), e);
    }
  }
}
