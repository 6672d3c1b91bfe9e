package org.mortydb.protocol.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list of items, to which merges append (docs/protocol.md, section 17). As a value it is the
 * letter {@code L}, the number of items, and each item after its length, in 4 bytes each, the
 * highest first. So no list is as long as a number, and neither is taken for the other.
 *
 * <p>Mutable, and not safe for use by several threads.
 */
public final class ItemList {
  /** The bytes of a list without its items. */
  static final int HEADER_BYTES = 1 + Integer.BYTES;

  /** The bytes of an item without its content. */
  static final int LENGTH_BYTES = Integer.BYTES;

  private static final byte LIST = 'L';

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** An item with its length, within other bytes. */
  private record Item(byte[] in, int at, int bytes) {}

  private final ArrayDeque<Item> items = new ArrayDeque<>();

  /** The size of the value. */
  private long bytes = HEADER_BYTES;

  /** An empty list. */
  ItemList() {}

  /** The list that a value holds, which may be absent; null if it holds something else. */
  static @Nullable ItemList of(Value value) {
    ItemList list = new ItemList();
    return value.isAbsent() || list.readAll(value.bytes()) ? list : null;
  }

  private boolean readAll(byte[] from) {
    if (from.length < HEADER_BYTES || from[0] != LIST) {
      return false;
    }
    int count = intAt(from, 1);
    int at = HEADER_BYTES;
    while (at < from.length) {
      int end = endOfItem(from, at);
      if (end < 0) {
        return false;
      }
      add(new Item(from, at, end - at));
      at = end;
    }
    return items.size() == count;
  }

  /** Where an item that begins with its length ends; negative if it is malformed. */
  static int endOfItem(byte[] in, int at) {
    int left = in.length - at - LENGTH_BYTES;
    int length = left < 0 ? -1 : intAt(in, at);
    return length < 0 || length > left ? -1 : at + LENGTH_BYTES + length;
  }

  static int intAt(byte[] in, int at) {
    return (int) INTS.get(in, at);
  }

  static void putInt(byte[] in, int at, int n) {
    INTS.set(in, at, n);
  }

  private void add(Item item) {
    items.addLast(item);
    bytes += item.bytes;
  }

  /**
   * Appends an item, and drops the first ones beyond a number of items.
   *
   * @param in holds the length of the item, and the item; it must not change any more
   */
  void append(byte[] in, int at, int end, int atMost) {
    add(new Item(in, at, end - at));
    while (items.size() > atMost) {
      bytes -= items.removeFirst().bytes;
    }
  }

  /** The size of the value in bytes. */
  long bytes() {
    return bytes;
  }

  /** The list as a value, which must not be longer than {@link Limits#MAX_VALUE_BYTES}. */
  Value value() {
    byte[] value = new byte[Math.toIntExact(bytes)];
    value[0] = LIST;
    putInt(value, 1, items.size());
    int at = HEADER_BYTES;
    for (Item item : items) {
      System.arraycopy(item.in, item.at, value, at, item.bytes);
      at += item.bytes;
    }
    return Value.wrap(value);
  }

  /**
   * The bytes of a list of items.
   *
   * @throws ArithmeticException if they are more than an array holds
   */
  public static byte[] encode(List<byte[]> items) {
    ItemList list = new ItemList();
    for (byte[] item : items) {
      byte[] in = new byte[LENGTH_BYTES + item.length];
      putInt(in, 0, item.length);
      System.arraycopy(item, 0, in, LENGTH_BYTES, item.length);
      list.add(new Item(in, 0, in.length));
    }
    return list.value().bytes();
  }

  /**
   * The items of a list.
   *
   * @throws IllegalArgumentException if the bytes are no list
   */
  public static List<byte[]> decode(byte[] value) {
    ItemList list = of(Value.wrap(value));
    if (list == null) {
      throw new IllegalArgumentException("the stored value of " + value.length + " B is no list");
    }
    List<byte[]> items = new ArrayList<>(list.items.size());
    for (Item item : list.items) {
      byte[] content = new byte[item.bytes - LENGTH_BYTES];
      System.arraycopy(item.in, item.at + LENGTH_BYTES, content, 0, content.length);
      items.add(content);
    }
    return items;
  }
}
