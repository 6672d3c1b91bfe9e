package org.mortydb.peers.etcd;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Pattern;
import org.mortydb.bench.cluster.ClusterFailedException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What a running member of etcd states by HTTP. Not thread-safe. */
final class MemberStatus implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+){2}[-+.\\w]{0,40}");

  private final URI url;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * @param url the member's URL for clients
   */
  MemberStatus(URI url) {
    this.url = url;
  }

  /** Whether the member answers and has a leader. */
  boolean isHealthy() throws InterruptedException {
    try {
      return get("/health").statusCode() == 200;
    } catch (IOException e) {
      return false; // not listening yet
    }
  }

  /**
   * The version of the running server, such as {@code 3.6.16}.
   *
   * @throws ClusterFailedException if it states none
   */
  String version() throws InterruptedException {
    String body;
    try {
      body = get("/version").body();
    } catch (IOException e) {
      throw new ClusterFailedException("no version of etcd from " + url + ": " + e, e);
    }
    try {
      String version = JsonMapper.shared().readTree(body).path("etcdserver").asString("");
      if (VERSION.matcher(version).matches()) {
        return version;
      }
    } catch (JacksonException e) {
      // Refused below.
    }
    throw new ClusterFailedException("no version of etcd from " + url + ", but: " + body);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(url.resolve(path)).timeout(TIMEOUT).build(),
        BodyHandlers.ofString());
  }

  @Override
  public void close() {
    http.close();
  }
}
