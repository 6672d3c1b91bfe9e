package org.mortydb.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdminHttpTest {
  private static AdminHttp open() throws IOException {
    PrometheusRegistry registry = new PrometheusRegistry();
    Metric.REPLICA_PUSHES.counter(registry).inc(3);
    return AdminHttp.bind("127.0.0.1", 0)
        .metrics(registry)
        .page("/tea", "a page about tea", () -> new AdminHttp.Answer(200, "text/plain", "hot"))
        .page(
            "/broken",
            "a page that fails",
            () -> {
              throw new IllegalStateException("no water");
            })
        .start();
  }

  private static HttpResponse<String> ask(AdminHttp http, String method, String path)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + http.address().getPort() + path);
      return client.send(
          HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
          BodyHandlers.ofString());
    }
  }

  @Test
  void pagesAreAnsweredAtTheirPathsAlone() throws Exception {
    try (AdminHttp http = open()) {
      assertThat(ask(http, "GET", "/tea").body()).isEqualTo("hot");
      assertThat(ask(http, "GET", "/tea?with=milk").body()).isEqualTo("hot");
      assertThat(ask(http, "HEAD", "/tea").statusCode()).isEqualTo(200);
      assertThat(ask(http, "GET", "/metrics").body())
          .contains("# TYPE morty_replica_pushes_total counter", "morty_replica_pushes_total 3.0");
      for (String path : new String[] {"/", "/tea/green", "/coffee"}) {
        HttpResponse<String> missing = ask(http, "GET", path);
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body())
            .contains("/broken  a page that fails", "/metrics  metrics", "/tea  a page about tea");
      }
    }
  }

  @Test
  void pagesCanOnlyBeRead() throws Exception {
    try (AdminHttp http = open()) {
      HttpResponse<String> refused = ask(http, "POST", "/tea");
      assertThat(refused.statusCode()).isEqualTo(405);
      assertThat(refused.headers().firstValue("Allow")).contains("GET, HEAD");
    }
  }

  @Test
  void aPageThatFailsSaysSo() throws Exception {
    try (AdminHttp http = open()) {
      HttpResponse<String> failed = ask(http, "GET", "/broken");
      assertThat(failed.statusCode()).isEqualTo(500);
      assertThat(failed.body()).contains("no water");
      assertThat(ask(http, "GET", "/tea").statusCode()).isEqualTo(200);
    }
  }

  /** A foreign page's own host name that was made to resolve to this machine. */
  @Test
  void onLoopbackOtherNamesAreRefused() throws Exception {
    try (AdminHttp http = open()) {
      assertThat(statusFor(http, "evil.example")).contains(" 403 ");
      assertThat(statusFor(http, "evil.example:" + http.address().getPort())).contains(" 403 ");
      assertThat(statusFor(http, "127.0.0.1.evil.example")).contains(" 403 ");
      assertThat(statusFor(http, "localhost:1")).contains(" 200 ");
      assertThat(statusFor(http, "[::1]:1")).contains(" 200 ");
    }
  }

  @Test
  void onLoopbackTheAdvertisedAddressIsAccepted() throws Exception {
    try (AdminHttp http = open().reachedAt("admin.example:9464")) {
      assertThat(statusFor(http, "Admin.example:9464")).contains(" 200 ");
      assertThat(statusFor(http, "admin.example:1")).contains(" 403 ");
      assertThat(statusFor(http, "evil.example:9464")).contains(" 403 ");
    }
  }

  private static String statusFor(AdminHttp http, String host) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", http.address().getPort())) {
      socket
          .getOutputStream()
          .write(
              ("GET /tea HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
          .readLine();
    }
  }

  @Test
  void anAddressThatCannotBeBoundIsNamed() throws Exception {
    try (AdminHttp http = open()) {
      int port = http.address().getPort();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> AdminHttp.bind("127.0.0.1", port))
          .withMessageContaining("cannot listen on 127.0.0.1:" + port + " for administrators: ")
          .withMessageContaining("stop the program that uses the address");
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> AdminHttp.bind("no.such.host.invalid", 1))
          .withMessageContaining("no.such.host.invalid:1 for administrators: the name has no");
    }
  }
}
