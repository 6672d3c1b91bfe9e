package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.config.Identity;
import org.mortydb.testing.LoopbackPorts;

/** Writes the configuration of a cluster on this machine. */
final class ClusterFile {
  private ClusterFile() {}

  /** The folder of the servers' data, with one folder per server. */
  static final String DATA = "data";

  private static final String CLUSTER = "bench";
  private static final Duration CERTIFICATE_LIFE = Duration.ofDays(30);

  /** The name of the clients in their certificate. */
  private static final String CLIENT = "bench";

  /** Creates a folder for the files of a run. {@link #delete} deletes it. */
  static Path newFolder(ClusterSettings settings) throws IOException {
    Path data = settings.data();
    return data == null
        ? Files.createTempDirectory("morty-bench-")
        : Files.createTempDirectory(data.toAbsolutePath(), "morty-bench-");
  }

  /**
   * The text of a configuration with servers on free ports of this machine.
   *
   * @param folder the folder of certificates and data, if there are any
   */
  static String of(ClusterSettings settings, Path folder) throws IOException {
    return of(settings, folder, false);
  }

  /**
   * The text of a configuration.
   *
   * @param admin whether servers have admin addresses
   */
  static String of(ClusterSettings settings, Path folder, boolean admin) throws IOException {
    List<String> regions = settings.regions();
    List<Integer> ports = LoopbackPorts.free(2 * regions.size());
    StringBuilder text = new StringBuilder("cluster {\n");
    add(text, "  name = %s%n", CLUSTER);
    add(text, "  f = %d%n  partitions = %d%n", settings.f(), settings.partitions());
    add(text, "  regions = [%s]%n  servers = [%n", String.join(", ", regions));
    for (int i = 0; i < regions.size(); i++) {
      add(
          text,
          "    { name = %s, region = %s, listen = \"127.0.0.1:%d\"%s }%n",
          serverName(i),
          regions.get(i),
          ports.get(i),
          admin ? ", admin = " + ports.get(regions.size() + i) : "");
    }
    text.append("  ]\n}\nserver {\n");
    add(text, "  durability = %s%n", settings.durability());
    if (settings.data() != null) {
      addPath(text, "data", folder.resolve(DATA));
    }
    if (settings.serverLoops() > 0) {
      add(text, "  event-loops = %d%n", settings.serverLoops());
    }
    text.append("}\n");
    settings.others().forEach((name, value) -> add(text, "%s = %s%n", name, value));
    if (settings.tls()) {
      addTls(text, settings, folder);
    }
    if (settings.delayMicros().isPresent()) {
      text.append("emulation {\n  delays {\n");
      for (int i = 0; i < regions.size(); i++) {
        for (int j = i + 1; j < regions.size(); j++) {
          add(
              text,
              "    %s { %s = %d us }%n",
              regions.get(i),
              regions.get(j),
              settings.delayMicros().getAsLong());
        }
      }
      text.append("  }\n}\n");
    }
    return text.toString();
  }

  /** Issues the certificates, and adds the sections that name them. */
  private static void addTls(StringBuilder text, ClusterSettings settings, Path folder)
      throws IOException {
    Instant until = Instant.now().plus(CERTIFICATE_LIFE);
    CertificateAuthority authority = CertificateAuthority.create(CLUSTER, until);
    authority.write(folder);
    for (int i = 0; i < settings.regionCount(); i++) {
      Identity server = new Identity(CLUSTER, Identity.Role.SERVER, serverName(i));
      authority.issue(server, until).write(folder);
    }
    Identity client = new Identity(CLUSTER, Identity.Role.CLIENT, CLIENT);
    authority.issue(client, until).write(folder);
    add(text, "server.tls {%n  enabled = true%n");
    addPath(text, "certificate", folder.resolve("server-{name}.crt"));
    addPath(text, "key", folder.resolve("server-{name}.key"));
    addPath(text, "trust", folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
    add(text, "}%nclient.tls {%n");
    addPath(text, "certificate", folder.resolve(IssuedCertificate.certificateFile(client)));
    addPath(text, "key", folder.resolve(IssuedCertificate.keyFile(client)));
    text.append("}\n");
  }

  private static void addPath(StringBuilder text, String setting, Path file) {
    add(text, "  %s = %s%n", setting, quoted(file.toAbsolutePath().toString()));
  }

  /** Deletes a cluster's folder with its keys, as far as possible. */
  static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      // A temporary folder that stays does no harm.
    }
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** The name of the server in a region, by the region's index. */
  static String serverName(int region) {
    return "server-" + (region + 1);
  }

  private static void add(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }
}
