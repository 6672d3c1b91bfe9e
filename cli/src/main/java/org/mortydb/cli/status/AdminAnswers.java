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

/** The answers of servers at their admin ports. */
final class AdminAnswers {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final long MOST_BYTES = 8 * 1024 * 1024;

  /**
   * The answer of a server.
   *
   * @param state the state of the server; null if unknown
   * @param problem why the state is unknown; null if it is known, or without an admin address
   */
  record Answer(@Nullable JsonNode state, @Nullable String problem) {}

  private AdminAnswers() {}

  /** Asks all servers at once; takes about the timeout at most. */
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
    String nobody = "the process at its admin address " + admin + " is not a Morty server";
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
          "server '"
              + name
              + "' of cluster '"
              + of
              + "' answers at its admin address "
              + admin
              + ": correct the address in the configuration");
    }
    return new Answer(state, null);
  }

  private static String why(Address admin, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return switch (cause) {
      case HttpTimeoutException e ->
          "no answer from its admin address " + admin + " in time (--timeout)";
      case ConnectException e -> "nothing listens on its admin address " + admin;
      default -> "its admin address " + admin + " cannot be reached: " + cause.getMessage();
    };
  }
}
