package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line of the archive for hosts, without plug-ins. */
final class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String line) {
    return Main.commandLine(List.of())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(line.split(" "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"portions", "portions split --help", "--help portions"})
  void aCommandThatDoesNotExistIsAnError(String line) {
    assertThat(run(line)).isEqualTo(ExitCode.USAGE);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("portions");
    assertThat(err.toString().lines()).hasSizeLessThan(4);
  }

  @ParameterizedTest
  @CsvSource({
    "statsu, 'morty status'",
    "rbelance, 'morty rebalance'",
    "verfy --help, verify",
    "verify runing --help, running"
  })
  void theClosestCommandIsNamed(String line, String closest) {
    assertThat(run(line)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(closest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bench", "bench retwis --help", "sim --seeds 3", "compare"})
  void aCommandOfAPlugInNamesItsArchive(String line) {
    assertThat(run(line)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("morty-experiments");
  }

  @Test
  void aPlugInThatCannotBeLoadedIsNamedInOneLine() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    int code =
        Main.withoutErrors(
            () -> {
              throw new ServiceConfigurationError(
                  "System: Provider a.B could not be instantiated",
                  new ExceptionInInitializerError(new IllegalStateException("no luck")));
            },
            new PrintStream(printed, true, StandardCharsets.UTF_8),
            "'plugins'");
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .containsExactly(
            "morty: a plug-in cannot be loaded: System: Provider a.B could not be instantiated"
                + " (java.lang.IllegalStateException: no luck). Correct it, or remove its jar from"
                + " 'plugins'");
  }

  @Test
  void anErrorIsNoViolation() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    int code =
        Main.withoutErrors(
            () -> {
              throw new NoSuchMethodError("gone");
            },
            new PrintStream(printed, true, StandardCharsets.UTF_8),
            "");
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("gone", "at org.mortydb");
  }

  @Test
  void missingArgumentsAreCounted() {
    assertThat(run("partitions merge 5 --config none.conf")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("morty: at least 2 PARTITION are needed");
  }

  @Test
  void helpOfACommandIsPrinted() {
    assertThat(run("verify running --help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("--seconds");
  }
}
