package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.bench.plan.Checkout;
import picocli.CommandLine;

/** What the how-to guides tell people to type is there. */
final class HowToTest {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern PLAYBOOK = Pattern.compile("ansible-playbook .*?([a-z-]+\\.yml)");
  private static final Pattern BENCHMARK = Pattern.compile("bench=\"([^\"]+)\"");

  static Stream<String> commands() throws IOException {
    Path folder = Checkout.find("docs/how-to").orElseThrow();
    List<String> lines = new ArrayList<>();
    try (Stream<Path> guides = Files.list(folder)) {
      for (Path guide : guides.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
        Files.readString(guide)
            .replace("\\\n", " ")
            .lines()
            .filter(line -> line.startsWith("    "))
            .map(String::strip)
            .forEach(lines::add);
      }
    }
    return lines.stream()
        .filter(line -> line.matches("(bin/)?morty .*|ansible-playbook .*|deploy/.*"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isThere(String command) {
    Matcher playbook = PLAYBOOK.matcher(command);
    if (playbook.lookingAt()) {
      assertThat(Checkout.find("deploy/ansible/" + playbook.group(1))).isPresent();
      Matcher benchmark = BENCHMARK.matcher(command);
      if (benchmark.find()) {
        assertAccepted("bench " + benchmark.group(1) + " --connect cluster.conf --region us-east");
      }
    } else if (command.startsWith("deploy/")) {
      assertThat(Checkout.find(command.split(" ")[0])).isPresent();
    } else {
      assertAccepted(command.replaceFirst("^(bin/)?morty ", ""));
    }
  }

  /** Wrong options, and values that are none, are refused when the command line is read. */
  private static void assertAccepted(String args) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(args);
    while (word.find()) {
      words.add(
          word.group(1) != null
              ? word.group(1)
              : word.group(2) != null ? word.group(2) : word.group(3));
    }
    CommandLine.ParseResult parsed = Main.commandLine().parseArgs(words.toArray(String[]::new));
    assertThat(parsed.hasSubcommand()).as(args).isTrue();
  }
}
