package org.mortydb.server.admin;

import java.io.StringWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/**
 * The state of all servers of the cluster, as far as this server can reach their admin ports. A
 * server that does not answer in time delays nothing else. For any thread.
 */
final class ClusterState implements AutoCloseable {
  /** The path of a server's own state. */
  static final String PATH = "/api/server";

  private static final Duration TIMEOUT = Duration.ofMillis(900);
  private static final long MOST_BYTES = 8 * 1024 * 1024;

  /** How long a reply is used again. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final ClusterConfig config;
  private final ServerSpec self;
  private final Supplier<String> own;
  private final Supplier<MapHistory> maps;

  /** Created at the first use. This object guards it, and the fields below. */
  private @Nullable HttpClient http;

  private @Nullable String latest;
  private long latestNanos;

  /** The state of a server, or why it is unknown. */
  private record Told(@Nullable String state, @Nullable String problem) {}

  /**
   * @param own supplies the state of this server
   * @param maps supplies the maps that this server knows
   */
  ClusterState(
      ClusterConfig config, ServerSpec self, Supplier<String> own, Supplier<MapHistory> maps) {
    this.config = config;
    this.self = self;
    this.own = own;
    this.maps = maps;
  }

  /** Returns the state of all servers as JSON, at most 0.4 s old. */
  synchronized String json() {
    String known = latest;
    if (known == null || System.nanoTime() - latestNanos > FRESH_NANOS) {
      known = gather();
      latest = known;
      latestNanos = System.nanoTime();
    }
    return known;
  }

  private String gather() {
    MapHistory known = maps.get();
    List<ServerSpec> servers = config.servers(known.last());
    Map<ServerSpec, CompletableFuture<Told>> asked = new LinkedHashMap<>();
    for (ServerSpec server : servers) {
      if (!server.name().equals(self.name())) {
        asked.put(server, ask(server));
      }
    }
    Map<ServerSpec, Told> told = new LinkedHashMap<>();
    for (ServerSpec server : servers) {
      CompletableFuture<Told> answer = asked.get(server);
      told.put(server, answer == null ? new Told(own.get(), null) : answer.join());
    }
    return write(told, known);
  }

  private CompletableFuture<Told> ask(ServerSpec server) {
    Address admin = server.admin();
    if (admin == null) {
      return CompletableFuture.completedFuture(
          new Told(null, "it has no admin address in the configuration"));
    }
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + admin + PATH)).timeout(TIMEOUT).build();
    HttpClient client = http;
    if (client == null) {
      client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
      http = client;
    }
    return client
        .sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES))
        .thenApply(ClusterState::checked)
        .exceptionally(failure -> new Told(null, why(admin, failure)));
  }

  private static Told checked(HttpResponse<String> response) {
    if (response.statusCode() != 200) {
      return new Told(null, "its admin port returned status " + response.statusCode());
    }
    try (JsonParser parser =
        StateJson.FACTORY.createParser(ObjectReadContext.empty(), response.body())) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return new Told(null, "the process at its admin port is not a Morty server");
      }
      parser.skipChildren();
      return parser.nextToken() == null
          ? new Told(response.body(), null)
          : new Told(null, "the process at its admin port is not a Morty server");
    } catch (JacksonException e) {
      return new Told(null, "the process at its admin port is not a Morty server");
    }
  }

  private static String why(Address admin, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return switch (cause) {
      case HttpConnectTimeoutException e -> "no reply in time from its admin port " + admin;
      case HttpTimeoutException e -> "no reply in time from its admin port " + admin;
      case ConnectException e -> "nothing listens on its admin port " + admin;
      default -> "its admin port " + admin + " cannot be reached: " + cause;
    };
  }

  private String write(Map<ServerSpec, Told> told, MapHistory known) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = StateJson.FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("cluster", config.name());
      json.writeStringProperty("system", config.system().name());
      json.writeStringProperty("seenFrom", self.name());
      json.writeNumberProperty("f", known.last().f());
      json.writeNumberProperty("partitions", known.last().servers().size());
      json.writeNumberProperty("map", known.last().number());
      json.writeBooleanProperty("changing", !known.isComplete());
      json.writeNumberProperty("retentionMicros", config.replicaOptions().retentionMicros());
      json.writeArrayPropertyStart("regions");
      config.regions().forEach(json::writeString);
      json.writeEndArray();
      json.writeArrayPropertyStart("servers");
      told.forEach((server, answer) -> write(json, server, answer, known.last()));
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.toString();
  }

  /** The replicas of a map that a server holds. */
  private static long heldBy(ClusterMap map, String server) {
    return map.servers().values().stream().filter(group -> group.contains(server)).count();
  }

  private static void write(JsonGenerator json, ServerSpec server, Told answer, ClusterMap map) {
    json.writeStartObject();
    json.writeStringProperty("name", server.name());
    json.writeStringProperty("region", server.region());
    json.writeStringProperty("address", server.address());
    json.writeNumberProperty("replicas", heldBy(map, server.name()));
    if (answer.problem != null) {
      json.writeStringProperty("problem", answer.problem);
    }
    if (answer.state != null) {
      json.writeName("state");
      json.writeRawValue(answer.state);
    }
    json.writeEndObject();
  }

  @Override
  public synchronized void close() {
    if (http != null) {
      http.shutdownNow();
    }
  }
}
