package org.mortydb.transport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Identity;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.Right;
import org.mortydb.config.SecurityConfig;
import org.mortydb.config.TlsFiles;

class ConfiguredTlsTest {
  private static final String SMALL =
      """
      cluster {
        name = tea
        regions = [a]
        servers = [
          { name = a1, region = a, listen = "10.0.0.1:7401" }
          { name = a2, region = a, listen = "10.0.0.2:7401" }
          { name = a3, region = a, listen = "10.0.0.3:7401" }
        ]
      }
      """;
  private static final String TLS =
      SMALL
          + """
          server.tls {
            enabled = true, certificate = "tls/{name}.crt", key = "tls/{name}.key", trust = tls/ca.crt
          }
          """;

  @Test
  void withoutSettingsThereIsNoTlsAndEverythingIsAllowed() throws Exception {
    SecurityConfig security = ClusterConfig.parse(SMALL).security();
    assertThat(security.tls()).isFalse();
    assertThat(ConfiguredTls.ofServer(security, "a1")).isNull();
    assertThat(ConfiguredTls.ofClient(security, null)).isNull();
    assertThat(security.authorization().of(null)).isEqualTo(Right.ADMIN);
  }

  @Test
  void pathsAreRelativeToTheFileAndNamedByTheServer(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("cluster.conf");
    Files.writeString(file, TLS + "client.tls { certificate = /x/c.crt, key = c.key }\n");
    SecurityConfig security = ClusterConfig.load(file).security();
    TlsFiles server = security.serverFiles();
    assertThat(server).isNotNull();
    assertThat(server.named("a1"))
        .isEqualTo(
            new TlsFiles(
                folder.resolve("tls/a1.crt"),
                folder.resolve("tls/a1.key"),
                folder.resolve("tls/ca.crt")));
    assertThat(security.clientFiles())
        .as("the servers' CA is the clients' one unless another is given")
        .isEqualTo(
            new TlsFiles(
                Path.of("/x/c.crt"), folder.resolve("c.key"), folder.resolve("tls/ca.crt")));
    assertThat(security.reloadInterval()).isEqualTo(Duration.ofSeconds(10));
    assertThatExceptionOfType(InvalidCredentialsException.class)
        .isThrownBy(() -> ConfiguredTls.ofServer(security, "a1"))
        .withMessage(
            "the TLS credentials of server 'a1' cannot be used (server.tls): tls.certificate: "
                + folder.resolve("tls/a1.crt")
                + " does not exist");
  }

  @Test
  void oneSettingSwitchesTlsOff() throws Exception {
    SecurityConfig security = ClusterConfig.parse(TLS + "server.tls.enabled = false").security();
    assertThat(ConfiguredTls.ofServer(security, "a1")).isNull();
    assertThat(ConfiguredTls.ofClient(security, null)).isNull();
  }

  @Test
  void aClientWithoutCredentialsIsToldWhereTheyBelong() throws Exception {
    SecurityConfig security = ClusterConfig.parse(TLS).security();
    assertThatExceptionOfType(InvalidCredentialsException.class)
        .isThrownBy(() -> ConfiguredTls.ofClient(security, null))
        .withMessageContaining("client.tls.certificate")
        .withMessageContaining("ClientOptions.withTls");
  }

  @Test
  void rightsAreByNameAndOthersHaveTheDefault() throws Exception {
    assertThat(right("", "anybody")).isEqualTo(Right.WRITE);
    String some = "server.authorization.clients { alice = read, bob = admin }\n";
    assertThat(right(some, "alice")).isEqualTo(Right.READ);
    assertThat(right(some, "bob")).isEqualTo(Right.ADMIN);
    assertThat(right(some, "carol")).as("who lists clients means those").isEqualTo(Right.NONE);
    assertThat(right(some + "server.authorization.default = read", "carol")).isEqualTo(Right.READ);
  }

  private static Right right(String more, String client) throws InvalidConfigException {
    Identity identity = new Identity("tea", Identity.Role.CLIENT, client);
    return ClusterConfig.parse(TLS + more).security().authorization().of(identity);
  }

  @Test
  void rightsImplyLowerOnes() {
    assertThat(Right.ADMIN.implies(Right.WRITE)).isTrue();
    assertThat(Right.WRITE.implies(Right.READ)).isTrue();
    assertThat(Right.WRITE.implies(Right.WRITE)).isTrue();
    assertThat(Right.READ.implies(Right.WRITE)).isFalse();
    assertThat(Right.NONE.implies(Right.READ)).isFalse();
  }

  @Test
  void mistakesAreNamed() {
    assertProblems(
        SMALL + "server.tls { enabled = true, key = k }",
        "server.tls.certificate is missing: TLS needs a PEM file",
        "server.tls.trust is missing");
    assertProblems(
        SMALL + "server.tls.enabled = yes, server.tls.certficate = x",
        "server.tls.enabled is 'yes': it must be true or false",
        "server.tls.certficate is no setting: did you mean 'certificate'?");
    assertProblems(
        TLS + "client.tls.certificate = x", "client.tls.key is missing: TLS needs a PEM file");
    assertProblems(
        TLS + "server.authorization { default = wriet, clients { \"a b\" = read } }",
        "server.authorization.default is 'wriet', which is no right: did you mean 'write'?",
        "server.authorization.clients.a b is no client's name");
    assertProblems(
        SMALL + "server.authorization.default = read",
        "server.authorization has no effect without TLS");
    assertProblems(TLS + "server.tls.reload-interval = 2h", "from 0 s to 3600 s");
  }

  private static void assertProblems(String text, String... problems) {
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.parse(text))
        .satisfies(
            e -> {
              for (String problem : problems) {
                assertThat(e.problems().stream().map(p -> p.path() + " " + p.text()))
                    .anySatisfy(found -> assertThat(found).contains(problem));
              }
              assertThat(e.problems()).hasSize(problems.length);
            });
  }
}
