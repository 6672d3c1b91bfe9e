package org.mortydb.distribution.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Main;

final class MainTest {
  /** The commands of module cli. */
  private static final int BUILT_IN = 14;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return CommandLines.run(out, err, args);
  }

  @Test
  void withoutACommandTheUsageIsShown() {
    assertThat(run()).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("morty bench retwis").contains("Commands:");
  }

  @Test
  void theCommandLineKnowsTheCommandsOfPlugIns() {
    assertThat(Main.commandLine().getSubcommands().keySet()).containsAll(Main.pluginCommands());
    assertThat(Main.commandLine().getSubcommands())
        .as("a command of a plug-in that Main does not know")
        .hasSize(BUILT_IN + Main.pluginCommands().size());
  }

  @Test
  void versionAndHelpAreShown() {
    assertThat(run("--version")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).startsWith("morty ");
    for (String[] help :
        new String[][] {
          {"--help"},
          {"bench", "--help"},
          {"bench", "retwis", "--help"},
          {"bench", "tpcc", "--help"},
          {"bench", "ycsb", "--help"},
          {"bench", "smallbank", "--help"},
          {"bench", "transfer", "--help"},
          {"bench", "jmh", "--help"},
          {"compare", "--help"},
          {"experiment", "--help"},
          {"campaign", "--help"},
          {"report", "--help"},
          {"reproduce", "--help"},
          {"sim", "--help"},
          {"trace", "--help"},
          {"server", "--help"},
          {"certs", "--help"},
          {"demo", "--help"},
          {"shell", "--help"},
          {"status", "--help"},
          {"verify", "--help"},
          {"verify", "stored", "--help"},
          {"verify", "running", "--help"},
          {"completion", "--help"}
        }) {
      assertThat(run(help)).as(String.join(" ", help)).isEqualTo(ExitCode.OK);
    }
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--clients",
        "--rate",
        "--arrivals",
        "--keys",
        "--zipf",
        "--warmup",
        "--seconds",
        "--seed",
        "--processes",
        "--delay",
        "--partitions",
        "--f",
        "--tls",
        "--durability",
        "--data",
        "--client-regions",
        "--client-loops",
        "--server-loops",
        "--server-jvm",
        "--trace",
        "--zipkin",
        "--json",
        "--no-check",
        "--metrics-port"
      })
  void everyOptionIsExplained(String option) {
    assertThat(run("bench", "retwis", "--help")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("      " + option);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "retwsi | morty bench has no command 'retwsi': did you mean 'morty bench retwis'?",
        "retwis --second 5 | morty bench retwis has no option '--second': did you mean '--seconds'?",
        "retwis --seconds 5s | option '--seconds': '5s' is not a number",
        "retwis --clients 1.5 | option '--clients': '1.5' is not a whole number",
        "retwis again | morty bench retwis takes no argument 'again'",
        "retwis --clients 0 | --clients must be 1 or more, is 0",
        "retwis --metrics-port 0 | --metrics-port must be 1 to 65535, is 0",
        "retwis --metrics-port 9470 --simulated | leave it out with --simulated",
        "retwis --clients many | Invalid value for option '--clients'",
        "retwis --rate 0 | --rate must be greater than 0",
        "retwis --read-only-level yesterday | is no level of reads",
        "retwis --system occ --read-only-level snapshot | the system occ has no level snapshot",
        "retwis --read-only-level strict | a cluster with server.replica.clock-uncertainty",
        "retwis --read-only-level bounded:100ms | at least 100 ms old; ask for more",
        "retwis --system tapir --merges | the system tapir has no merges",
        "retwis --agents local --system tapir --merges | the system tapir has no merges",
        "retwis --agents local --transaction-durability async | leave it out with --agents",
        "retwis --transaction-durability never | is no durability of a transaction",
        "retwis --transaction-durability async | use --durability sync",
        "retwis --rate max*0.5,max/2 | 'max/2'",
        "retwis --seconds 0 | --seconds must be greater than 0",
        "retwis --seconds NaN | --seconds must be greater than 0",
        "retwis --warmup -1 | --warmup must be 0 or more, is -1",
        "retwis --keys 11 | --keys must be 12 to 300000000, is 11",
        "retwis --keys 2000000000 | --keys must be 12 to 300000000, is 2000000000",
        "retwis --zipf -1 | --zipf must be 0 to 4, is -1",
        "retwis --zipf 90 | --zipf must be 0 to 4, is 90",
        "retwis --delay 3ms | without a unit, not '3ms'",
        "retwis --delay -1 | --delay must be 'none' or 0 to",
        "retwis --f 0 | --f must be 1 to",
        "retwis --partitions 0 | --partitions must be 1 to",
        "retwis --durability disk | is none of memory, async, sync",
        "retwis --durability sync --data /no/such | --data must be a directory that exists, is"
            + " '/no/such'",
        "retwis --client-regions 4 | --client-regions must be 1 to 3",
        "retwis --client-loops 0 | --client-loops must be 1 or more, is 0",
        "retwis --server-loops -1 | --server-loops must be 0 or more",
        "retwis --trace 2 | --trace must be 0 to 1, is 2",
        "retwis --zipkin http://127.0.0.1:9411/api/v2/spans | --zipkin needs --trace",
        "retwis --simulated --trace 1 | --simulated reports no spans",
        "retwis --json /no/such/folder/x.json | folder that does not exist: /no/such/folder",
        "tpcc --warehouses 0 | --warehouses must be 1 to",
        "tpcc --scale 2 | --scale must be greater than 0 and at most 1, is 2",
        "tpcc --delivery never | --delivery must be 'warehouse' or 'district', is 'never'",
        "ycsb --mix g | --mix must be 'a', 'b', 'c', 'd', 'e' or 'f', is 'g'",
        "ycsb --keys 0 | --keys must be 1 to",
        "smallbank --accounts 1 | --accounts must be 2 to",
        "transfer --form three-phase | must be 'transaction' or 'two-phase', is 'three-phase'",
        "transfer --abandon 0.1 | --abandon needs form two-phase",
        "retwis --colour | morty bench retwis has no option '--colour'",
      })
  void aWrongCommandLineIsExplainedInASentence(String args, String message) {
    assertThat(run(("bench " + args).split(" "))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("morty: ").contains(message).doesNotContain("\tat ");
    assertThat(err.toString().lines()).hasSizeLessThan(4);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aPatternWithoutBenchmarksIsNamed() {
    assertThat(run("bench", "jmh", "NoSuchBenchmark")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).startsWith("morty: no benchmark matches NoSuchBenchmark");
  }

  @Test
  void aServerProcessThatCannotStartIsExplained() {
    int code = run("bench", "retwis", "--processes", "--server-jvm", "-Xmx1k", "--seconds", "1");
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains("morty: server-1 did not start, it ended with 1; its log is ")
        .contains("Too small maximum heap")
        .doesNotContain("\tat ");
  }
}
