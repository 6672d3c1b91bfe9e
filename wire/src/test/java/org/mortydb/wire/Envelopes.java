package org.mortydb.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.system.Morty;

/** Collects the envelopes of a frame. */
final class Envelopes implements EnvelopeSink {
  static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);

  record Received(Endpoint from, Endpoint to, Message message) {}

  final List<Received> received = new ArrayList<>();

  @Override
  public void onEnvelope(Endpoint from, Endpoint to, Message message) {
    received.add(new Received(from, to, message));
  }

  static List<Received> decode(byte[] frame) throws MalformedFrameException {
    Envelopes envelopes = new Envelopes();
    new FrameDecoder(FORMAT).decode(ByteBuffer.wrap(frame), envelopes);
    return envelopes.received;
  }

  /** The frame without its length. Checks the length. */
  static byte[] drain(FrameEncoder encoder) {
    ByteBuf out = Unpooled.buffer();
    encoder.drainTo(out);
    byte[] frame = new byte[out.readInt()];
    if (frame.length != out.readableBytes()) {
      throw new AssertionError("length " + frame.length + " before " + out.readableBytes());
    }
    out.readBytes(frame);
    return frame;
  }
}
