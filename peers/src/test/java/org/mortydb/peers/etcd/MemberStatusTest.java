package org.mortydb.peers.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.bench.cluster.ClusterFailedException;

@Timeout(60)
class MemberStatusTest {
  private HttpServer server;
  private MemberStatus status;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
    status = new MemberStatus(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    status.close();
    server.stop(0);
  }

  private void answer(String path, int code, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    server.createContext(
        path,
        exchange -> {
          exchange.sendResponseHeaders(code, bytes.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.4.23", "3.6.16", "3.8.0-alpha.0"})
  void theVersionIsTheServers(String version) throws Exception {
    answer("/version", 200, "{\"etcdserver\":\"" + version + "\",\"etcdcluster\":\"3.0.0\"}");
    assertThat(status.version()).isEqualTo(version);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"etcdcluster\":\"3.6.0\"}",
        "{\"etcdserver\":36}",
        "{\"etcdserver\":\"not_decided\"}",
        "[]",
        "3.6.16"
      })
  void anAnswerWithoutAVersionIsRefused(String body) {
    answer("/version", 200, body);
    assertThatThrownBy(() -> status.version())
        .isInstanceOf(ClusterFailedException.class)
        .hasMessageContaining(body);
  }

  @Test
  void aMemberIsHealthyIfItSaysSo() throws Exception {
    assertThat(status.isHealthy()).as("answers 404").isFalse();
    answer("/health", 503, "{\"health\":\"false\"}");
    assertThat(status.isHealthy()).isFalse();
    server.removeContext("/health");
    answer("/health", 200, "{\"health\":\"true\"}");
    assertThat(status.isHealthy()).isTrue();
    server.stop(0);
    assertThat(status.isHealthy()).as("is down").isFalse();
  }
}
