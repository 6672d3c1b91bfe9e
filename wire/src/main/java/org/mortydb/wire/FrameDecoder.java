package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;

/**
 * Decodes frames of envelopes from the network's buffer into the protocol's records. The decoder is
 * strict: every malformed frame causes a {@link MalformedFrameException}. From a peer that speaks a
 * newer version it accepts unknown fields of messages, and skips them. Keys and values are copied
 * once, and own their bytes. Memory is allocated only for bytes that have arrived.
 */
public final class FrameDecoder {
  private static final int ENVELOPE = 1 << 3 | BYTES;

  private final WireFormat format;
  private boolean tolerant;

  /** A decoder of frames with messages of a format. */
  public FrameDecoder(WireFormat format) {
    this.format = format;
  }

  /** Skips unknown fields from now on: the sender speaks a newer version than this process. */
  public void tolerateUnknownFields() {
    tolerant = true;
  }

  /**
   * Decodes a frame, or the rest of one, and hands its envelopes over one by one until the receiver
   * has enough. If the frame is malformed, the envelopes before the error have been handed over.
   *
   * @param frame a buffer of at least {@code length} bytes, read from its reader index
   * @param length the length of the frame, or of its rest, in bytes
   * @return the length of the rest, which was not read
   */
  public int decode(ByteBuf frame, int length, EnvelopeSink sink) throws MalformedFrameException {
    ByteBuffer bytes = frame.nioBuffer(frame.readerIndex(), length);
    frame.retain(); // whatever the receiver of an envelope does to the connection
    try {
      int left = decode(bytes, sink);
      frame.skipBytes(length - left);
      return left;
    } finally {
      frame.release();
    }
  }

  /** Decodes a frame like {@link #decode(ByteBuf, int, EnvelopeSink)}. */
  public int decode(ByteBuffer frame, EnvelopeSink sink) throws MalformedFrameException {
    WireReader in = new WireReader(frame, "frame", false, tolerant);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag != ENVELOPE) {
        throw in.unexpected("Frame", tag);
      }
      envelope(in, sink);
      if (sink.hasEnough()) {
        break;
      }
    }
    return frame.remaining() - in.position();
  }

  private void envelope(WireReader in, EnvelopeSink sink) throws MalformedFrameException {
    MessageFields fields = in.fields("Envelope");
    Endpoint from = null;
    Endpoint to = null;
    Message message = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case 1 << 3 | BYTES -> from = fields.oneOf(from, PartDecoder.replicaId(in), "sender");
        case 2 << 3 | FIXED64 -> from = fields.oneOf(from, new ClientId(in.fixed64()), "sender");
        case 3 << 3 | BYTES -> to = fields.oneOf(to, PartDecoder.replicaId(in), "receiver");
        case 4 << 3 | FIXED64 -> to = fields.oneOf(to, new ClientId(in.fixed64()), "receiver");
        default -> {
          Message read = format.read(in, fields);
          if (read != null) {
            message = fields.oneOf(message, read, "message");
          }
        }
      }
    }
    sink.onEnvelope(
        fields.required(from, "from"),
        fields.required(to, "to"),
        fields.required(message, "message"));
  }
}
