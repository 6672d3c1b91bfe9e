package org.mortydb.wire;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;

/**
 * The messages of a system. Each has a number, and functions that write and read it. Once filled, a
 * table is safe for use by several threads.
 */
public final class MessageTable {
  /** The limit of the numbers, exclusive. */
  static final int NUMBERS = 64;

  private final MessageFormat<?>[] byNumber = new MessageFormat<?>[NUMBERS];
  private final Map<Class<?>, MessageFormat<?>> byType = new IdentityHashMap<>();

  /** Adds a message whose only field is the transaction, field 1. */
  public <M extends Message> MessageTable add(
      int number, Class<M> type, MessageFormat.Reader reader) {
    return add(number, type, m -> 0, (out, m) -> {}, reader);
  }

  /**
   * Adds a message.
   *
   * @param number identifies the message's type on the wire; from 1 to 63
   * @param type the message's class
   * @param size the size of its fields in bytes, without field 1, which is {@link Message#txn}
   * @param writer writes these fields
   * @param reader reads the whole message
   */
  public <M extends Message> MessageTable add(
      int number,
      Class<M> type,
      ToIntFunction<M> size,
      MessageFormat.Writer<M> writer,
      MessageFormat.Reader reader) {
    MessageFormat<M> format = new MessageFormat<>(number, type, size, writer, reader);
    byNumber[number] = format;
    byType.put(type, format);
    return this;
  }

  /** The format of a message. */
  MessageFormat<?> of(Message message) {
    MessageFormat<?> format = byType.get(message.getClass());
    if (format == null) {
      throw new IllegalArgumentException("the schema has no " + message.getClass().getName());
    }
    return format;
  }

  /** The format with a number; null if there is none. */
  @Nullable MessageFormat<?> of(int number) {
    return number >= 0 && number < NUMBERS ? byNumber[number] : null;
  }
}
