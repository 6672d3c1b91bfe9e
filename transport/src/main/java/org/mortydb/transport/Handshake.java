package org.mortydb.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.config.Names;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.Wire;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.Hello;
import org.mortydb.wire.proto.Reject;

/**
 * One side of the handshake. Both sides check the other's Hello, and with TLS that it agrees with
 * the other's certificate; the one that connected sends its own first.
 *
 * @param self what this side tells
 * @param speaksFirst whether this side connected
 * @param admission whether a peer of the right cluster, version and certificate is wanted
 */
record Handshake(LocalProcess self, boolean speaksFirst, PeerCheck admission) {

  /** What a frame of the handshake says. */
  sealed interface Said {}

  /** The peer introduces itself. */
  record HelloSaid(String cluster, int protocolVersion, PeerInfo peer) implements Said {}

  /** The peer refuses. */
  record RejectSaid(String reason) implements Said {}

  /**
   * Why the peer is to be refused, in one sentence for its operator, or null if it is welcome.
   *
   * @param identity who it is by its certificate; null without TLS
   */
  @Nullable String refusal(HelloSaid hello, @Nullable Identity identity) {
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
    String impostor = self.tls() == null ? null : impostor(hello.peer(), identity);
    return impostor != null ? impostor : admission.refusal(hello.peer(), identity);
  }

  /** Nobody is believed to be somebody else than his certificate says. */
  private @Nullable String impostor(PeerInfo peer, @Nullable Identity identity) {
    if (identity == null) {
      return peer + " has shown no certificate";
    }
    String said =
        peer + " has shown the certificate of " + identity + ", which does not entitle it to ";
    if (!identity.cluster().equals(self.cluster())) {
      return said + "join cluster '" + self.cluster() + "': give it a certificate of that cluster";
    }
    return switch (peer) {
      case PeerInfo.Server(String name, var region) ->
          identity.role() == Identity.Role.SERVER && identity.name().equals(name)
              ? null
              : said + "be server '" + name + "': every server needs the certificate of its name";
      case PeerInfo.Client(ClientId id, var region) ->
          identity.mayUse(id.id())
              ? null
              : said
                  + "use this client id: clients need a certificate for the role client, and ids"
                  + " that follow from its name";
    };
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

  /** A frame with its length before it, for what is too rare to be encoded by hand. */
  static ByteBuf frame(Frame frame, ByteBufAllocator allocator) {
    byte[] bytes = frame.toByteArray();
    return allocator
        .directBuffer(Wire.LENGTH_BYTES + bytes.length)
        .writeInt(bytes.length)
        .writeBytes(bytes);
  }

  /**
   * Reads a frame of that length.
   *
   * @param where what it must belong to, for the message of the exception
   */
  static Frame parse(ByteBuf in, int length, String where) throws MalformedFrameException {
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    try {
      return Frame.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedFrameException("bytes that are no protobuf message in " + where, e);
    }
  }

  /** Reads a frame that must belong to a handshake. */
  static Said read(ByteBuf in, int length) throws MalformedFrameException {
    Frame frame = parse(in, length, "a handshake");
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
