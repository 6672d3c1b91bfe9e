package org.mortydb.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

/**
 * A named family of keys that hold values of one type, such as all accounts. The stored key is the
 * name, a slash, and the key's own bytes, so key spaces of different names never overlap.
 * Immutable, and safe for use by several threads: keep key spaces in constants.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public final class KeySpace<K, V> {
  private final String name;
  private final byte[] prefix;
  private final Codec<K> keys;
  private final Codec<V> values;

  private KeySpace(String name, Codec<K> keys, Codec<V> values) {
    this.name = name;
    this.prefix = (name + "/").getBytes(StandardCharsets.UTF_8);
    this.keys = Objects.requireNonNull(keys, "keys");
    this.values = Objects.requireNonNull(values, "values");
  }

  /**
   * Makes a key space.
   *
   * @param name its name, not empty and without a slash; part of every stored key
   * @param keys turns keys into bytes
   * @param values turns values into bytes
   * @throws IllegalArgumentException when the name is empty or has a slash
   */
  public static <K, V> KeySpace<K, V> of(String name, Codec<K> keys, Codec<V> values) {
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "the name of a key space must not be empty or contain a slash, but is \"" + name + "\"");
    }
    return new KeySpace<>(name, keys, values);
  }

  /** The name. */
  public String name() {
    return name;
  }

  /**
   * The key of {@code id}.
   *
   * @throws LimitExceededException when the stored key is longer than {@link
   *     org.mortydb.protocol.model.Limits#MAX_KEY_BYTES}
   * @throws IllegalArgumentException when the codec refuses {@code id}
   */
  public TypedKey<V> key(K id) {
    return new TypedKey<>(stored(id), values);
  }

  private Key stored(K id) {
    byte[] own = keys.encode(id);
    byte[] bytes = new byte[prefix.length + own.length];
    System.arraycopy(prefix, 0, bytes, 0, prefix.length);
    System.arraycopy(own, 0, bytes, prefix.length, own.length);
    return Key.wrap(bytes);
  }

  /** All keys of this space. */
  public TypedRange<K, V> all() {
    return typed(KeyRange.ofPrefix(Key.wrap(prefix.clone())));
  }

  /**
   * The keys from {@code from} on, including {@code from}.
   *
   * @throws LimitExceededException when it is longer than the longest key
   */
  public TypedRange<K, V> from(K from) {
    return typed(new KeyRange(stored(from), all().range().to()));
  }

  /**
   * The keys after {@code last}: the range that continues a scan whose last entry was {@code last}.
   *
   * @throws LimitExceededException when it is longer than the longest key
   */
  public TypedRange<K, V> after(K last) {
    return typed(new KeyRange(KeyRange.after(stored(last)), all().range().to()));
  }

  /**
   * The keys from {@code from}, inclusive, to {@code to}, exclusive, in the order of their bytes.
   *
   * @throws LimitExceededException when one is longer than the longest key
   */
  public TypedRange<K, V> range(K from, K to) {
    return typed(new KeyRange(stored(from), stored(to)));
  }

  private TypedRange<K, V> typed(KeyRange range) {
    return new TypedRange<>(
        range,
        stored -> keys.decode(Arrays.copyOfRange(stored.bytes(), prefix.length, stored.size())),
        values);
  }

  /** {@code name/*}. */
  @Override
  public String toString() {
    return name + "/*";
  }
}
