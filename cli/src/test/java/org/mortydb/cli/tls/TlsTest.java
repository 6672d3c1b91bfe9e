package org.mortydb.cli.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.netty.handler.ssl.OpenSsl;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.Result;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.Identity;
import org.mortydb.config.Identity.Role;
import org.mortydb.config.ServerSpec;
import org.mortydb.config.TlsFiles;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.tls.Tls;
import org.slf4j.LoggerFactory;

/** Real servers with TLS, and those who should not be let in; a good client works throughout. */
@Tag("slow")
@Timeout(60)
class TlsTest {
  @TempDir Path folder;
  private TlsCluster cluster;
  private MortyClient good;
  private Logged logged;

  @BeforeEach
  void start() throws Exception {
    logged = new Logged();
    cluster = new TlsCluster(folder, "").startAll();
    good = cluster.connect();
    TlsCluster.write(good, "secret");
  }

  /** Whatever the test did, nobody else noticed and nothing was served or changed. */
  @AfterEach
  void stop() {
    try (Logged log = logged;
        TlsCluster servers = cluster;
        MortyClient client = good) {
      assertThat(TlsCluster.read(client)).isEqualTo("secret");
      TlsCluster.write(client, "after");
      for (ServerSpec server : servers.config.servers()) {
        assertThat(servers.server(server.name()).counters().stoppedPartitions()).isZero();
      }
    }
  }

  private ServerSpec server(int index) {
    return cluster.config.servers().get(index);
  }

  private Tls tls(Role role, String name) throws Exception {
    return Tls.load(cluster.files(role, name), Duration.ofHours(1));
  }

  // ---- who is let in ------------------------------------------------------------------------

  @Test
  void theIdentityOfAClientIsThatOfItsCertificate() throws Exception {
    Tls bob = tls(Role.CLIENT, "bob");
    ClientId id = new ClientId(bob.identity().clientId(7));
    try (Peer peer = new Peer(new PeerInfo.Client(id, "r0"), bob).connect(server(1))) {
      Link link = peer.awaitUp();
      assertThat(link.identity()).isEqualTo(new Identity("tea", Role.SERVER, "s1"));
      assertThat(link.peer()).isEqualTo(new PeerInfo.Server("s1", "r1"));
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "os.arch", matches = "amd64")
  @EnabledIfSystemProperty(named = "os.name", matches = "Linux")
  void boringSslIsUsedWhereItIsThere() throws Exception {
    assertThat(OpenSsl.isAvailable()).as("%s", OpenSsl.unavailabilityCause()).isTrue();
    assertThat(OpenSsl.versionString()).contains("BoringSSL");
    Logger log = (Logger) LoggerFactory.getLogger(Tls.class);
    log.setLevel(Level.INFO);
    tls(Role.CLIENT, "bob");
    log.setLevel(null);
    logged.await("TLS by " + OpenSsl.versionString() + " as client 'bob' of cluster 'tea'");
  }

  // ---- who is not ---------------------------------------------------------------------------

  /** By an alert, which the end of the connection can overtake. */
  private static void assertRefused(RawTls peer) throws Exception {
    assertThat(peer.end()).containsAnyOf("fatal alert", "reset");
  }

  @Test
  void aPeerWithoutACertificateGetsNothing() throws Exception {
    try (RawTls peer = new RawTls(server(0), null)) {
      assertThat(peer.serverCertificate().getSubjectX500Principal().getName()).contains("s0");
      assertRefused(peer);
      logged.await("closing the connection to 127.0.0.1: ", "presented no certificate");
    }
  }

  @Test
  void aPeerThatKnowsOnlyAnOlderTlsIsRefused() throws Exception {
    try (RawTls peer = new RawTls(server(0), cluster.issue(Role.CLIENT, "dave"), "TLSv1.2")) {
      assertThatThrownBy(peer::serverCertificate).isInstanceOf(SSLException.class);
    }
  }

  @Test
  void aCertificateOfAnotherCaIsRefusedByTheServer() throws Exception {
    CertificateAuthority other = CertificateAuthority.create("tea", TlsCluster.inDays(1));
    Identity alice = new Identity("tea", Role.CLIENT, "alice");
    IssuedCertificate forged = other.issue(alice, TlsCluster.inDays(1));
    try (RawTls peer = new RawTls(server(0), forged)) {
      assertRefused(peer);
      logged.await("the peer's certificate is not accepted: it was not signed by a trusted CA");
    }
    // A Morty client that believes both CAs hears of it, too.
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    forged.write(theirs);
    other.write(theirs);
    Path both = theirs.resolve("both.crt");
    Files.writeString(
        both,
        Files.readString(theirs.resolve("ca.crt")) + Files.readString(folder.resolve("ca.crt")));
    TlsFiles files =
        new TlsFiles(theirs.resolve("client-alice.crt"), theirs.resolve("client-alice.key"), both);
    assertThatThrownBy(
            () -> MortyClient.connect(cluster.config, TlsCluster.options().withTls(files)))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("server 's0' at 127.0.0.1:")
        .hasMessageContaining("the peer refused the TLS connection (alert ")
        .hasMessageContaining("see the log of the peer");
  }

  @Test
  void aServerOfAnotherCaIsRefusedByTheClient() throws Exception {
    CertificateAuthority other = CertificateAuthority.create("tea", TlsCluster.inDays(1));
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    other.write(theirs);
    other.issue(new Identity("tea", Role.CLIENT, "eve"), TlsCluster.inDays(1)).write(theirs);
    TlsFiles files =
        new TlsFiles(
            theirs.resolve("client-eve.crt"),
            theirs.resolve("client-eve.key"),
            theirs.resolve("ca.crt"));
    assertThatThrownBy(
            () -> MortyClient.connect(cluster.config, TlsCluster.options().withTls(files)))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining(
            "the peer's certificate is not accepted: it was not signed by a trusted CA");
    logged.await("the peer refused the TLS connection (alert ");
  }

  @Test
  void anExpiredCertificateIsRefused() throws Exception {
    Identity alice = new Identity("tea", Role.CLIENT, "alice");
    IssuedCertificate expired =
        cluster.authority.issue(alice, TlsCluster.inDays(-2), TlsCluster.inDays(-1));
    assertRefusedBecause(expired, "the peer's certificate is not accepted: it has expired");
    IssuedCertificate early =
        cluster.authority.issue(alice, TlsCluster.inDays(1), TlsCluster.inDays(2));
    assertRefusedBecause(early, "the peer's certificate is not accepted: it is not valid yet");
  }

  /** A process that has logged many refusals leaves some out, so this may take several of them. */
  private void assertRefusedBecause(IssuedCertificate own, String reason) throws Exception {
    for (int refusals = 0; refusals < 10 && !logged.has(reason); refusals++) {
      try (RawTls peer = new RawTls(server(0), own)) {
        assertRefused(peer);
      }
      Thread.sleep(refusals == 0 ? 100 : 1_000);
    }
    logged.await(reason);
  }

  @Test
  void aClientDoesNotPassForAServer() throws Exception {
    PeerInfo pretended = new PeerInfo.Server("s1", "r1");
    try (Peer peer = new Peer(pretended, tls(Role.CLIENT, "bob")).connect(server(0))) {
      assertImpostorRefused(
          peer,
          "server 's1' presented the certificate of client 'bob' of cluster 'tea'",
          "be server 's1'");
    }
  }

  @Test
  void aServerDoesNotPassForAnother() throws Exception {
    PeerInfo pretended = new PeerInfo.Server("s1", "r1");
    try (Peer peer = new Peer(pretended, tls(Role.SERVER, "s2")).connect(server(0))) {
      assertImpostorRefused(
          peer,
          "server 's1' presented the certificate of server 's2' of cluster 'tea'",
          "be server 's1'");
    }
  }

  @Test
  void aClientDoesNotTakeTheIdOfAnother() throws Exception {
    ClientId ofAlice = new ClientId(new Identity("tea", Role.CLIENT, "alice").clientId(1));
    PeerInfo pretended = new PeerInfo.Client(ofAlice, "r0");
    try (Peer peer = new Peer(pretended, tls(Role.CLIENT, "bob")).connect(server(0))) {
      assertImpostorRefused(peer, "the certificate of client 'bob'", "use this client id");
    }
    try (Peer peer = new Peer(pretended, tls(Role.SERVER, "s1")).connect(server(0))) {
      assertImpostorRefused(peer, "the certificate of server 's1'", "use this client id");
    }
  }

  @Test
  void aCertificateOfAnotherClusterIsRefused() throws Exception {
    Identity stranger = new Identity("coffee", Role.CLIENT, "bob");
    IssuedCertificate issued = cluster.authority.issue(stranger, TlsCluster.inDays(1));
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    issued.write(theirs);
    Tls tls =
        Tls.load(
            new TlsFiles(
                theirs.resolve("client-bob.crt"),
                theirs.resolve("client-bob.key"),
                folder.resolve("ca.crt")),
            Duration.ofHours(1));
    ClientId id = new ClientId(stranger.clientId(1));
    try (Peer peer = new Peer(new PeerInfo.Client(id, "r0"), tls).connect(server(0))) {
      assertImpostorRefused(
          peer, "client 'bob' of cluster 'coffee'", "allow it to join cluster 'tea'");
    }
  }

  private void assertImpostorRefused(Peer peer, String shown, String claim) throws Exception {
    LinkFailure failure = peer.awaitFailure();
    assertThat(failure.kind()).isEqualTo(LinkFailure.Kind.REFUSED);
    assertThat(failure.detail()).contains("refused by the peer: ").contains(shown).contains(claim);
    assertThat(peer.wasEverUp()).isFalse();
    logged.await("closing the connection to ", shown, claim);
  }

  @Test
  void whoListensWithTheWrongCertificateIsRefusedByThoseWhoConnect() throws Exception {
    // A client's certificate is none for a server; a server's is one for its own name alone.
    Tls alice = tls(Role.CLIENT, "alice");
    PeerInfo s1 = new PeerInfo.Server("s1", "r1");
    ClientId id = new ClientId(alice.identity().clientId(3));
    try (Peer trap = new Peer(s1, tls(Role.CLIENT, "bob"));
        Peer victim = new Peer(new PeerInfo.Client(id, "r0"), alice)) {
      InetSocketAddress address = trap.listen();
      victim.connect("s1", address.getHostString(), address.getPort());
      assertThat(victim.awaitFailure().detail())
          .contains("the peer's certificate is not accepted: ")
          .contains("server authentication");
    }
    try (Peer trap = new Peer(s1, tls(Role.SERVER, "s2"));
        Peer victim = new Peer(new PeerInfo.Client(id, "r0"), alice)) {
      InetSocketAddress address = trap.listen();
      victim.connect("s1", address.getHostString(), address.getPort());
      assertThat(victim.awaitFailure().detail())
          .contains("server 's1' presented the certificate of server 's2'");
    }
  }

  // ---- plain text ---------------------------------------------------------------------------

  @Test
  void aPlainTextClientHearsThatTlsIsWanted() {
    assertThatThrownBy(() -> MortyClient.connect(cluster.plainConfig, TlsCluster.options()))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("this process requires TLS")
        .hasMessageContaining("server.tls.enabled must be the same");
  }

  @Test
  void aTlsClientHearsThatTheServerTalksPlainText() throws Exception {
    PeerInfo plain = new PeerInfo.Server("s1", "r1");
    Tls alice = tls(Role.CLIENT, "alice");
    ClientId id = new ClientId(alice.identity().clientId(3));
    try (Peer server = new Peer(plain, null);
        Peer client = new Peer(new PeerInfo.Client(id, "r0"), alice)) {
      InetSocketAddress address = server.listen();
      client.connect("s1", address.getHostString(), address.getPort());
      LinkFailure failure = client.awaitFailure();
      assertThat(failure.kind()).isEqualTo(LinkFailure.Kind.REFUSED);
      assertThat(failure.detail()).contains("this process requires TLS");
      logged.await("the peer requires TLS");
      assertThat(server.wasEverUp()).isFalse();
    }
  }

  // ---- garbage ------------------------------------------------------------------------------

  @Test
  void garbageClosesItsConnectionAlone() throws Exception {
    SplittableRandom random = new SplittableRandom(20);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = new byte[1 + random.nextInt(2_000)];
      random.nextBytes(bytes);
      switch (i % 3) {
        case 0 -> {} // noise
        case 1 -> { // a TLS record of noise
          bytes = record(22, bytes);
        }
        default -> { // one that says it is a ClientHello
          bytes[0] = 1;
          bytes = record(22, bytes);
        }
      }
      ServerSpec to = server(i % 3);
      try (Socket socket = new Socket(to.host(), to.port())) {
        socket.setSoTimeout(10_000);
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        assertThat(RawTls.drain(socket)).as("an alert or a refusal, no more").isLessThan(512);
      }
      if (i % 100 == 0) {
        assertThat(TlsCluster.read(good)).isEqualTo("secret");
      }
    }
  }

  private static byte[] record(int type, byte[] content) {
    byte[] record = new byte[5 + content.length];
    record[0] = (byte) type;
    record[1] = 3;
    record[2] = 1;
    record[3] = (byte) (content.length >>> 8);
    record[4] = (byte) content.length;
    System.arraycopy(content, 0, record, 5, content.length);
    return record;
  }

  @Test
  void garbageWithinTlsClosesItsConnectionAlone() throws Exception {
    IssuedCertificate issued =
        cluster.authority.issue(new Identity("tea", Role.CLIENT, "bob"), TlsCluster.inDays(1));
    SplittableRandom random = new SplittableRandom(21);
    for (int i = 0; i < 20; i++) {
      byte[] bytes = new byte[4 + random.nextInt(2_000)];
      random.nextBytes(bytes);
      bytes[0] = 1; // no frame is that long
      try (RawTls peer = new RawTls(server(i % 3), issued)) {
        peer.send(bytes);
        assertThat(peer.end()).doesNotContain("timed out");
      }
    }
    logged.await("malformed frame: ", "client 'bob' of cluster 'tea' at ");
  }

  @Test
  void whoSpeaksPlainHttpIsTold() throws Exception {
    try (Socket socket = new Socket(server(0).host(), server(0).port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer).contains("this process requires TLS");
    }
  }

  // ---- renewal ------------------------------------------------------------------------------

  @Test
  void renewedCertificatesAreShownToNewConnections() throws Exception {
    ClientId id = new ClientId(new Identity("tea", Role.CLIENT, "bob").clientId(8));
    try (Peer before =
        new Peer(new PeerInfo.Client(id, "r0"), tls(Role.CLIENT, "bob")).connect(server(0))) {
      Link open = before.awaitUp();
      renewAgainAndAgain();
      assertThat(open.isUp()).as("connections that are open stay as they are").isTrue();
      assertThat(before.failures).isEmpty();
    }
  }

  private void renewAgainAndAgain() throws Exception {
    IssuedCertificate first = renewed("s0");
    assertThat(serialOf(0)).isEqualTo(first.certificate().getSerialNumber());

    // What cannot be used is not.
    Files.writeString(folder.resolve("server-s0.key"), "broken");
    assertThat(serialOf(0)).isEqualTo(first.certificate().getSerialNumber());
    logged.await("stay in use", "server-s0.key holds nothing in PEM");

    // Neither is the certificate of somebody else.
    Files.delete(folder.resolve("server-s0.key"));
    Files.delete(folder.resolve("server-s0.crt"));
    Files.copy(folder.resolve("server-s1.key"), folder.resolve("server-s0.key"));
    Files.copy(folder.resolve("server-s1.crt"), folder.resolve("server-s0.crt"));
    assertThat(serialOf(0)).isEqualTo(first.certificate().getSerialNumber());
    logged.await("is now that of server 's1' of cluster 'tea'");

    IssuedCertificate second = renewed("s0");
    assertThat(serialOf(0)).isEqualTo(second.certificate().getSerialNumber());
  }

  private IssuedCertificate renewed(String server) throws Exception {
    Files.delete(folder.resolve("server-" + server + ".key"));
    Files.delete(folder.resolve("server-" + server + ".crt"));
    return cluster.issue(Role.SERVER, server);
  }

  private java.math.BigInteger serialOf(int server) throws Exception {
    IssuedCertificate issued =
        cluster.authority.issue(new Identity("tea", Role.CLIENT, "bob"), TlsCluster.inDays(1));
    try (RawTls peer = new RawTls(server(server), issued)) {
      return peer.serverCertificate().getSerialNumber();
    }
  }

  @Test
  void theCaIsChangedWithoutARestart() throws Exception {
    CertificateAuthority next = CertificateAuthority.create("tea", TlsCluster.inDays(1));
    Path theirs = Files.createDirectory(folder.resolve("next"));
    next.write(theirs);
    Path trust = folder.resolve("ca.crt");
    String old = Files.readString(trust);
    String both = old + Files.readString(theirs.resolve("ca.crt"));
    replace(trust, both);
    assertThat(serialOf(0)).as("a client of the old CA is let in").isNotNull();
    for (ServerSpec server : cluster.config.servers()) {
      Identity identity = new Identity("tea", Role.SERVER, server.name());
      Files.delete(folder.resolve("server-" + server.name() + ".key"));
      Files.delete(folder.resolve("server-" + server.name() + ".crt"));
      next.issue(identity, TlsCluster.inDays(1)).write(folder);
    }
    Identity alice = new Identity("tea", Role.CLIENT, "alice");
    Files.delete(folder.resolve("client-alice.key"));
    Files.delete(folder.resolve("client-alice.crt"));
    next.issue(alice, TlsCluster.inDays(1)).write(folder);
    replace(trust, Files.readString(theirs.resolve("ca.crt")));
    try (MortyClient client = cluster.connect()) {
      assertThat(TlsCluster.read(client)).isEqualTo("secret");
    }
    IssuedCertificate former =
        cluster.authority.issue(new Identity("tea", Role.CLIENT, "bob"), TlsCluster.inDays(1));
    try (RawTls peer = new RawTls(server(0), former)) {
      assertRefused(peer);
    }
    logged.await("the peer's certificate is not accepted: it was not signed by a trusted CA");
  }

  private static void replace(Path file, String text) throws Exception {
    Path next = Files.writeString(file.resolveSibling("next.tmp"), text);
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void aServerComesBackAfterARestart() throws Exception {
    cluster.stop("s2");
    TlsCluster.write(good, "secret");
    cluster.start("s2");
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!(good.run(
                txn -> {
                  txn.put(TlsCluster.KEY, "secret");
                  return null;
                })
            instanceof Result.Committed<Object> committed)
        || committed.info().path() != org.mortydb.protocol.machine.Completion.Path.FAST) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
    }
  }
}
