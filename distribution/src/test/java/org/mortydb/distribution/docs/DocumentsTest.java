package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents tell people to type is there, and their links lead somewhere. */
final class DocumentsTest {
  private static final Set<String> INFOS =
      Set.of(Documents.COMMANDS, "text", "hocon", "java", "xml", "yaml", "json", "mermaid");

  private static final int MOST_COLUMNS = 100;

  static List<String> pages() {
    return Documents.pages();
  }

  static List<DocumentedCommand> commands() {
    return Documents.commands();
  }

  /** Commands amid the text that are whole: nothing is left to be filled in. */
  static Stream<Documents.Piece> commandsAmidText() {
    return Documents.pages().stream()
        .flatMap(page -> Documents.inlineCode(page).stream())
        .filter(piece -> piece.text().startsWith("bin/morty "))
        .filter(piece -> !piece.text().contains("..."))
        .filter(piece -> !piece.text().startsWith("bin/morty COMMAND"));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyBlockOfCodeSaysWhatItIs(String page) {
    for (Documents.Block block : Documents.blocks(page)) {
      assertThat(INFOS)
          .as(
              "the block of code at %s:%d begins with ```%s: say ```sh of commands, ```text of what"
                  + " they print",
              page, block.line(), block.info())
          .contains(block.info());
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandIsKnown(DocumentedCommand command) {
    CommandChecks.check(command);
  }

  @ParameterizedTest
  @MethodSource("commandsAmidText")
  void soIsEveryCommandAmidText(Documents.Piece piece) {
    List<String> words = ShellWords.split(piece.text());
    String command = words.get(1);
    if (!Set.of("ycsb", "peers", "java").contains(command)) {
      MortyCommands.parseAmidText(words.subList(1, words.size()));
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkLeadsSomewhere(String page) {
    Path folder = Documents.root().resolve(page).getParent();
    for (Documents.Piece link : Documents.links(page)) {
      if (link.text().contains("://")) {
        continue;
      }
      String[] parts = link.text().split("#", 2);
      Path target = parts[0].isEmpty() ? Documents.root().resolve(page) : folder.resolve(parts[0]);
      assertThat(target).as(link.toString()).exists();
      if (parts.length == 2) {
        String name = Documents.root().relativize(target.normalize()).toString();
        assertThat(Documents.anchors(name)).as(link.toString()).contains(parts[1]);
      }
    }
  }

  /** Blocks of code, tables and placeholders may be wider. */
  @ParameterizedTest
  @MethodSource("pages")
  void linesOfProseEndAtColumn100(String page) throws IOException {
    Set<Integer> code = new HashSet<>();
    for (Documents.Block block : Documents.blocks(page)) {
      for (int i = 0; i < block.text().lines().count(); i++) {
        code.add(block.line() + i);
      }
    }
    List<String> lines = Files.readAllLines(Documents.root().resolve(page));
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.startsWith("|") && !line.startsWith("{{") && !code.contains(i + 1)) {
        assertThat(line.codePointCount(0, line.length()))
            .as("%s:%d %s", page, i + 1, line)
            .isLessThanOrEqualTo(MOST_COLUMNS);
      }
    }
  }

  /** A page that nobody links to is read by nobody. */
  @Test
  void everyPageCanBeReachedFromTheReadme() {
    Set<String> reached = new LinkedHashSet<>();
    Deque<String> next = new ArrayDeque<>(List.of("README.md"));
    while (!next.isEmpty()) {
      String page = next.remove();
      if (reached.add(page)) {
        Path folder = Documents.root().resolve(page).getParent();
        for (Documents.Piece link : Documents.links(page)) {
          if (!link.text().contains("://") && !link.text().startsWith("#")) {
            Path target = folder.resolve(link.text().replaceFirst("#.*", "")).normalize();
            String name = Documents.root().relativize(target).toString();
            // A folder shows its pages.
            Documents.pages().stream()
                .filter(
                    other ->
                        other.equals(name)
                            || name.equals(String.valueOf(Path.of(other).getParent())))
                .forEach(next::add);
          }
        }
      }
    }
    assertThat(reached).containsAll(Documents.pages());
  }

  /** The check itself finds what it is for. */
  @ParameterizedTest
  @MethodSource("wrong")
  void aWrongCommandIsFound(String wrong) {
    DocumentedCommand command = new DocumentedCommand("docs/reference/cli.md", 1, wrong, "");
    assertThat(failure(command)).as(wrong).isNotEmpty();
  }

  static List<String> wrong() {
    return List.of(
        "bin/morty bench retwis --procesess",
        "bin/morty bench retwis --clients many",
        "bin/morty compare all systems",
        "bin/morty calibrate --json f",
        "mvn -pl nowhere test",
        "mvn -Pnone package",
        "mvn test -Dtest=NoSuchTest",
        "mvn test -Dmorty.unread=true",
        "ansible-playbook -i inventories/shop no-such.yml",
        "ansible-playbook -i inventories/shop experiment.yml -e 'bench=\"transfer --acounts 1\"'",
        "java -cp 'bench/target/dist/lib/*' examples/tutorial/NoSuch.java",
        "lein run test --no-such-option 1",
        "deploy/try/no-such.sh",
        "make install");
  }

  private static String failure(DocumentedCommand command) {
    try {
      CommandChecks.check(command);
      return "";
    } catch (AssertionError e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** What a newcomer would see last: the message says what to do. */
  @ParameterizedTest
  @MethodSource("unknown")
  void theFailureSaysWhatToDo(String unknown, String said) {
    assertThat(failure(new DocumentedCommand("docs/reference/cli.md", 7, unknown, "")))
        .contains(said);
  }

  static Stream<Arguments> unknown() {
    return Stream.of(
        Arguments.of("make install", "docs/reference/cli.md:7 make install"),
        Arguments.of("make install", "teach CommandChecks"),
        Arguments.of("bin/morty calibrate --json f", "add a rule to MortyCommands"));
  }
}
