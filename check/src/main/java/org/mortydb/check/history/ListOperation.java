package org.mortydb.check.history;

import java.util.List;

/** An operation on a list, as the application saw it. */
public sealed interface ListOperation {

  /** The list's key. */
  String key();

  /** An append of an element that no other operation of the history appends to the key. */
  record Append(String key, String element) implements ListOperation {}

  /** A read of the whole list, including own appends. */
  record ReadList(String key, List<String> elements) implements ListOperation {
    public ReadList {
      elements = List.copyOf(elements);
    }
  }
}
