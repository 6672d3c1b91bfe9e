package org.mortydb.check.jepsen;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.Keyword;

/**
 * A part of a transaction, {@code [:r key value]}, {@code [:w key value]} or {@code [:append key
 * element]}.
 *
 * @param f {@code r}, {@code w} or {@code append}
 * @param key the key
 * @param value the value read or written; null for no value, or before the read
 */
public record MicroOperation(String f, Object key, @Nullable Object value) {
  private static final String FORM = "[[:r 1 nil] [:append 1 2] [:w 1 2]]";
  private static final int PARTS = 3;

  /**
   * The parts of a transaction.
   *
   * @throws MalformedHistoryException if its value has another form
   */
  static List<MicroOperation> of(Invocation invocation) {
    List<MicroOperation> parts = new ArrayList<>();
    for (Object part : Edn.list(invocation.value(), invocation, FORM)) {
      if (!(part instanceof List<?> triple)
          || triple.size() != PARTS
          || !(triple.get(0) instanceof Keyword f)
          || triple.get(1) == null) {
        throw Edn.wrong(part, invocation, FORM);
      }
      parts.add(new MicroOperation(f.getName(), triple.get(1), triple.get(2)));
    }
    return parts;
  }

  /** The operation as a value of EDN. */
  public List<@Nullable Object> toEdn() {
    List<@Nullable Object> triple = new ArrayList<>();
    triple.add(Keyword.newKeyword(f));
    triple.add(key);
    triple.add(value);
    return triple;
  }
}
