package org.mortydb.bench.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mortydb.bench.cluster.ClusterFile;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.JavaTls;

/**
 * The credentials of a run's servers and clients. Each host gets those of its own processes, over
 * the agents' own mutual TLS. The key of the CA stays in this process.
 */
final class RunCertificates {
  private final List<Map<String, String>> servers;
  private final Map<String, String> clients;

  private RunCertificates(List<Map<String, String>> servers, Map<String, String> clients) {
    this.servers = servers;
    this.clients = clients;
  }

  /**
   * Makes the credentials, or reads them if the file of agents names a folder. Without TLS there
   * are none.
   *
   * @throws AgentFailedException if one cannot be read, or is that of another process; the message
   *     names the file
   */
  static RunCertificates of(AgentsFile agents, ClusterSettings cluster) {
    if (!cluster.tls()) {
      return new RunCertificates(List.of(), Map.of());
    }
    Path folder = agents.runCertificates();
    Source source = folder == null ? made() : identity -> read(folder, identity);
    List<Map<String, String>> servers = new ArrayList<>();
    for (int i = 0; i < cluster.regionCount(); i++) {
      servers.add(texts(source, ClusterFile.server(i)));
    }
    return new RunCertificates(servers, texts(source, ClusterFile.client()));
  }

  @FunctionalInterface
  private interface Source {
    Map<String, String> of(Identity identity) throws IOException;
  }

  private static Map<String, String> texts(Source source, Identity identity) {
    try {
      return source.of(identity);
    } catch (IOException e) {
      throw new AgentFailedException(
          "the certificate of %s cannot be read: %s".formatted(identity, e.getMessage()), e);
    }
  }

  private static Source made() {
    Instant until = Instant.now().plus(ClusterFile.CERTIFICATE_LIFE);
    CertificateAuthority authority = CertificateAuthority.create(ClusterFile.CLUSTER, until);
    return identity -> {
      Map<String, String> texts = new LinkedHashMap<>(authority.issue(identity, until).texts());
      texts.put(CertificateAuthority.CERTIFICATE_FILE, authority.certificateText());
      return texts;
    };
  }

  private static Map<String, String> read(Path folder, Identity identity) throws IOException {
    TlsFiles files =
        new TlsFiles(
            folder.resolve(IssuedCertificate.certificateFile(identity)),
            folder.resolve(IssuedCertificate.keyFile(identity)),
            folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
    try {
      Identity found = JavaTls.load(files, _ -> null).identity();
      if (!found.equals(identity)) {
        throw new AgentFailedException(
            "runCertificates: %s is that of %s, and must be that of %s"
                .formatted(files.certificate(), found, identity));
      }
    } catch (InvalidCredentialsException e) {
      throw new AgentFailedException(
          ("runCertificates: %s; make the files with 'morty certs --cluster %s --servers %s,..."
                  + " --clients %s'")
              .formatted(
                  e.getMessage(),
                  ClusterFile.CLUSTER,
                  ClusterFile.serverName(0),
                  ClusterFile.client().name()),
          e);
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (Path file : List.of(files.certificate(), files.key(), files.trust())) {
      texts.put(String.valueOf(file.getFileName()), Files.readString(file));
    }
    return texts;
  }

  /** The texts of a server's files by their names, by the index of its region. */
  Map<String, String> ofServer(int region) {
    return servers.isEmpty() ? Map.of() : servers.get(region);
  }

  /** The texts of the clients' files by their names. */
  Map<String, String> ofClients() {
    return clients;
  }
}
