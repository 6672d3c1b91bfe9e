package org.mortydb.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class ChildJvmTest {
  /** More than a heap, but no more than a few blocks of the disk. */
  private static final long HUGE = 64L * 1024 * 1024 * 1024;

  @TempDir Path folder;

  private Path log(String text) throws IOException {
    return Files.writeString(folder.resolve("log"), text);
  }

  @Test
  void theLastTenLinesAreShown() throws IOException {
    String lines = IntStream.range(0, 12).mapToObj(i -> i + "\n").collect(Collectors.joining());
    assertThat(ChildJvm.lastLines(log(lines)))
        .isEqualTo(IntStream.range(2, 12).mapToObj(i -> "\n  " + i).collect(Collectors.joining()));
    assertThat(ChildJvm.lastLines(log("one"))).isEqualTo("\n  one");
    assertThat(ChildJvm.lastLines(log(""))).isEmpty();
    assertThat(ChildJvm.lastLines(folder.resolve("none"))).isEmpty();
  }

  @Test
  void bytesThatAreNoTextAreReplaced() throws IOException {
    Path log = Files.write(folder.resolve("log"), new byte[] {'a', '\n', 'b', (byte) 0xc3, '\n'});
    assertThat(ChildJvm.lastLines(log)).isEqualTo("\n  a\n  b\ufffd");
  }

  @Test
  @Timeout(60)
  void onlyTheEndOfALogIsRead() throws IOException {
    Path log = folder.resolve("log");
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(HUGE);
      file.write("\nlast\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(ChildJvm.lastLines(log)).isEqualTo("\n  last");
  }

  @Test
  void theEndOfALongLastLineIsShown() throws IOException {
    assertThat(ChildJvm.lastLines(log("first\n" + "x".repeat(100_000) + "y\n")))
        .startsWith("\n  xx")
        .endsWith("xy");
  }
}
