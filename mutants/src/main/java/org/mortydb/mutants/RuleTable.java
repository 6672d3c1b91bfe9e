package org.mortydb.mutants;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The mutants of every rule, as the table in mutants/README.md. */
final class RuleTable {
  /** What the specification leaves to the code. */
  private static final List<String> AREAS =
      List.of("client", "server", "wire", "storage", "backup", "check");

  private RuleTable() {}

  /**
   * What a mutant may break: a rule, an untitled paragraph of a section under the section's number,
   * or an area beyond the specification.
   */
  static List<String> rows(List<String> rules) {
    List<String> rows = new ArrayList<>();
    String last = "";
    for (String rule : rules) {
      String section = rule.split("[ .]")[0];
      if (!last.isEmpty() && !section.equals(last)) {
        rows.add(last);
      }
      rows.add(rule);
      last = section;
    }
    rows.add(last);
    rows.addAll(AREAS);
    return rows;
  }

  /** Those of {@link #rows} that need a mutant: all but the untitled paragraphs. */
  static List<String> needed(List<String> rules) {
    return rows(rules).stream().filter(row -> !row.matches("\\d+")).toList();
  }

  /** The lines of the table; a row without mutants is left out. */
  static List<String> lines(List<String> rules, List<Mutant> mutants) {
    List<String> lines = new ArrayList<>(List.of("| rule | mutants |", "|---|---|"));
    for (String row : rows(rules)) {
      String names =
          mutants.stream()
              .filter(mutant -> mutant.rule().equals(row))
              .map(mutant -> "`" + mutant.name() + "`")
              .collect(Collectors.joining(", "));
      if (!names.isEmpty()) {
        lines.add("| " + row + " | " + names + " |");
      }
    }
    return lines;
  }
}
