package org.mortydb.faults.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code morty check}, on recorded histories. */
final class CheckCommandTest {
  /** Histories whose verdicts module check agrees on with Elle. */
  private static final Path RECORDED =
      Path.of("../check/src/test/resources/org/mortydb/check/jepsen/histories");

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int check(Path file, String... options) {
    String[] words = new String[options.length + 2];
    words[0] = "check";
    words[1] = file.toString();
    System.arraycopy(options, 0, words, 2, options.length);
    return CommandLines.run(out, err, words);
  }

  private Path recorded(String name) throws Exception {
    return Files.copy(RECORDED.resolve(name), folder.resolve(name));
  }

  @Test
  void aGoodHistoryIsSerializable() throws Exception {
    assertThat(check(recorded("append-faults.edn.gz"), "--workload", "append"))
        .as("%s", err)
        .isEqualTo(ExitCode.OK);
    assertThat(out).asString().startsWith("append: serializable (").contains("26 unknown");
  }

  @Test
  void singleRegistersAreLinearizable() throws Exception {
    Path file = folder.resolve("linear.edn");
    String written =
        """
        {:process 0, :type :invoke, :f :write, :value [0 1], :time 1, :index 0}
        {:process 0, :type :ok, :f :write, :value [0 1], :time 2, :index 1}
        {:process 1, :type :invoke, :f :read, :value [0 nil], :time 3, :index 2}
        """;
    Files.writeString(
        file, written + "{:process 1, :type :ok, :f :read, :value [0 1], :time 4, :index 3}\n");
    assertThat(check(file, "--workload", "linear")).as("%s", err).isEqualTo(ExitCode.OK);
    assertThat(out).asString().startsWith("linear: linearizable (2 committed");
    Files.writeString(
        file, written + "{:process 1, :type :ok, :f :read, :value [0 nil], :time 4, :index 3}\n");
    assertThat(check(file, "--workload", "linear")).isEqualTo(ExitCode.VIOLATION);
    assertThat(out).asString().contains("linear: NOT linearizable, 1 violation");
  }

  @Test
  void aBadOneIsNotAndTheReasonIsTold() throws Exception {
    int code = check(recorded("append-g2-item.edn"), "--workload", "append", "--output", "json");
    assertThat(code).isEqualTo(ExitCode.VIOLATION);
    JsonNode report = new JsonMapper().readTree(out.toString());
    assertThat(report.get("valid").asBoolean()).isFalse();
    assertThat(report.get("anomalies").get(0).asString())
        .isEqualTo("G2-item, write skew or long fork");
    assertThat(report.get("explanations").get(0).asString()).contains("T0 read 1 = []");
  }

  @Test
  void realTimeIsHeldToOnDemand() throws Exception {
    Path stale = recorded("append-stale-read.edn");
    assertThat(check(stale, "--workload", "append")).isEqualTo(ExitCode.OK);
    assertThat(out).asString().contains("not checked: phantoms, session order, real time");
    assertThat(check(stale, "--workload", "append", "--order", "real-time"))
        .isEqualTo(ExitCode.VIOLATION);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          append | none | phantoms, session order, real time
          append | session | phantoms, real time
          append | real-time | phantoms
          register | none | phantoms, order of blind writes, session order, real time
          set | real-time | internal consistency, phantoms, session order, real time
          monotonic | none | phantoms, timestamp order, session order, real time
          linear | none | phantoms, transactions of several keys
          """)
  void theVerdictNamesWhatWasNotChecked(String workload, String order, String notChecked)
      throws Exception {
    String[] operation =
        switch (workload) {
          case "append" -> new String[] {"txn", "[[:r 1 nil]]", "[[:r 1 []]]"};
          case "register" -> new String[] {"txn", "[[:r 1 nil]]", "[[:r 1 nil]]"};
          case "set" -> new String[] {"read", "nil", "[]"};
          case "monotonic" -> new String[] {"look", "nil", "{:saw [0]}"};
          default -> new String[] {"read", "[0 nil]", "[0 nil]"};
        };
    String form = "{:process 0, :type :%s, :f :%s, :value %s, :time %d, :index %d}\n";
    Path file =
        Files.writeString(
            folder.resolve("history.edn"),
            form.formatted("invoke", operation[0], operation[1], 1, 0)
                + form.formatted("ok", operation[0], operation[2], 2, 1));
    String[] options = {"--workload", workload, "--order", order, "--output", "json"};
    assertThat(check(file, options)).as("%s", err).isEqualTo(ExitCode.OK);
    assertThat(new JsonMapper().readTree(out.toString()).get("notChecked"))
        .extracting(JsonNode::asString)
        .containsExactly(notChecked.split(", "));
  }

  @Test
  void whatIsNoHistoryOfTheWorkloadIsRefused() throws Exception {
    Path append = recorded("append-g0.edn");
    assertThat(check(append, "--workload", "bank")).isEqualTo(ExitCode.FAILED);
    assertThat(check(folder.resolve("none"), "--workload", "bank")).isEqualTo(ExitCode.FAILED);
    Path silent = Files.writeString(folder.resolve("silent"), "{:type :info, :process :nemesis}");
    assertThat(check(silent, "--workload", "bank")).isEqualTo(ExitCode.FAILED);
    assertThat(check(append, "--workload", "banks")).isEqualTo(ExitCode.USAGE);
    assertThat(err)
        .asString()
        .contains(":f must be :read or :transfer, not :txn")
        .contains(folder.resolve("none").toString())
        .contains("silent has no read that can be judged")
        .contains(
            "'banks' is none of append, register, long-fork, bank, set, g2, monotonic, levels,"
                + " linear, follow");
  }
}
