package org.mortydb.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ThreadMeterTest {
  @TempDir Path folder;

  private void thread(long process, long id, String name, long user, long system)
      throws IOException {
    Path task = folder.resolve(process + "/task/" + id);
    Files.createDirectories(task);
    Files.writeString(
        task.resolve("stat"),
        "%d (%s) S 1 2 3 4 5 6 7 8 9 10 %d %d 0 0 20 0 30 0 400\n"
            .formatted(id, name, user, system));
  }

  private ThreadMeter compilers(long... processes) {
    return new ThreadMeter(
        folder, LongStream.of(processes).boxed().toList(), ThreadMeter.COMPILER_NAMES);
  }

  @Test
  void countsTheCollectorsOfOtherProcesses() throws IOException {
    thread(7, 7, "java", 1_000, 1_000);
    thread(7, 8, "ZWorkerYoung#0", 30, 4);
    thread(7, 9, "ZDriverMajor", 5, 1);
    thread(7, 10, "GC Thread#1", 9, 1);
    thread(7, 11, "morty-server-1-", 700, 1);
    thread(7, 12, "C2 CompilerThre", 900, 0);
    ThreadMeter meter = new ThreadMeter(folder, List.of(7L), ThreadMeter.COLLECTOR_NAMES);
    assertThat(meter.sample()).hasValue(500_000_000L);
    assertThat(ThreadMeter.ofCollectors(List.of()).sample()).hasValue(0);
  }

  @Test
  void countsTheCompilersOfAllProcesses() throws IOException {
    thread(7, 7, "java", 1_000, 1_000);
    thread(7, 8, "C2 CompilerThre", 30, 4);
    thread(7, 9, "C1 CompilerThre", 5, 1);
    thread(7, 10, "a) b (C2 Comp", 500, 500);
    thread(11, 12, "C2 CompilerThre", 60, 0);
    thread(13, 14, "C2 CompilerThre", 900, 0);
    assertThat(compilers(7, 11).sample()).hasValue(1_000_000_000L);
  }

  @Test
  void isUnknownWithoutTheFiles() throws IOException {
    thread(7, 8, "C2 CompilerThre", 30, 4);
    assertThat(compilers(7, 9).sample()).isEmpty();
    Files.writeString(folder.resolve("7/task/8/stat"), "8 (C2 CompilerThre) S 1\n");
    assertThat(compilers(7).sample()).isEmpty();
  }

  @Test
  void thisProcessHasCompiled() {
    assertThat(ThreadMeter.ofCompilers(List.of()).sample().orElse(0))
        .as("on Linux")
        .isGreaterThan(Files.isDirectory(Path.of("/proc/self/task")) ? 0L : -1L);
  }
}
