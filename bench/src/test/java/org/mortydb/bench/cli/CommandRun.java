package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs a benchmark that has to succeed. */
final class CommandRun {
  private final Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  public CommandRun(Path folder) {
    this.folder = folder;
  }

  /** Runs {@code morty bench} with some arguments; returns the record in JSON. */
  public JsonNode run(String args) {
    return run(args, List.of());
  }

  /** Runs it with further arguments, which may have blanks. */
  JsonNode run(String args, List<String> more) {
    Path json = folder.resolve("run.json");
    List<String> all = new ArrayList<>(List.of(("bench " + args + " --json " + json).split(" ")));
    all.addAll(more);
    int code = CommandLines.run(out, err, all.toArray(String[]::new));
    assertThat(code).as("%s%s", out, err).isEqualTo(ExitCode.OK);
    return new JsonMapper().readTree(json);
  }

  /** What was printed. */
  public String out() {
    return out.toString();
  }

  /** What was printed on standard error, progress excepted. */
  String err() {
    return err.toString();
  }
}
