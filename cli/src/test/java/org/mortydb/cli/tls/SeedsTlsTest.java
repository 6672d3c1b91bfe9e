package org.mortydb.cli.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Identity.Role;
import org.mortydb.config.ServerSpec;
import org.mortydb.transport.ClusterFiles;

/** With TLS the layout comes from a server of the cluster, and goes to none but its processes. */
@Timeout(120)
class SeedsTlsTest {
  private static final String SERVER_TLS =
      """
      server.tls {
        enabled = true
        certificate = "server-{name}.crt", key = "server-{name}.key", trust = ca.crt
      }
      """;

  @TempDir private Path folder;

  private Path seeds(TlsCluster cluster, String more) throws IOException {
    ServerSpec seed = cluster.config.servers().getFirst();
    return Files.writeString(
        folder.resolve("seeds.conf"),
        "cluster { name = tea, seeds = [\"" + seed.address() + "\"] }\n" + more);
  }

  @Test
  void processesOfTheClusterLearnIt() throws Exception {
    try (TlsCluster cluster =
        new TlsCluster(folder, "server.authorization.clients { alice = write, bob = none }")
            .startAll()) {
      Path file =
          seeds(
              cluster,
              SERVER_TLS + "client.tls { certificate = client-alice.crt, key = client-alice.key }");
      ClusterConfig learnt = ClusterFiles.forClient(file, null);
      assertThat(learnt.layout()).isEqualTo(cluster.config.layout());
      try (MortyClient client = MortyClient.connect(file, TlsCluster.options())) {
        TlsCluster.write(client, "learnt");
        assertThat(TlsCluster.read(client)).isEqualTo("learnt");
      }
      cluster.stop("s2");
      assertThat(ClusterFiles.forServer(file, "s2").servers()).isEqualTo(cluster.config.servers());

      // Somebody without a right is told nothing, nor is one with a server's name but not its key.
      assertThatThrownBy(() -> ClusterFiles.forClient(file, cluster.files(Role.CLIENT, "bob")))
          .hasMessageContaining("has no right in server.authorization");
      Path impostor =
          seeds(
              cluster,
              SERVER_TLS.replace("server-{name}", "client-alice")
                  + "client.tls { certificate = client-alice.crt, key = client-alice.key }");
      assertThatThrownBy(() -> ClusterFiles.forServer(impostor, "s2"))
          .hasMessageContaining("must be that of server 's2'");
    }
  }

  /** A server of another authority must not tell a layout, whatever it says it is. */
  @Test
  void aServerWithoutTheClustersCertificateIsNotBelieved() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("other"));
    try (TlsCluster other = new TlsCluster(elsewhere, "").startAll();
        TlsCluster cluster = new TlsCluster(folder, "")) {
      Path file =
          seeds(
              other,
              SERVER_TLS + "client.tls { certificate = client-alice.crt, key = client-alice.key }");
      assertThat(List.of(cluster.config.servers().size())).containsExactly(3);
      assertThatThrownBy(() -> ClusterFiles.forClient(file, null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no server in cluster.seeds")
          .hasMessageContaining("certificate");
      Path plain = seeds(other, "");
      assertThatThrownBy(() -> ClusterFiles.forClient(plain, null))
          .hasMessageContaining("requires TLS");
    }
  }
}
