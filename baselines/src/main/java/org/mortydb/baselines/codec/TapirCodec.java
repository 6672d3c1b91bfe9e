package org.mortydb.baselines.codec;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.wire.PartEncoder;
import org.mortydb.wire.WireReader;

/** The codec of TAPIR. */
public record TapirCodec(int number) implements MessageCodec {

  @Override
  public int kind(Message.OfSystem message) {
    return TapirEncoder.kind((TapirMessage) message);
  }

  @Override
  public byte[] encode(Message.OfSystem message) {
    TapirMessage own = (TapirMessage) message;
    byte[] content = new byte[PartEncoder.stampSize(own.txn()) + TapirEncoder.size(own)];
    CodedOutputStream out = CodedOutputStream.newInstance(content);
    try {
      PartEncoder.stamp(out, 1, own.txn());
      TapirEncoder.write(out, own);
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + own + " was miscounted", e);
    }
    out.checkNoSpaceLeft();
    return content;
  }

  @Override
  public Message.OfSystem decode(int kind, byte[] content) throws MalformedMessageException {
    Message.@Nullable OfSystem message;
    try {
      message = new TapirDecoder(WireReader.ofMessage(content)).message(kind);
    } catch (IOException e) {
      throw new MalformedMessageException(String.valueOf(e.getMessage()));
    }
    if (message == null) {
      throw new MalformedMessageException("there is no kind " + kind);
    }
    return message;
  }
}
