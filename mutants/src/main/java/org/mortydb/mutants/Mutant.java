package org.mortydb.mutants;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.stream.Stream;

/**
 * A bug to plant: one change to one file of production code.
 *
 * @param name unique among all mutants; lower case with hyphens
 * @param rule the rule that the change breaks: one of the {@link Specification}, a section of it,
 *     or an area that it does not cover
 * @param breaks the promise that the change breaks, in words
 * @param file the file to change, relative to the checkout
 * @param from the code to replace, which must occur exactly once in the file
 * @param to the code in its place; must compile
 * @param lanes what must catch the mutant; never empty, unless it is equivalent
 * @param each whether each lane must catch the mutant, and not just one of them
 * @param sample whether the tests plant the mutant
 * @param equivalent why no test can tell the mutant from the original; empty if tests must
 */
record Mutant(
    String name,
    String rule,
    String breaks,
    String file,
    String from,
    String to,
    List<Lane> lanes,
    boolean each,
    boolean sample,
    String equivalent) {
  private static final Config DEFAULTS =
      ConfigFactory.parseString(
          "units = [], sims = [], each = false, sample = false, equivalent = \"\"");

  Mutant {
    if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException("mutant '" + name + "': a name has a-z, 0-9 and '-' only");
    }
    if (lanes.isEmpty() == equivalent.isEmpty()) {
      throw new IllegalArgumentException(
          "mutant "
              + name
              + ": it needs either units or sims that catch it, or a reason why it is equivalent");
    }
    if (from.equals(to)) {
      throw new IllegalArgumentException("mutant " + name + ": it changes nothing");
    }
    lanes = List.copyOf(lanes);
  }

  static Mutant of(Config entry) {
    Config config = entry.withFallback(DEFAULTS);
    List<Lane> lanes =
        Stream.concat(
                config.getStringList("units").stream().map(Lane::units),
                config.getStringList("sims").stream().map(Lane::sim))
            .toList();
    return new Mutant(
        config.getString("name"),
        config.getString("rule"),
        config.getString("breaks"),
        config.getString("file"),
        config.getString("from"),
        config.getString("to"),
        lanes,
        config.getBoolean("each"),
        config.getBoolean("sample"),
        config.getString("equivalent"));
  }

  boolean isEquivalent() {
    return !equivalent.isEmpty();
  }

  /**
   * The changed text of the file.
   *
   * @throws IllegalStateException if the code to replace does not occur exactly once
   */
  String applyTo(String source) {
    int at = source.indexOf(from);
    if (at < 0 || source.indexOf(from, at + 1) >= 0) {
      throw new IllegalStateException(
          "mutant %s: its code occurs %s in %s; write it anew"
              .formatted(name, at < 0 ? "nowhere" : "more than once", file));
    }
    return source.substring(0, at) + to + source.substring(at + from.length());
  }
}
