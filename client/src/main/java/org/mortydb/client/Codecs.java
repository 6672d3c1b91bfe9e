package org.mortydb.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.mortydb.protocol.model.ItemList;

/** Codecs of common types. */
public final class Codecs {

  /** Text as UTF-8. Refuses text with unpaired surrogates, and bytes that are not UTF-8. */
  public static final Codec<String> STRING = new StringCodec();

  /**
   * A 64-bit integer as 8 bytes, the highest first with its sign flipped, so that the order of the
   * bytes is the order of the numbers.
   */
  public static final Codec<Long> INT64 = new Int64Codec();

  /** A 32-bit integer as 4 bytes, ordered as in {@link #INT64}. */
  public static final Codec<Integer> INT32 = new Int32Codec();

  /** Bytes as they are, copied in both directions. */
  public static final Codec<byte[]> BYTES = new BytesCodec();

  private Codecs() {}

  /**
   * A codec for a type that can be mapped to the type of another codec.
   *
   * @param base the codec of the other type
   * @param to maps the new type to the other one
   * @param from maps the other type to the new one
   */
  public static <T, U> Codec<T> mapped(Codec<U> base, Function<T, U> to, Function<U, T> from) {
    return new Codec<>() {
      @Override
      public byte[] encode(T value) {
        return base.encode(to.apply(value));
      }

      @Override
      public T decode(byte[] bytes) {
        return from.apply(base.decode(bytes));
      }
    };
  }

  /**
   * Lists of items, to which transactions can {@linkplain DirectTransaction#append append}. A list
   * is read as one that cannot be changed, and its items are not null.
   *
   * @param items the codec of an item
   */
  public static <T> Codec<List<T>> listOf(Codec<T> items) {
    return new ListCodec<>(Objects.requireNonNull(items, "items"));
  }

  /** See {@link #listOf}. */
  static final class ListCodec<T> implements Codec<List<T>> {
    private final Codec<T> items;

    private ListCodec(Codec<T> items) {
      this.items = items;
    }

    byte[] encodeItem(T item) {
      return items.encode(Objects.requireNonNull(item, "item"));
    }

    @Override
    public byte[] encode(List<T> list) {
      ArrayList<byte[]> encoded = new ArrayList<>(list.size());
      for (T item : list) {
        encoded.add(encodeItem(item));
      }
      return ItemList.encode(encoded);
    }

    @Override
    public List<T> decode(byte[] bytes) {
      List<byte[]> encoded = ItemList.decode(bytes);
      ArrayList<T> list = new ArrayList<>(encoded.size());
      for (byte[] item : encoded) {
        list.add(items.decode(item));
      }
      return Collections.unmodifiableList(list);
    }
  }

  private static IllegalArgumentException wrongLength(String type, int expected, int actual) {
    return new IllegalArgumentException(
        type + " has " + expected + " bytes, but the stored value has " + actual);
  }

  private static final class StringCodec implements Codec<String> {
    @Override
    public byte[] encode(String value) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      if (hasUnpairedSurrogate(value)) {
        throw new IllegalArgumentException(
            "the text has an unpaired surrogate, which UTF-8 cannot encode");
      }
      return bytes;
    }

    @Override
    public String decode(byte[] bytes) {
      String text = new String(bytes, StandardCharsets.UTF_8);
      // Malformed input decodes to U+FFFD. Only then is the strict decoder worth its price.
      if (text.indexOf('\uFFFD') >= 0) {
        try {
          return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
          throw new IllegalArgumentException("the stored bytes are not UTF-8 text", e);
        }
      }
      return text;
    }

    private static boolean hasUnpairedSurrogate(String text) {
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)
            && i + 1 < text.length()
            && Character.isLowSurrogate(text.charAt(i + 1))) {
          i++;
        } else if (Character.isSurrogate(c)) {
          return true;
        }
      }
      return false;
    }
  }

  private static final class Int64Codec implements Codec<Long> {
    @Override
    public byte[] encode(Long value) {
      long bits = value ^ Long.MIN_VALUE;
      byte[] bytes = new byte[Long.BYTES];
      for (int i = 0; i < Long.BYTES; i++) {
        bytes[i] = (byte) (bits >>> (56 - 8 * i));
      }
      return bytes;
    }

    @Override
    public Long decode(byte[] bytes) {
      if (bytes.length != Long.BYTES) {
        throw wrongLength("an INT64", Long.BYTES, bytes.length);
      }
      long bits = 0;
      for (byte b : bytes) {
        bits = bits << 8 | (b & 0xFF);
      }
      return bits ^ Long.MIN_VALUE;
    }
  }

  private static final class Int32Codec implements Codec<Integer> {
    @Override
    public byte[] encode(Integer value) {
      int bits = value ^ Integer.MIN_VALUE;
      return new byte[] {
        (byte) (bits >>> 24), (byte) (bits >>> 16), (byte) (bits >>> 8), (byte) bits
      };
    }

    @Override
    public Integer decode(byte[] bytes) {
      if (bytes.length != Integer.BYTES) {
        throw wrongLength("an INT32", Integer.BYTES, bytes.length);
      }
      int bits =
          (bytes[0] & 0xFF) << 24
              | (bytes[1] & 0xFF) << 16
              | (bytes[2] & 0xFF) << 8
              | (bytes[3] & 0xFF);
      return bits ^ Integer.MIN_VALUE;
    }
  }

  private static final class BytesCodec implements Codec<byte[]> {
    @Override
    public byte[] encode(byte[] value) {
      return value.clone();
    }

    @Override
    public byte[] decode(byte[] bytes) {
      return bytes.clone();
    }
  }
}
