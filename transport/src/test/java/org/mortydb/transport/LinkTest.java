package org.mortydb.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchException;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.Identity;
import org.mortydb.config.Layout;
import org.mortydb.config.LinkOptions;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.system.Morty;
import org.mortydb.transport.RecordingListener.Down;
import org.mortydb.transport.RecordingListener.Failed;
import org.mortydb.transport.RecordingListener.Got;
import org.mortydb.transport.RecordingListener.Up;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.VersionRange;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.WireFormat;
import org.mortydb.wire.proto.Answer;
import org.mortydb.wire.proto.Ask;
import org.mortydb.wire.proto.AskLayout;
import org.mortydb.wire.proto.AskVersions;
import org.mortydb.wire.proto.Envelope;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.Ping;
import org.mortydb.wire.proto.Pong;
import org.mortydb.wire.proto.UseVersion;

class LinkTest {
  private static final String CLUSTER = "tea";
  private static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);
  private static final ClientId CLIENT = new ClientId(0xC1);
  private static final ReplicaId REPLICA = new ReplicaId(0, 1);
  private static final TxnId TXN = new TxnId(1_700_000_000_000_000L, CLIENT.id(), 0);
  private static final LinkOptions OPTIONS =
      new LinkOptions(
          64 * 1024,
          128 * 1024,
          17 * 1024 * 1024,
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofMillis(5),
          Duration.ofMillis(50));

  private final EventLoopGroup loops = EventLoops.create(2, "test");
  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final RecordingListener atServer = new RecordingListener();
  private final RecordingListener atClient = new RecordingListener();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable closeable : toClose) {
      closeable.close();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  @Test
  void roundTripsAreMeasuredThroughTheEmulatedNetwork() throws Exception {
    DelayMatrix delays = new DelayMatrix(Map.of("here", Map.of("far", 30_000L)), 0, 0);
    TransportServer server = listen(0, atServer);
    Link there =
        connect(server, new LocalProcess(CLUSTER, FORMAT, client()), "s1", atClient, delays);
    Link back = atServer.next(Up.class).link();
    atClient.next(Up.class);
    for (Link pinging : List.of(there, back)) {
      assertThat(pinging.counters().roundTripMicros()).isZero();
      on(pinging, Link::ping);
      long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (pinging.counters().roundTripMicros() == 0) {
        assertThat(System.nanoTime()).isLessThan(deadlineNanos);
        Thread.sleep(1);
      }
      assertThat(pinging.counters().roundTripMicros()).isBetween(30_000L, 5_000_000L);
    }
    assertThat(there.counters().traffic().messagesIn()).isZero();
    on(there, Link::close);
    atClient.next(Down.class);
    assertThat(there.counters().roundTripMicros()).isZero();
  }

  @Test
  void onlyTheAnswerToTheLastPingIsMeasured() throws Exception {
    TransportServer server = listen(0, atServer);
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      Link back = atServer.next(Up.class).link();
      on(back, Link::ping);
      Frame ping = peer.receive();
      assertThat(ping).isNotNull();
      long token = ping.getPing().getToken();
      long nowMicros = System.currentTimeMillis() * 1_000;
      Pong.Builder pong = Pong.newBuilder().setClockMicros(1);
      peer.send(Frame.newBuilder().setPong(pong.setToken(token + 1)).build());
      pong.setClockMicros(nowMicros);
      peer.send(Frame.newBuilder().setPong(pong.setToken(token)).build());
      await(() -> back.counters().roundTripMicros() > 0);
      assertThat(back.counters().clockAheadMicros()).isGreaterThan(-3_600_000_000L);
    }
  }

  /** With the largest numbers a Ping and a Pong have their largest size. */
  @Test
  void slotsTravelWithRoundTrips() throws Exception {
    TransportServer server = listen(0, atServer);
    Link there = connect(server);
    atClient.next(Up.class);
    on(there, link -> link.ping(400_000_000));
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (there.counters().slotMicros() == 0) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(1);
    }
    assertThat(there.counters().slotMicros()).isEqualTo(800_000_000);
    on(there, Link::close);
    atClient.next(Down.class);
    assertThat(there.counters().slotMicros()).isZero();
  }

  @Test
  void messagesArriveInOrderBothWays() throws Exception {
    TransportServer server = listen(0, atServer);
    Link there = connect(server);
    Up up = atClient.next(Up.class);
    assertThat(up.peer()).isEqualTo(new PeerInfo.Server("s1", "far"));
    Link back = atServer.next(Up.class).link();
    assertThat(back.peer()).isEqualTo(new PeerInfo.Client(CLIENT, "here"));

    on(
        there,
        link -> {
          for (int i = 0; i < 10_000; i++) {
            link.send(CLIENT, REPLICA, get(i));
          }
        });
    for (int i = 0; i < 10_000; i++) {
      Got got = atServer.next(Got.class);
      assertThat(got.from()).isEqualTo(CLIENT);
      assertThat(got.to()).isEqualTo(REPLICA);
      assertThat(got.message()).isEqualTo(get(i));
    }
    EncodedMessage encoded = FORMAT.encode(put(1, 100));
    on(back, link -> link.send(REPLICA, CLIENT, encoded));
    assertThat(atClient.next(Got.class).message()).isEqualTo(put(1, 100));
  }

  @Test
  void aClientIsServedForABoundedPartOfATurn() throws Exception {
    Turns turns = new Turns();
    TransportServer server = listen(0, turns);
    Link there = connect(server);
    turns.next(Up.class);
    atClient.next(Up.class);
    on(
        there,
        link -> {
          for (int i = 0; i < 10_000; i++) {
            link.send(CLIENT, REPLICA, get(i));
          }
        });
    for (int i = 0; i < 10_000; i++) {
      assertThat(turns.next(Got.class).message()).isEqualTo(get(i));
    }
    assertThat(turns.most).isLessThanOrEqualTo(LinkHandler.MOST_PER_TURN);
  }

  @Test
  void oneClientMayOpenManyConnectionsWhichAreServedInTurn() throws Exception {
    TransportServer server = listen(0, atServer);
    List<Link> links = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      links.add(connect(server));
      atClient.next(Up.class);
      atServer.next(Up.class);
    }
    for (Link link : links) {
      on(
          link,
          l -> {
            for (int i = 0; i < 2 * LinkHandler.MOST_PER_TURN; i++) {
              l.send(CLIENT, REPLICA, get(i));
            }
          });
    }
    for (int i = 0; i < links.size() * 2 * LinkHandler.MOST_PER_TURN; i++) {
      atServer.next(Got.class);
    }
  }

  /** Counts the messages of each turn of the event loop. */
  private static final class Turns extends RecordingListener {
    private int inTurn;
    volatile int most;

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
      if (inTurn == 0) {
        ((SingleThreadEventLoop) link.eventLoop())
            .executeAfterEventLoopIteration(
                () -> {
                  most = Math.max(most, inTurn);
                  inTurn = 0;
                });
      }
      inTurn++;
      super.onMessage(link, from, to, message);
    }
  }

  @Test
  void nothingIsReadFromAClientThatTheListenerHasEnoughOf() throws Exception {
    Reluctant reluctant = new Reluctant();
    TransportServer server = listen(0, reluctant);
    Link there = connect(server);
    Link back = reluctant.next(Up.class).link();
    atClient.next(Up.class);
    on(
        there,
        link -> {
          for (int i = 0; i < 100; i++) {
            link.send(CLIENT, REPLICA, put(i, 100_000));
          }
        });
    for (int i = 0; i < 100; i++) {
      assertThat(reluctant.next(Got.class).message()).isEqualTo(put(i, 100_000));
      assertThat(reluctant.isEmpty()).isTrue();
      assertThat(back.counters().traffic().bytesIn()).isLessThan((i + 20) * 100_000L);
      on(
          back,
          link -> {
            reluctant.enough = false;
            link.goOn();
          });
    }
  }

  /** Takes one message at a time. */
  private static final class Reluctant extends RecordingListener {
    volatile boolean enough;

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
      enough = true;
      super.onMessage(link, from, to, message);
    }

    @Override
    public boolean hasEnough(Link link) {
      return enough;
    }
  }

  @Test
  void messagesOfOneTurnShareFrames() throws Exception {
    TransportServer server = listen(0, atServer);
    Link there = connect(server);
    atClient.next(Up.class);
    on(
        there,
        link -> {
          for (int i = 0; i < 100; i++) {
            link.send(CLIENT, REPLICA, get(i));
          }
        });
    for (int i = 0; i < 100; i++) {
      atServer.await(Got.class);
    }
    assertThat(there.counters().traffic().messagesOut()).isEqualTo(100);
    assertThat(there.counters().traffic().framesOut()).isEqualTo(1);

    // A frame is sent once it is full, within the turn.
    on(
        there,
        link -> {
          for (int i = 0; i < 20; i++) {
            link.send(CLIENT, REPLICA, put(i, 10_000));
          }
        });
    for (int i = 0; i < 20; i++) {
      atServer.await(Got.class);
    }
    assertThat(there.counters().traffic().framesOut()).isEqualTo(1 + 3);
  }

  @Test
  void anotherClusterIsRefusedWithBothNames() throws Exception {
    TransportServer server = listen(0, atServer);
    Link good = connect(server);
    atClient.next(Up.class);
    Link backOfGood = atServer.next(Up.class).link();

    RecordingListener stranger = new RecordingListener();
    connect(server, new LocalProcess("coffee", FORMAT, client()), "s1", stranger);
    Failed failed = stranger.next(Failed.class);
    assertThat(failed.reason().kind()).isEqualTo(LinkFailure.Kind.REFUSED);
    assertThat(failed.reason().detail())
        .contains("server 's1' belongs to cluster 'tea'")
        .contains("client c1 to cluster 'coffee'")
        .contains("check addresses and configuration files");
    assertThatStillWorks(good);
    assertThat(backOfGood.isUp()).isTrue();
  }

  @Test
  void aServerOfAnotherNameIsRefused() throws Exception {
    TransportServer server = listen(0, atServer);
    connect(server, new LocalProcess(CLUSTER, FORMAT, client()), "s2", atClient);
    Failed failed = atClient.next(Failed.class);
    assertThat(failed.reason().kind()).isEqualTo(LinkFailure.Kind.REFUSED);
    assertThat(failed.reason().detail())
        .contains("server 's2' was expected at 127.0.0.1:" + server.address().getPort())
        .contains("server 's1' answers there");
    // The server had completed the handshake, and receives the reason.
    atServer.next(Up.class);
    assertThat(atServer.next(Down.class).reason().detail()).contains("server 's2' was expected");
  }

  @Test
  void aPeerThatIsNotAdmittedHearsWhy() throws Exception {
    TransportServer server = listen(0, atServer);
    PeerInfo unknown = new PeerInfo.Server("s9", "far");
    connect(server, new LocalProcess(CLUSTER, FORMAT, unknown), "s1", atClient);
    assertThat(atClient.next(Failed.class).reason().detail()).contains("no server 's9' here");
    assertThat(atServer.isEmpty()).isTrue();
  }

  @Test
  void anotherProtocolVersionIsRefusedWithBothVersions() throws Exception {
    TransportServer server = listen(0, atServer);
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.send(RawPeer.hello(CLUSTER, 77, 1));
      assertThat(rejection(peer))
          .contains("server 's1' speaks " + WireContract.VERSIONS.words() + " of the protocol")
          .contains("client 1 speaks version 77", "replace the program of server 's1'");
      assertThat(peer.receive()).isNull();
    }
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.send(RawPeer.hello(CLUSTER, 1, 1));
      assertThat(rejection(peer))
          .contains("client 1 speaks version 1,", "replace the program of client 1");
    }
  }

  @Test
  void versionsThatAreNoRangeAreRefused() throws Exception {
    TransportServer server = listen(0, atServer);
    for (int[] versions : new int[][] {{0, 3}, {3, 2}, {-1, 3}, {3, -1}, {1, 1 << 30 | 1}}) {
      try (RawPeer peer = new RawPeer(server.address())) {
        peer.send(hello(versions[0], versions[1], 0));
        assertThat(rejection(peer)).contains("malformed frame: Hello has the versions ");
      }
    }
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.send(hello(1, 9, -1));
      assertThat(rejection(peer)).contains("malformed frame: Hello.cluster_version is ");
    }
  }

  private static Frame hello(int oldest, int newest, int cluster) {
    Frame.Builder hello = RawPeer.hello(CLUSTER, oldest, 1).toBuilder();
    hello.getHelloBuilder().setNewestVersion(newest).setClusterVersion(cluster);
    return hello.build();
  }

  @Test
  void aLinkUsesTheHighestVersionThatBothSpeak() throws Exception {
    assertThat(linkVersion(new VersionRange(3, 5), new VersionRange(2, 4))).isEqualTo(4);
    assertThat(linkVersion(new VersionRange(2, 4), new VersionRange(3, 5))).isEqualTo(4);
    assertThat(linkVersion(new VersionRange(3, 3), new VersionRange(1, 9))).isEqualTo(3);
  }

  private int linkVersion(VersionRange here, VersionRange there) throws Exception {
    int cluster = Math.max(here.oldest(), there.oldest());
    TransportServer server =
        listen(0, atServer, OPTIONS, self -> self.withVersions(here, () -> cluster));
    connect(
        server,
        new LocalProcess(CLUSTER, FORMAT, client()).withVersions(there, () -> 0),
        "s1",
        atClient);
    LinkVersions atTheClient = versions(atClient.await(Up.class).link());
    LinkVersions atTheServer = versions(atServer.await(Up.class).link());
    assertThat(atTheClient).isEqualTo(new LinkVersions(atTheServer.link(), here, cluster));
    assertThat(atTheServer.peer()).isEqualTo(there);
    return atTheServer.link();
  }

  private static LinkVersions versions(Link link) throws Exception {
    return Objects.requireNonNull(
        link.eventLoop().submit(link::versions).get(10, TimeUnit.SECONDS));
  }

  @Test
  void rangesWithoutACommonVersionAreRefusedOnBothSides() throws Exception {
    TransportServer server =
        listen(0, atServer, OPTIONS, self -> self.withVersions(new VersionRange(4, 6), () -> 0));
    connect(
        server,
        new LocalProcess(CLUSTER, FORMAT, client()).withVersions(new VersionRange(2, 3), () -> 0),
        "s1",
        atClient);
    LinkFailure reason = atClient.next(Failed.class).reason();
    assertThat(reason.kind()).isEqualTo(LinkFailure.Kind.REFUSED);
    assertThat(reason.detail())
        .contains("speaks versions 4 to 6 of the protocol")
        .contains("speaks versions 2 to 3")
        .contains("replace the program of client c1 by a release that speaks 4 to 6");
  }

  @Test
  void whoDoesNotSpeakTheVersionOfTheClusterIsRefused() throws Exception {
    TransportServer server =
        listen(0, atServer, OPTIONS, self -> self.withVersions(new VersionRange(3, 5), () -> 5));
    assertThat(refusedBy(server, new VersionRange(3, 4)))
        .contains("uses version 5", "client c1 speaks versions 3 to 4", "cannot be undone");
    TransportServer behind =
        listen(0, atServer, OPTIONS, self -> self.withVersions(new VersionRange(3, 5), () -> 3));
    assertThat(refusedBy(behind, new VersionRange(4, 6)))
        .contains("uses version 3", "client c1 speaks versions 4 to 6", "'morty upgrade finish'");
  }

  private String refusedBy(TransportServer server, VersionRange there) throws Exception {
    Link link =
        connect(
            server,
            new LocalProcess(CLUSTER, FORMAT, client()).withVersions(there, () -> 0),
            "s1",
            atClient);
    LinkFailure reason = atClient.await(Failed.class).reason();
    on(link, Link::close);
    assertThat(reason.kind()).isEqualTo(LinkFailure.Kind.REFUSED);
    return reason.detail();
  }

  @Test
  void aServerHearsFromAnotherOneThatTheClusterUsesAVersionThatItDoesNotSpeak() throws Exception {
    TransportServer server =
        TransportServer.listen(
            loops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new LocalProcess(CLUSTER, FORMAT, new PeerInfo.Server("s1", "far")),
            OPTIONS,
            DelayMatrix.NONE,
            (peer, identity) -> null,
            loop -> atServer);
    toClose.add(server);
    int newer = WireContract.VERSIONS.newest() + 1;
    VersionRange speaks = new VersionRange(WireContract.VERSIONS.oldest(), newer);
    connect(
        server,
        new LocalProcess(CLUSTER, FORMAT, new PeerInfo.Server("s0", "far"))
            .withVersions(speaks, () -> newer),
        "s1",
        atClient);
    assertThat(atClient.next(Failed.class).reason().detail())
        .contains("uses version " + newer, "server 's1' speaks " + WireContract.VERSIONS.words());
  }

  /** Of a peer of the same version, the same field is an error. */
  @Test
  void unknownFieldsOfANewerPeerAreSkipped() throws Exception {
    TransportServer server = listen(0, atServer);
    int newest = WireContract.VERSIONS.newest();
    for (int version : new int[] {newest + 1, newest}) {
      try (RawPeer peer = new RawPeer(server.address())) {
        peer.send(hello(WireContract.VERSIONS.oldest(), version, 0));
        assertThat(Objects.requireNonNull(peer.receive()).hasHello()).isTrue();
        peer.send(newerGet());
        if (version > newest) {
          assertThat(atServer.await(Got.class).message())
              .isEqualTo(new Message.Get(new TxnId(1, 1, 0), 7, Key.of("key")));
        } else {
          assertThat(rejection(peer)).contains("unexpected field 99 of wire type 2 in Get");
        }
      }
    }
  }

  private static Frame newerGet() {
    Envelope.Builder envelope = Envelope.newBuilder().setFromClient(1);
    envelope.getToReplicaBuilder().setPartition(0).setIndex(1);
    var get = envelope.getGetBuilder().setRequest(7).setKey(ByteString.copyFromUtf8("key"));
    get.getTxnBuilder().setTimeMicros(1).setClientId(1);
    get.setUnknownFields(
        UnknownFieldSet.newBuilder()
            .addField(
                99,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(ByteString.copyFromUtf8("of tomorrow"))
                    .build())
            .build());
    return Frame.newBuilder().addEnvelopes(envelope).build();
  }

  // ---- questions ----------------------------------------------------------------------------

  @Test
  void aQuestionIsAnswered() throws Exception {
    Reply.Versions versions = new Reply.Versions(new VersionRange(3, 4), 3, 1, 2, 7, 3);
    List<Question> asked = new CopyOnWriteArrayList<>();
    RecordingListener answering =
        new RecordingListener() {
          @Override
          public CompletableFuture<Reply> onQuestion(Link link, Question question) {
            asked.add(question);
            return switch (question) {
              case Question.AskLayout() ->
                  CompletableFuture.completedFuture(new Reply.Shared("x".repeat(900_000)));
              case Question.AskMaps(int _) ->
                  CompletableFuture.completedFuture(new Reply.Maps(List.of(), 0));
              case Question.AskVersions() -> CompletableFuture.supplyAsync(() -> versions);
              case Question.UseVersion(int version) ->
                  CompletableFuture.completedFuture(new Reply.Refused("not " + version));
            };
          }
        };
    Link link = connect(listen(0, answering));
    atClient.next(Up.class);
    assertThat(ask(link, new Question.AskVersions())).isEqualTo(versions);
    assertThat(ask(link, new Question.AskLayout()))
        .isEqualTo(new Reply.Shared("x".repeat(900_000)));
    assertThat(ask(link, new Question.UseVersion(9))).isEqualTo(new Reply.Refused("not 9"));
    assertThat(asked)
        .containsExactly(
            new Question.AskVersions(), new Question.AskLayout(), new Question.UseVersion(9));
  }

  private static Reply ask(Link link, Question question) throws Exception {
    return asking(link, question).get(10, TimeUnit.SECONDS);
  }

  private static CompletableFuture<Reply> asking(Link link, Question question) {
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    link.eventLoop()
        .execute(
            () -> {
              var _ =
                  link.ask(question)
                      .whenComplete(
                          (reply, failure) -> {
                            if (failure == null) {
                              answer.complete(reply);
                            } else {
                              answer.completeExceptionally(failure);
                            }
                          });
            });
    return answer;
  }

  @Test
  void whoAsksAgainBeforeTheAnswerIsDisconnected() throws Exception {
    RecordingListener silent =
        new RecordingListener() {
          @Override
          public CompletableFuture<Reply> onQuestion(Link link, Question question) {
            return new CompletableFuture<>();
          }
        };
    TransportServer server = listen(0, silent);
    Frame question =
        Frame.newBuilder()
            .setAsk(Ask.newBuilder().setVersions(AskVersions.getDefaultInstance()))
            .build();
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      peer.send(question);
      peer.send(question);
      assertThat(rejection(peer)).contains("asked again before it had the answer");
    }
    Link link = connect(server);
    atClient.next(Up.class);
    CompletableFuture<Reply> waiting = asking(link, new Question.AskVersions());
    assertThatThrownBy(() -> ask(link, new Question.AskVersions()))
        .hasRootCauseInstanceOf(IllegalStateException.class);
    server.close();
    assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(LinkDownException.class);
  }

  @Test
  void aNewcomerMayAskForTheLayoutOnceAndNothingElse() throws Exception {
    RecordingListener answering =
        new RecordingListener() {
          @Override
          public CompletableFuture<Reply> onQuestion(Link link, Question question) {
            return CompletableFuture.completedFuture(new Reply.Shared("{}"));
          }
        };
    TransportServer server = listen(0, answering);
    Ask layout = Ask.newBuilder().setLayout(AskLayout.getDefaultInstance()).build();
    Ask versions = Ask.newBuilder().setVersions(AskVersions.getDefaultInstance()).build();
    Frame ping = Frame.newBuilder().setPing(Ping.newBuilder().setToken(1)).build();
    Frame allowed = Frame.newBuilder().setAsk(layout).build();
    for (Frame next :
        List.of(
            allowed,
            Frame.newBuilder().setAsk(versions).build(),
            ping,
            bigGet(1).toBuilder().build(),
            newerGet())) {
      try (RawPeer peer = new RawPeer(server.address())) {
        Frame.Builder hello = RawPeer.hello(CLUSTER, WireContract.VERSIONS.oldest(), 1).toBuilder();
        hello.getHelloBuilder().clearRegion().setNewcomer("");
        peer.send(hello.build());
        assertThat(Objects.requireNonNull(peer.receive()).hasHello()).isTrue();
        peer.send(allowed);
        assertThat(Objects.requireNonNull(peer.receive()).getAnswer().getLayout()).isEqualTo("{}");
        peer.send(next);
        assertThat(rejection(peer)).isNotEmpty();
      }
    }
    assertThat(answering.isEmpty()).isTrue();
  }

  @Test
  void aMalformedQuestionIsRefused() throws Exception {
    TransportServer server = listen(0, atServer);
    for (Frame frame :
        List.of(
            Frame.newBuilder().setAsk(Ask.newBuilder()).build(),
            Frame.newBuilder()
                .setAsk(Ask.newBuilder().setUseVersion(UseVersion.newBuilder().setVersion(0)))
                .build(),
            Frame.newBuilder()
                .setAsk(Ask.newBuilder().setUseVersion(UseVersion.newBuilder().setVersion(-1)))
                .build(),
            Frame.newBuilder()
                .setAsk(Ask.newBuilder().setLayout(AskLayout.getDefaultInstance()))
                .setAnswer(Answer.newBuilder())
                .build())) {
      try (RawPeer peer = new RawPeer(server.address())) {
        peer.shakeHands(CLUSTER, 2);
        peer.send(frame);
        assertThat(rejection(peer)).startsWith("malformed frame: ");
      }
    }
  }

  @Test
  void aMalformedFrameClosesItsConnectionAlone() throws Exception {
    TransportServer server = listen(0, atServer);
    Link good = connect(server);
    atClient.next(Up.class);
    for (byte[] garbage :
        List.of(
            new byte[] {0, 0, 0, 3, 1, 2, 3},
            new byte[] {-1, 0, 0, 3, 1, 2, 3},
            new byte[] {1, 0, 0, 1, 1, 2, 3})) {
      try (RawPeer peer = new RawPeer(server.address())) {
        assertThat(peer.shakeHands(CLUSTER, 2).hasHello()).isTrue();
        peer.send(garbage);
        assertThat(rejection(peer)).contains("malformed frame: ");
        assertThat(peer.receive()).isNull();
        assertThat(atServer.await(Down.class).reason().kind())
            .isEqualTo(LinkFailure.Kind.MALFORMED);
      }
    }
    assertThatStillWorks(good);
  }

  @Test
  void whoDoesNotBeginWithAHelloIsRefused() throws Exception {
    TransportServer server = listen(0, atServer);
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.send("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      assertThat(rejection(peer))
          .contains("at most " + WireContract.MAX_HANDSHAKE_BYTES + " before the handshake");
    }
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.send(Frame.newBuilder().addEnvelopes(Envelope.newBuilder().setFromClient(1)).build());
      assertThat(rejection(peer)).contains("handshake");
    }
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.send(RawPeer.hello("a cluster\nwith a line of its own", 1, 1));
      assertThat(rejection(peer)).contains("Hello.cluster must be 1 to 64 of letters");
    }
  }

  @Test
  void whoSaysNothingIsDisconnected() throws Exception {
    TransportServer server = listen(0, atServer, hasty());
    try (RawPeer silent = new RawPeer(server.address())) {
      assertThat(silent.receive()).isNull();
    }
  }

  private static LinkOptions hasty() {
    return new LinkOptions(
        OPTIONS.lowWaterMarkBytes(),
        OPTIONS.highWaterMarkBytes(),
        OPTIONS.maxOutboundBytes(),
        OPTIONS.connectTimeout(),
        Duration.ofMillis(100),
        OPTIONS.minBackoff(),
        OPTIONS.maxBackoff());
  }

  @Test
  void whoBelievesSomethingElseOfTheClusterIsRefused() throws Exception {
    Layout here = new Layout(4, 1, "morty", 7);
    TransportServer server =
        TransportServer.listen(
            loops,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new LocalProcess(
                CLUSTER,
                FORMAT,
                new PeerInfo.Server("s1", "far"),
                null,
                () -> 1,
                here,
                WireContract.VERSIONS,
                () -> 0),
            OPTIONS,
            DelayMatrix.NONE,
            (peer, identity) -> null,
            loop -> atServer);
    try {
      assertThat(refused(server, new Layout(8, 1, "morty", 7)))
          .contains("cluster.partitions is 4 here and 8 there", "server 's1' (here)");
      assertThat(refused(server, new Layout(4, 2, "morty", 7)))
          .contains("cluster.f is 1 here and 2");
      assertThat(refused(server, new Layout(4, 1, "tapir", 7)))
          .contains("cluster.system is 'morty' here and 'tapir' there");
      assertThat(refused(server, new Layout(4, 1, "morty", 8))).contains("cluster.placement");
    } finally {
      server.close();
    }
  }

  private static String refused(TransportServer server, Layout there) throws Exception {
    try (RawPeer peer = new RawPeer(server.address())) {
      Frame.Builder hello = RawPeer.hello(CLUSTER, WireContract.VERSIONS.oldest(), 2).toBuilder();
      hello
          .getHelloBuilder()
          .getLayoutBuilder()
          .setPartitions(there.partitions())
          .setF(there.f())
          .setSystem(there.system())
          .setPlacement(there.placement());
      peer.send(hello.build());
      return rejection(peer);
    }
  }

  @Test
  void aLongRejectIsRefusedBeforeItHasArrived() throws Exception {
    TransportServer server = listen(0, atServer);
    for (int first : new int[] {3 << 3 | 2, 4 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2, 7 << 3 | 2}) {
      try (RawPeer peer = new RawPeer(server.address())) {
        peer.shakeHands(CLUSTER, 2);
        peer.send(new byte[] {0, (byte) 0xF0, 0, 0, (byte) first});
        assertThat(rejection(peer)).contains("at most " + WireContract.MAX_HANDSHAKE_BYTES);
      }
    }
  }

  @Test
  void aFrameOfMoreThan16MebibytesIsRefusedBeforeItHasArrived() throws Exception {
    TransportServer server = listen(0, atServer);
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      peer.send(new byte[] {1, 0, 0, 1, 1 << 3 | 2});
      assertThat(rejection(peer)).contains("16777217 bytes, at most 16777216");
    }
  }

  @Test
  void aFrameThatDoesNotEndIsDisconnected() throws Exception {
    TransportServer server = listen(0, atServer, hasty());
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      peer.send(unfinishedFrame(100_000));
      assertThat(peer.receive()).isNull();
      assertThat(atServer.await(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.OVERFLOW);
    }
  }

  @Test
  void aFrameThatDoesNotEndIsDisconnectedAlsoAfterAWaitOfThisSide() throws Exception {
    Reluctant reluctant = new Reluctant();
    TransportServer server = listen(0, reluctant, hasty());
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      Link back = reluctant.next(Up.class).link();
      peer.send(unfinishedFrame(100_000));
      Thread.sleep(200); // most of it is read, and its time begins
      reluctant.enough = true;
      peer.send(new byte[100]);
      Thread.sleep(1_000); // more than the time for a frame: 600 ms
      reluctant.enough = false;
      on(back, Link::goOn);
      assertThat(peer.receive()).isNull();
      assertThat(reluctant.await(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.OVERFLOW);
    }
  }

  @Test
  void framesThatDoNotEndTakeABoundedMemory() throws Exception {
    TransportServer server = listen(0, atServer);
    List<RawPeer> peers = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        RawPeer peer = new RawPeer(server.address());
        peers.add(peer);
        peer.shakeHands(CLUSTER, 2 + i);
        peer.send(unfinishedFrame(Limits.MAX_FRAME_BYTES - 1));
      }
      assertThat(peers.getFirst().receive()).as("the oldest loses its connection").isNull();
      Link newest = connect(server);
      atClient.next(Up.class);
      assertThatStillWorks(newest);
    } finally {
      for (RawPeer peer : peers) {
        peer.close();
      }
    }
  }

  /** A frame of the greatest length of which only the beginning comes. */
  private static byte[] unfinishedFrame(int bytes) {
    byte[] all = new byte[WireContract.LENGTH_BYTES + bytes];
    all[0] = (byte) (Limits.MAX_FRAME_BYTES >>> 24);
    all[1] = (byte) (Limits.MAX_FRAME_BYTES >>> 16);
    all[WireContract.LENGTH_BYTES] = 1 << 3 | 2;
    return all;
  }

  @Test
  void aHostWithoutAddressIsNamed() {
    InetSocketAddress nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 7401);
    assertThat(
            catchException(
                () ->
                    TransportServer.listen(
                        loops,
                        nowhere,
                        new LocalProcess(CLUSTER, FORMAT, client()),
                        OPTIONS,
                        DelayMatrix.NONE,
                        LinkTest::admission,
                        loop -> atServer)))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot listen on nowhere.invalid:7401: the name has no address");
  }

  @Test
  void nobodySpeaksForAnotherClient() throws Exception {
    TransportServer server = listen(0, atServer);
    Link link = connect(server);
    atClient.next(Up.class);
    on(link, l -> l.send(new ClientId(0xBAD), REPLICA, get(1)));
    assertThat(atClient.await(Down.class).reason().detail())
        .contains("client c1 sent a message in the name of cbad");
  }

  @Test
  void nobodySpeaksOfTheTransactionsOfAnotherClient() throws Exception {
    TransportServer server = listen(0, atServer);
    Link link = connect(server);
    atClient.next(Up.class);
    TxnId foreign = new TxnId(TXN.timeMicros(), 0xBAD, 0);
    on(link, l -> l.send(CLIENT, REPLICA, new Message.Decide(foreign, Outcome.ABORT)));
    assertThat(atClient.await(Down.class).reason().detail())
        .contains("client c1 sent a message about transaction 1700000000000000.bad@0");
    atServer.next(Up.class);
    assertThat(atServer.next(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.MALFORMED);
  }

  @Test
  void aLinkComesUpAgainWhenItsServerDoes() throws Exception {
    TransportServer server = listen(0, atServer);
    int port = server.address().getPort();
    Link link = connect(server);
    atClient.next(Up.class);
    server.close();
    assertThat(atClient.next(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.LOST);
    assertThat(atClient.next(Failed.class).reason().detail())
        .contains("cannot connect to 127.0.0.1:" + port);
    on(link, l -> l.send(CLIENT, REPLICA, get(1)));
    await(() -> link.counters().traffic().messagesDropped() == 1);

    listen(port, atServer);
    atClient.await(Up.class);
    assertThatStillWorks(link);
  }

  /** A link is one object over many connections. */
  @Test
  void whatWasUnderWayWhenTheConnectionBrokeDoesNotHinderTheNextOne() throws Exception {
    List<Question> asked = new CopyOnWriteArrayList<>();
    RecordingListener silent =
        new RecordingListener() {
          @Override
          public CompletableFuture<Reply> onQuestion(Link link, Question question) {
            asked.add(question);
            return new CompletableFuture<>();
          }
        };
    DelayMatrix delays = new DelayMatrix(Map.of("here", Map.of("far", 100_000L)), 0, 0);
    TransportServer server = listen(0, atServer);
    LocalProcess self = new LocalProcess(CLUSTER, FORMAT, client());
    Link link = connect(server, self, "s1", silent, delays);
    silent.next(Up.class);
    var _ = asking(atServer.next(Up.class).link(), new Question.AskMaps(0));
    await(() -> asked.size() == 1);
    on(link, Link::ping);
    server.close();
    silent.await(Down.class);
    atServer.next(Down.class);

    listen(server.address().getPort(), atServer);
    silent.await(Up.class);
    on(link, Link::ping);
    var _ = asking(atServer.await(Up.class).link(), new Question.AskMaps(0));
    await(() -> asked.size() == 2);
    await(() -> link.counters().roundTripMicros() > 0);
  }

  @Test
  void aClosedLinkStaysClosed() throws Exception {
    TransportServer server = listen(0, atServer);
    Link link = connect(server);
    atClient.next(Up.class);
    atServer.next(Up.class);
    on(
        link,
        l -> {
          l.send(CLIENT, REPLICA, get(1));
          l.close();
        });
    assertThat(atServer.next(Got.class).message()).isEqualTo(get(1));
    atServer.next(Down.class);
    assertThat(atClient.next(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.CLOSED);
    Thread.sleep(3 * OPTIONS.maxBackoff().toMillis());
    assertThat(atClient.isEmpty()).isTrue();
    assertThat(atServer.isEmpty()).isTrue();
  }

  @Test
  void aPeerThatReadsTooSlowlyIsDisconnected() throws Exception {
    TransportServer server = listen(0, atServer);
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      Link back = atServer.next(Up.class).link();
      on(
          back,
          link -> {
            for (int i = 0; link.isUp() && i < 100; i++) {
              link.send(REPLICA, new ClientId(2), put(i, 1_000_000));
            }
          });
      assertThat(atServer.next(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.OVERFLOW);
    }
  }

  /** Questions that arrive together are all answered, and the answers may be long. */
  @Test
  void aPeerThatReadsNoAnswersIsDisconnected() throws Exception {
    RecordingListener answering =
        new RecordingListener() {
          @Override
          public CompletableFuture<Reply> onQuestion(Link link, Question question) {
            return CompletableFuture.completedFuture(new Reply.Shared("x".repeat(900_000)));
          }
        };
    TransportServer server = listen(0, answering);
    byte[] ask =
        Frame.newBuilder()
            .setAsk(Ask.newBuilder().setLayout(AskLayout.getDefaultInstance()))
            .build()
            .toByteArray();
    ByteBuffer asks = ByteBuffer.allocate(60 * (WireContract.LENGTH_BYTES + ask.length));
    while (asks.hasRemaining()) {
      asks.putInt(ask.length).put(ask);
    }
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, 2);
      peer.send(asks.array());
      assertThat(answering.await(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.OVERFLOW);
    }
  }

  @Test
  void framesHeldByTheEmulationCountAsWaiting() throws Exception {
    DelayMatrix delays = DelayMatrix.uniform(List.of("here", "far"), 60_000_000, 0);
    TransportServer server = listen(0, atServer);
    Link link =
        connect(server, new LocalProcess(CLUSTER, FORMAT, client()), "s1", atClient, delays);
    atClient.next(Up.class);
    on(
        link,
        l -> {
          for (int i = 0; l.isUp() && i < 100; i++) {
            l.send(CLIENT, REPLICA, put(i, 1_000_000));
          }
        });
    assertThat(atClient.next(Down.class).reason().kind()).isEqualTo(LinkFailure.Kind.OVERFLOW);
  }

  @Test
  void aServerReadsNoMoreThanItsClientDoes() throws Exception {
    int requests = 2_000;
    Message answer = put(1, 10_000);
    RecordingListener answering =
        new RecordingListener() {
          @Override
          public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
            link.send(to, from, answer);
          }
        };
    TransportServer server = listen(0, answering);
    try (RawPeer peer = new RawPeer(server.address())) {
      peer.shakeHands(CLUSTER, CLIENT.id());
      Link back = answering.next(Up.class).link();
      Thread sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      for (int i = 0; i < requests; i++) {
                        peer.send(bigGet(i));
                      }
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                  });
      long before = -1;
      while (back.counters().traffic().messagesIn() != before || before == 0) {
        before = back.counters().traffic().messagesIn();
        Thread.sleep(100);
      }
      // The server stops reading, with most requests unread.
      assertThat(before).isLessThan(requests / 2);

      int answers = 0;
      while (answers < requests) {
        Frame frame = peer.receive();
        assertThat(frame).isNotNull();
        answers += frame.getEnvelopesCount();
      }
      sender.join();
      assertThat(back.counters().traffic().messagesIn()).isEqualTo(requests);
    }
  }

  @Test
  void messagesAreDelayedAndKeepTheirOrder() throws Exception {
    long delayMicros = 20_000;
    DelayMatrix delays = new DelayMatrix(Map.of("here", Map.of("far", delayMicros)), 0.5, 0);
    TransportServer server = listen(0, atServer);
    Link link =
        connect(server, new LocalProcess(CLUSTER, FORMAT, client()), "s1", atClient, delays);
    atClient.next(Up.class);
    atServer.next(Up.class);
    long[] sentNanos = new long[30];
    for (int i = 0; i < sentNanos.length; i++) {
      int request = i;
      on(
          link,
          l -> {
            sentNanos[request] = System.nanoTime();
            l.send(CLIENT, REPLICA, get(request));
          });
      Thread.sleep(2);
    }
    for (int i = 0; i < sentNanos.length; i++) {
      Got got = atServer.next(Got.class);
      assertThat(((Message.Get) got.message()).request()).isEqualTo(i);
      assertThat(got.nanos() - sentNanos[i])
          .isGreaterThanOrEqualTo(TimeUnit.MICROSECONDS.toNanos(delayMicros));
    }
  }

  @Test
  void aLinkIsForItsEventLoopOnly() throws Exception {
    TransportServer server = listen(0, atServer);
    Link link = connect(server);
    atClient.next(Up.class);
    assertThatIllegalStateException()
        .isThrownBy(() -> link.send(CLIENT, REPLICA, get(1)))
        .withMessageContaining("link to server 's1'")
        .withMessageContaining("outside its event loop");
  }

  @Test
  void aListenerThatFailsLosesItsLinkAlone() throws Exception {
    RecordingListener failing =
        new RecordingListener() {
          @Override
          public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
            if (message.equals(get(13))) {
              throw new IllegalStateException("thirteen");
            }
            super.onMessage(link, from, to, message);
          }
        };
    TransportServer server = listen(0, failing);
    Link link = connect(server);
    RecordingListener atOther = new RecordingListener();
    Link other = connect(server, new LocalProcess(CLUSTER, FORMAT, client()), "s1", atOther);
    atClient.next(Up.class);
    atOther.next(Up.class);
    failing.next(Up.class);
    failing.next(Up.class);
    on(link, l -> l.send(CLIENT, REPLICA, get(13)));
    Down down = failing.next(Down.class);
    assertThat(down.reason().kind()).isEqualTo(LinkFailure.Kind.INTERNAL);
    assertThat(down.reason().detail()).contains("thirteen");
    on(other, l -> l.send(CLIENT, REPLICA, get(1)));
    assertThat(failing.await(Got.class).message()).isEqualTo(get(1));
  }

  @Test
  void anAddressInUseIsNamed() throws Exception {
    TransportServer server = listen(0, atServer);
    int port = server.address().getPort();
    assertThat(catchException(() -> listen(port, atServer)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + port)
        .hasMessageContaining("stop the program that uses the address");
  }

  // ---- the parts ----------------------------------------------------------------------------

  private TransportServer listen(int port, LinkListener listener) throws IOException {
    return listen(port, listener, OPTIONS);
  }

  private TransportServer listen(int port, LinkListener listener, LinkOptions options)
      throws IOException {
    return listen(port, listener, options, self -> self);
  }

  private TransportServer listen(
      int port, LinkListener listener, LinkOptions options, UnaryOperator<LocalProcess> change)
      throws IOException {
    TransportServer server =
        TransportServer.listen(
            loops,
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port),
            change.apply(new LocalProcess(CLUSTER, FORMAT, new PeerInfo.Server("s1", "far"))),
            options,
            DelayMatrix.NONE,
            LinkTest::admission,
            loop -> listener);
    toClose.add(server);
    return server;
  }

  private static @Nullable String admission(PeerInfo peer, @Nullable Identity identity) {
    return peer instanceof PeerInfo.Server ? "there is no " + peer + " here" : null;
  }

  private static PeerInfo client() {
    return new PeerInfo.Client(CLIENT, "here");
  }

  private Link connect(TransportServer server) {
    return connect(server, new LocalProcess(CLUSTER, FORMAT, client()), "s1", atClient);
  }

  private Link connect(
      TransportServer server, LocalProcess self, String name, LinkListener listener) {
    return connect(server, self, name, listener, DelayMatrix.NONE);
  }

  private Link connect(
      TransportServer server,
      LocalProcess self,
      String name,
      LinkListener listener,
      DelayMatrix delays) {
    Link link =
        TransportClient.connect(
            loops.next(),
            name,
            "127.0.0.1",
            server.address().getPort(),
            self,
            OPTIONS,
            delays,
            listener);
    toClose.addFirst(() -> on(link, Link::close));
    return link;
  }

  private void assertThatStillWorks(Link link) throws Exception {
    on(link, l -> l.send(CLIENT, REPLICA, get(4711)));
    assertThat(atServer.await(Got.class).message()).isEqualTo(get(4711));
  }

  private static void on(Link link, Consumer<Link> action) throws Exception {
    link.eventLoop().submit(() -> action.accept(link)).get(10, TimeUnit.SECONDS);
  }

  private static String rejection(RawPeer peer) throws IOException {
    Frame frame = peer.receive();
    assertThat(frame).isNotNull();
    assertThat(frame.hasReject()).isTrue();
    return frame.getReject().getReason();
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.sleep(2);
    }
  }

  private static Message get(int request) {
    return new Message.Get(TXN, request, Key.of("key"));
  }

  private static Message put(int execution, int bytes) {
    return new Message.Put(TXN, execution, new Write(Key.of("k"), 1, Value.wrap(new byte[bytes])));
  }

  /**
   * A request about as long as its answer, so that the socket's buffers cannot hold all requests.
   */
  private static Frame bigGet(int request) {
    Envelope.Builder envelope = Envelope.newBuilder().setFromClient(CLIENT.id());
    envelope.getToReplicaBuilder().setPartition(0).setIndex(1);
    var put = envelope.getPutBuilder().setExecution(request);
    put.getTxnBuilder().setTimeMicros(1).setClientId(CLIENT.id());
    put.getWriteBuilder().setValueId(1).setValue(ByteString.copyFrom(new byte[10_000]));
    return Frame.newBuilder().addEnvelopes(envelope).build();
  }
}
