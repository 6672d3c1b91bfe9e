package org.mortydb.distribution.docs;

import java.util.List;

/**
 * One command of a document.
 *
 * @param page the document, from the root of the checkout
 * @param line where it begins there, from 1
 * @param text what people type; continued lines and loops are one command
 * @param shown the output that the page shows right after it, or an empty text
 */
record DocumentedCommand(String page, int line, String text, String shown) {
  /** Its words as a shell splits them. */
  List<String> words() {
    return ShellWords.split(text);
  }

  @Override
  public String toString() {
    return page + ":" + line + " " + text.lines().findFirst().orElse("");
  }
}
