package org.mortydb.sim.workload;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.mortydb.client.Codecs;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.model.Key;

/**
 * The few keys that everybody fights for. What a key is used for shows in its first letter.
 *
 * @param lists hold lists to which unique elements are appended
 * @param registers hold unique values
 * @param pairs of which at most one may be on: bait for write skew; an even number
 * @param constants hold one of few values, so that the same is written again and again
 * @param deletables are written and deleted
 */
public record KeyUniverse(
    List<TypedKey<String>> lists,
    List<TypedKey<String>> registers,
    List<TypedKey<String>> pairs,
    List<TypedKey<String>> constants,
    List<TypedKey<String>> deletables) {

  /** A universe with so many keys of each kind, each at least 1. */
  public static KeyUniverse of(int lists, int registers, int pairs, int constants, int deletables) {
    return new KeyUniverse(
        keys("l", lists),
        keys("r", registers),
        keys("p", 2 * pairs),
        keys("c", constants),
        keys("d", deletables));
  }

  /** All keys, in their order. */
  public List<TypedKey<String>> all() {
    ArrayList<TypedKey<String>> all = new ArrayList<>();
    for (List<TypedKey<String>> kind : List.of(lists, registers, pairs, constants, deletables)) {
      all.addAll(kind);
    }
    all.sort(Comparator.comparing(TypedKey::key));
    return all;
  }

  /** Whether a key holds a list. */
  public static boolean isList(String key) {
    return key.startsWith("l");
  }

  /** The elements of a list's stored form. */
  public static List<String> elements(String stored) {
    return stored.isEmpty() ? List.of() : List.of(stored.split(",", -1));
  }

  private static List<TypedKey<String>> keys(String letter, int count) {
    List<TypedKey<String>> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(TypedKey.of(Key.of(letter + i), Codecs.STRING));
    }
    return List.copyOf(keys);
  }
}
