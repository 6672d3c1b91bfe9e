package org.mortydb.check.history;

import java.util.List;

/** An operation on a list, as the application saw it. */
public sealed interface ListOperation {

  /** The list's key. */
  String key();

  /** Appended an element that no other operation of the history appends to this key. */
  record Append(String key, String element) implements ListOperation {}

  /** Read the whole list, own appends included. */
  record ReadList(String key, List<String> elements) implements ListOperation {
    public ReadList {
      elements = List.copyOf(elements);
    }
  }
}
