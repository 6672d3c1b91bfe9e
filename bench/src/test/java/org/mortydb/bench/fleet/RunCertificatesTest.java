package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.fleet.AgentsFile.Agent;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.mortydb.transport.tls.JavaTls;

final class RunCertificatesTest {
  @TempDir Path folder;

  private static AgentsFile agents(boolean encrypt, Path given) {
    Agent agent = new Agent("a", "a", new Address("127.0.0.1", 1), null, true, null);
    return new AgentsFile(
        Path.of(""), "controller", 20, null, "", null, encrypt, given, false, List.of(agent));
  }

  private static RunCertificates of(AgentsFile agents) {
    ClusterSettings cluster =
        new ClusterSettings(
            1, 1, OptionalLong.empty(), false, "memory", null, true, 0, List.of(), 3, 1, Map.of());
    return RunCertificates.of(agents, cluster.withTls(agents.encrypt()));
  }

  /** The identity that files with these texts have. */
  private Identity identity(Map<String, String> texts) throws Exception {
    Path host = Files.createTempDirectory(folder, "host");
    for (Map.Entry<String, String> file : texts.entrySet()) {
      Files.writeString(host.resolve(file.getKey()), file.getValue());
    }
    String key = texts.keySet().stream().filter(one -> one.endsWith(".key")).findFirst().get();
    String certificate = key.replace(".key", ".crt");
    assertThat(texts).containsOnlyKeys(key, certificate, "ca.crt");
    return JavaTls.load(
            new TlsFiles(host.resolve(certificate), host.resolve(key), host.resolve("ca.crt")),
            _ -> null)
        .identity();
  }

  @Test
  void everyHostGetsTheCredentialsOfItsOwnProcesses() throws Exception {
    RunCertificates made = of(agents(true, null));
    for (int i = 0; i < 3; i++) {
      assertThat(identity(made.ofServer(i))).isEqualTo(ClusterFile.server(i));
    }
    assertThat(identity(made.ofClients())).isEqualTo(ClusterFile.client());
    assertThat(made.ofClients().get("ca.crt")).isEqualTo(made.ofServer(2).get("ca.crt"));
    assertThat(of(agents(true, null)).ofClients().get("ca.crt"))
        .as("another run")
        .isNotEqualTo(made.ofClients().get("ca.crt"));
  }

  @Test
  void withoutTlsThereAreNone() {
    RunCertificates none = of(agents(false, null));
    assertThat(none.ofServer(0)).isEmpty();
    assertThat(none.ofClients()).isEmpty();
  }

  @Test
  void givenFilesAreUsed() throws Exception {
    Path given = given();
    RunCertificates read = of(agents(true, given));
    assertThat(identity(read.ofServer(1))).isEqualTo(ClusterFile.server(1));
    assertThat(read.ofServer(1))
        .containsEntry(
            "server-server-2.key", Files.readString(given.resolve("server-server-2.key")))
        .containsEntry("ca.crt", Files.readString(given.resolve("ca.crt")));
  }

  private Path given() throws Exception {
    Path given = Files.createDirectory(folder.resolve("given"));
    Instant until = Instant.now().plus(Duration.ofDays(1));
    CertificateAuthority authority = CertificateAuthority.create(ClusterFile.CLUSTER, until);
    authority.write(given);
    for (int i = 0; i < 3; i++) {
      authority.issue(ClusterFile.server(i), until).write(given);
    }
    authority.issue(ClusterFile.client(), until).write(given);
    return given;
  }

  @Test
  void aMissingOrAnotherCertificateIsRefused() throws Exception {
    Path given = given();
    for (String ending : List.of(".crt", ".key")) {
      Files.copy(
          given.resolve("server-server-1" + ending),
          given.resolve("server-server-3" + ending),
          StandardCopyOption.REPLACE_EXISTING);
    }
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> of(agents(true, given)))
        .withMessageContaining("server-server-3.crt")
        .withMessageContaining("server-1");
    Files.delete(given.resolve("server-server-2.key"));
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> of(agents(true, given)))
        .withMessageContaining("server-server-2.key")
        .withMessageContaining("morty certs --cluster bench");
  }
}
