package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;

/**
 * The codec of a system whose messages are protobuf messages.
 *
 * @param number the codec's number on the wire
 * @param table the messages of the system; their numbers are the kinds
 */
public record TableCodec(int number, MessageTable table) implements MessageCodec {

  @Override
  public int kind(Message.OfSystem message) {
    return table.of(message).number();
  }

  @Override
  public byte[] encode(Message.OfSystem message) {
    MessageFormat<?> format = table.of(message);
    byte[] content = new byte[format.sizeOf(message)];
    CodedOutputStream out = CodedOutputStream.newInstance(content);
    try {
      format.write(out, message);
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + message + " was miscounted", e);
    }
    out.checkNoSpaceLeft();
    return content;
  }

  @Override
  public Message.OfSystem decode(int kind, byte[] content) throws MalformedMessageException {
    MessageFormat<?> format = table.of(kind);
    if (format == null) {
      throw new MalformedMessageException("there is no kind " + kind);
    }
    try {
      return (Message.OfSystem) format.reader().read(WireReader.ofMessage(content));
    } catch (MalformedFrameException e) {
      throw new MalformedMessageException(String.valueOf(e.getMessage()));
    }
  }
}
