package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The same seed does the same in another JVM: interpreted, with another collector, without compact
 * headers, and so with other identity hash codes and another order of immutable sets.
 */
class AcrossJvmsTest {
  private static final long FIRST = 20;
  private static final long SEEDS = TestSeeds.count(2, 4);

  @Test
  void theSameSeedDoesTheSameInAnotherJvm() throws IOException, InterruptedException {
    List<String> here = digests(SEEDS);
    assertThat(fork("-Xint", "-XX:+UseSerialGC", "-XX:hashCode=2")).isEqualTo(here);
    assertThat(fork("-XX:+UseParallelGC", "-XX:-UseCompactObjectHeaders")).isEqualTo(here);
  }

  /** Runs in the forked JVM. */
  public static void main(String[] args) {
    digests(Long.parseLong(args[0])).forEach(System.out::println);
  }

  private static List<String> digests(long seeds) {
    List<String> digests = new ArrayList<>();
    for (long seed = FIRST; seed < FIRST + seeds; seed++) {
      SeedResult result = SeedRun.run(seed, SeedOptions.DEFAULTS);
      digests.add(seed + " " + Long.toHexString(result.digest()) + " " + result.marks().counts());
    }
    return digests;
  }

  private static List<String> fork(String... flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UnlockExperimentalVMOptions");
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(AcrossJvmsTest.class.getName(), String.valueOf(SEEDS)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .toList();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
      return lines;
    } finally {
      process.destroyForcibly();
    }
  }
}
