package org.mortydb.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.config.Identity.Role;

class IdentityTest {
  private static final Identity ALICE = new Identity("tea", Role.CLIENT, "alice");

  @Test
  void standsInCertificatesAsAUri() {
    assertThat(ALICE.uri()).isEqualTo("morty://tea/client/alice");
    assertThat(new Identity("tea", Role.SERVER, "eu-1").uri()).isEqualTo("morty://tea/server/eu-1");
    assertThat(ALICE).hasToString("client 'alice' of cluster 'tea'");
  }

  @Test
  void clientIdsAreBoundToTheName() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1_000; i++) {
      long id = ALICE.clientId(random.nextLong());
      assertThat(ALICE.mayUse(id)).isTrue();
      assertThat(id >>> 40).as("the upper 24 bits").isEqualTo(ALICE.clientId(0) >>> 40);
      assertThat(new Identity("tea", Role.CLIENT, "bob").mayUse(id)).isFalse();
      assertThat(new Identity("coffee", Role.CLIENT, "alice").mayUse(id)).isFalse();
      assertThat(new Identity("tea", Role.SERVER, "alice").mayUse(id)).isFalse();
    }
  }

  @Test
  void aServerUsesNoClientId() {
    Identity server = new Identity("tea", Role.SERVER, "eu-1");
    assertThat(server.mayUse(server.clientId(1))).isFalse();
  }

  @Test
  void clientIdsOfOneNameDiffer() {
    SplittableRandom random = new SplittableRandom(2);
    assertThat(random.longs(10_000).map(ALICE::clientId).distinct().count()).isEqualTo(10_000);
  }
}
