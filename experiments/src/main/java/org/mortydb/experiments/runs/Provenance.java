package org.mortydb.experiments.runs;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.mortydb.bench.experiment.CodeVersion;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.bench.measure.MachineMeter;
import tools.jackson.databind.JsonNode;

/** Where, when and with which code some records were made. */
public final class Provenance {
  /** The key of where, when and with which code a record was made. */
  public static final String ENVIRONMENT = "environment";

  /** The hash of a commit: SHA-1 or SHA-256. */
  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

  private static final int SHOWN_DIGITS = 12;

  private final List<JsonNode> records;

  private Provenance(List<JsonNode> records) {
    this.records = records;
  }

  /** The provenance of records. */
  public static Provenance of(Collection<? extends JsonNode> records) {
    return new Provenance(List.copyOf(records));
  }

  /**
   * The version of the code that made a record; empty if the record lacks it. Without a word on
   * uncommitted changes there may have been some.
   */
  public static Optional<CodeVersion> version(JsonNode record) {
    JsonNode facts = record.path(ENVIRONMENT);
    String commit = facts.path(Environment.COMMIT).asString("");
    return COMMIT.matcher(commit).matches()
        ? Optional.of(new CodeVersion(commit, facts.path(Environment.DIRTY).asBoolean(true)))
        : Optional.empty();
  }

  /** A commit, abbreviated for readers. */
  public static String shown(String commit) {
    return commit.substring(0, Math.min(SHOWN_DIGITS, commit.length()));
  }

  /** The machines and times; empty without records. */
  public String environment() {
    if (records.isEmpty()) {
      return "";
    }
    String machines =
        records.stream()
            .map(record -> machine(record.path(ENVIRONMENT)))
            .distinct()
            .collect(Collectors.joining("; "));
    List<String> times =
        records.stream()
            .map(record -> record.path(ENVIRONMENT).path("time").asString("a time not recorded"))
            .sorted(Comparator.naturalOrder())
            .toList();
    return machines
        + ", "
        + (times.getFirst().equals(times.getLast()) ? "at " : "from ")
        + times.getFirst()
        + (times.getFirst().equals(times.getLast()) ? "" : " to " + times.getLast())
        + others();
  }

  /** Says that other programs disturbed the runs; empty if none did, or that is unknown. */
  private String others() {
    double most =
        records.stream()
            .mapToDouble(
                record -> record.path(ENVIRONMENT).path(MachineMeter.OTHER_PROGRAMS).asDouble(0))
            .max()
            .orElse(0);
    return most <= MachineMeter.MOST_OTHERS
        ? ""
        : String.format(
            Locale.ROOT, ", while other programs used up to %.0f %% of the machine", 100 * most);
  }

  private static String machine(JsonNode facts) {
    if (!facts.isObject()) {
      return "machine not recorded";
    }
    return "%s processors, %s, %s, Java %s"
        .formatted(
            facts.path("processors").asString("?"),
            facts.path("arch").asString("?"),
            facts.path("os").asString("?"),
            facts.path("java").asString("?"));
  }

  /** The commits; if there are several, with the rounds of each. Empty without records. */
  public String code() {
    Map<String, SortedSet<Integer>> rounds = new LinkedHashMap<>();
    for (JsonNode record : records) {
      rounds
          .computeIfAbsent(text(version(record)), any -> new TreeSet<>())
          .add(record.path(PointRecord.ROUND).asInt(1));
    }
    if (rounds.size() <= 1) {
      return String.join("", rounds.keySet());
    }
    return "differing code: "
        + rounds.entrySet().stream()
            .map(one -> one.getKey() + " (" + roundsText(one.getValue()) + ")")
            .collect(Collectors.joining(", "));
  }

  private static String text(Optional<CodeVersion> version) {
    return version
        .map(
            one ->
                "commit " + shown(one.commit()) + (one.dirty() ? " with uncommitted changes" : ""))
        .orElse("commit not recorded");
  }

  private static String roundsText(SortedSet<Integer> rounds) {
    return (rounds.size() == 1 ? "round " : "rounds ")
        + rounds.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  /** Environment and code; empty without records. */
  public String text() {
    return records.isEmpty() ? "" : environment() + "; " + code();
  }
}
