package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.function.ToIntFunction;
import org.mortydb.protocol.message.Message;

/** How messages of one type are written and read, as {@link MessageTable#add} describes it. */
public record MessageFormat<M extends Message>(
    int number, Class<M> type, ToIntFunction<M> size, Writer<M> writer, Reader reader) {

  /** Writes the fields of a message. */
  @FunctionalInterface
  public interface Writer<M> {
    void write(CodedOutputStream out, M message) throws IOException;
  }

  /** Reads a message, including its length. */
  @FunctionalInterface
  public interface Reader {
    Message read(WireReader in) throws MalformedFrameException;
  }

  int sizeOf(Message message) {
    return PartEncoder.stampSize(message.txn()) + size.applyAsInt(type.cast(message));
  }

  /** Writes the message's field in the envelope, including tag and length. */
  void writeField(CodedOutputStream out, Message message, int size) throws IOException {
    PartEncoder.nested(out, number, size);
    write(out, message);
  }

  void write(CodedOutputStream out, Message message) throws IOException {
    PartEncoder.stamp(out, 1, message.txn());
    writer.write(out, type.cast(message));
  }
}
