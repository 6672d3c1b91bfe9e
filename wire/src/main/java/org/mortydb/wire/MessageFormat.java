package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.function.ToIntFunction;
import org.mortydb.protocol.message.Message;

/**
 * How one kind of message is written and read.
 *
 * @param field the number of its field in the envelope
 * @param type the message's class
 * @param size the size of its fields, without the first one, which is {@link Message#txn}
 * @param writer writes these fields
 * @param reader reads the whole message
 */
record MessageFormat<M extends Message>(
    int field, Class<M> type, ToIntFunction<M> size, Writer<M> writer, Reader reader) {

  /** Writes the fields of a message. */
  @FunctionalInterface
  interface Writer<M> {
    void write(CodedOutputStream out, M message) throws IOException;
  }

  /** Reads a message: its length, and its fields. */
  @FunctionalInterface
  interface Reader {
    Message read(WireReader in) throws IOException;
  }

  int sizeOf(Message message) {
    return PartEncoder.stampSize(message.txn()) + size.applyAsInt(type.cast(message));
  }

  /** Writes the message's field in the envelope, tag and length included. */
  void writeField(CodedOutputStream out, Message message, int size) throws IOException {
    PartEncoder.nested(out, field, size);
    write(out, message);
  }

  private void write(CodedOutputStream out, Message message) throws IOException {
    PartEncoder.stamp(out, 1, message.txn());
    writer.write(out, type.cast(message));
  }
}
