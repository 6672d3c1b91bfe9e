package org.mortydb.cli.backup;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.backup.BackupException.Kind;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;

/**
 * Writes a backup to a running cluster, which may have other servers, partitions and regions than
 * the backed-up cluster. Reads and checks the whole file first. Then writes the rows in many
 * transactions, and at the end reads and compares them.
 */
public final class Restore {
  private static final int MOST_ROWS = 500;
  private static final long MOST_BYTES = 1 << 20;
  private static final int ATTEMPTS = 20;
  private static final int SCANNED_AT_ONCE = Limits.MAX_SCAN_ROWS;
  private static final long SHOW_NANOS = 1_000_000_000;

  private final Client client;
  private final Path file;
  private final Consumer<String> progress;
  private long shownNanos;

  /**
   * A restored backup.
   *
   * @param file the path of the backup
   * @param from the name of the backed-up cluster
   * @param cut the place in the serial order of that cluster, as a time
   * @param rows the number of keys with a value
   * @param bytes the size of keys and values
   * @param digest SHA-256 of keys and values in their order
   * @param compared whether the rows were read again and compared
   * @param seconds how long the restore took
   */
  public record Summary(
      String file,
      String from,
      String cut,
      long rows,
      long bytes,
      String digest,
      boolean compared,
      double seconds) {}

  /** The result of a check of a backup file. */
  public record Checked(BackupHeader header, long rows, long bytes, String digest) {}

  private Restore(Client client, Path file, Consumer<String> progress) {
    this.client = client;
    this.file = file;
    this.progress = progress;
  }

  /**
   * Reads and checks a whole backup.
   *
   * @throws BackupException when the file is damaged, or not a backup
   */
  public static Checked check(Path file) {
    try (BackupReader in = new BackupReader(file)) {
      while (in.next() != null) {
        // The reader checks each row.
      }
      return new Checked(in.header(), in.rows(), in.bytes(), in.digest());
    }
  }

  /**
   * Restores a backup.
   *
   * @param clients how many transactions run at a time, positive
   * @param overwrite whether the cluster may hold keys already; keys of the backup get its values,
   *     and other keys stay as they are
   * @param compare whether to read and compare at the end; meanwhile no other client may write
   * @throws BackupException when the backup is damaged, the cluster is not empty, a row cannot be
   *     written, or the cluster does not hold the rows at the end
   */
  public static Summary run(
      Client client,
      Path file,
      int clients,
      boolean overwrite,
      boolean compare,
      Consumer<String> progress)
      throws InterruptedException {
    long startNanos = System.nanoTime();
    Checked checked = check(file);
    Restore restore = new Restore(client, file, progress);
    if (!overwrite) {
      restore.requireEmpty();
    }
    restore.write(checked.rows(), clients);
    if (compare) {
      restore.compare(checked.rows(), overwrite);
    }
    return new Summary(
        file.toString(),
        checked.header().cluster(),
        checked.header().cut(),
        checked.rows(),
        checked.bytes(),
        checked.digest(),
        compare,
        (System.nanoTime() - startNanos) / 1e9);
  }

  private void requireEmpty() throws InterruptedException {
    List<Entry<Key, byte[]>> first =
        committed("look whether the cluster is empty", txn -> txn.scan(range(KeyRange.ALL), 1));
    if (!first.isEmpty()) {
      throw new BackupException(
          Kind.NOT_EMPTY,
          "the cluster is not empty, it holds for example the key '%s': restore to an empty one, or say --overwrite, which leaves keys that are not in the backup as they are"
              .formatted(first.getFirst().key()));
    }
  }

  private static TypedRange<Key, byte[]> range(KeyRange range) {
    return TypedRange.of(range, Codecs.BYTES);
  }

  // ---- writing ------------------------------------------------------------------------------

  private void write(long total, int clients) throws InterruptedException {
    Semaphore free = new Semaphore(clients);
    AtomicLong written = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (BackupReader in = new BackupReader(file);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<BackupRow> chunk = new ArrayList<>();
      long bytes = 0;
      for (BackupRow row = in.next(); ; row = in.next()) {
        boolean full = chunk.size() == MOST_ROWS || bytes >= MOST_BYTES;
        if ((row == null || full) && !chunk.isEmpty()) {
          List<BackupRow> rows = List.copyOf(chunk);
          free.acquire();
          threads.execute(
              () -> {
                try {
                  write(rows);
                  written.addAndGet(rows.size());
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                } finally {
                  free.release();
                }
              });
          chunk.clear();
          bytes = 0;
        }
        if (row == null || failure.get() != null) {
          break;
        }
        chunk.add(row);
        bytes += row.key().size() + row.value().size();
        show("written", written.get(), total);
      }
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new BackupException(
          Kind.FAILED,
          "after %,d of %,d rows: %s; once the cause is removed, repeat the command with --overwrite"
              .formatted(written.get(), total, failed.getMessage()),
          failed);
    }
  }

  private void write(List<BackupRow> rows) throws InterruptedException {
    boolean unused =
        committed(
            "write",
            txn -> {
              for (BackupRow row : rows) {
                txn.put(TypedKey.of(row.key(), Codecs.BYTES), row.value().bytes());
              }
              return true;
            });
  }

  // ---- comparing ----------------------------------------------------------------------------

  /** Compares backup and cluster row by row. */
  private void compare(long total, boolean others) throws InterruptedException {
    try (BackupReader in = new BackupReader(file)) {
      KeyRange rest = KeyRange.ALL;
      BackupRow expected = in.next();
      for (boolean more = true; more; ) {
        KeyRange part = rest;
        List<Entry<Key, byte[]>> found =
            committed("compare", txn -> txn.scan(range(part), SCANNED_AT_ONCE));
        for (Entry<Key, byte[]> entry : found) {
          if (expected == null || entry.key().compareTo(expected.key()) < 0) {
            requireThat(others, entry.key(), "is not in the backup, and is there now");
            continue;
          }
          requireThat(entry.key().equals(expected.key()), expected.key(), "is missing");
          requireThat(
              java.util.Arrays.equals(entry.value(), expected.value().bytes()),
              expected.key(),
              "has another value");
          expected = in.next();
        }
        show("compared", in.rows(), total);
        more = found.size() == SCANNED_AT_ONCE;
        if (more) {
          rest = new KeyRange(KeyRange.after(found.getLast().key()), null);
        }
      }
      if (expected != null) {
        requireThat(false, expected.key(), "is missing");
      }
    }
  }

  private static void requireThat(boolean holds, Key key, String otherwise) {
    if (!holds) {
      throw new BackupException(
          Kind.DIFFERENT,
          "what was restored is not what the cluster holds: key '%s' %s; does anybody else write there?"
              .formatted(key, otherwise));
    }
  }

  // ---- both ---------------------------------------------------------------------------------

  private interface Body<T> {
    T run(DirectTransaction txn);
  }

  /** Retries: all of these transactions are idempotent. */
  private <T> T committed(String what, Body<T> body) throws InterruptedException {
    Result<T> result = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      result = client.run(body::run);
      if (result instanceof Result.Committed<T>(T value, var info)) {
        return value;
      }
      Thread.sleep(100);
    }
    throw new BackupException(Kind.FAILED, "could not " + what + ": " + result);
  }

  private void show(String what, long done, long total) {
    long now = System.nanoTime();
    if (now - shownNanos >= SHOW_NANOS) {
      shownNanos = now;
      progress.accept(String.format(Locale.ROOT, "%,d of %,d rows %s", done, total, what));
    }
  }
}
