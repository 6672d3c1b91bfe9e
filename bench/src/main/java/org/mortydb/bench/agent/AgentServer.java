package org.mortydb.bench.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.About;
import org.mortydb.bench.agent.AgentMessages.Accepted;
import org.mortydb.bench.agent.AgentMessages.ClockReading;
import org.mortydb.bench.agent.AgentMessages.LeaseGrant;
import org.mortydb.bench.agent.AgentMessages.LeaseRequest;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.LoadRequest;
import org.mortydb.bench.agent.AgentMessages.MeasureRequest;
import org.mortydb.bench.agent.AgentMessages.Refused;
import org.mortydb.bench.agent.AgentMessages.ServerRequest;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.mortydb.protocol.system.TransactionSystems;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.JavaTls;
import org.mortydb.workloads.WorkloadPlugins;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * An agent: an HTTPS server that obeys one controller, see {@link AgentMessages}. It admits the
 * client with the name of the controller and with a certificate of the same CA and cluster. One
 * lease is held at a time.
 */
public final class AgentServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AgentServer.class);
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final String LEASE_FOLDER = "lease-";
  private static final int ID_BYTES = 16;
  private static final long WATCH_MILLIS = 500;
  private static final int MOST_REQUEST_BYTES = 1024 * 1024;
  private static final long MEBIBYTE = 1024 * 1024;

  /** What an exchange has as the status of its answer until the answer's headers are sent. */
  private static final int UNANSWERED = -1;

  static {
    // The JDK's server reads these once. A peer that sends nothing must not hold a connection, and
    // a delayed answer would be taken for a difference of clocks.
    setDefault("sun.net.httpserver.nodelay", "true");
    setDefault("sun.net.httpserver.maxReqTime", "30");
    setDefault("jdk.httpserver.maxConnections", "100");
  }

  private final Options options;
  private final Identity identity;
  private final InstantSource clock;
  private final FileChannel lockFile;
  private final HttpsServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          task -> Thread.ofPlatform().daemon().name("morty-agent-watch").unstarted(task));
  private final SecureRandom random = new SecureRandom();
  private @Nullable Lease lease;

  /**
   * The options of an agent.
   *
   * @param listen the address
   * @param tls the certificate and key of a server, and the CA
   * @param controller the name of the controller in its certificate
   * @param folder an existing folder for the files of runs
   * @param quotaBytes the most bytes that a run may take of the disk
   */
  public record Options(
      Address listen, TlsFiles tls, String controller, Path folder, long quotaBytes) {}

  private AgentServer(
      Options options, JavaTls tls, InstantSource clock, FileChannel lockFile, HttpsServer server) {
    this.options = options;
    this.identity = tls.identity();
    this.clock = clock;
    this.lockFile = lockFile;
    this.server = server;
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /**
   * Starts an agent.
   *
   * @param clock the clock that it shows to controllers
   * @throws InvalidCredentialsException if the TLS files cannot be used
   * @throws IOException if the address cannot be bound, or the folder not be used; the message
   *     names it
   */
  public static AgentServer start(Options options, InstantSource clock)
      throws IOException, InvalidCredentialsException {
    // Handlers say why they refuse a peer; a failed handshake would not.
    JavaTls tls = JavaTls.load(options.tls(), peer -> null);
    if (tls.identity().role() != Identity.Role.SERVER) {
      throw new InvalidCredentialsException(
          "the certificate %s is that of %s, and an agent needs that of a server"
              .formatted(options.tls().certificate(), tls.identity()));
    }
    FileChannel lockFile = lock(options.folder());
    try {
      deleteOldLeases(options.folder());
      HttpsServer server = bind(options.listen());
      server.setHttpsConfigurator(
          new HttpsConfigurator(tls.context()) {
            @Override
            public void configure(HttpsParameters parameters) {
              SSLParameters ssl = getSSLContext().getDefaultSSLParameters();
              ssl.setNeedClientAuth(true);
              ssl.setProtocols(new String[] {JavaTls.VERSION});
              parameters.setSSLParameters(ssl);
            }
          });
      AgentServer agent = new AgentServer(options, tls, clock, lockFile, server);
      agent.start();
      return agent;
    } catch (IOException e) {
      lockFile.close();
      throw e;
    }
  }

  private static HttpsServer bind(Address address) throws IOException {
    InetSocketAddress socket = new InetSocketAddress(address.host(), address.port());
    try {
      if (socket.isUnresolved()) {
        throw new IOException("the name has no address");
      }
      return HttpsServer.create(socket, 0);
    } catch (IOException e) {
      throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // the agent closes it
  private static FileChannel lock(Path folder) throws IOException {
    FileChannel file =
        FileChannel.open(
            folder.resolve("agent.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = file.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      file.close();
      throw new IOException(
          "another agent uses the folder " + folder + ": give each its own --folder");
    }
    return file;
  }

  /** Deletes what a killed agent has left. Its processes ended with it. */
  private static void deleteOldLeases(Path folder) throws IOException {
    try (var old = Files.newDirectoryStream(folder, LEASE_FOLDER + "*")) {
      old.forEach(ClusterFile::delete);
    } catch (IOException e) {
      throw new IOException("cannot read the folder " + folder + ": " + e.getMessage(), e);
    }
  }

  private void start() {
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
    var unused =
        watch.scheduleWithFixedDelay(
            this::watchLease, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The identity in its certificate. */
  public Identity identity() {
    return identity;
  }

  private void watchLease() {
    try {
      Lease current = current();
      if (current == null) {
        return;
      }
      if (current.isExpired()) {
        log.warn("{} has sent no request in time: its processes end", current.holder());
        end(current);
      } else {
        current.checkDisk();
      }
    } catch (RuntimeException e) {
      log.error("the lease cannot be watched", e);
    }
  }

  private synchronized @Nullable Lease current() {
    return lease;
  }

  private void end(Lease ended) {
    ended.close();
    synchronized (this) {
      if (ended.equals(lease)) {
        lease = null;
      }
    }
  }

  // ---- requests ---------------------------------------------------------------------------------

  /** A request cannot be fulfilled, for a reason that its sender can understand. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int status;

    RefusedException(int status, String reason) {
      super(reason);
      this.status = status;
    }
  }

  private void handle(HttpExchange exchange) {
    Instant received = clock.instant();
    try (exchange) {
      try {
        answer(exchange, AgentMessages.micros(received));
      } catch (RefusedException e) {
        refuse(exchange, e.status, String.valueOf(e.getMessage()));
      } catch (IllegalArgumentException | JacksonException e) {
        refuse(exchange, 400, String.valueOf(e.getMessage()));
      } catch (IllegalStateException e) {
        refuse(exchange, 409, String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        log.error("a request failed: {}", exchange.getRequestURI(), e);
        refuse(exchange, 500, "the agent failed: " + e + "; see its log");
      } catch (IOException e) {
        if (exchange.getResponseCode() != UNANSWERED) {
          throw e;
        }
        // The disk, a file or a process has failed. Or the request has broken off; then the answer
        // fails, too, or nobody hears it.
        refuse(
            exchange,
            500,
            "the agent, whose files are in %s, failed: %s; see its log"
                .formatted(options.folder(), e));
        log.error("a request failed: {}", exchange.getRequestURI(), e);
      }
    } catch (IOException e) {
      log.debug("the connection was lost during {}", exchange.getRequestURI(), e);
    }
  }

  private static void refuse(HttpExchange exchange, int status, String reason) throws IOException {
    send(exchange, status, MAPPER.writeValueAsBytes(new Refused(reason)));
  }

  private static void send(HttpExchange exchange, Object answer) throws IOException {
    send(exchange, 200, MAPPER.writeValueAsBytes(answer));
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private void answer(HttpExchange exchange, long receivedMicros)
      throws IOException, RefusedException {
    requireController(exchange);
    String request = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
    switch (request) {
      case "GET /about" -> send(exchange, about());
      case "GET /clock" ->
          send(exchange, new ClockReading(receivedMicros, AgentMessages.micros(clock.instant())));
      case "POST /lease" -> send(exchange, grant(read(exchange, LeaseRequest.class)));
      default -> answerUnderLease(exchange, request);
    }
  }

  private void answerUnderLease(HttpExchange exchange, String request)
      throws IOException, RefusedException {
    String[] parts = request.split("/", -1);
    Lease current = current();
    if (parts.length < 3 || !parts[1].equals("lease")) {
      throw new RefusedException(404, "there is no " + request);
    }
    if (current == null || !current.id().equals(parts[2])) {
      throw new RefusedException(
          404,
          "the lease has ended: the agent has restarted, or no request came in time; start the"
              + " run again");
    }
    current.renew();
    String what = parts[0] + String.join("/", List.of(parts).subList(3, parts.length));
    switch (what) {
      case "DELETE " -> {
        end(current);
        send(exchange, new Accepted(0));
      }
      case "POST server" -> {
        current.startServer(read(exchange, ServerRequest.class));
        send(exchange, new Accepted(0));
      }
      case "POST load" -> {
        current.startLoad(read(exchange, LoadRequest.class));
        send(exchange, new Accepted(0));
      }
      case "POST command" ->
          send(exchange, new Accepted(current.command(read(exchange, LoadCommand.class))));
      case "POST measure" -> {
        current.measure(read(exchange, MeasureRequest.class));
        send(exchange, new Accepted(0));
      }
      case "GET measured" -> send(exchange, current.measured());
      case "GET heap" -> send(exchange, current.heap());
      case "GET status" -> send(exchange, current.status());
      case "GET history" -> sendHistory(exchange, current);
      default -> {
        if (!what.matches("GET answer/[0-9]{1,6}")) {
          throw new RefusedException(404, "there is no " + request);
        }
        sendAnswer(exchange, current.answer(Integer.parseInt(parts[4])));
      }
    }
  }

  private void requireController(HttpExchange exchange) throws RefusedException {
    Identity peer;
    try {
      peer =
          exchange instanceof HttpsExchange https
                  && https.getSSLSession().getPeerCertificates()[0] instanceof X509Certificate x509
              ? Identity.of(x509)
              : null;
    } catch (SSLPeerUnverifiedException | CertificateException e) {
      throw new RefusedException(403, "the certificate cannot be used: " + e.getMessage());
    }
    Identity wanted = new Identity(identity.cluster(), Identity.Role.CLIENT, options.controller());
    if (!wanted.equals(peer)) {
      throw new RefusedException(
          403,
          "this agent obeys only %s, and the certificate is that of %s: use the controller's, or"
                  .formatted(wanted, peer == null ? "nobody" : peer)
              + " start the agent with another --controller");
    }
  }

  private static <T> T read(HttpExchange exchange, Class<T> type)
      throws IOException, RefusedException {
    byte[] body;
    try (InputStream in = exchange.getRequestBody()) {
      body = in.readNBytes(MOST_REQUEST_BYTES + 1);
    }
    if (body.length > MOST_REQUEST_BYTES) {
      throw new RefusedException(413, "a request has at most " + MOST_REQUEST_BYTES + " bytes");
    }
    T read = MAPPER.readValue(body, type);
    if (read == null) {
      throw new RefusedException(400, "the request is empty");
    }
    return read;
  }

  private About about() throws IOException {
    Lease current = current();
    long memory =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean os
            ? os.getTotalMemorySize()
            : 0;
    return new About(
        AgentMessages.PROTOCOL,
        version(),
        identity.name(),
        Runtime.getRuntime().availableProcessors(),
        memory,
        Runtime.version().toString(),
        System.getProperty("java.vm.name"),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("os.arch"),
        options.quotaBytes(),
        Files.getFileStore(options.folder()).getUsableSpace(),
        machine(),
        current == null ? null : current.holder(),
        TransactionSystems.names(),
        WorkloadPlugins.names());
  }

  private static @Nullable String machine() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      return null; // another system than Linux
    }
  }

  /** The version of this program, which must be that of its peers. */
  public static String version() {
    String version = AgentServer.class.getPackage().getImplementationVersion();
    return version == null ? "(not from a package)" : version;
  }

  private LeaseGrant grant(LeaseRequest request) throws IOException, RefusedException {
    if (request.seconds() < Lease.LEAST_SECONDS || request.seconds() > Lease.MOST_SECONDS) {
      throw new RefusedException(
          400,
          "a lease lasts %d to %d seconds, not %d"
              .formatted(Lease.LEAST_SECONDS, Lease.MOST_SECONDS, request.seconds()));
    }
    long free = Files.getFileStore(options.folder()).getUsableSpace();
    if (free < options.quotaBytes()) {
      throw new RefusedException(
          507,
          "%s has only %,d MiB free, and --disk promises %,d MiB: make room, or give a smaller --disk"
              .formatted(options.folder(), free / MEBIBYTE, options.quotaBytes() / MEBIBYTE));
    }
    synchronized (this) {
      if (lease != null) {
        throw new RefusedException(
            AgentMessages.BUSY,
            "another run of %s uses this agent: wait until it ends".formatted(lease.holder()));
      }
      byte[] bytes = new byte[ID_BYTES];
      random.nextBytes(bytes);
      String id = HexFormat.of().formatHex(bytes);
      Path folder = Files.createTempDirectory(options.folder().toRealPath(), LEASE_FOLDER);
      lease =
          new Lease(
              id,
              options.controller(),
              Duration.ofSeconds(request.seconds()),
              folder,
              options.quotaBytes(),
              System::nanoTime,
              clock);
      return new LeaseGrant(id, folder.toString());
    }
  }

  private static void sendAnswer(HttpExchange exchange, Path file)
      throws IOException, RefusedException {
    if (Files.size(file) > AgentMessages.MOST_BYTES) {
      throw new RefusedException(
          500, "an answer of " + Files.size(file) + " bytes is too long: run shorter points");
    }
    send(exchange, 200, Files.readAllBytes(file));
  }

  /** Sends the history while it renews the lease, because a long one takes its time. */
  private static void sendHistory(HttpExchange exchange, Lease current)
      throws IOException, RefusedException {
    if (!Files.exists(current.history())) {
      throw new RefusedException(409, "there is no history");
    }
    try (InputStream in = Files.newInputStream(current.history())) {
      exchange.getResponseHeaders().set("Content-Type", "application/gzip");
      exchange.sendResponseHeaders(200, 0);
      try (OutputStream out = new GZIPOutputStream(exchange.getResponseBody(), 1 << 16)) {
        byte[] buffer = new byte[1 << 16];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          out.write(buffer, 0, count);
          current.renew();
        }
      }
    }
  }

  /** Ends the agent with everything that it has started. */
  @Override
  public void close() {
    server.stop(0);
    watch.shutdownNow();
    threads.shutdownNow();
    Lease current = current();
    if (current != null) {
      end(current);
    }
    try {
      lockFile.close();
    } catch (IOException e) {
      log.debug("the lock file cannot be closed", e);
    }
  }
}
