package org.mortydb.cli.status;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the servers of a cluster tell of themselves at their admin ports. */
final class AdminAnswers {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final long MOST_BYTES = 8 * 1024 * 1024;

  /**
   * An answer.
   *
   * @param state the server's state, null if it could not be had
   * @param problem why not; null if there is an answer, or no admin address to ask
   */
  record Answer(@Nullable JsonNode state, @Nullable String problem) {}

  private AdminAnswers() {}

  /** Asks all servers at once; takes no longer than about the timeout. */
  static Map<ServerSpec, CompletableFuture<Answer>> ask(
      HttpClient http, ClusterConfig cluster, Duration timeout) {
    Map<ServerSpec, CompletableFuture<Answer>> answers = new LinkedHashMap<>();
    for (ServerSpec server : cluster.servers()) {
      Address admin = server.admin();
      answers.put(
          server,
          admin == null
              ? CompletableFuture.completedFuture(new Answer(null, null))
              : ask(http, cluster, server, admin, timeout));
    }
    return answers;
  }

  private static CompletableFuture<Answer> ask(
      HttpClient http, ClusterConfig cluster, ServerSpec server, Address admin, Duration timeout) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + admin + "/api/server"))
            .timeout(timeout)
            .build();
    return http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES))
        .thenApply(response -> read(response, cluster, server, admin))
        .exceptionally(failure -> new Answer(null, why(admin, failure)));
  }

  private static Answer read(
      HttpResponse<String> response, ClusterConfig cluster, ServerSpec server, Address admin) {
    String nobody = "what answers at its admin address " + admin + " is no server of Morty";
    if (response.statusCode() != 200) {
      return new Answer(null, nobody);
    }
    JsonNode state;
    try {
      state = MAPPER.readTree(response.body());
    } catch (JacksonException e) {
      return new Answer(null, nobody);
    }
    String name = state.path("server").asString("");
    String of = state.path("cluster").asString("");
    if (name.isEmpty()) {
      return new Answer(null, nobody);
    }
    if (!name.equals(server.name()) || !of.equals(cluster.name())) {
      return new Answer(
          null,
          "at its admin address "
              + admin
              + " answers server '"
              + name
              + "' of cluster '"
              + of
              + "': give it a host that leads to it from here");
    }
    return new Answer(state, null);
  }

  private static String why(Address admin, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return switch (cause) {
      case HttpTimeoutException e -> "no answer from its admin address " + admin + " in time";
      case ConnectException e -> "nobody listens at its admin address " + admin;
      default -> "its admin address " + admin + " cannot be asked: " + cause;
    };
  }
}
