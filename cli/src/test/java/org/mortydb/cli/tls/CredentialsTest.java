package org.mortydb.cli.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.client.ClusterUnreachableException;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.Identity;
import org.mortydb.config.Identity.Role;
import org.mortydb.config.TlsFiles;
import org.mortydb.server.MortyServer;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.Tls;

/** Credentials that cannot be used are found when a process starts, and the file is named. */
@Timeout(60)
class CredentialsTest {
  private static final Identity BOB = new Identity("tea", Role.CLIENT, "bob");

  @TempDir Path folder;
  private TlsCluster cluster;
  private TlsFiles good;

  @BeforeEach
  void make() throws Exception {
    cluster = new TlsCluster(folder, "");
    good = cluster.files(Role.CLIENT, "bob");
  }

  private static void assertUnusable(TlsFiles files, String... parts) {
    assertThatExceptionOfType(InvalidCredentialsException.class)
        .isThrownBy(() -> Tls.load(files, Duration.ofHours(1)))
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  private TlsFiles withCertificate(Path certificate) {
    return new TlsFiles(certificate, good.key(), good.trust());
  }

  private TlsFiles withKey(Path key) {
    return new TlsFiles(good.certificate(), key, good.trust());
  }

  private TlsFiles withTrust(Path trust) {
    return new TlsFiles(good.certificate(), good.key(), trust);
  }

  private Path file(String name, String text) throws Exception {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void goodOnesTellWhoTheProcessIs() throws Exception {
    assertThat(Tls.load(good, Duration.ofHours(1)).identity()).isEqualTo(BOB);
  }

  @Test
  void filesThatAreNotThere() {
    Path none = folder.resolve("none");
    assertUnusable(withCertificate(none), "tls.certificate: " + none + " does not exist");
    assertUnusable(withKey(none), "tls.key: " + none + " does not exist");
    assertUnusable(withTrust(none), "tls.trust: " + none + " does not exist");
    assertUnusable(withKey(folder), "tls.key: " + folder + " is a folder");
  }

  @Test
  void filesThatHoldSomethingElse() throws Exception {
    assertUnusable(withCertificate(file("empty", "")), "tls.certificate", "holds no certificate");
    assertUnusable(withCertificate(good.key()), "tls.certificate", "X.509 in PEM");
    assertUnusable(withKey(good.certificate()), "tls.key", "holds 'CERTIFICATE'", "PKCS#8");
    assertUnusable(
        withKey(
            file("old", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n")),
        "holds 'EC PRIVATE KEY'",
        "openssl pkcs8 -topk8 -nocrypt");
    assertUnusable(
        withKey(file("bad", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")),
        "tls.key",
        "damaged");
    assertUnusable(withTrust(good.certificate()), "tls.trust", "client 'bob'", "which is no CA");
  }

  @Test
  void aKeyThatDoesNotMatchTheCertificate() {
    Path key = cluster.files(Role.CLIENT, "alice").key();
    assertUnusable(
        withKey(key), "tls.key: " + key, "does not match the certificate " + good.certificate());
  }

  @Test
  void certificatesOutOfTheirTime() throws Exception {
    assertUnusable(
        issued(cluster.authority.issue(BOB, TlsCluster.inDays(-2), TlsCluster.inDays(-1))),
        "tls.certificate",
        "holds 'CN=client 'bob' of cluster 'tea'', which expired at 20");
    assertUnusable(
        issued(cluster.authority.issue(BOB, TlsCluster.inDays(1), TlsCluster.inDays(2))),
        "tls.certificate",
        "is not valid before 20",
        "clock");
  }

  @Test
  void aCertificateThatThePeersWouldRefuse() throws Exception {
    CertificateAuthority other = CertificateAuthority.create("tea", TlsCluster.inDays(1));
    assertUnusable(
        issued(other.issue(BOB, TlsCluster.inDays(1))),
        "would be refused by peers that trust " + good.trust(),
        "it was not signed by a trusted CA");
  }

  private TlsFiles issued(IssuedCertificate certificate) throws Exception {
    Path theirs = Files.createTempDirectory(folder, "issued");
    certificate.write(theirs);
    return new TlsFiles(
        theirs.resolve("client-bob.crt"), theirs.resolve("client-bob.key"), good.trust());
  }

  @Test
  void aCertificateThatNamesNoProcess() throws Exception {
    // The CA's own certificate is one.
    TlsFiles files = new TlsFiles(folder.resolve("ca.crt"), folder.resolve("ca.key"), good.trust());
    assertUnusable(files, "names no process", "morty://CLUSTER/server/NAME");
  }

  @Test
  void aCertificateThatNamesTwoProcesses() throws Exception {
    OtherAuthority root = OtherAuthority.create("root", "EC");
    TlsFiles files =
        root.issue("RSA", KeyPurposeId.id_kp_clientAuth, BOB.uri(), "morty://tea/client/alice")
            .write(folder, root);
    assertUnusable(files, "tls.certificate", "it has two names of the form");
  }

  @Test
  void certificatesOfAnyOtherCaWithIntermediateOnes() throws Exception {
    for (String algorithm : new String[] {"RSA", "EC"}) {
      OtherAuthority retired = OtherAuthority.create("retired", "EC");
      OtherAuthority root = OtherAuthority.create("root", algorithm);
      OtherAuthority.Issued issued =
          root.intermediate().issue(algorithm, KeyPurposeId.id_kp_clientAuth, BOB.uri());
      TlsFiles files = issued.write(Files.createTempDirectory(folder, algorithm), retired, root);
      assertThat(Tls.load(files, Duration.ofHours(1)).identity()).isEqualTo(BOB);
      TlsFiles untrusted = issued.write(Files.createTempDirectory(folder, algorithm), retired);
      assertUnusable(untrusted, "would be refused by peers", "it was not signed by a trusted CA");
    }
  }

  @Test
  void aCertificateForAnotherUse() throws Exception {
    OtherAuthority root = OtherAuthority.create("root", "EC");
    Identity server = new Identity("tea", Role.SERVER, "s1");
    assertUnusable(
        root.issue("EC", KeyPurposeId.id_kp_serverAuth, BOB.uri()).write(folder, root),
        "would be refused by peers");
    assertUnusable(
        root.issue("EC", KeyPurposeId.id_kp_serverAuth, server.uri()).write(folder, root),
        "would be refused by peers");
  }

  @Test
  void aKeyThatAllUsersCanReadIsWarnedOf() throws Exception {
    Files.setPosixFilePermissions(good.key(), PosixFilePermissions.fromString("rw-r--r--"));
    try (Logged logged = new Logged()) {
      Tls.load(good, Duration.ofHours(1));
      logged.await("every user of this machine can read the private key " + good.key());
    }
  }

  @Test
  void aServerWithTheCertificateOfAnotherDoesNotStart() throws Exception {
    for (String suffix : new String[] {".crt", ".key"}) {
      Files.copy(
          folder.resolve("server-s1" + suffix),
          folder.resolve("server-s0" + suffix),
          StandardCopyOption.REPLACE_EXISTING);
    }
    assertThatExceptionOfType(InvalidCredentialsException.class)
        .isThrownBy(() -> MortyServer.start(cluster.config, "s0"))
        .withMessageContaining("is that of server 's1' of cluster 'tea', and must be that of")
        .withMessageContaining("server 's0'");
  }

  @Test
  void aClientThatCannotUseItsCredentialsSaysSoBeforeItConnects() {
    assertThatThrownBy(
            () ->
                MortyClient.connect(
                    cluster.config, TlsCluster.options().withTls(cluster.files(Role.SERVER, "s1"))))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("server-s1.crt is that of server 's1'")
        .hasMessageContaining("must be that of a client of cluster 'tea'");
    assertThatThrownBy(
            () ->
                MortyClient.connect(
                    cluster.config, TlsCluster.options().withTls(withKey(folder.resolve("none")))))
        .isInstanceOf(ClusterUnreachableException.class)
        .hasMessageContaining("(client.tls): tls.key: ");
  }
}
