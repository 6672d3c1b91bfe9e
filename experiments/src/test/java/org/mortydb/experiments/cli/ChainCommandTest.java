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
import org.mortydb.experiments.chain.ChainRecord;
import tools.jackson.databind.json.JsonMapper;

final class ChainCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String args) {
    return CommandLines.run(out, err, ("chain " + args).split(" "));
  }

  @Test
  void printsTheTablesAndWritesRecordAndPicture() {
    Path json = folder.resolve("chain.json");
    int code =
        run(
            "--keys 60 --delay 5 --clients 12 --warmup 0.2 --seconds 0.5 --cores 2 --region-slots"
                + " off --steps 3 --out "
                + folder
                + " --json "
                + json);
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("crossing", "rest", "bound: ", "step at", "chain.svg");
    assertThat(folder.resolve("chain.svg")).content().contains("</svg>");
    ChainRecord record = new JsonMapper().readValue(json.toFile(), ChainRecord.class);
    assertThat(record.settings()).containsEntry("delayMillis", 5.0).containsEntry("clients", 12);
    assertThat(record.steps().stream().filter(step -> step.events() != null)).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--zipf -1 | --zipf must be 0 to 2",
        "--seconds 0 | --seconds must be greater than 0",
        "--clients 0 | --clients must be 1 to",
        "--steps -1 | --steps must be 0 to",
        "--region-slots never | --region-slots must be",
        "--partitions 0 | --partitions must be",
        "--delay 1 --delays global | --delay and --delays exclude each other",
      })
  void whatCannotBeIsRefused(String args, String message) {
    assertThat(run(args)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }
}
