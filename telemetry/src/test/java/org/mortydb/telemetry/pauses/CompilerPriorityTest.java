package org.mortydb.telemetry.pauses;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class CompilerPriorityTest {
  @Test
  void theCompilersThreadsAndNoOthersHaveTheLowPriority() throws IOException {
    int mine = nice(Path.of("/proc/thread-self"));

    int lowered = CompilerPriority.lower();

    List<Integer> threads = CompilerPriority.threads();
    assertThat(threads).isNotEmpty();
    assertThat(lowered).isPositive();
    for (int thread : threads) {
      assertThat(nice(Path.of("/proc/self/task/" + thread))).isEqualTo(CompilerPriority.NICE);
    }
    assertThat(nice(Path.of("/proc/thread-self"))).isEqualTo(mine);
  }

  /** The nice value of a thread: the 19th field of its status, of which the second has a name. */
  private static int nice(Path thread) throws IOException {
    String status = Files.readString(thread.resolve("stat"));
    String[] afterName = status.substring(status.lastIndexOf(')') + 2).split(" ");
    return Integer.parseInt(afterName[16]);
  }
}
