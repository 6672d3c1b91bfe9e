package org.mortydb.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;

/**
 * The fields of one message, in the order in which they arrive. A field may come once, unless its
 * elements are {@linkplain #append appended} to a list. Errors name the message and the field.
 */
public final class MessageFields {
  /** The initial capacity of a list. */
  private static final int FEW = 4;

  /**
   * The most elements of a repeated field: operations, or participants including the home
   * partition.
   */
  private static final int MAX_ELEMENTS = Limits.MAX_OPERATIONS + 1;

  /**
   * The participants of transactions in one partition, by the partition. Replicas keep participants
   * for a while, and most transactions have a single one.
   */
  private static final List<List<Integer>> ALONE =
      IntStream.range(0, 256).mapToObj(partition -> List.of(partition)).toList();

  /** The highest number of a field. It uses bit 0, because no field has the number 0. */
  private static final int HIGHEST_NUMBER = Long.SIZE;

  private final WireReader in;
  private final String message;

  /** Where the enclosing message ends. */
  private final int outer;

  private int tag;

  /** One bit for each field that must not come again. */
  private long seen;

  MessageFields(WireReader in, String message, int outer) {
    this.in = in;
    this.message = message;
    this.outer = outer;
  }

  /** Goes to the next field. Returns false, and leaves the message, at its end. */
  public boolean next() throws MalformedFrameException {
    tag = in.tag();
    if (tag == 0) {
      in.leave(outer);
      return false;
    }
    if ((seen & bit()) != 0) {
      throw malformed("field " + (tag >>> 3) + " of " + message + " is given twice");
    }
    seen |= bit();
    return true;
  }

  /** The current field's bit in {@link #seen}; 0 for a number that no message has. */
  private long bit() {
    int number = tag >>> 3;
    return number > HIGHEST_NUMBER ? 0 : 1L << number;
  }

  /** The tag of the current field: {@code number << 3 | wire type}. */
  public int tag() {
    return tag;
  }

  /** A uint32 within its bound, {@link Limits#MAX_NUMBER}. */
  public int number(String field) throws MalformedFrameException {
    int value = in.varint32();
    return number(field, value, Limits.MAX_NUMBER);
  }

  /** The number of a partition. */
  public int partition(String field) throws MalformedFrameException {
    return number(field, in.varint32(), Limits.MAX_PARTITIONS - 1);
  }

  private int number(String field, int value, int atMost) throws MalformedFrameException {
    if (value < 0 || value > atMost) {
      throw malformed(
          name(field) + " is " + Integer.toUnsignedString(value) + ", at most " + atMost);
    }
    return value;
  }

  /** A fixed64 that is not negative as a long. Used for times and indexes. */
  public long count(String field) throws MalformedFrameException {
    long value = in.fixed64();
    if (value < 0) {
      throw malformed(name(field) + " is " + Long.toUnsignedString(value) + ", at most 2^63-1");
    }
    return value;
  }

  public Key key(String field) throws MalformedFrameException {
    return Key.wrap(bytes(field, Limits.MAX_KEY_BYTES));
  }

  /**
   * A key that bounds a range. It may be a byte longer than a key, because a bound may be the
   * successor of the longest key.
   */
  public Key bound(String field) throws MalformedFrameException {
    return Key.wrap(bytes(field, Limits.MAX_KEY_BYTES + 1));
  }

  public Value value(String field) throws MalformedFrameException {
    return Value.wrap(bytes(field, Limits.MAX_VALUE_BYTES));
  }

  /** A value that was written, of a form; absent if no bytes were given. */
  public Value ofForm(int form, Value value) throws MalformedFrameException {
    if (form == 0) {
      return value;
    }
    try {
      return Value.ofForm(form, value.bytes());
    } catch (IllegalArgumentException e) {
      throw malformed(name("form") + " is " + form + ": " + e.getMessage());
    }
  }

  /** A value that was read, of a form: it is no merge. */
  Value read(int form, Value value) throws MalformedFrameException {
    Value read = ofForm(form, value);
    if (read.isMerge()) {
      throw malformed(name("form") + " is that of a merge, which cannot be read");
    }
    return read;
  }

  private byte[] bytes(String field, int atMost) throws MalformedFrameException {
    int size = in.varint32();
    if (size < 0 || size > atMost) {
      throw malformed(
          name(field) + " has " + Integer.toUnsignedString(size) + " bytes, at most " + atMost);
    }
    return in.bytes(size);
  }

  /** The partitions of a transaction. */
  public List<Integer> participants() throws MalformedFrameException {
    int whole = in.enter();
    List<Integer> participants = null;
    while (in.hasMore()) {
      participants = append(participants, partition("participants"), "participants");
    }
    in.leave(whole);
    if (participants == null) {
      return List.of();
    }
    boolean alone = participants.size() == 1 && participants.getFirst() < ALONE.size();
    return alone ? ALONE.get(participants.getFirst()) : participants;
  }

  /** Appends an element of a repeated field to those before it. */
  public <T> List<T> append(@Nullable List<T> list, T element, String field)
      throws MalformedFrameException {
    return append(list, element, field, MAX_ELEMENTS);
  }

  /** Appends to a list with a limit of {@code atMost} elements. */
  <T> List<T> append(@Nullable List<T> list, T element, String field, int atMost)
      throws MalformedFrameException {
    seen &= ~bit();
    List<T> grown = list == null ? new ArrayList<>(FEW) : list;
    if (grown.size() == atMost) {
      throw malformed(name(field) + " has more than " + atMost + " elements");
    }
    grown.add(element);
    return grown;
  }

  /**
   * Decodes a version that a value is made of and appends it to the others. Only the size of the
   * frame limits them: a reader must not lose its connection because a key has too many merges.
   */
  List<WriteId> appendBelow(@Nullable List<WriteId> below) throws MalformedFrameException {
    return append(below, PartDecoder.writeId(in), "below", Integer.MAX_VALUE);
  }

  /** Adds to a list that is limited only by the size of the frame. */
  <T> void add(List<T> list, T element) {
    seen &= ~bit();
    list.add(element);
  }

  /** Decodes a row and appends it to the previous rows, which must have lower keys. */
  List<VersionedValue> appendRow(@Nullable List<VersionedValue> rows)
      throws MalformedFrameException {
    VersionedValue row = PartDecoder.versionedValue(in);
    if (rows != null && rows.getLast().key().compareTo(row.key()) >= 0) {
      throw malformed(name("rows") + " are not ascending");
    }
    return append(rows, row, "rows");
  }

  /** The elements of a repeated field, which may be missing. */
  public static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  /** The value of one of several mutually exclusive fields. */
  public <T> T oneOf(@Nullable T before, T value, String field) throws MalformedFrameException {
    if (before != null) {
      throw malformed(message + " has more than one " + field);
    }
    return value;
  }

  /** The value of a required field. Throws if it is missing. */
  public <T> T required(@Nullable T part, String field) throws MalformedFrameException {
    if (part == null) {
      throw malformed(name(field) + " is missing");
    }
    return part;
  }

  /** The constant for an enum's number. Throws if there is none. */
  <T> T known(@Nullable T constant, int number, String field) throws MalformedFrameException {
    if (constant == null) {
      throw malformed(name(field) + " is " + number + ", which is no known value");
    }
    return constant;
  }

  /**
   * Skips the current field, which the message does not have, if the sender may know more than this
   * process. Otherwise it is an error. The field may come any number of times.
   */
  public void unknown() throws MalformedFrameException {
    if (!in.isTolerant()) {
      throw unexpected();
    }
    seen &= ~bit();
    in.skip(tag);
  }

  /** The error for a field that the message does not have. */
  public MalformedFrameException unexpected() {
    return in.unexpected(message, tag);
  }

  private MalformedFrameException malformed(String what) {
    return in.malformed(what);
  }

  private String name(String field) {
    return message + "." + field;
  }
}
