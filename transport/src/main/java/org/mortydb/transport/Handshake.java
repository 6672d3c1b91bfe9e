package org.mortydb.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.transport.codec.MalformedFrameException;
import org.mortydb.transport.codec.Wire;
import org.mortydb.transport.wire.Frame;
import org.mortydb.transport.wire.Hello;
import org.mortydb.transport.wire.Reject;

/**
 * One side of the handshake. Both sides check the other's Hello; the one that connected sends its
 * own first.
 *
 * @param self what this side tells
 * @param speaksFirst whether this side connected
 * @param admission one sentence why a peer of the right cluster and version is not wanted, or null
 */
record Handshake(
    LocalProcess self, boolean speaksFirst, Function<PeerInfo, @Nullable String> admission) {

  /** What a frame of the handshake says. */
  sealed interface Said {}

  /** The peer introduces itself. */
  record HelloSaid(String cluster, int protocolVersion, PeerInfo peer) implements Said {}

  /** The peer refuses. */
  record RejectSaid(String reason) implements Said {}

  /** Why the peer is to be refused, in one sentence for its operator, or null if it is welcome. */
  @Nullable String refusal(HelloSaid hello) {
    if (hello.protocolVersion() != Wire.PROTOCOL_VERSION) {
      return self.info()
          + " speaks protocol version "
          + Wire.PROTOCOL_VERSION
          + ", "
          + hello.peer()
          + " speaks "
          + Integer.toUnsignedString(hello.protocolVersion())
          + ": run the same release on both sides";
    }
    if (!hello.cluster().equals(self.cluster())) {
      return self.info()
          + " belongs to cluster '"
          + self.cluster()
          + "', "
          + hello.peer()
          + " to cluster '"
          + hello.cluster()
          + "': check addresses and configuration files";
    }
    return admission.apply(hello.peer());
  }

  // ---- frames -------------------------------------------------------------------------------

  /** The frame that introduces this side. */
  ByteBuf hello(ByteBufAllocator allocator) {
    Hello.Builder hello =
        Hello.newBuilder()
            .setCluster(self.cluster())
            .setProtocolVersion(Wire.PROTOCOL_VERSION)
            .setRegion(self.info().region());
    switch (self.info()) {
      case PeerInfo.Server server -> hello.setServer(server.name());
      case PeerInfo.Client client -> hello.setClient(client.id().id());
    }
    return frame(Frame.newBuilder().setHello(hello).build(), allocator);
  }

  /** A frame that refuses the peer. */
  static ByteBuf reject(String reason, ByteBufAllocator allocator) {
    return frame(
        Frame.newBuilder().setReject(Reject.newBuilder().setReason(reason)).build(), allocator);
  }

  private static ByteBuf frame(Frame frame, ByteBufAllocator allocator) {
    byte[] bytes = frame.toByteArray();
    return allocator
        .directBuffer(Wire.LENGTH_BYTES + bytes.length)
        .writeInt(bytes.length)
        .writeBytes(bytes);
  }

  /** Reads a frame that must belong to a handshake. */
  static Said read(ByteBuf in, int length) throws MalformedFrameException {
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    Frame frame;
    try {
      frame = Frame.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedFrameException("bytes that are no protobuf message in a handshake", e);
    }
    if (frame.hasReject()) {
      return new RejectSaid(printable(frame.getReject().getReason()));
    }
    if (!frame.hasHello()) {
      throw new MalformedFrameException("a frame with neither Hello nor Reject in a handshake");
    }
    Hello hello = frame.getHello();
    return new HelloSaid(
        name("cluster", hello.getCluster()), hello.getProtocolVersion(), process(hello));
  }

  private static PeerInfo process(Hello hello) throws MalformedFrameException {
    String region = name("region", hello.getRegion());
    return switch (hello.getProcessCase()) {
      case SERVER -> new PeerInfo.Server(name("server", hello.getServer()), region);
      case CLIENT -> new PeerInfo.Client(new ClientId(hello.getClient()), region);
      case PROCESS_NOT_SET -> throw new MalformedFrameException("Hello.process is missing");
    };
  }

  private static String name(String field, String text) throws MalformedFrameException {
    if (!Names.isValid(text)) {
      throw new MalformedFrameException("Hello." + field + " must be " + Names.RULE);
    }
    return text;
  }

  /** Keeps a peer from writing lines of its own into our log. */
  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }
}
