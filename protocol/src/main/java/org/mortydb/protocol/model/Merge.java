package org.mortydb.protocol.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What merges do: writes that say how a value changes, without reading it (docs/protocol.md,
 * section 17). A merge is a {@link Value} whose {@link Value#isMerge} is true. It holds one or more
 * steps, which apply in order to the value below. A number is 8 bytes, the highest first with its
 * sign flipped.
 */
public final class Merge {
  private static final byte ADD = 1;
  private static final byte MAX = 2;
  private static final byte PUT_IF_ABSENT = 3;
  private static final byte APPEND = 4;

  private static final int NUMBER_BYTES = 1 + Long.BYTES;
  private static final int LENGTH_BYTES = 1 + Integer.BYTES;

  /** The place of an appended item in its step, behind the number of items to keep. */
  private static final int ITEM = 1 + Integer.BYTES;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Merge() {}

  /** Adds to a number; a key without a value counts as 0. */
  public static Value add(long n) {
    return number(ADD, n);
  }

  /** Raises a number to another one, if it is lower; a key without a value takes it. */
  public static Value max(long n) {
    return number(MAX, n);
  }

  /**
   * Writes a value if the key has none.
   *
   * @param value a plain value
   */
  public static Value putIfAbsent(Value value) {
    if (!value.isPlain()) {
      throw new IllegalArgumentException("not a value to be put: " + value);
    }
    byte[] bytes = new byte[LENGTH_BYTES + value.size()];
    bytes[0] = PUT_IF_ABSENT;
    ItemList.putInt(bytes, 1, value.size());
    System.arraycopy(value.bytes(), 0, bytes, LENGTH_BYTES, value.size());
    return Value.merge(bytes);
  }

  /**
   * Appends to a list, and drops its first items beyond {@code atMost}; a key without a value
   * counts as an empty list.
   *
   * @throws IllegalArgumentException if {@link #mayAppend} does not hold
   */
  public static Value append(byte[] item, int atMost) {
    if (!mayAppend(item.length, atMost)) {
      throw new IllegalArgumentException(
          "a list of " + atMost + " items of " + item.length + " B is beyond the limits");
    }
    byte[] bytes = new byte[ITEM + ItemList.LENGTH_BYTES + item.length];
    bytes[0] = APPEND;
    ItemList.putInt(bytes, 1, atMost);
    ItemList.putInt(bytes, ITEM, item.length);
    System.arraycopy(item, 0, bytes, ITEM + ItemList.LENGTH_BYTES, item.length);
    return Value.merge(bytes);
  }

  /**
   * Whether an append is within its bounds: it keeps 1 to {@link Limits#MAX_LIST_ITEMS} items, and
   * so many items of this length are a value. So appends with one bound never make a list too long.
   */
  public static boolean mayAppend(int itemBytes, int atMost) {
    return atMost >= 1 && atMost <= Limits.MAX_LIST_ITEMS && itemBytes <= longestItem(atMost);
  }

  /** The longest item in bytes that a list of so many items can have, if all are as long. */
  public static int longestItem(int atMost) {
    return (Limits.MAX_VALUE_BYTES - ItemList.HEADER_BYTES) / atMost - ItemList.LENGTH_BYTES;
  }

  private static Value number(byte step, long n) {
    byte[] bytes = new byte[NUMBER_BYTES];
    bytes[0] = step;
    putNumber(bytes, 1, n);
    return Value.merge(bytes);
  }

  /** Whether these are the bytes of one or more steps. */
  public static boolean isWellFormed(byte[] bytes) {
    return bytes.length > 0 && forEach(bytes, step -> true);
  }

  /** Goes through the steps by their places; false if a step is malformed, or refused. */
  private static boolean forEach(byte[] bytes, IntPredicate accepts) {
    int at = 0;
    while (at < bytes.length) {
      int end = end(bytes, at);
      if (end < 0 || !accepts.test(at)) {
        return false;
      }
      at = end;
    }
    return true;
  }

  /** Where a step ends; negative if it is malformed. */
  private static int end(byte[] bytes, int at) {
    int left = bytes.length - at;
    switch (bytes[at]) {
      case ADD, MAX -> {
        return left < NUMBER_BYTES ? -1 : at + NUMBER_BYTES;
      }
      case PUT_IF_ABSENT -> {
        return ItemList.endOfItem(bytes, at + 1);
      }
      case APPEND -> {
        int end = left < ITEM ? -1 : ItemList.endOfItem(bytes, at + ITEM);
        int itemBytes = end - at - ITEM - ItemList.LENGTH_BYTES;
        return end < 0 || !mayAppend(itemBytes, ItemList.intAt(bytes, at + 1)) ? -1 : end;
      }
      default -> {
        return -1;
      }
    }
  }

  /**
   * The value that a merge makes of another one. A step that does not fit the value gives {@link
   * Value#FAILED}: the value is no number or no list, or the sum has no 64 bits, or the list is
   * longer than a value. So does every merge of that.
   *
   * @param base the value below, no merge
   */
  public static Value apply(Value base, Value merge) {
    return new Fold(base).with(merge).value();
  }

  /**
   * What merges make of a value, one after another. It takes a list apart once, so many appends
   * cost no more than their items.
   */
  public static final class Fold {
    private Value value;

    /** The items, while they are taken apart. */
    private @Nullable ItemList list;

    /**
     * @param base the value below, no merge
     */
    public Fold(Value base) {
      value = base;
    }

    /** Applies a merge; see {@link Merge#apply}. */
    public Fold with(Value merge) {
      byte[] bytes = merge.bytes();
      for (int at = 0; at < bytes.length && !value.isFailed(); ) {
        int end = end(bytes, at);
        if (end < 0) {
          throw new IllegalArgumentException("malformed merge: " + merge);
        }
        if (bytes[at] == APPEND) {
          append(bytes, at, end);
        } else {
          value = step(value(), bytes, at, end);
        }
        at = end;
      }
      return this;
    }

    private void append(byte[] bytes, int at, int end) {
      ItemList items = list == null ? ItemList.of(value) : list;
      if (items != null) {
        items.append(bytes, at + ITEM, end, ItemList.intAt(bytes, at + 1));
      }
      boolean fits = items != null && items.bytes() <= Limits.MAX_VALUE_BYTES;
      list = fits ? items : null;
      value = fits ? value : Value.FAILED;
    }

    /** The value. */
    public Value value() {
      if (list != null) {
        value = list.value();
        list = null;
      }
      return value;
    }
  }

  private static Value step(Value base, byte[] bytes, int at, int end) {
    if (bytes[at] == PUT_IF_ABSENT) {
      if (!base.isAbsent()) {
        return base;
      }
      return Value.wrap(Arrays.copyOfRange(bytes, at + LENGTH_BYTES, end));
    }
    if (!base.isAbsent() && base.size() != Long.BYTES) {
      return Value.FAILED;
    }
    long operand = operand(bytes, at);
    if (base.isAbsent()) {
      return numberValue(operand);
    }
    long number = numberAt(base.bytes(), 0);
    if (bytes[at] == MAX) {
      return operand > number ? numberValue(operand) : base;
    }
    long sum = number + operand;
    boolean overflows = ((number ^ sum) & (operand ^ sum)) < 0;
    return overflows ? Value.FAILED : numberValue(sum);
  }

  /**
   * Whether a merge adds to a number and does nothing else, so that the order of several such
   * merges does not matter.
   */
  public static boolean isSum(Value write) {
    byte[] bytes = write.bytes();
    return write.isMerge() && forEach(bytes, at -> bytes[at] == ADD);
  }

  /**
   * The number that a sum adds.
   *
   * @param sum a write of which {@link #isSum} holds
   */
  public static BigInteger amount(Value sum) {
    BigInteger[] amount = {BigInteger.ZERO};
    byte[] bytes = sum.bytes();
    var unused =
        forEach(
            bytes,
            at -> {
              amount[0] = amount[0].add(BigInteger.valueOf(operand(bytes, at)));
              return true;
            });
    return amount[0];
  }

  /** Whether a value is a number, or none: what sums add to. */
  public static boolean isNumber(Value value) {
    return value.isAbsent() || (value.isPlain() && value.size() == Long.BYTES);
  }

  /** The number that a value holds; 0 if it is absent. */
  public static long number(Value value) {
    return value.isAbsent() ? 0 : numberAt(value.bytes(), 0);
  }

  private static Value numberValue(long n) {
    byte[] bytes = new byte[Long.BYTES];
    putNumber(bytes, 0, n);
    return Value.wrap(bytes);
  }

  private static void putNumber(byte[] bytes, int at, long n) {
    LONGS.set(bytes, at, n ^ Long.MIN_VALUE);
  }

  private static long numberAt(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at) ^ Long.MIN_VALUE;
  }

  /** The steps as text. */
  static String show(Value merge) {
    StringBuilder text = new StringBuilder();
    byte[] bytes = merge.bytes();
    forEach(
        bytes,
        at -> {
          text.append(text.isEmpty() ? "" : ", ");
          int end = end(bytes, at);
          switch (bytes[at]) {
            case ADD -> text.append("add ").append(operand(bytes, at));
            case MAX -> text.append("max ").append(operand(bytes, at));
            case APPEND ->
                text.append("append ")
                    .append(end - at - ITEM - ItemList.LENGTH_BYTES)
                    .append(" B, at most ")
                    .append(ItemList.intAt(bytes, at + 1));
            default -> text.append("put if absent ").append(end - at - LENGTH_BYTES).append(" B");
          }
          return true;
        });
    return text.toString();
  }

  private static long operand(byte[] bytes, int at) {
    return numberAt(bytes, at + 1);
  }

  /**
   * The write that does what one write and a merge after it do. Sums that fit are added up, and a
   * value for an absent key is left out: no merge leaves a key absent.
   */
  public static Value then(Value first, Value merge) {
    if (!first.isMerge()) {
      return apply(first, merge);
    }
    byte[] one = first.bytes();
    byte[] two = merge.bytes();
    if (two[0] == PUT_IF_ABSENT && end(two, 0) == two.length) {
      return first;
    }
    boolean bothAdd = one.length == NUMBER_BYTES && one[0] == ADD && two.length == NUMBER_BYTES;
    if (bothAdd && two[0] == ADD) {
      long a = operand(one, 0);
      long b = operand(two, 0);
      long sum = a + b;
      if (((a ^ sum) & (b ^ sum)) >= 0) {
        return add(sum);
      }
    }
    byte[] both = Arrays.copyOf(one, one.length + two.length);
    System.arraycopy(two, 0, both, one.length, two.length);
    return Value.merge(both);
  }
}
