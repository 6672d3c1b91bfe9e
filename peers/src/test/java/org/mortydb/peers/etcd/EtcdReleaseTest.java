package org.mortydb.peers.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.bench.cluster.ClusterFailedException;

class EtcdReleaseTest {
  @Test
  void aLineTakesItsOwnVersionsOnly() {
    assertThat(EtcdRelease.LINE_3_6.check(Set.of("3.6.16"))).isEqualTo("3.6.16");
    assertThat(EtcdRelease.LINE_3_7.check(Set.of("3.7.3"))).isEqualTo("3.7.3");
    for (String other : new String[] {"3.4.23", "3.60.1", "3.7.3", "13.6.1"}) {
      assertThatThrownBy(() -> EtcdRelease.LINE_3_6.check(Set.of(other)))
          .isInstanceOf(ClusterFailedException.class)
          .hasMessageContaining(other)
          .hasMessageContaining("support/get-etcd 3.6");
    }
  }

  @Test
  void theInstalledOneHasAnyVersionButOneOnly() {
    assertThat(EtcdRelease.INSTALLED.check(Set.of("3.4.23"))).isEqualTo("3.4.23");
    assertThatThrownBy(() -> EtcdRelease.INSTALLED.check(Set.of("3.4.23", "3.5.1")))
        .isInstanceOf(ClusterFailedException.class)
        .hasMessageContaining("3.4.23")
        .hasMessageContaining("3.5.1");
  }

  @ParameterizedTest
  @CsvSource({"LINE_3_6, 3.6", "LINE_3_7, 3.7"})
  void theLineIsPinnedWithChecksums(EtcdRelease release, String line) throws IOException {
    Path folder = Path.of("etcd", line);
    String pinned = "go.etcd.io/etcd/server/v3 v" + line + ".";
    assertThat(release).hasToString("etcd-" + line);
    assertThat(Files.readAllLines(folder.resolve("go.mod")))
        .anyMatch(required -> required.strip().startsWith(pinned));
    assertThat(Files.readAllLines(folder.resolve("go.sum")))
        .anyMatch(sum -> sum.matches("\\Q" + pinned + "\\E\\d+ h1:[A-Za-z0-9+/]{43}="));
  }
}
