package org.mortydb.wire;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;

/**
 * Decodes frames of envelopes, strictly, from the buffer that they arrived in into the protocol's
 * records. Keys and values are copied once, and own their bytes. Every malformed frame gives a
 * {@link MalformedFrameException}. Memory is allocated only for bytes that have arrived.
 */
public final class FrameDecoder {
  private static final int ENVELOPE = 1 << 3 | BYTES;

  private final WireFormat format;

  /** A decoder of frames with messages of a format. */
  public FrameDecoder(WireFormat format) {
    this.format = format;
  }

  /**
   * Decodes a frame and hands its envelopes over one by one. When the frame turns out to be
   * malformed, the envelopes before the spot have been handed over.
   *
   * @param frame is read from its reader index, {@code length} bytes, which it must have
   * @param length the frame's length, at most {@link Wire#MAX_FRAME_BYTES}
   */
  public void decode(ByteBuf frame, int length, EnvelopeSink sink) throws MalformedFrameException {
    ByteBuffer bytes = frame.nioBuffer(frame.readerIndex(), length);
    frame.skipBytes(length);
    frame.retain(); // whatever the receiver of an envelope does to the connection
    try {
      decode(bytes, sink);
    } finally {
      frame.release();
    }
  }

  /** Decodes a frame, as {@link #decode(ByteBuf, int, EnvelopeSink)} does. */
  public void decode(ByteBuffer frame, EnvelopeSink sink) throws MalformedFrameException {
    WireReader in = new WireReader(frame);
    try {
      for (int tag = in.tag(); tag != 0; tag = in.tag()) {
        if (tag != ENVELOPE) {
          throw in.unexpected("Frame", tag);
        }
        envelope(in, sink);
      }
    } catch (MalformedFrameException e) {
      throw e;
    } catch (IOException e) {
      throw new MalformedFrameException(
          "bytes that are no protobuf message, at byte " + in.position() + " of the frame", e);
    }
  }

  private void envelope(WireReader in, EnvelopeSink sink) throws IOException {
    int outer = in.enter();
    Endpoint from = null;
    Endpoint to = null;
    Message message = null;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case 1 << 3 | BYTES -> from = first(in, from, PartDecoder.replicaId(in), "from");
        case 2 << 3 | FIXED64 -> from = first(in, from, new ClientId(in.fixed64()), "from");
        case 3 << 3 | BYTES -> to = first(in, to, PartDecoder.replicaId(in), "to");
        case 4 << 3 | FIXED64 -> to = first(in, to, new ClientId(in.fixed64()), "to");
        default -> {
          if (message != null) {
            throw in.malformed("Envelope has more than one message");
          }
          message = format.read(in, tag);
          if (message == null) {
            throw in.unexpected("Envelope", tag);
          }
        }
      }
    }
    in.leave(outer);
    sink.onEnvelope(
        in.required(from, "Envelope", "from"),
        in.required(to, "Envelope", "to"),
        in.required(message, "Envelope", "message"));
  }

  private static Endpoint first(
      WireReader in, @Nullable Endpoint before, Endpoint endpoint, String field)
      throws MalformedFrameException {
    if (before != null) {
      throw in.malformed("Envelope." + field + " is given twice");
    }
    return endpoint;
  }
}
