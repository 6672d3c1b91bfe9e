package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.cli.Main;

/** A run that is interrupted says so, and deletes its histories and the folder of its servers. */
@Tag("slow")
@Timeout(120)
final class InterruptedRunTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"--durability=async", "--processes"})
  void leavesNothingBehind(String option) throws Exception {
    Process run =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "bench",
                "transfer",
                "--accounts=1000",
                "--clients=4",
                "--warmup=0",
                "--seconds=100",
                "--server-jvm=-Xmx128m",
                option)
            .redirectErrorStream(true)
            .start();
    try (BufferedReader out = run.inputReader()) {
      String line = out.readLine();
      while (line != null && !line.startsWith("measure")) {
        line = out.readLine();
      }
      assertThat(line).as("it measures").isNotNull();
      assertThat(files()).isNotEmpty();
      run.toHandle().destroy(); // this keeps its output open
      assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(run.exitValue()).isEqualTo(143);
      assertThat(out.lines()).contains("interrupted: 'morty bench' has not run to its end");
      assertThat(files()).isEmpty();
    } finally {
      run.destroyForcibly();
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().startsWith("morty-")).toList();
    }
  }
}
