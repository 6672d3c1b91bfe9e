package org.mortydb.wire;

import com.google.protobuf.CodedOutputStream;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Collects envelopes into one frame. Each envelope is encoded when it is added, from the protocol's
 * records into an array that the next frame reuses. Not safe for use by several threads.
 */
public final class FrameEncoder {
  private static final int INITIAL_BYTES = 4 * 1024;

  /** A larger array, which a long message required, is not reused. */
  private static final int KEPT_BYTES = 4 * WireContract.FULL_FRAME_BYTES;

  private static final int ENVELOPES_FIELD = 1;

  private final WireFormat format;
  private byte[] buffer = new byte[INITIAL_BYTES];
  private int size = WireContract.LENGTH_BYTES;

  /** An encoder with an empty frame. */
  public FrameEncoder(WireFormat format) {
    this.format = format;
  }

  /** Whether nothing was added since the last {@link #drainTo}. */
  public boolean isEmpty() {
    return size == WireContract.LENGTH_BYTES;
  }

  /** Whether the frame should be sent before another envelope is added. */
  public boolean isFull() {
    return size >= WireContract.FULL_FRAME_BYTES;
  }

  /** The size of the frame in bytes, including its length. */
  public int size() {
    return size;
  }

  /**
   * Adds an envelope. The frame must not be {@linkplain #isFull full}.
   *
   * @return false, with nothing added, if the envelope would exceed {@link
   *     WireContract#MAX_ENVELOPE_BYTES}
   */
  public boolean add(Endpoint from, Endpoint to, Message message) {
    if (message instanceof Message.OfSystem) {
      return add(from, to, format.encode(message));
    }
    MessageFormat<?> own = MessageFormats.MORTY.of(message);
    int messageSize = own.sizeOf(message);
    int envelope = endpointsSize(from, to) + EncodedMessage.fieldSize(own.number(), messageSize);
    if (envelope > WireContract.MAX_ENVELOPE_BYTES) {
      return false;
    }
    try {
      CodedOutputStream out = begin(envelope, from, to);
      own.writeField(out, message, messageSize);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("the size of " + message + " was miscounted", e);
    }
    return true;
  }

  /**
   * Adds an envelope with a message for several receivers. The frame must not be {@linkplain
   * #isFull full}.
   *
   * @return false, with nothing added, if the envelope would exceed {@link
   *     WireContract#MAX_ENVELOPE_BYTES}
   */
  public boolean add(Endpoint from, Endpoint to, EncodedMessage message) {
    int envelope = endpointsSize(from, to) + message.fieldSize();
    if (envelope > WireContract.MAX_ENVELOPE_BYTES) {
      return false;
    }
    try {
      CodedOutputStream out = begin(envelope, from, to);
      message.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("the size of an envelope was miscounted", e);
    }
    return true;
  }

  /** Appends the frame with its length to {@code out}, and starts the next frame. */
  public void drainTo(ByteBuf out) {
    out.writeInt(size - WireContract.LENGTH_BYTES);
    out.writeBytes(buffer, WireContract.LENGTH_BYTES, size - WireContract.LENGTH_BYTES);
    clear();
  }

  /** Discards the envelopes, and starts the next frame. */
  public void clear() {
    size = WireContract.LENGTH_BYTES;
    if (buffer.length > KEPT_BYTES) {
      buffer = new byte[INITIAL_BYTES];
    }
  }

  private CodedOutputStream begin(int envelope, Endpoint from, Endpoint to) throws IOException {
    int total = PartEncoder.nestedSize(envelope);
    if (buffer.length - size < total) {
      buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, size + total));
    }
    CodedOutputStream out = CodedOutputStream.newInstance(buffer, size, total);
    size += total;
    PartEncoder.nested(out, ENVELOPES_FIELD, envelope);
    endpoint(out, 1, from);
    endpoint(out, 3, to);
    return out;
  }

  private static int endpointsSize(Endpoint from, Endpoint to) {
    return endpointSize(from) + endpointSize(to);
  }

  private static int endpointSize(Endpoint endpoint) {
    return switch (endpoint) {
      case ReplicaId replica -> PartEncoder.nestedSize(replicaSize(replica));
      case ClientId client -> 1 + Long.BYTES;
    };
  }

  private static int replicaSize(ReplicaId replica) {
    return PartEncoder.uint32Size(replica.partition()) + PartEncoder.uint32Size(replica.index());
  }

  /** Writes a replica to the given field, or a client to the field after it. */
  private static void endpoint(CodedOutputStream out, int field, Endpoint endpoint)
      throws IOException {
    switch (endpoint) {
      case ReplicaId replica -> {
        PartEncoder.nested(out, field, replicaSize(replica));
        PartEncoder.uint32(out, 1, replica.partition());
        PartEncoder.uint32(out, 2, replica.index());
      }
      case ClientId client -> out.writeFixed64(field + 1, client.id());
    }
  }
}
