package org.mortydb.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * docs/reference/configuration.md has exactly the settings that there are, with their defaults and
 * ranges.
 */
class ConfigurationPageTest {
  private static final Path PAGE = Path.of("../docs/reference/configuration.md");

  /** What is under each heading, or after each line that begins a table. */
  private static final Map<String, String> SECTIONS =
      Map.ofEntries(
          Map.entry("## `cluster`", "cluster"),
          Map.entry("Each element of `servers`", "cluster.servers[0]"),
          Map.entry("## `server`:", "server"),
          Map.entry("### `server.storage`", "server.storage"),
          Map.entry("### `server.links`", "server.links"),
          Map.entry("### `server.replica`", "server.replica"),
          Map.entry("### `client`", "client"),
          Map.entry("### `server.tls`", ""),
          Map.entry("### `server.authorization`", "server.authorization"),
          Map.entry("## `tracing`", "tracing"),
          Map.entry("## `emulation`", "emulation"),
          Map.entry("## Fixed limits", "-"));

  private static final Pattern ROW =
      Pattern.compile("\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\| .*\\|");
  private static final Pattern VALUE = Pattern.compile("`([^`]+)`");
  private static final Pattern RANGE =
      Pattern.compile("(\\d+)( \\w+)? to (\\d+)( \\w+)?( \\+ 1 B)?");
  private static final Pattern KNOWN =
      Pattern.compile("(?m)^ *(\\S+)\\.zz \\(.*(?:there are|: there are) (.*)$");

  private static final String SMALL =
      """
      cluster { name = tea, regions = [a], f = 1, servers = [
        { name = a1, region = a, listen = "h:1" }
        { name = a2, region = a, listen = "h:2" }
        { name = a3, region = a, listen = "h:3" } ] }
      """;

  record Setting(String path, String byDefault, String range) {
    @Override
    public String toString() {
      return path;
    }
  }

  static List<Setting> settings() {
    List<Setting> settings = new ArrayList<>();
    String section = "-";
    try (Stream<String> lines = Files.lines(PAGE)) {
      for (String line : lines.toList()) {
        for (Map.Entry<String, String> begin : SECTIONS.entrySet()) {
          if (line.startsWith(begin.getKey())) {
            section = begin.getValue();
          }
        }
        Matcher row = ROW.matcher(line);
        if (row.matches() && !section.equals("-")) {
          String path = section.isEmpty() ? row.group(1) : section + "." + row.group(1);
          settings.add(new Setting(path, row.group(2).strip(), row.group(3).strip()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return settings;
  }

  /** A reader that meets an unknown setting tells all that it knows there. */
  private static TreeSet<String> known() {
    String wrong =
        SMALL.replace("name = a1", "name = a1, zz = 1")
            + """
            cluster.zz = 1
            server.zz = 1
            server.storage.zz = 1
            server.links.zz = 1
            server.replica.zz = 1
            server.tls.zz = 1
            client.zz = 1
            client.tls.zz = 1
            server.authorization.zz = 1
            tracing.zz = 1
            emulation.zz = 1
            """;
    TreeSet<String> known = new TreeSet<>();
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.parse(wrong))
        .satisfies(
            invalid -> {
              Matcher matcher = KNOWN.matcher(invalid.getMessage());
              while (matcher.find()) {
                for (String key : matcher.group(2).split(", ")) {
                  known.add(matcher.group(1) + "." + key);
                }
              }
            });
    return known;
  }

  @Test
  void thePageHasEverySettingAndNoOther() {
    TreeSet<String> known = known();
    assertThat(known).contains("cluster.name", "server.replica.tick", "emulation.jitter");
    TreeSet<String> written = new TreeSet<>();
    for (Setting setting : settings()) {
      // Those of these sections are named by regions and clients.
      written.add(setting.path.replaceFirst("\\.<.*", ""));
    }
    // Servers tell these to processes that start from a few addresses: no file has them.
    known.removeAll(List.of("cluster." + Membership.JOINED, "cluster." + Membership.LEFT));
    // What has settings of its own has a table of its own.
    known.removeIf(key -> written.stream().anyMatch(other -> other.startsWith(key + ".")));
    assertThat(written).as("the settings in %s", PAGE).isEqualTo(known);
  }

  static Stream<Setting> withDefaults() {
    return settings().stream()
        .filter(setting -> VALUE.matcher(setting.byDefault).matches())
        .filter(setting -> !setting.path.contains("<"));
  }

  @ParameterizedTest
  @MethodSource("withDefaults")
  void theDefaultIsWhatHoldsWhenNothingIsSaid(Setting setting) throws Exception {
    Matcher value = VALUE.matcher(setting.byDefault);
    assertThat(value.matches()).isTrue();
    assertThat(described(set(setting, value.group(1)))).isEqualTo(described(SMALL));
  }

  private static String set(Setting setting, String value) {
    String quoted = value.matches("[\\w.%-]+( \\w+)?") ? value : '"' + value + '"';
    return SMALL + setting.path + " = " + quoted + "\n";
  }

  private static String described(String text) throws Exception {
    ClusterConfig config = ClusterConfig.parse(text);
    return Stream.of(
            config.name(),
            config.system(),
            config.f(),
            config.partitions(),
            config.durability(),
            config.eventLoops(8, 64),
            config.storage(),
            config.linkOptions(),
            config.replicaOptions(),
            config.security(),
            config.tracing(),
            config.delays().jitterMicros("a", "a"))
        .map(String::valueOf)
        .reduce("", (all, one) -> all + "\n" + one);
  }

  static Stream<Setting> withRanges() {
    return settings().stream()
        .filter(setting -> RANGE.matcher(setting.range).matches())
        .filter(setting -> !setting.path.startsWith("cluster.servers"))
        .filter(setting -> !setting.path.contains("<"));
  }

  @ParameterizedTest
  @MethodSource("withRanges")
  void bothEndsOfTheRangeAreAcceptedAndNothingBeyond(Setting setting) throws Exception {
    Matcher range = RANGE.matcher(setting.range);
    assertThat(range.matches()).isTrue();
    String unit = range.group(4) == null ? "" : range.group(4);
    String low = range.group(1) + (range.group(2) == null ? unit : range.group(2));
    String high = range.group(3) + unit;
    String beyond = Long.parseLong(range.group(3)) + 1 + unit;
    if (!setting.path.equals("cluster.f")) { // needs as many servers
      accepted(set(setting, high));
    }
    if (range.group(5) == null) {
      accepted(set(setting, low));
    }
    assertThatExceptionOfType(InvalidConfigException.class)
        .as("%s = %s", setting.path, beyond)
        .isThrownBy(() -> ClusterConfig.parse(set(setting, beyond)))
        .withMessageContaining(setting.path);
  }

  private static void accepted(String text) throws Exception {
    assertThat(ClusterConfig.parse(text).name()).isEqualTo("tea");
  }
}
