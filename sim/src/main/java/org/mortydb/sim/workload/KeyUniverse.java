package org.mortydb.sim.workload;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mortydb.client.Codec;
import org.mortydb.client.Codecs;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.model.Key;

/**
 * The few keys that all transactions share. The first letter of a key shows its kind.
 *
 * @param lists keys of lists, to which transactions append unique elements
 * @param registers keys with unique values
 * @param pairs pairs of keys of which at most one may be on, to provoke write skew; an even number
 * @param constants keys with few values, so that equal values are written repeatedly
 * @param deletables keys that are written and deleted; every other one has the same tag, so that a
 *     scan of a tag has rows of one partition
 */
public record KeyUniverse(
    List<TypedKey<String>> lists,
    List<TypedKey<String>> registers,
    List<TypedKey<String>> pairs,
    List<TypedKey<String>> constants,
    List<TypedKey<String>> deletables) {

  /** A universe with the given numbers of keys, each at least 1; for pairs, of pairs. */
  public static KeyUniverse of(int lists, int registers, int pairs, int constants, int deletables) {
    return new KeyUniverse(
        keys("l", lists),
        keys("r", registers),
        keys("p", 2 * pairs),
        keys("c", constants),
        tagged("d", deletables));
  }

  /** Shows the bytes of any value, as the history does; only for reads. */
  public static final Codec<String> AS_TEXT = new AsText();

  /**
   * Keys of counters, which only the steps on counters write: three numbers, and two lists to which
   * merges append. They show the bytes of these.
   */
  public static final List<TypedKey<String>> COUNTERS =
      Stream.of("n0", "n1", "n2", "q0", "q1").map(k -> TypedKey.of(Key.of(k), AS_TEXT)).toList();

  /** Shows any bytes as text, as the history does. */
  private static final class AsText implements Codec<String> {
    @Override
    public byte[] encode(String value) {
      throw new UnsupportedOperationException("counters are put as numbers or lists");
    }

    @Override
    public String decode(byte[] bytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** All keys but the counters, kind by kind. */
  public List<TypedKey<String>> byKind() {
    return Stream.of(lists, registers, pairs, constants, deletables).flatMap(List::stream).toList();
  }

  /** All keys but the counters, in ascending order. */
  public List<TypedKey<String>> inOrder() {
    return byKind().stream().sorted(Comparator.comparing(TypedKey::key)).toList();
  }

  /** Whether a counter is a list, to which merges append. */
  static boolean isQueue(TypedKey<?> counter) {
    return counter.toString().startsWith("q");
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
    return keys(count, i -> letter + i);
  }

  private static List<TypedKey<String>> tagged(String letter, int count) {
    return keys(count, i -> letter + "{" + i % 2 + "}" + i);
  }

  private static List<TypedKey<String>> keys(int count, IntFunction<String> key) {
    return IntStream.range(0, count)
        .mapToObj(i -> TypedKey.of(Key.of(key.apply(i)), Codecs.STRING))
        .toList();
  }
}
