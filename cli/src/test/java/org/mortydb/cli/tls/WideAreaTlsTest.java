package org.mortydb.cli.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.net.MortyClient;

@Timeout(60)
class WideAreaTlsTest {
  private static final int ONE_WAY_MILLIS = 15;

  @Test
  void emulatedDelaysHoldForEncryptedConnections(@TempDir Path folder) throws Exception {
    String delays =
        "emulation.delays { r0 { r1 = %1$dms, r2 = %1$dms }, r1 { r2 = %1$dms } }"
            .formatted(ONE_WAY_MILLIS);
    try (TlsCluster cluster = new TlsCluster(folder, delays).startAll();
        MortyClient client = cluster.connect()) {
      TlsCluster.write(client, "warm");
      long beginNanos = System.nanoTime();
      for (int i = 0; i < 10; i++) {
        TlsCluster.write(client, "far " + i);
      }
      long eachMillis = (System.nanoTime() - beginNanos) / 10 / 1_000_000;
      assertThat(eachMillis).as("one round trip").isGreaterThanOrEqualTo(2 * ONE_WAY_MILLIS);
      assertThat(TlsCluster.read(client)).isEqualTo("far 9");
    }
  }
}
