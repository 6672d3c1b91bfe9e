package org.mortydb.check.jepsen;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.Keyword;

/** Extracts parts of operations' values, and reports values of another form. */
final class Edn {
  private Edn() {}

  static List<?> list(@Nullable Object value, Invocation of, String form) {
    if (value instanceof List<?> list) {
      return list;
    }
    throw wrong(value, of, form);
  }

  static Map<?, ?> map(@Nullable Object value, Invocation of, String form) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw wrong(value, of, form);
  }

  static long number(@Nullable Object value, Invocation of, String form) {
    if (value instanceof Long number) {
      return number;
    }
    throw wrong(value, of, form);
  }

  static @Nullable Object get(Map<?, ?> map, String name) {
    return map.get(Keyword.newKeyword(name));
  }

  static MalformedHistoryException wrong(@Nullable Object value, Invocation of, String form) {
    return new MalformedHistoryException(
        "operation %d, :f :%s: '%s' must have the form %s; choose the history's workload with --workload"
            .formatted(of.begin().index(), of.f(), value, form));
  }
}
