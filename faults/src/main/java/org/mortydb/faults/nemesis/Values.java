package org.mortydb.faults.nemesis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.Keyword;

/** Values of EDN as the workloads use them. */
final class Values {
  private Values() {}

  static Keyword keyword(String name) {
    return Keyword.newKeyword(name);
  }

  /** A part of a transaction. */
  static List<@Nullable Object> part(String f, long key, @Nullable Object value) {
    List<@Nullable Object> part = new ArrayList<>();
    part.add(keyword(f));
    part.add(key);
    part.add(value);
    return part;
  }

  /** A map from keywords to values, of alternating names and values. */
  static Map<Object, @Nullable Object> map(@Nullable Object... namesAndValues) {
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(keyword(String.valueOf(namesAndValues[i])), namesAndValues[i + 1]);
    }
    return map;
  }

  static long number(@Nullable Object map, String name) {
    return ((Number) get(map, name)).longValue();
  }

  static Object get(@Nullable Object map, String name) {
    Object value = map instanceof Map<?, ?> known ? known.get(keyword(name)) : null;
    if (value == null) {
      throw new IllegalArgumentException("there is no :" + name + " in " + map);
    }
    return value;
  }
}
