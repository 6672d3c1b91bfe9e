package org.mortydb.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.Ping;
import org.mortydb.wire.proto.Pong;

/** The frames that measure a round trip. */
final class RoundTrip {
  /** The first byte of a frame with a Ping: field 4, with a length. */
  private static final int PING_TAG = 4 << 3 | 2;

  /** The first byte of a frame with a Pong: field 5, with a length. */
  private static final int PONG_TAG = 5 << 3 | 2;

  /**
   * The size limit of a Ping or Pong: a tag, a length, two fields of nine bytes, and one of five.
   */
  private static final int MOST_BYTES = 25;

  private RoundTrip() {}

  /** Whether a frame with this first byte is a Ping or a Pong. */
  static boolean begins(int firstByte) {
    return firstByte == PING_TAG || firstByte == PONG_TAG;
  }

  static ByteBuf ping(long token, int slotMicros, ByteBufAllocator allocator) {
    Ping ping = Ping.newBuilder().setToken(token).setSlotMicros(slotMicros).build();
    return Handshake.frame(Frame.newBuilder().setPing(ping).build(), allocator);
  }

  static ByteBuf pong(long token, long clockMicros, int slotMicros, ByteBufAllocator allocator) {
    Pong pong =
        Pong.newBuilder()
            .setToken(token)
            .setClockMicros(clockMicros)
            .setSlotMicros(slotMicros)
            .build();
    return Handshake.frame(Frame.newBuilder().setPong(pong).build(), allocator);
  }

  /**
   * Reads a frame that {@link #begins} accepts. The result has a Ping or a Pong.
   *
   * @param tolerant whether it may have unknown fields, of a newer version
   */
  static Frame read(ByteBuf in, int length, boolean tolerant) throws MalformedFrameException {
    if (length > MOST_BYTES && !tolerant) {
      in.skipBytes(length);
      throw new MalformedFrameException("a Ping or Pong of " + length + " bytes");
    }
    Frame frame = Handshake.parse(in, length, "a Ping or Pong");
    if (frame.hasPing() == frame.hasPong() || frame.getEnvelopesCount() > 0) {
      throw new MalformedFrameException("a frame that is neither a Ping nor a Pong alone");
    }
    return frame;
  }
}
