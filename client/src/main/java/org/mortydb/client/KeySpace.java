package org.mortydb.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;

/**
 * A named family of keys that hold values of one type, such as all accounts. The stored key is the
 * name, a slash, and the key's own bytes, so key spaces of different names never overlap. With
 * {@link #taggedBy} a tag in braces comes before the own bytes, and keys of the same tag lie in the
 * same partition. Immutable, and safe for use by several threads: keep key spaces in constants.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public final class KeySpace<K, V> {
  private final String name;
  private final byte[] prefix;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final @Nullable Function<? super K, String> tags;

  private KeySpace(
      String name, Codec<K> keys, Codec<V> values, @Nullable Function<? super K, String> tags) {
    this.name = name;
    this.prefix = (name + "/").getBytes(StandardCharsets.UTF_8);
    this.keys = Objects.requireNonNull(keys, "keys");
    this.values = Objects.requireNonNull(values, "values");
    this.tags = tags;
  }

  /**
   * Makes a key space.
   *
   * @param name its name, not empty, without slashes and opening braces; part of every stored key
   * @param keys turns keys into bytes
   * @param values turns values into bytes
   * @throws IllegalArgumentException when the name is empty or has a slash or an opening brace
   */
  public static <K, V> KeySpace<K, V> of(String name, Codec<K> keys, Codec<V> values) {
    if (name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('{') >= 0) {
      throw new IllegalArgumentException(
          "the name of a key space must not be empty or contain \"/\" or \"{\", but is \""
              + name
              + "\"");
    }
    return new KeySpace<>(name, keys, values, null);
  }

  /**
   * This key space with a tag in each stored key. Keys with the same tag, of this key space and of
   * others, lie in the same partition. So a transaction on them has one participant, and so has a
   * scan {@link #within} a tag. Keys are in the order of their tags' UTF-8 bytes, then in their own
   * order. Keys that are stored with another tag, or without one, are not found.
   *
   * @param tag the tag of a key, for example the customer to whom a record belongs. The same for
   *     the same key, not empty, without a closing brace
   */
  public KeySpace<K, V> taggedBy(Function<? super K, String> tag) {
    return new KeySpace<>(name, keys, values, Objects.requireNonNull(tag, "tag"));
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
   * @throws IllegalArgumentException when the codec refuses {@code id}, or its tag is empty or has
   *     a closing brace
   */
  public TypedKey<V> key(K id) {
    return new TypedKey<>(stored(id), values);
  }

  private Key stored(K id) {
    byte[] start = tags == null ? prefix : tagged(tags.apply(id));
    byte[] own = keys.encode(id);
    byte[] bytes = Arrays.copyOf(start, start.length + own.length);
    System.arraycopy(own, 0, bytes, start.length, own.length);
    return Key.wrap(bytes);
  }

  private byte[] tagged(String tag) {
    if (tag.isEmpty() || tag.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "a tag of key space \""
              + name
              + "\" must not be empty or contain \"}\", but is \""
              + tag
              + "\"");
    }
    return (name + "/{" + tag + "}").getBytes(StandardCharsets.UTF_8);
  }

  private K decode(Key stored) {
    byte[] bytes = stored.bytes();
    int start = prefix.length;
    if (tags != null) {
      while (start < bytes.length && bytes[start] != '}') {
        start++;
      }
      if (start == bytes.length) {
        throw new IllegalArgumentException("it has no tag");
      }
      start++;
    }
    return keys.decode(Arrays.copyOfRange(bytes, start, bytes.length));
  }

  /** All keys of this space. */
  public TypedRange<K, V> all() {
    return typed(KeyRange.ofPrefix(Key.wrap(prefix.clone())));
  }

  /**
   * The keys of one tag, which lie in one partition.
   *
   * @throws IllegalStateException when this key space has no tags
   * @throws IllegalArgumentException when the tag is empty or has a closing brace
   */
  public TypedRange<K, V> within(String tag) {
    if (tags == null) {
      throw new IllegalStateException(
          "the keys of key space \"" + name + "\" have no tags; declare them with taggedBy");
    }
    return typed(KeyRange.ofPrefix(Key.wrap(tagged(tag))));
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
    return new TypedRange<>(range, this::decode, this::stored, values);
  }

  /** {@code name/*}. */
  @Override
  public String toString() {
    return name + "/*";
  }
}
