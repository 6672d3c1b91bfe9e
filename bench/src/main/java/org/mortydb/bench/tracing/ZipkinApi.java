package org.mortydb.bench.tracing;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The part of Zipkin's API that finds traces. */
public final class ZipkinApi implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int MOST_PORT = 65_535;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private static final JsonMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final URI base;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  /**
   * @param base the server's address, such as {@code http://127.0.0.1:9411}
   */
  public ZipkinApi(URI base) {
    this.base = URI.create(base.toString().replaceAll("/+$", ""));
  }

  /**
   * Reads the address of a server as people give it: also that of its pages, or that for spans.
   *
   * @return null if the text is not an address
   */
  public static @Nullable URI base(String text) {
    try {
      URI base = new URI(text.replaceFirst("(?<![:/])(/zipkin|/api/v2/spans)?/*$", ""));
      boolean isAddress =
          base.getHost() != null
              && String.valueOf(base.getScheme()).matches("https?")
              && base.getPort() <= MOST_PORT
              && base.getQuery() == null
              && base.getFragment() == null;
      return isAddress ? base : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }

  /** The address for spans. */
  public URI spans() {
    return URI.create(base + "/api/v2/spans");
  }

  /** The page of a trace. */
  public URI page(String traceId) {
    return URI.create(base + "/zipkin/traces/" + traceId);
  }

  /** Whether the server is healthy. */
  public boolean isUp() throws InterruptedException {
    try {
      return get("/health").statusCode() == OK;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Finds traces.
   *
   * @param query parameters of {@code /api/v2/traces}
   * @throws TracingFailedException if the server cannot be queried
   */
  public List<ZipkinTrace> find(Map<String, String> query) throws InterruptedException {
    String parameters =
        query.entrySet().stream()
            .map(
                one ->
                    one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
            .sorted()
            .collect(Collectors.joining("&"));
    List<List<ZipkinSpan>> found =
        ask("/api/v2/traces?" + parameters, new TypeReference<List<List<ZipkinSpan>>>() {})
            .orElse(List.of());
    return found.stream().filter(spans -> !spans.isEmpty()).map(ZipkinTrace::new).toList();
  }

  /**
   * The trace with an id, if the server has it.
   *
   * @throws TracingFailedException if the server cannot be queried
   */
  public Optional<ZipkinTrace> trace(String traceId) throws InterruptedException {
    return ask("/api/v2/trace/" + traceId, new TypeReference<List<ZipkinSpan>>() {})
        .filter(spans -> !spans.isEmpty())
        .map(ZipkinTrace::new);
  }

  private <T> Optional<T> ask(String path, TypeReference<T> type) throws InterruptedException {
    try {
      HttpResponse<String> response = get(path);
      if (response.statusCode() == NOT_FOUND) {
        return Optional.empty();
      }
      if (response.statusCode() != OK) {
        throw new TracingFailedException(
            "Zipkin at " + base + " answers " + response.statusCode() + " to " + path);
      }
      return Optional.of(MAPPER.readValue(response.body(), type));
    } catch (IOException | JacksonException e) {
      throw new TracingFailedException("cannot query Zipkin at " + base + ": " + e.getMessage(), e);
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(base + path)).timeout(PATIENCE).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    http.close();
  }
}
