package org.mortydb.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.mortydb.check.journal.DeletedAtExit;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.config.Address;
import org.mortydb.config.Identity;
import org.mortydb.testing.LoopbackPorts;

/** Writes the configuration of a cluster for a run. */
public final class ClusterFile {
  private ClusterFile() {}

  /** The folder of the servers' data, with one folder per server. */
  public static final String DATA = "data";

  /** The name of the cluster of a run, and of its clients in their certificate. */
  public static final String CLUSTER = "bench";

  /** How long the certificates of a run are valid. */
  public static final Duration CERTIFICATE_LIFE = Duration.ofDays(30);

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
    int servers = settings.regionCount();
    List<Integer> ports = LoopbackPorts.free(2 * servers);
    List<Address> addresses = new ArrayList<>();
    for (int port : ports.subList(0, servers)) {
      addresses.add(new Address("127.0.0.1", port));
    }
    String text =
        of(settings, addresses, admin ? ports.subList(servers, 2 * servers) : List.of(), folder);
    if (settings.tls()) {
      issue(settings, folder);
      return text + tls(folder);
    }
    return text;
  }

  /**
   * The text of a configuration with servers on other machines.
   *
   * @param addresses where the server of each region listens
   * @param folder the folder of certificates and data on those machines, if there are any
   */
  public static String of(ClusterSettings settings, List<Address> addresses, Path folder) {
    String text = of(settings, addresses, List.of(), folder);
    return settings.tls() ? text + tls(folder) : text;
  }

  private static String of(
      ClusterSettings settings, List<Address> addresses, List<Integer> admin, Path folder) {
    List<String> regions = settings.regions();
    StringBuilder text = new StringBuilder("cluster {\n");
    add(text, "  name = %s%n", CLUSTER);
    add(text, "  f = %d%n  partitions = %d%n", settings.f(), settings.partitions());
    add(text, "  regions = [%s]%n  servers = [%n", String.join(", ", regions));
    for (int i = 0; i < regions.size(); i++) {
      add(
          text,
          "    { name = %s, region = %s, listen = \"%s\"%s }%n",
          serverName(i),
          regions.get(i),
          addresses.get(i),
          admin.isEmpty() ? "" : ", admin = " + admin.get(i));
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

  /** Issues the certificates. */
  private static void issue(ClusterSettings settings, Path folder) throws IOException {
    Instant until = Instant.now().plus(CERTIFICATE_LIFE);
    CertificateAuthority authority = CertificateAuthority.create(CLUSTER, until);
    authority.write(folder);
    for (int i = 0; i < settings.regionCount(); i++) {
      authority.issue(server(i), until).write(folder);
    }
    authority.issue(client(), until).write(folder);
  }

  /** The server in a region in its certificate, by the region's index. */
  public static Identity server(int region) {
    return new Identity(CLUSTER, Identity.Role.SERVER, serverName(region));
  }

  /** The clients in their certificate. */
  public static Identity client() {
    return new Identity(CLUSTER, Identity.Role.CLIENT, CLUSTER);
  }

  /** The sections that name the certificates in a folder. */
  private static String tls(Path folder) {
    StringBuilder text = new StringBuilder();
    add(text, "server.tls {%n  enabled = true%n");
    addPath(text, "certificate", folder.resolve("server-{name}.crt"));
    addPath(text, "key", folder.resolve("server-{name}.key"));
    addPath(text, "trust", folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
    add(text, "}%nclient.tls {%n");
    addPath(text, "certificate", folder.resolve(IssuedCertificate.certificateFile(client())));
    addPath(text, "key", folder.resolve(IssuedCertificate.keyFile(client())));
    return text.append("}\n").toString();
  }

  private static void addPath(StringBuilder text, String setting, Path file) {
    add(text, "  %s = %s%n", setting, quoted(file.toAbsolutePath().toString()));
  }

  /** Deletes a cluster's folder with its keys, as far as possible. */
  public static void delete(Path folder) {
    DeletedAtExit.delete(folder);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** The name of the server in a region, by the region's index. */
  public static String serverName(int region) {
    return "server-" + (region + 1);
  }

  private static void add(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }
}
