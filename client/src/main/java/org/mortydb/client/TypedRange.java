package org.mortydb.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Row;

/**
 * A range of keys, together with the types of keys and values, for scans. Keys are in the order of
 * their bytes: with the {@link Codecs} of numbers in the order of the numbers, with text in the
 * order of its code points. Immutable. Made by a {@link KeySpace}, or with {@link #of}.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public final class TypedRange<K, V> {
  private final KeyRange range;
  private final Function<Key, K> keys;
  private final Function<K, Key> stored;
  private final Codec<V> values;

  TypedRange(KeyRange range, Function<Key, K> keys, Function<K, Key> stored, Codec<V> values) {
    Key to = range.to();
    int longest = Math.max(range.from().size(), to == null ? 0 : to.size());
    if (longest > Limits.MAX_KEY_BYTES + 1) {
      throw new LimitExceededException(
          "a bound of the range "
              + range
              + " has "
              + longest
              + " bytes, the limit for keys is "
              + Limits.MAX_KEY_BYTES);
    }
    this.range = range;
    this.keys = keys;
    this.stored = stored;
    this.values = Objects.requireNonNull(values, "values");
  }

  /**
   * Makes a range of stored keys. The caller takes care that it lies within one {@link KeySpace}.
   *
   * @throws LimitExceededException when a bound is longer than the longest key
   */
  public static <V> TypedRange<Key, V> of(KeyRange range, Codec<V> values) {
    return new TypedRange<>(range, key -> key, key -> key, values);
  }

  /** The range of stored keys. */
  public KeyRange range() {
    return range;
  }

  /**
   * The part of this range after {@code last}: continues a scan whose last entry was {@code last}.
   *
   * @throws LimitExceededException when {@code last} is longer than the longest key
   */
  public TypedRange<K, V> after(K last) {
    Key from = KeyRange.after(stored.apply(last));
    KeyRange rest = from.compareTo(range.from()) > 0 ? new KeyRange(from, range.to()) : range;
    return new TypedRange<>(rest, keys, stored, values);
  }

  /**
   * Decodes rows of a scan.
   *
   * @throws MalformedValueException when a codec refuses the stored bytes; names the key
   */
  public List<Entry<K, V>> decode(List<Row> rows) {
    ArrayList<Entry<K, V>> entries = new ArrayList<>(rows.size());
    for (Row row : rows) {
      V value = TypedKey.of(row.key(), values).decode(row.value());
      entries.add(new Entry<>(key(row.key()), Objects.requireNonNull(value)));
    }
    return Collections.unmodifiableList(entries);
  }

  private K key(Key stored) {
    try {
      return keys.apply(stored);
    } catch (IllegalArgumentException e) {
      throw new MalformedValueException(
          "the stored key "
              + stored
              + " in the range "
              + range
              + " cannot be decoded; read it with the codec that wrote it: "
              + e.getMessage(),
          e);
    }
  }

  /** The range of stored keys. */
  @Override
  public String toString() {
    return range.toString();
  }
}
