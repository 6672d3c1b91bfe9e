package org.mortydb.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.config.Layout;
import org.mortydb.config.Names;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.VersionRange;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.Hello;
import org.mortydb.wire.proto.Reject;

/**
 * One side of the handshake. The side that connected sends its Hello first. Each side checks the
 * other's Hello, and with TLS also that the Hello agrees with the certificate.
 *
 * @param self this process, as it introduces itself
 * @param speaksFirst whether this side connected
 * @param admission decides whether a peer of the right cluster, version and certificate may connect
 * @param unfinished the memory that frames of clients take while they arrive
 */
record Handshake(
    LocalProcess self, boolean speaksFirst, PeerCheck admission, UnfinishedFrames unfinished) {

  Handshake(LocalProcess self, boolean speaksFirst, PeerCheck admission) {
    this(self, speaksFirst, admission, new UnfinishedFrames());
  }

  /** How much of a peer's reason for a refusal is shown. */
  private static final int MOST_REASON_CHARS = 1000;

  /** The content of a handshake frame. */
  sealed interface Said {}

  /** The peer introduces itself. */
  record HelloSaid(
      String cluster,
      VersionRange versions,
      int clusterVersion,
      PeerInfo peer,
      @Nullable Layout layout)
      implements Said {}

  /** The peer refuses. */
  record RejectSaid(String reason) implements Said {}

  /**
   * The reason for refusing the peer, in one sentence for its operator; null if it is admitted.
   *
   * @param identity the peer's identity by its certificate; null without TLS
   */
  @Nullable String refusal(HelloSaid hello, @Nullable Identity identity) {
    if (self.versions().highestCommon(hello.versions()) == VersionRange.NONE) {
      return noCommonVersion(hello);
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
    String outside = self.info() instanceof PeerInfo.Server ? outsideOfCluster(hello) : null;
    if (outside != null) {
      return outside;
    }
    Layout there = hello.layout();
    String difference =
        self.layout() == null || there == null ? null : self.layout().difference(there);
    if (difference != null) {
      return "the configurations of "
          + self.info()
          + " (here) and "
          + hello.peer()
          + " (there) differ: "
          + difference
          + "; give both sides the same configuration file";
    }
    String impostor = self.tls() == null ? null : impostor(hello.peer(), identity);
    return impostor != null ? impostor : admission.refusal(hello.peer(), identity);
  }

  private String noCommonVersion(HelloSaid hello) {
    boolean thereIsOlder = hello.versions().newest() < self.versions().newest();
    return self.info()
        + " speaks "
        + self.versions().words()
        + " of the protocol, "
        + hello.peer()
        + " speaks "
        + hello.versions().words()
        + ", so they have none in common: replace the program of "
        + (thereIsOlder ? hello.peer() : self.info())
        + " by a release that speaks "
        + (thereIsOlder ? self.versions() : hello.versions())
        + "; between releases that are far apart, upgrade in several steps";
  }

  /**
   * The reason if this server or the peer does not speak the version that the cluster uses; null
   * otherwise. Nobody speaks another one in the cluster, so that all understand each other.
   */
  private @Nullable String outsideOfCluster(HelloSaid hello) {
    int here = self.clusterVersion().getAsInt();
    if (here > 0 && !hello.versions().includes(here)) {
      return unspoken(here, hello.peer(), hello.versions());
    }
    int there = hello.clusterVersion();
    boolean isServer = hello.peer() instanceof PeerInfo.Server;
    return isServer && there > 0 && !self.versions().includes(there)
        ? unspoken(there, self.info(), self.versions())
        : null;
  }

  private String unspoken(int version, PeerInfo process, VersionRange versions) {
    return "cluster '"
        + self.cluster()
        + "' uses version "
        + version
        + " of the protocol, "
        + process
        + " speaks "
        + versions.words()
        + ": run a release that speaks version "
        + version
        + " there"
        + (version < versions.oldest()
            ? ", end the upgrade to it by 'morty upgrade finish', and upgrade after that"
            : "; a finished upgrade cannot be undone");
  }

  /** The versions of a connection to a peer that was not refused. */
  LinkVersions versions(HelloSaid hello) {
    return new LinkVersions(
        self.versions().highestCommon(hello.versions()), hello.versions(), hello.clusterVersion());
  }

  /** The reason if the peer claims an identity other than its certificate's; null otherwise. */
  private @Nullable String impostor(PeerInfo peer, @Nullable Identity identity) {
    if (identity == null) {
      return peer + " presented no certificate: every process needs one of this cluster's CA";
    }
    String said =
        peer + " presented the certificate of " + identity + ", which does not allow it to ";
    if (!identity.cluster().equals(self.cluster())) {
      return said + "join cluster '" + self.cluster() + "': give it a certificate of that cluster";
    }
    return switch (peer) {
      case PeerInfo.Server(String name, var region) ->
          identity.role() == Identity.Role.SERVER && identity.name().equals(name)
              ? null
              : said + "be server '" + name + "': every server needs the certificate of its name";
      case PeerInfo.Newcomer(String server) ->
          (server.isEmpty()
                  ? identity.role() == Identity.Role.CLIENT
                  : identity.role() == Identity.Role.SERVER && identity.name().equals(server))
              ? null
              : said
                  + "ask for the layout as "
                  + (server.isEmpty() ? "a client" : "server '" + server + "'")
                  + ": give it the certificate of its role and name";
      case PeerInfo.Client(ClientId id, var region) ->
          identity.mayUse(id.id())
              ? null
              : said
                  + "use this client id: a client needs a certificate for the role client, and"
                  + " an id that is derived from its name";
    };
  }

  // ---- frames -------------------------------------------------------------------------------

  /** The frame that introduces this side. */
  ByteBuf hello(ByteBufAllocator allocator) {
    Hello.Builder hello =
        Hello.newBuilder()
            .setCluster(self.cluster())
            .setProtocolVersion(self.versions().oldest())
            .setNewestVersion(self.versions().newest())
            .setClusterVersion(self.clusterVersion().getAsInt())
            .setRegion(self.info().region());
    switch (self.info()) {
      case PeerInfo.Server server -> hello.setServer(server.name());
      case PeerInfo.Client client -> hello.setClient(client.id().id());
      case PeerInfo.Newcomer newcomer -> hello.setNewcomer(newcomer.server());
    }
    Layout layout = self.layout();
    if (layout != null) {
      hello
          .getLayoutBuilder()
          .setPartitions(layout.partitions())
          .setF(layout.f())
          .setSystem(layout.system())
          .setPlacement(layout.placement());
    }
    return frame(Frame.newBuilder().setHello(hello).build(), allocator);
  }

  /** A frame that refuses the peer. */
  static ByteBuf reject(String reason, ByteBufAllocator allocator) {
    return frame(
        Frame.newBuilder().setReject(Reject.newBuilder().setReason(reason)).build(), allocator);
  }

  /** A frame with its length before it. For frames that are too rare to be encoded by hand. */
  static ByteBuf frame(Frame frame, ByteBufAllocator allocator) {
    byte[] bytes = frame.toByteArray();
    return allocator
        .directBuffer(WireContract.LENGTH_BYTES + bytes.length)
        .writeInt(bytes.length)
        .writeBytes(bytes);
  }

  /**
   * Reads a frame of a given length.
   *
   * @param where the exchange that the frame belongs to, for the exception's message
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
      throw new MalformedFrameException("a frame of the handshake has neither Hello nor Reject");
    }
    Hello hello = frame.getHello();
    return new HelloSaid(
        name("cluster", hello.getCluster()),
        versions(hello),
        Asking.number("Hello.cluster_version", hello.getClusterVersion()),
        process(hello),
        hello.hasLayout() ? layout(hello.getLayout()) : null);
  }

  private static Layout layout(org.mortydb.wire.proto.Layout layout)
      throws MalformedFrameException {
    return new Layout(
        layout.getPartitions(),
        layout.getF(),
        name("layout.system", layout.getSystem()),
        layout.getPlacement());
  }

  /** Processes before the field newest_version spoke one version. */
  private static VersionRange versions(Hello hello) throws MalformedFrameException {
    int oldest = hello.getProtocolVersion();
    int newest = hello.getNewestVersion();
    return Asking.range("Hello", oldest, newest == 0 ? oldest : newest);
  }

  private static PeerInfo process(Hello hello) throws MalformedFrameException {
    if (hello.hasNewcomer()) {
      String server = hello.getNewcomer();
      return new PeerInfo.Newcomer(server.isEmpty() ? server : name("newcomer", server));
    }
    String region = name("region", hello.getRegion());
    return switch (hello.getProcessCase()) {
      case SERVER -> new PeerInfo.Server(name("server", hello.getServer()), region);
      case CLIENT -> new PeerInfo.Client(new ClientId(hello.getClient()), region);
      case NEWCOMER, PROCESS_NOT_SET ->
          throw new MalformedFrameException("Hello.process is missing");
    };
  }

  private static String name(String field, String text) throws MalformedFrameException {
    if (!Names.isValid(text)) {
      throw new MalformedFrameException("Hello." + field + " must be " + Names.RULE);
    }
    return text;
  }

  /** Removes line breaks and control characters, so that a peer cannot forge lines in the log. */
  static String printable(String text) {
    String head = text.substring(0, Math.min(text.length(), MOST_REASON_CHARS));
    return head.replaceAll("\\p{Cntrl}", "?");
  }
}
