package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.config.Identity;
import org.mortydb.config.Identity.Role;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.transport.PeerInfo;

/** Which peers may connect, once their certificates are checked. */
class AdmissionTest {
  private static final String RIGHTS =
      """
      server.tls { enabled = true, certificate = c, key = k, trust = t }
      server.authorization.clients { reader = read, nobody = none }
      """;

  private static @Nullable String refusal(String settings, PeerInfo peer, @Nullable String client)
      throws Exception {
    try (TestCluster cluster = new TestCluster(settings)) {
      return Admission.refusal(
          cluster.config,
          new ServerMaps(cluster.config, cluster.config.servers().getFirst()),
          cluster.config.servers().getFirst(),
          peer,
          client == null ? null : new Identity("tea", Role.CLIENT, client));
    }
  }

  private static PeerInfo client(String region) {
    return new PeerInfo.Client(new ClientId(77), region);
  }

  @Test
  void aClientWithoutARightIsRefused() throws Exception {
    assertThat(refusal(RIGHTS, client("r0"), "nobody")).contains("server.authorization");
    assertThat(refusal(RIGHTS, client("r0"), "notListed")).contains("server.authorization");
    assertThat(refusal(RIGHTS, client("r0"), "reader")).isNull();
    assertThat(refusal("", client("r0"), null)).as("without TLS").isNull();
  }

  @Test
  void aPeerOfARegionThatDoesNotExistIsRefused() throws Exception {
    assertThat(refusal("", client("r7"), null)).contains("'r7'", "r0, r1, r2");
  }

  @Test
  void aServerIsOneOfTheOthersInItsOwnRegion() throws Exception {
    assertThat(refusal("", new PeerInfo.Server("s1", "r1"), null)).isNull();
    assertThat(refusal("", new PeerInfo.Server("s7", "r1"), null)).contains("s7");
    assertThat(refusal("", new PeerInfo.Server("s0", "r0"), null)).contains("this server");
    assertThat(refusal("", new PeerInfo.Server("s1", "r2"), null)).contains("'r1'", "'r2'");
  }
}
