package org.mortydb.bench.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages;
import org.mortydb.bench.agent.AgentMessages.About;
import org.mortydb.bench.agent.AgentMessages.ClockReading;
import org.mortydb.bench.agent.AgentMessages.Refused;
import org.mortydb.bench.agent.AgentServer;
import org.mortydb.bench.fleet.AgentsFile.Agent;
import org.mortydb.bench.fleet.ClockOffset.RoundTrip;
import org.mortydb.config.Identity;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.JavaTls;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Requests to one agent. Thread-safe. */
final class AgentConnection implements AutoCloseable {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int CLOCK_ROUND_TRIPS = 12;

  private final Agent agent;
  private final Duration timeout;
  private final HttpClient http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** No process listens at the agent's address. */
  static final class UnreachableException extends Exception {
    private static final long serialVersionUID = 1L;
    private final boolean refused;

    UnreachableException(boolean refused, String message, Throwable cause) {
      super(message, cause);
      this.refused = refused;
    }

    /** Whether the host has refused the connection, so that the agent has certainly ended. */
    boolean isRefused() {
      return refused;
    }
  }

  /** Another run uses the agent. */
  static final class BusyException extends AgentFailedException {
    private static final long serialVersionUID = 1L;

    BusyException(String message) {
      super(message);
    }
  }

  /**
   * Prepares requests.
   *
   * @throws AgentFailedException if the credentials cannot be used
   */
  AgentConnection(AgentsFile file, Agent agent) {
    this(file, agent, TIMEOUT);
  }

  /**
   * Prepares requests.
   *
   * @param timeout the longest time until a short answer is complete, and the longest silence
   *     within a long one
   * @throws AgentFailedException if the credentials cannot be used
   */
  AgentConnection(AgentsFile file, Agent agent, Duration timeout) {
    this.agent = agent;
    this.timeout = timeout;
    try {
      JavaTls[] own = new JavaTls[1];
      own[0] = JavaTls.load(file.tls(), peer -> refusal(own[0], peer));
      this.http =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .sslContext(own[0].context())
              .connectTimeout(CONNECT_TIMEOUT)
              .executor(threads)
              .build();
    } catch (InvalidCredentialsException e) {
      throw new AgentFailedException("the controller: " + e.getMessage(), e);
    }
  }

  private @Nullable String refusal(JavaTls own, Identity peer) {
    Identity wanted = new Identity(own.identity().cluster(), Identity.Role.SERVER, agent.name());
    return peer.equals(wanted)
        ? null
        : "its certificate is that of %s, and must be that of %s".formatted(peer, wanted);
  }

  Agent agent() {
    return agent;
  }

  // ---- requests ---------------------------------------------------------------------------------

  /**
   * What the agent is.
   *
   * @throws AgentFailedException if it cannot be reached, or is of another version
   */
  About about() throws InterruptedException {
    About about = get("/about", About.class);
    if (about.protocol() != AgentMessages.PROTOCOL
        || !about.version().equals(AgentServer.version())) {
      throw failed(
          "it is of version %s (protocol %d), and this is version %s (protocol %d): install the"
                  .formatted(
                      about.version(),
                      about.protocol(),
                      AgentServer.version(),
                      AgentMessages.PROTOCOL)
              + " same archive on all hosts",
          null);
    }
    return about;
  }

  /** Compares the agent's clock with that of this machine. */
  ClockOffset clock() throws InterruptedException {
    List<RoundTrip> trips = new ArrayList<>();
    for (int i = 0; i < CLOCK_ROUND_TRIPS; i++) {
      long sent = nowMicros();
      ClockReading reading = get("/clock", ClockReading.class);
      trips.add(new RoundTrip(sent, reading.receivedMicros(), reading.sentMicros(), nowMicros()));
    }
    try {
      return ClockOffset.of(trips);
    } catch (IllegalArgumentException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
  }

  static long nowMicros() {
    return AgentMessages.micros(Instant.now());
  }

  <T> T get(String path, Class<T> type) throws InterruptedException {
    try {
      return tryGet(path, type);
    } catch (UnreachableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
  }

  <T> T tryGet(String path, Class<T> type) throws InterruptedException, UnreachableException {
    return read(send(request(path).GET()), type);
  }

  <T> T post(String path, Object body, Class<T> type) throws InterruptedException {
    try {
      return read(
          send(request(path).POST(BodyPublishers.ofByteArray(MAPPER.writeValueAsBytes(body)))),
          type);
    } catch (UnreachableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
  }

  /** Deletes something; an agent that cannot be reached has deleted it by itself. */
  void delete(String path) throws InterruptedException {
    try {
      var unused = send(request(path).DELETE());
    } catch (UnreachableException e) {
      // The lease ends by itself.
    }
  }

  /**
   * Opens a long answer. It ends with an error if nothing comes for as long as a short answer may
   * take.
   *
   * @throws AgentFailedException if the agent refuses it
   */
  InputStream stream(String path) throws InterruptedException {
    try {
      HttpResponse<InputStream> response =
          exchange(request(path).GET().build(), BodyHandlers.ofInputStream());
      InputStream body = new SilenceBound(response.body(), timeout, threads);
      if (response.statusCode() != 200) {
        try (body) {
          throw failed(reason(body.readNBytes(AgentMessages.MOST_BYTES)), null);
        }
      }
      return body;
    } catch (IOException e) {
      throw failed("it does not answer: " + reason(e), e);
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://" + agent.address() + path));
  }

  /**
   * Sends a request, and waits for what the body's handler waits for. The timeout of a request
   * would not do, because it ends with the headers of the answer. Nor would {@code sendAsync},
   * which completes in the common pool, whose only thread the caller may be.
   */
  private <T> HttpResponse<T> exchange(HttpRequest request, BodyHandler<T> body)
      throws IOException, InterruptedException {
    Future<HttpResponse<T>> sent;
    try {
      sent = threads.submit(() -> http.send(request, body));
    } catch (RejectedExecutionException e) {
      throw new IOException("the connection is closed", e);
    }
    try {
      return sent.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
    } catch (TimeoutException e) {
      throw new HttpTimeoutException("request timed out");
    } finally {
      sent.cancel(true); // which has no effect on an answer that is there
    }
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request)
      throws InterruptedException, UnreachableException {
    try {
      return exchange(
          request.build(),
          BodyHandlers.limiting(BodyHandlers.ofByteArray(), AgentMessages.MOST_BYTES));
    } catch (SSLException e) {
      throw failed(
          "the TLS handshake failed: "
              + reason(e)
              + "; the certificates of agent and controller must be valid and of one CA: compare"
              + " --certs of the agent with 'certificates' in the file of agents",
          e);
    } catch (IOException e) {
      throw new UnreachableException(
          e instanceof ConnectException, "it does not answer: " + reason(e), e);
    }
  }

  private <T> T read(HttpResponse<byte[]> response, Class<T> type) {
    if (response.statusCode() == AgentMessages.BUSY) {
      throw new BusyException(agent + ": " + reason(response.body()));
    }
    if (response.statusCode() != 200) {
      throw failed(reason(response.body()), null);
    }
    try {
      T read = MAPPER.readValue(response.body(), type);
      if (read != null) {
        return read;
      }
    } catch (JacksonException e) {
      throw failed("its answer is damaged: " + e.getOriginalMessage(), e);
    }
    throw failed("its answer is empty", null);
  }

  private static String reason(byte[] body) {
    try {
      Refused refused = MAPPER.readValue(body, Refused.class);
      if (refused != null && refused.error() != null) {
        return refused.error();
      }
    } catch (JacksonException e) {
      // Something else than an agent has answered.
    }
    return "something else than an agent listens there";
  }

  /** The innermost reason, because the outer ones say only that the connection failed. */
  private static String reason(Throwable failure) {
    Throwable innermost = failure;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String message = innermost.getMessage();
    String shown = message == null ? innermost.getClass().getSimpleName() : message;
    return innermost instanceof ClosedChannelException
        ? "no process listens there; start 'morty agent' on the host"
        : shown;
  }

  AgentFailedException failed(String reason, @Nullable Throwable cause) {
    String message = agent + ": " + reason;
    return cause == null
        ? new AgentFailedException(message)
        : new AgentFailedException(message, cause);
  }

  @Override
  public void close() {
    http.shutdownNow();
    threads.shutdownNow();
  }
}
