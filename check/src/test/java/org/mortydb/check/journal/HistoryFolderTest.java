package org.mortydb.check.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.model.TxnId;

/** The log of another process is copied if it is what was announced. */
final class HistoryFolderTest {
  private static final int TRANSACTIONS = 10_000;

  @TempDir Path temporary;
  private byte[] bytes = {};

  @BeforeEach
  void writeLog() throws IOException {
    Path file = temporary.resolve("log");
    try (HistoryLog log = new HistoryLog(file)) {
      for (int i = 1; i <= TRANSACTIONS; i++) {
        int last = i - 1;
        log.append(
            new ObservedTransaction(
                new TxnId(i, 7, 0),
                i % 100 != 0,
                5,
                i,
                last == 0 || last % 100 == 0 ? null : new ObservedRead(null, last, 5, last, last),
                i % 100 == 0 ? null : new ObservedWrite(null, i, i)));
      }
    }
    bytes = Files.readAllBytes(file);
  }

  private HistoryLog copy(HistoryFolder folder, byte[] content, long transactions)
      throws IOException {
    return folder.copy(new ByteArrayInputStream(content), transactions, 5, 6);
  }

  @Test
  void aCopyIsReplayedLikeTheOriginal() throws IOException {
    try (HistoryFolder folder = new HistoryFolder()) {
      HistoryLog copy = copy(folder, bytes, TRANSACTIONS);
      assertThat(copy.size()).isEqualTo(TRANSACTIONS);
      assertThat(copy.unknown()).isEqualTo(TRANSACTIONS / 100);
      assertThat(Files.readAllBytes(copy.file())).isEqualTo(bytes);
      ReplayVerdict verdict =
          SerialReplay.check(folder.closeLogs(), TRANSACTIONS, record -> "record " + record);
      assertThat(verdict.violations()).isZero();
      assertThat(verdict.transactions()).isEqualTo(TRANSACTIONS);
    }
  }

  @Test
  void anotherNumberOfTransactionsIsRefused() throws IOException {
    try (HistoryFolder folder = new HistoryFolder()) {
      assertThatThrownBy(() -> copy(folder, bytes, TRANSACTIONS - 1L))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> copy(folder, bytes, TRANSACTIONS + 1L))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> copy(folder, Arrays.copyOf(bytes, bytes.length - 3), TRANSACTIONS))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void sessionsOfOthersAreRefused() throws IOException {
    try (HistoryFolder folder = new HistoryFolder()) {
      assertThatThrownBy(() -> folder.copy(new ByteArrayInputStream(bytes), TRANSACTIONS, 6, 9))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("session 5");
    }
  }

  /** A damaged count must not make the reader take all memory. */
  @Test
  void damageAnywhereIsRefusedOrYieldsAsManyTransactions() throws IOException {
    List<String> outcomes = new ArrayList<>();
    for (int place = 0; place < 60; place++) {
      byte[] damaged = bytes.clone();
      damaged[place] ^= (byte) 0xff;
      try (HistoryFolder folder = new HistoryFolder()) {
        assertThat(copy(folder, damaged, TRANSACTIONS).size()).isEqualTo(TRANSACTIONS);
        outcomes.add("copied");
      } catch (IOException e) {
        outcomes.add("refused");
      }
    }
    assertThat(outcomes).contains("refused");
  }
}
