package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.config.Identity;
import org.mortydb.config.Identity.Role;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkCounters;
import org.mortydb.transport.LinkVersions;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
import org.mortydb.wire.EncodedMessage;

/** Who may say what to the replicas of a server. */
@Timeout(30)
class LoopHostTest {
  private static final ReplicaId HERE = new ReplicaId(0, 0);
  private static final Message INQUIRE = new Message.Inquire(new TxnId(5, 77, 0));

  private static final String RIGHTS =
      """
      server.tls { enabled = true, certificate = c, key = k, trust = t }
      server.authorization.clients { reader = read, writer = write, operator = admin }
      """;
  private static final ClientId CLIENT = new ClientId(77);
  private static final TxnId TXN = new TxnId(5, 77, 0);
  private static final Write WRITE = new Write(Key.of("a"), 1, Value.of("1"));
  private static final ExecutionId EXECUTION = new ExecutionId(TXN, 0);
  private static final Message GET = new Message.Get(TXN, 0, Key.of("a"));
  private static final Message PUT = new Message.Put(TXN, 0, WRITE);

  /** It writes nothing, but replicas would have to vote on it for good. */
  private static final Message PREPARE =
      new Message.Prepare(EXECUTION, List.of(), List.of(), List.of(0));

  private static final Message FINALIZE =
      new Message.Finalize(TXN, View.CLIENT, Outcome.commit(0, List.of(0)));
  private static final Message CUT = new Message.ReadCut(TXN, KeyRange.ALL, 0);

  private final List<Event> received = new ArrayList<>();
  private final ServerCounters counters = new ServerCounters();
  private final EventLoopGroup group = EventLoops.create(1, "test");
  private final EventLoop loop = group.next();
  private @Nullable PartitionHost host;

  @AfterEach
  void stop() {
    var _ = group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  private LoopHost loopHost(String settings, StateMachine<Effects> machine) throws Exception {
    try (TestCluster cluster = new TestCluster(settings)) {
      Directory directory = new Directory(cluster.config, cluster.config.servers().getFirst());
      LoopHost loopHost = new LoopHost(loop, directory, counters, MicrosClock.SYSTEM);
      host = new PartitionHost(HERE, machine, loopHost, null, StorageObserver.NONE);
      directory.add(host);
      return loopHost;
    }
  }

  private LoopHost loopHost(String settings) throws Exception {
    return loopHost(settings, (nowMicros, event, out) -> received.add(event));
  }

  private LinkOf linkOf(@Nullable String client) {
    Identity identity = client == null ? null : new Identity("tea", Role.CLIENT, client);
    return new LinkOf(new PeerInfo.Client(CLIENT, "r0"), identity, loop, new ArrayList<>());
  }

  private void give(LoopHost to, Link link, Endpoint from, Message... messages) throws Exception {
    loop.submit(
            () -> {
              for (Message message : messages) {
                to.onMessage(link, from, HERE, message);
              }
            })
        .get();
  }

  private static List<Event> events(Message... messages) {
    return Stream.of(messages).<Event>map(one -> new Event.Received(CLIENT, one)).toList();
  }

  /** docs/protocol.md, section 12, One length. */
  @Test
  void clientsHearTheLongestSlotsOfAll() throws Exception {
    LoopHost loopHost = loopHost("");
    assertThat(loopHost.onSlots(linkOf(null), 0)).isZero();
    assertThat(loopHost.onSlots(linkOf(null), 8_000)).isEqualTo(8_000);
    assertThat(loopHost.onSlots(linkOf(null), 2_000)).isEqualTo(8_000);
  }

  @Test
  void aReplicaSpeaksFromItsOwnServer() throws Exception {
    LoopHost loopHost = loopHost("");
    Link link = new LinkOf(new PeerInfo.Server("s1", "r1"), null, loop, new ArrayList<>());
    give(loopHost, link, new ReplicaId(0, 1), INQUIRE);
    give(loopHost, link, new ReplicaId(0, 2), INQUIRE);
    assertThat(received).containsExactly(new Event.Received(new ReplicaId(0, 1), INQUIRE));
    assertThat(counters.wrongPartition()).isEqualTo(1);
  }

  @Test
  void aClientSendsNoMessagesOfReplicasWhateverItsRight() throws Exception {
    Message[] ofReplicas = {
      new Message.Recover(TXN, new View(1, 1)),
      new Message.Fetch(EXECUTION),
      new Message.FetchReply(EXECUTION, List.of(), List.of(WRITE), List.of(0)),
      new Message.NotHeld(EXECUTION),
      new Message.TruncatePrepare(TXN, 1),
      new Message.TruncateCommit(TXN, TXN, List.of()),
      new Message.Watermark(0, TXN),
      new Message.Behind(TXN, TXN),
      new Message.Copy(TXN, KeyRange.ALL.from(), TXN)
    };
    LinkOf link = linkOf("operator");
    give(loopHost(RIGHTS), link, CLIENT, ofReplicas);
    assertThat(received).isEmpty();
    assertThat(link.sent).isEmpty();
    assertThat(counters.notAuthorized()).isEqualTo(ofReplicas.length);
  }

  @Test
  void aReaderReachesAReplicaOnlyWithWhatCommitsNothing() throws Exception {
    LinkOf link = linkOf("reader");
    give(loopHost(RIGHTS), link, CLIENT, GET, PUT, CUT, INQUIRE, PREPARE, FINALIZE);
    assertThat(received).containsExactlyElementsOf(events(GET, INQUIRE));
    assertThat(link.sent)
        .hasSize(4)
        .allSatisfy(
            sent -> {
              assertThat(sent.txn()).isEqualTo(TXN);
              assertThat(((Message.Refused) sent).reason()).isEqualTo(Refusal.NOT_AUTHORIZED);
            });
    assertThat(counters.notAuthorized()).isEqualTo(4);
  }

  @Test
  void aWriterMayNotAdministrate() throws Exception {
    LinkOf link = linkOf("writer");
    give(loopHost(RIGHTS), link, CLIENT, GET, PUT, CUT);
    assertThat(received).containsExactlyElementsOf(events(GET, PUT));
    assertThat(counters.notAuthorized()).isEqualTo(1);
  }

  @Test
  void anAdministratorMayDoAll() throws Exception {
    give(loopHost(RIGHTS), linkOf("operator"), CLIENT, GET, PUT, CUT);
    assertThat(received).containsExactlyElementsOf(events(GET, PUT, CUT));
  }

  @Test
  void withoutTlsEverybodyMayDoAll() throws Exception {
    give(loopHost(""), linkOf(null), CLIENT, GET, PUT, CUT);
    assertThat(received).containsExactlyElementsOf(events(GET, PUT, CUT));
  }

  @Test
  void outcomesThatContradictEachOtherAreCountedAndLogged() throws Exception {
    Topology topology = new Topology(1, 0);
    Replica replica = new Replica(HERE, topology, ReplicaOptions.DEFAULTS, ReplicaRules.SOUND);
    LoopHost loopHost = loopHost(RIGHTS, replica);
    TxnId now = new TxnId(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), CLIENT.id(), 0);
    ExecutionId execution = new ExecutionId(now, 0);
    give(
        loopHost,
        linkOf("writer"),
        CLIENT,
        new Message.Prepare(execution, List.of(), List.of(), List.of(0)),
        new Message.Decide(now, Outcome.commit(0, List.of(0))));
    tick(loopHost);
    assertThat(counters.dropped()).containsEntry("contradiction", 0L);
    give(loopHost, linkOf("reader"), CLIENT, new Message.Decide(now, Outcome.ABORT));
    tick(loopHost);
    assertThat(counters.dropped()).containsEntry("contradiction", 1L);
    assertThat(counters.stoppedPartitions()).isZero();
  }

  private void tick(LoopHost loopHost) throws Exception {
    loop.submit(() -> loopHost.run(host, new Event.TimerFired(Timer.TICK))).get();
  }

  /** A link that keeps what is sent to its peer. */
  private record LinkOf(
      PeerInfo peer, @Nullable Identity identity, EventLoop eventLoop, List<Message> sent)
      implements Link {
    @Override
    public void send(Endpoint from, Endpoint to, Message message) {
      sent.add(message);
    }

    @Override
    public void send(Endpoint from, Endpoint to, EncodedMessage message) {}

    @Override
    public boolean isUp() {
      return true;
    }

    @Override
    public void ping() {}

    @Override
    public LinkCounters counters() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void goOn() {}

    @Override
    public @Nullable LinkVersions versions() {
      return null;
    }

    @Override
    public CompletableFuture<Reply> ask(Question question) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void refuse(String reason) {}

    @Override
    public void close() {}
  }
}
