package org.mortydb.mutants;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of docs/protocol.md. A rule is a paragraph with a title in bold, or an item of a
 * numbered list. {@code 3 Scans} is the paragraph <em>Scans</em> of section 3, {@code 9 Joining 2}
 * the second item of the list below the paragraph <em>Joining</em>, and {@code 4.6} the sixth item
 * of the list of section 4 that has no title.
 */
final class Specification {
  private static final Pattern SECTION = Pattern.compile("## (\\d+)\\. .*");
  private static final Pattern TITLE = Pattern.compile("\\*\\*([^*]+?)\\.?\\*\\*.*");
  private static final Pattern ITEM = Pattern.compile("(\\d+)\\. .*");

  private Specification() {}

  /** The rules in their order. */
  static List<String> rules(List<String> lines) {
    List<String> rules = new ArrayList<>();
    String section = "";
    String title = "";
    String before = "";
    boolean code = false;
    for (String line : lines) {
      if (line.startsWith("```")) {
        code = !code;
        continue;
      }
      Matcher heading = SECTION.matcher(line);
      Matcher item = ITEM.matcher(line);
      if (code) {
        continue;
      }
      if (heading.matches()) {
        section = heading.group(1);
        title = "";
      } else if (!section.isEmpty() && item.matches()) {
        rules.remove(section + " " + title); // the list has what the paragraph introduces
        rules.add(section + (title.isEmpty() ? "." : " " + title + " ") + item.group(1));
      } else if (before.isBlank() && !line.isBlank() && Character.isLetter(firstLetter(line))) {
        Matcher bold = TITLE.matcher(line);
        title = bold.matches() ? bold.group(1) : "";
        if (!title.isEmpty() && !section.isEmpty()) {
          rules.add(section + " " + title);
        }
      }
      before = line;
    }
    return rules;
  }

  /** The first character of a paragraph's text; something else for a table or a list. */
  private static char firstLetter(String line) {
    return line.replaceFirst("^[*`]+", "").charAt(0);
  }
}
