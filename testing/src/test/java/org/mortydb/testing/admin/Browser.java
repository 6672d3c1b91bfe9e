package org.mortydb.testing.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Chromium without a window, driven by its DevTools protocol. For one thread. */
final class Browser implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final String LISTENING = "DevTools listening on ws://";

  private final JsonMapper mapper = JsonMapper.builder().build();
  private final HttpClient http = HttpClient.newHttpClient();
  private final BlockingQueue<JsonNode> received = new LinkedBlockingQueue<>();
  private final Process process;
  private final Path profile;
  private final WebSocket socket;
  private int requests;

  private Browser(Process process, Path profile, int port)
      throws IOException, InterruptedException {
    this.process = process;
    this.profile = profile;
    String pages = get("http://127.0.0.1:" + port + "/json/list");
    String page = "";
    for (JsonNode target : mapper.readTree(pages)) {
      if (target.get("type").asString().equals("page")) {
        page = target.get("webSocketDebuggerUrl").asString();
      }
    }
    socket = http.newWebSocketBuilder().buildAsync(URI.create(page), new Listener()).join();
  }

  /** The program, if one is installed: the one that MORTY_CHROMIUM names, or one on the path. */
  static Optional<Path> find() {
    String named = System.getenv("MORTY_CHROMIUM");
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  static Browser start(Path program) throws IOException, InterruptedException {
    Path profile = Files.createTempDirectory("morty-browser-");
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "--window-size=1280,1160",
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader errors = process.errorReader(UTF_8);
    StringBuilder said = new StringBuilder();
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      said.append(line).append('\n');
      if (line.startsWith(LISTENING)) {
        Thread.startVirtualThread(() -> errors.lines().forEach(ignored -> {}));
        int from = line.indexOf(':', LISTENING.length()) + 1;
        int port = Integer.parseInt(line.substring(from, line.indexOf('/', from)));
        return new Browser(process, profile, port);
      }
    }
    throw new IOException(program + " ended at once:\n" + said);
  }

  private String get(String uri) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString())
        .body();
  }

  /** Puts together what comes in parts. */
  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(
        WebSocket webSocket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        received.add(mapper.readTree(text.toString()));
        text.setLength(0);
      }
      webSocket.request(1);
      return null;
    }
  }

  private JsonNode call(String method, Map<String, Object> parameters) throws InterruptedException {
    int id = ++requests;
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("id", id);
    request.put("method", method);
    request.put("params", parameters);
    socket.sendText(mapper.writeValueAsString(request), true).join();
    while (true) {
      JsonNode answer = received.poll(20, TimeUnit.SECONDS);
      if (answer == null) {
        throw new AssertionError("the browser does not answer " + request);
      }
      if (answer.has("id") && answer.get("id").asInt() == id) {
        if (!answer.has("result")) {
          throw new AssertionError(request + ": " + answer);
        }
        return answer.get("result");
      }
    }
  }

  void open(String uri) throws InterruptedException {
    call("Page.navigate", Map.of("url", uri));
  }

  /** The value of an expression in the page, as text. */
  String evaluate(String expression) throws InterruptedException {
    JsonNode result =
        call("Runtime.evaluate", Map.of("expression", "String(" + expression + ")")).get("result");
    return result.has("value") ? result.get("value").asString() : result.toString();
  }

  /** Waits until an expression in the page is true. */
  void await(String expression) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    String last = evaluate(expression);
    while (!last.equals("true")) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new AssertionError(
            expression + " is " + last + " in the page:\n" + evaluate("document.body.innerText"));
      }
      Thread.sleep(100);
      last = evaluate(expression);
    }
  }

  /** Gives the page another width, as on another screen. */
  void resize(int width) throws InterruptedException {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Saves a picture of the whole page. */
  void photograph(Path file) throws InterruptedException, IOException {
    JsonNode picture =
        call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
    Files.write(file, Base64.getDecoder().decode(picture.get("data").asString()));
  }

  @Override
  public void close() {
    socket.abort();
    http.shutdownNow();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().orTimeout(5, TimeUnit.SECONDS).join();
    deleteProfile();
  }

  /** As far as that is possible: helpers of the browser may still be ending. */
  private void deleteProfile() {
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // It is in the folder for temporary files.
    }
  }
}
