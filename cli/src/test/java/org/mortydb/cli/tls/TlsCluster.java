package org.mortydb.cli.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Identity;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.TlsFiles;
import org.mortydb.protocol.model.Key;
import org.mortydb.server.MortyServer;
import org.mortydb.testing.LoopbackPorts;

/**
 * Three servers with TLS, s0 to s2 in the regions r0 to r2, each on a loopback address of its own,
 * and certificates for the clients alice, bob and carol, of whom the first is used when nobody else
 * is named.
 */
final class TlsCluster implements AutoCloseable {
  static final String NAME = "tea";
  static final TypedKey<String> KEY = TypedKey.of(Key.of("k"), Codecs.STRING);

  final Path folder;
  final CertificateAuthority authority;
  final ClusterConfig config;
  final ClusterConfig plainConfig;
  private final Map<String, MortyServer> running = new TreeMap<>();

  /**
   * @param more what to add to the configuration
   */
  TlsCluster(Path folder, String more) throws IOException, InvalidConfigException {
    this.folder = folder;
    this.authority = CertificateAuthority.create(NAME, inDays(100));
    authority.write(folder);
    for (int i = 0; i < 3; i++) {
      issue(Identity.Role.SERVER, "s" + i);
    }
    for (String client : List.of("alice", "bob", "carol")) {
      issue(Identity.Role.CLIENT, client);
    }
    String layout = layout();
    plainConfig = ClusterConfig.parse(layout);
    Path file = folder.resolve("cluster.conf");
    Files.writeString(
        file,
        layout
            + """
            server.tls {
              enabled = true, reload-interval = 0s
              certificate = "server-{name}.crt", key = "server-{name}.key", trust = ca.crt
            }
            client.tls { certificate = client-alice.crt, key = client-alice.key }
            """
            + more);
    config = ClusterConfig.load(file);
  }

  private static String layout() throws IOException {
    StringBuilder text =
        new StringBuilder("cluster { name = tea, regions = [r0, r1, r2], servers = [");
    List<Integer> ports = LoopbackPorts.free(3);
    for (int i = 0; i < 3; i++) {
      String address = "127.0.0." + (i + 1);
      text.append(
          "\n{ name = s%d, region = r%d, listen = \"%s:%d\" }"
              .formatted(i, i, address, ports.get(i)));
    }
    return text.append("] }\nserver { durability = memory, links.max-backoff = 100ms }\n")
        .toString();
  }

  static Instant inDays(int days) {
    return Instant.now().plus(Duration.ofDays(days));
  }

  IssuedCertificate issue(Identity.Role role, String name) throws IOException {
    IssuedCertificate issued = authority.issue(new Identity(NAME, role, name), inDays(1));
    issued.write(folder);
    return issued;
  }

  TlsFiles files(Identity.Role role, String name) {
    Identity identity = new Identity(NAME, role, name);
    return new TlsFiles(
        folder.resolve(IssuedCertificate.certificateFile(identity)),
        folder.resolve(IssuedCertificate.keyFile(identity)),
        folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
  }

  TlsCluster startAll() throws IOException {
    for (int i = 0; i < 3; i++) {
      start("s" + i);
    }
    return this;
  }

  MortyServer start(String name) throws IOException {
    MortyServer server = MortyServer.start(config, name);
    running.put(name, server);
    return server;
  }

  void stop(String name) {
    MortyServer server = running.remove(name);
    if (server != null) {
      server.close();
    }
  }

  MortyServer server(String name) {
    return running.get(name);
  }

  MortyClient connect() {
    return MortyClient.connect(config, options());
  }

  MortyClient connect(String client) {
    return MortyClient.connect(config, options().withTls(files(Identity.Role.CLIENT, client)));
  }

  static ClientOptions options() {
    return ClientOptions.inRegion("r0").withConnectTimeout(Duration.ofSeconds(8));
  }

  static void write(MortyClient client, String value) {
    Result<Object> result =
        client.run(
            txn -> {
              txn.put(KEY, value);
              return null;
            });
    if (!(result instanceof Result.Committed<Object>)) {
      throw new AssertionError("not committed: " + result);
    }
  }

  static String read(MortyClient client) {
    if (client.run(txn -> txn.get(KEY)) instanceof Result.Committed<String> committed) {
      return committed.value();
    }
    throw new AssertionError("not committed");
  }

  @Override
  public void close() {
    running.values().forEach(MortyServer::close);
  }
}
