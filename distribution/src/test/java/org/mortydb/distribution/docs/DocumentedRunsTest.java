package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.cli.ExitCode;
import org.mortydb.distribution.docs.MortyCommands.Ran;
import org.mortydb.distribution.docs.MortyCommands.Trial;

/** Runs the commands of the documents as they stand there, with options that make them short. */
@Tag("slow")
@Timeout(180)
final class DocumentedRunsTest {
  private static final String EXAMPLE = "deploy/example/cluster.conf";

  @TempDir Path folder;

  /** The first command of each kind: twice the same shows nothing new. */
  static List<DocumentedCommand> alone() {
    List<String> seen = new ArrayList<>();
    return mortys(Trial.Alone.class)
        .filter(command -> !seen.contains(command.text()) && seen.add(command.text()))
        .toList();
  }

  private static Stream<DocumentedCommand> mortys(Class<? extends Trial> trial) {
    return Documents.commands().stream()
        .filter(
            command ->
                command.text().matches("((\\.\\./\\.\\./)?bin/)?morty (?!ycsb |peers |java ).*"))
        .filter(command -> trial.isInstance(MortyCommands.trial(arguments(command))));
  }

  private static List<String> arguments(DocumentedCommand command) {
    List<String> words = ShellWords.withoutRedirection(command.words());
    return words.subList(1, words.size());
  }

  @ParameterizedTest
  @MethodSource("alone")
  void byItself(DocumentedCommand command) {
    List<String> words = new ArrayList<>(arguments(command));
    int out = words.indexOf("--out");
    if (out >= 0) {
      words.set(out + 1, folder.resolve(words.get(out + 1)).toString());
    }
    Trial.Alone trial = (Trial.Alone) MortyCommands.trial(arguments(command));
    MortyCommands.run(words, trial.shorter()).requireSuccess();
  }

  /**
   * The servers that the README and docs/reference/ycsb.md start, and all that is asked of such a
   * cluster.
   */
  @Test
  void onACluster() throws Exception {
    List<DocumentedCommand> servers =
        mortys(Trial.Server.class)
            .filter(command -> command.page().equals("docs/reference/ycsb.md"))
            .toList();
    assertThat(servers).hasSize(3);
    Set<List<String>> seen = new HashSet<>();
    List<DocumentedCommand> commands =
        mortys(Trial.OnCluster.class)
            .filter(command -> !command.shown().isEmpty() || seen.add(arguments(command)))
            .toList();
    assertThat(commands).isNotEmpty();
    try (ExampleCluster cluster = ExampleCluster.start(folder, EXAMPLE)) {
      for (DocumentedCommand server : servers) {
        cluster.server(arguments(server));
      }
      cluster.awaitServing();
      for (DocumentedCommand command : commands) {
        Trial.OnCluster trial = (Trial.OnCluster) MortyCommands.trial(arguments(command));
        Ran ran = MortyCommands.run(cluster.command(arguments(command)), trial.shorter());
        // Servers stand still on a busy machine, of which status warns.
        if (!command.text().contains("morty status") || ran.code() != ExitCode.WARNING) {
          ran.requireSuccess();
        }
        if (command.text().contains("morty shell") && !command.shown().isEmpty()) {
          assertThat(ran.out()).as(command.toString()).isEqualTo(command.shown());
        }
      }
      asksForHealth(cluster);
    }
  }

  /** {@code curl} is not everywhere; what counts is where it asks. */
  private static void asksForHealth(ExampleCluster cluster) throws IOException {
    List<DocumentedCommand> questions =
        Documents.commands().stream()
            .filter(command -> command.text().startsWith("curl "))
            .toList();
    assertThat(questions).isNotEmpty();
    for (DocumentedCommand question : questions) {
      URI address = URI.create(cluster.onIt(question.words()).getLast());
      try (InputStream answer = address.toURL().openStream()) {
        assertThat(new String(answer.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
            .startsWith("{\"ready\":true,");
      }
    }
  }
}
