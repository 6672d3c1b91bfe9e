package org.mortydb.experiments.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import org.mortydb.experiments.windows.WindowsRecord;
import tools.jackson.databind.json.JsonMapper;

final class WindowsCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String args) {
    return CommandLines.run(out, err, ("windows --out " + folder + " " + args).split(" "));
  }

  @Test
  void printsTheTableAndWritesRecordAndPicture() {
    Path json = folder.resolve("windows.json");
    int code = run("--keys 600 --delay 5 --clients 12 --seconds 0.5 --cores 2 --json " + json);
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("serialization window", "morty", "tapir", "windows.svg");
    assertThat(folder.resolve("windows.svg")).content().contains("</svg>");
    WindowsRecord record = new JsonMapper().readValue(json.toFile(), WindowsRecord.class);
    assertThat(record.settings()).containsEntry("delayMillis", 5.0).containsEntry("clients", 12);
    assertThat(record.system("tapir")).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--systems mysql | --systems: there is no system 'mysql'",
        "--zipf -1 | --zipf must be 0 to 2",
        "--seconds 0 | --seconds must be greater than 0",
        "--clients 0 | --clients must be 1 to",
        "--delay far | --delay must be 'none' or 0 to",
        "--delay 1 --delays global | --delay and --delays exclude each other",
      })
  void whatCannotBeIsRefused(String args, String message) {
    assertThat(run(args)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }
}
