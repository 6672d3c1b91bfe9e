package org.mortydb.distribution.docs;

import java.util.ArrayList;
import java.util.List;

/** Splits a command into words as a shell does, without expanding anything. */
final class ShellWords {
  private static final List<String> REDIRECTIONS = List.of(">", ">>", "<", "|", "&");

  private ShellWords() {}

  /** The words, without quotes and without a comment at the end; {@code $(...)} is one of them. */
  static List<String> split(String command) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean begun = false;
    char quote = 0;
    int depth = 0;
    for (int i = 0; i < command.length(); i++) {
      char c = command.charAt(i);
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        begun = true;
      } else if (Character.isWhitespace(c) && depth == 0) {
        if (begun) {
          words.add(word.toString());
          word.setLength(0);
          begun = false;
        }
      } else if (c == '#' && !begun) {
        i = endOfLine(command, i);
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        word.append(c);
        begun = true;
      }
    }
    if (quote != 0 || depth != 0) {
      throw new IllegalArgumentException("a quote or a parenthesis is not closed: " + command);
    }
    if (begun) {
      words.add(word.toString());
    }
    return words;
  }

  /**
   * The words of the program alone, without where its output goes, or that it runs in the
   * background.
   */
  static List<String> withoutRedirection(List<String> words) {
    int end = 0;
    while (end < words.size() && !REDIRECTIONS.contains(words.get(end))) {
      end++;
    }
    return words.subList(0, end);
  }

  private static int endOfLine(String text, int from) {
    int end = text.indexOf('\n', from);
    return end < 0 ? text.length() : end;
  }
}
