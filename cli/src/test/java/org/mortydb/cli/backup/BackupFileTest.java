package org.mortydb.cli.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.backup.BackupException.Kind;
import org.mortydb.client.Client;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/** What a backup file says, and what a restore makes of it. */
class BackupFileTest {
  private static final int ROWS = 1_200;
  private static final int DIGEST_BYTES = 64;

  @TempDir private Path folder;

  private final Shelf shelf = new Shelf();
  private Path file;

  @BeforeEach
  void backUp() throws IOException {
    file = folder.resolve("shop.backup");
    try (BackupWriter out = new BackupWriter(file, BackupHeader.of("shop", 5, "", ""))) {
      for (int i = 0; i < ROWS; i++) {
        Key key = Key.of("key %05d".formatted(i));
        out.write(new BackupRow(key, Value.of("value " + i), new TxnId(5, 6, 0)));
      }
      out.finish();
    }
  }

  private Restore.Summary restore(boolean overwrite) throws InterruptedException {
    return Restore.run(shelf, file, 2, overwrite, true, line -> {});
  }

  private void assertDamaged() {
    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> Restore.check(file))
        .matches(e -> e.kind() == Kind.DAMAGED);
  }

  private byte[] content() throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return in.readAllBytes();
    }
  }

  private void replaceContent(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    Files.write(file, bytes.toByteArray());
  }

  @Test
  void everyRowIsRestored() throws Exception {
    assertThat(Restore.check(file).rows()).isEqualTo(ROWS);
    assertThat(restore(false).rows()).isEqualTo(ROWS);
    assertThat(shelf.rows).hasSize(ROWS);
    assertThat(shelf.rows.get(Key.of("key 01199"))).isEqualTo(Value.of("value 1199"));
  }

  @Test
  void aChangedRowIsFoundByItsDigest() throws Exception {
    byte[] content = content();
    int at = new String(content, UTF_8).indexOf("value 7");
    content[at] = 'V';
    replaceContent(content);
    assertDamaged();
  }

  @Test
  void anotherNumberOfRowsIsFound() throws Exception {
    byte[] content = content();
    ByteBuffer.wrap(content).putLong(content.length - DIGEST_BYTES - Long.BYTES, ROWS + 1);
    replaceContent(content);
    assertDamaged();
  }

  @Test
  void aClusterThatHoldsKeysIsLeftAlone() {
    shelf.rows.put(Key.of("there"), Value.of("before"));
    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> restore(false))
        .matches(e -> e.kind() == Kind.NOT_EMPTY);
    assertThat(shelf.rows).hasSize(1);
  }

  @Test
  void keysThatAreNotInTheBackupStayWhenAsked() throws Exception {
    shelf.rows.put(Key.of("there"), Value.of("before"));
    restore(true);
    assertThat(shelf.rows).hasSize(ROWS + 1);
  }

  @Test
  void aValueThatIsNotWhatWasRestoredIsFound() {
    shelf.forgetful = Key.of("key 00007");
    assertThatExceptionOfType(BackupException.class)
        .isThrownBy(() -> restore(false))
        .matches(e -> e.kind() == Kind.DIFFERENT);
  }

  /** A client whose cluster is a map. */
  private static final class Shelf implements Client {
    private final TreeMap<Key, Value> rows = new TreeMap<>();

    /** The key whose writes get another value. */
    private @Nullable Key forgetful;

    @Override
    public <S> CompletableFuture<Result<S>> execute(S initialState, TransactionBody<S> body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <S> CompletableFuture<Result<S>> execute(
        S initialState, TransactionOptions options, TransactionBody<S> body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public TransactionOptions options() {
      return TransactionOptions.DEFAULTS;
    }

    @Override
    public synchronized <R extends @Nullable Object> Result<R> run(DirectBody<R> body) {
      try {
        return new Result.Committed<>(
            body.run(new OnShelf()), new TransactionInfo(TxnId.INITIAL, 1, 0, null, 0));
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public <R extends @Nullable Object> Result<R> run(
        TransactionOptions options, DirectBody<R> body) {
      return run(body);
    }

    @Override
    public void close() {}

    /** Scans and writes the map. */
    private final class OnShelf implements DirectTransaction {
      @Override
      public int attempt() {
        return 1;
      }

      @Override
      public <V> @Nullable V get(TypedKey<V> key) {
        throw new UnsupportedOperationException();
      }

      @Override
      public <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys) {
        throw new UnsupportedOperationException();
      }

      @Override
      public <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit) {
        List<Row> found = new ArrayList<>();
        range.range().in(rows).entrySet().stream()
            .limit(limit)
            .forEach(row -> found.add(new Row(row.getKey(), row.getValue())));
        return range.decode(found);
      }

      @Override
      public <V> PendingRead<V> getAsync(TypedKey<V> key) {
        throw new UnsupportedOperationException();
      }

      @Override
      public <V> void put(TypedKey<V> key, V value) {
        rows.put(key.key(), key.key().equals(forgetful) ? Value.of("other") : key.encode(value));
      }

      @Override
      public void delete(TypedKey<?> key) {
        rows.remove(key.key());
      }

      @Override
      public Error abort() {
        throw new UnsupportedOperationException();
      }
    }
  }
}
