package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;

/** Runs the command lines of docs/reference/ycsb.md as they stand there, with fewer operations. */
@Tag("slow")
@MortyCluster(partitions = 4)
class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String COMMAND = "bin/morty ycsb ";
  private static final String CONFIG = "deploy/example/cluster.conf";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir Path folder;

  private final EmbeddedCluster cluster;

  DocumentedCommandsTest(EmbeddedCluster cluster) {
    this.cluster = cluster;
  }

  private record Ended(int exitCode, String output) {}

  private List<String> documented(String workload) throws IOException {
    try (Stream<String> lines = Files.lines(ROOT.resolve("docs/reference/ycsb.md"))) {
      return lines
          .filter(line -> line.startsWith(COMMAND) && line.contains(workload + " "))
          .toList();
    }
  }

  /** With the rest of the command line, on this test's cluster. */
  private Ended execute(String commandLine, String... more)
      throws IOException, InterruptedException {
    Path config = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(YcsbMain.class.getName());
    command.addAll(
        List.of(
            commandLine
                .substring(COMMAND.length())
                .replace(CONFIG, config.toString())
                .split(" +")));
    command.addAll(List.of(more));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new AssertionError(commandLine + " takes too long:\n" + Files.readString(output));
    }
    return new Ended(process.exitValue(), Files.readString(output));
  }

  private static long figure(String output, String pattern) {
    Matcher matcher =
        Pattern.compile("^" + pattern + ", (\\d+)", Pattern.MULTILINE).matcher(output);
    assertThat(matcher.find()).as("%s in %s", pattern, output).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"workloada", "workloade"})
  void loadAndRunOneOfYcsbsOwn(String workload) throws IOException, InterruptedException {
    List<String> commands = documented(workload);
    assertThat(commands).hasSize(2);
    Ended load = execute(commands.get(0), "-p", "recordcount=200");
    assertThat(load.exitCode).as(load.output).isZero();
    assertThat(figure(load.output, "\\[INSERT\\], Return=OK")).isEqualTo(200);
    Ended run = execute(commands.get(1), "-p", "recordcount=200", "-p", "operationcount=300");
    assertThat(run.exitCode).as(run.output).isZero();
    String often = workload.equals("workloada") ? "READ" : "SCAN";
    String seldom = workload.equals("workloada") ? "UPDATE" : "INSERT";
    assertThat(
            figure(run.output, "\\[" + often + "\\], Return=OK")
                + figure(run.output, "\\[" + seldom + "\\], Return=OK"))
        .isEqualTo(300);
    assertThat(run.output).doesNotContain("FAILED");
  }

  @Test
  void theEconomyIsClosed() throws IOException, InterruptedException {
    List<String> commands = documented("economy");
    assertThat(commands).hasSize(2);
    String[] few = {"-p", "recordcount=20", "-p", "totalcash=999", "-p", "operationcount=600"};
    Ended load = execute(commands.get(0), few);
    assertThat(load.exitCode).as(load.output).isZero();
    assertThat(figure(load.output, "\\[CLOSED-ECONOMY\\], Cash counted")).isEqualTo(999);
    Ended run = execute(commands.get(1), few);
    assertThat(run.exitCode).as(run.output).isZero();
    assertThat(figure(run.output, "\\[CLOSED-ECONOMY\\], Accounts")).isPositive();
    assertThat(figure(run.output, "\\[CLOSED-ECONOMY\\], Cash counted")).isEqualTo(999);
    for (EconomyOperation operation : EconomyOperation.values()) {
      assertThat(figure(run.output, "\\[" + operation.measurement() + "\\], Return=OK"))
          .isPositive();
    }

    // The check finds what it is for.
    Ended lost =
        execute(
            commands.get(1), Stream.concat(Stream.of(few), LOSSY.stream()).toArray(String[]::new));
    assertThat(lost.exitCode).as(lost.output).isEqualTo(1);
    assertThat(figure(lost.output, "\\[CLOSED-ECONOMY\\], Cash counted")).isNotEqualTo(999);
    assertThat(lost.output).contains("[OVERALL], Throughput", "the closed economy has");
  }

  private static final List<String> LOSSY =
      List.of("-p", "transactional=false", "-p", "readproportion=0", "-p", "transactionsize=5");

  @Test
  void aRunThatCannotBeginFails() throws IOException, InterruptedException {
    String load = documented("workloada").getFirst();
    Ended wrong = execute(load, "-threads", "1", "-p", "recordcount=2", "-p", "morty.region=mars");
    assertThat(wrong.exitCode).isEqualTo(1);
    assertThat(wrong.output.strip())
        .endsWith("region-1, region-2, region-3")
        .contains("morty.region", "mars");
  }
}
