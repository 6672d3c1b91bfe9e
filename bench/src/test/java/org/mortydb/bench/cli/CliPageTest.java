package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.bench.cli.OperatedCluster.morty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.cli.OperatedCluster.Ran;
import org.mortydb.bench.plan.Checkout;

/** Runs the commands of docs/cli.md in their order, on a cluster. */
@Timeout(120)
final class CliPageTest {
  private static final Pattern COMMAND = Pattern.compile("(?m)^    bin/morty ([^>\\n]+)");

  @TempDir Path folder;

  private static List<String> commands() throws IOException {
    String page = Files.readString(Checkout.find("docs/cli.md").orElseThrow());
    return COMMAND.matcher(page).results().map(match -> match.group(1)).toList();
  }

  @Test
  void everyCommandDoesWhatThePageSays() throws Exception {
    List<String> commands = commands();
    assertThat(commands).isNotEmpty();
    try (OperatedCluster cluster =
        OperatedCluster.start(folder, true, "server.durability = memory")) {
      for (String command : commands) {
        if (command.contains("/copies/")) {
          continue; // VerifyCommandTest does it, with servers that have stopped
        }
        String[] words = words(command.replace("cluster.conf", cluster.file().toString()));
        Ran ran = morty(words);
        assertThat(ran.code()).as("%s%n%s%s", command, ran.out(), ran.err()).isEqualTo(0);
      }
    }
  }

  private static String[] words(String command) {
    Matcher word = Pattern.compile("'([^']*)'|(\\S+)").matcher(command);
    return word.results()
        .map(match -> match.group(1) != null ? match.group(1) : match.group(2))
        .toArray(String[]::new);
  }
}
