package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each sentence of the page on security has tests, which {@code security.txt} names. */
class SecurityPageTest {
  private static final String PAGE = "docs/reference/security.md";
  private static final String TESTS = "distribution/src/test/resources/security.txt";
  private static final String ADVICE = "advice";
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *``` *$");
  private static final Pattern ITEM = Pattern.compile("(?m)^ *(?:- |\\d+\\. )");
  private static final Pattern END = Pattern.compile("(?<=[.:]) (?=[A-Z`])");

  @Test
  void everySentenceHasTestsOrIsAdvice() throws IOException {
    Map<String, List<String>> tests = tests();
    assertThat(sentences())
        .as("a sentence was changed: change its tests, then %s", TESTS)
        .containsExactlyElementsOf(tests.keySet());
    assertThat(tests.values())
        .allSatisfy(of -> assertThat(of).isNotEmpty())
        .filteredOn(List.of(ADVICE)::equals)
        .as("advice")
        .hasSizeLessThan(10);
    assertThat(tests.values().stream().flatMap(List::stream).filter(one -> !one.equals(ADVICE)))
        .allMatch(SecurityPageTest::exists);
  }

  /** The bound is per kind, so a kind must not be one per connection, loop or replica. */
  @Test
  void kindsOfWarningsAreOneForTheProcess() throws IOException {
    assertThat(read(PAGE)).contains("There are seven kinds of warnings that peers can cause.");
    int kinds = 0;
    for (String source :
        List.of(
            "server/src/main/java/org/mortydb/server/LoopHost.java",
            "transport/src/main/java/org/mortydb/transport/ChannelLink.java",
            "transport/src/main/java/org/mortydb/transport/LinkHandler.java")) {
      Matcher made = Pattern.compile("(.*)new RateLimitedLog\\(").matcher(read(source));
      while (made.find()) {
        assertThat(made.group(1)).contains("private static final");
        kinds++;
      }
    }
    assertThat(kinds).isEqualTo(7);
  }

  /** What the page says, and the constant that makes it true. */
  @ParameterizedTest
  @CsvSource({
    "upper 24 bits, config/Identity, BOUND_BITS = 24",
    "longer than 16 MiB, protocol/model/Limits, MAX_FRAME_BYTES = 16 * 1024 * 1024",
    "longer than 4 KiB, wire/WireContract, MAX_HANDSHAKE_BYTES = 4 * 1024",
    "within 30 s, transport/LinkHandler, FRAME_TIMEOUT_FACTOR = 6",
    "more than 128 MiB, transport/UnfinishedFrames, MOST_BYTES = 128L * 1024 * 1024",
    "at most 100 lines, transport/RateLimitedLog, BURST = 100",
    "one line per second, transport/RateLimitedLog, TimeUnit.SECONDS.toNanos(1)",
    "'at most 1,024 attempts', protocol/recovery/Recoveries, MOST_ATTEMPTS = 1_024",
    "at most 64 messages, transport/LinkHandler, MOST_PER_TURN = 64",
    "about 1 ms, transport/LinkHandler, MOST_NANOS_PER_TURN = 1_000_000",
    "At most 128 KiB, server/ClientBacklog, MOST_BYTES = 128 * 1024",
    "at most 8 cuts, protocol/replica/CutSource, MAX_CUTS = 8"
  })
  void figuresAreThoseOfTheCode(String said, String place, String constant) throws IOException {
    assertThat(String.join("\n", sentences())).contains(said);
    String module = place.substring(0, place.indexOf('/'));
    assertThat(read(module + "/src/main/java/org/mortydb/" + place + ".java")).contains(constant);
  }

  private static String read(String file) throws IOException {
    return Files.readString(Documents.root().resolve(file));
  }

  /** The sentences of the page; of a table each clause of a cell, after the row and the column. */
  private static List<String> sentences() throws IOException {
    List<String> sentences = new ArrayList<>();
    for (String paragraph : CODE.matcher(read(PAGE)).replaceAll("").split("\n\\s*\n")) {
      String text = paragraph.strip();
      if (text.startsWith("|")) {
        addClauses(text.lines().map(SecurityPageTest::cells).toList(), sentences);
      } else if (!text.startsWith("#")) {
        for (String item : ITEM.split(text)) {
          END.splitAsStream(item.strip().replaceAll("\\s+", " "))
              .filter(sentence -> !sentence.isEmpty())
              .forEach(sentences::add);
        }
      }
    }
    return sentences;
  }

  private static List<String> cells(String row) {
    return Stream.of(row.substring(1, row.length() - 1).split("\\|")).map(String::strip).toList();
  }

  private static void addClauses(List<List<String>> rows, List<String> to) {
    for (List<String> row : rows.subList(2, rows.size())) {
      for (int i = 1; i < row.size(); i++) {
        String column = i < rows.getFirst().size() ? rows.getFirst().get(i) : "";
        for (String clause : row.get(i).split("; ")) {
          to.add((row.getFirst() + " " + column).strip() + ": " + clause);
        }
      }
    }
  }

  private static Map<String, List<String>> tests() throws IOException {
    Map<String, List<String>> tests = new LinkedHashMap<>();
    List<String> current = new ArrayList<>();
    for (String line : read(TESTS).lines().toList()) {
      if (line.startsWith("  = ")) {
        current.add(line.substring(4));
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        current = new ArrayList<>();
        assertThat(tests.put(line, current)).as("twice: %s", line).isNull();
      }
    }
    return tests;
  }

  /** Whether there is a class of tests, or the method of one. */
  private static boolean exists(String test) {
    String[] parts = test.split("\\.");
    try (Stream<Path> modules = Files.list(Documents.root())) {
      for (Path sources : modules.map(module -> module.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(sources)) {
          try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(f -> f.endsWith(parts[0] + ".java")).toList()) {
              String text = Files.readString(file);
              return text.contains("@Test")
                  && (parts.length == 1 || text.contains(" void " + parts[1] + "("));
            }
          }
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
