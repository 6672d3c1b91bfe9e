package org.mortydb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.certs.CertificateAuthority;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.config.Identity;
import org.mortydb.config.Names;
import org.mortydb.config.NumberRange;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code morty certs}. */
@Command(
    name = "certs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Creates the TLS certificates of a test cluster.",
    description = {
      "",
      "Creates a CA for the cluster, and a certificate and key for each named server and"
          + " client. With --ca, an existing CA signs further certificates. All files are PEM; keys"
          + " are PKCS#8, and only you can read them. The command overwrites nothing, and prints"
          + " the lines that the cluster's configuration needs.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  morty certs --out certs --cluster example --servers us-1,eu-1,ap-1 --clients shop,audit",
      "  morty certs --ca certs --clients backup          one more client",
      "  morty certs --ca certs --out new --servers us-1  a certificate to replace one that expires"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all files were written",
      "2:the command line is wrong",
      "3:nothing was done"
    })
final class CertsCommand implements Callable<Integer> {
  private static final int MOST_DAYS = 36_500;
  private static final Duration CA_LIFE = Duration.ofDays(3_650);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "The folder to write to, created if missing (default with --ca: that folder).")
  private @Nullable Path out;

  @Option(
      names = "--ca",
      paramLabel = "DIR",
      description = "The folder with ca.crt and ca.key of an earlier run, to sign with that CA.")
  private @Nullable Path ca;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      description = "The cluster's name as in its configuration (with --ca: that of the CA).")
  private @Nullable String cluster;

  @Option(
      names = "--servers",
      paramLabel = "NAME",
      split = ",",
      description = "The servers' names as in the configuration.")
  private List<String> servers = new ArrayList<>();

  @Option(
      names = "--clients",
      paramLabel = "NAME",
      split = ",",
      description = "Names of clients, to which server.authorization grants rights.")
  private List<String> clients = new ArrayList<>();

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "365",
      description = {
        "How long the certificates are valid (default: ${DEFAULT-VALUE}). A new CA is valid for"
            + " ten years, or as long as the certificates if that is longer."
      })
  private int days = 365;

  @Override
  public Integer call() {
    CommandLine command = spec.commandLine();
    Requirement.within(command, "--days", days, NumberRange.of(1, MOST_DAYS));
    Path folder = out != null ? out : ca;
    Requirement.that(folder != null, command, "--out is missing: name the folder to write to");
    Requirement.that(
        !servers.isEmpty() || !clients.isEmpty(), command, "name --servers or --clients, or both");
    try {
      return make(command, folder == null ? Path.of("") : folder);
    } catch (IOException e) {
      throw new FailedException("the certificates cannot be made: " + e.getMessage(), e);
    }
  }

  private Integer make(CommandLine command, Path folder) throws IOException {
    Instant until = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(Duration.ofDays(days));
    CertificateAuthority authority = authority(command, until);
    Requirement.that(
        !until.isAfter(authority.until()),
        command,
        "--days " + days + " is longer than the CA lasts, which ends at " + authority.until());
    List<Identity> identities = identities(command, authority.cluster());
    Files.createDirectories(folder);
    refuseToOverwrite(folder, identities);
    if (ca == null) {
      authority.write(folder);
    } else if (!Files.exists(folder.resolve(CertificateAuthority.CERTIFICATE_FILE))) {
      Files.copy(
          ca.resolve(CertificateAuthority.CERTIFICATE_FILE),
          folder.resolve(CertificateAuthority.CERTIFICATE_FILE));
    }
    for (Identity identity : identities) {
      authority.issue(identity, until).write(folder);
    }
    tell(folder, authority, identities, until);
    return ExitCode.OK;
  }

  private CertificateAuthority authority(CommandLine command, Instant until) throws IOException {
    if (ca == null) {
      Requirement.that(
          cluster != null, command, "--cluster is missing: give the name in the configuration");
      String name = cluster == null ? "" : cluster;
      requireName(command, "--cluster", name);
      Instant longest = Instant.now().plus(CA_LIFE);
      return CertificateAuthority.create(name, until.isAfter(longest) ? until : longest);
    }
    CertificateAuthority authority = CertificateAuthority.load(ca);
    Requirement.that(
        cluster == null || cluster.equals(authority.cluster()),
        command,
        "--cluster is '"
            + cluster
            + "', the CA in "
            + ca
            + " that of '"
            + authority.cluster()
            + "'");
    return authority;
  }

  private List<Identity> identities(CommandLine command, String ofCluster) {
    Set<Identity> identities = new LinkedHashSet<>();
    for (String server : servers) {
      requireName(command, "--servers", server);
      identities.add(new Identity(ofCluster, Identity.Role.SERVER, server));
    }
    for (String client : clients) {
      requireName(command, "--clients", client);
      identities.add(new Identity(ofCluster, Identity.Role.CLIENT, client));
    }
    return List.copyOf(identities);
  }

  private static void requireName(CommandLine command, String option, String name) {
    Requirement.that(
        Names.isValid(name),
        command,
        option + " holds '" + name + "': a name must be " + Names.RULE);
  }

  private void refuseToOverwrite(Path folder, List<Identity> identities) throws IOException {
    List<String> names = new ArrayList<>();
    if (ca == null) {
      names.add(CertificateAuthority.CERTIFICATE_FILE);
      names.add(CertificateAuthority.KEY_FILE);
    }
    for (Identity identity : identities) {
      names.add(IssuedCertificate.certificateFile(identity));
      names.add(IssuedCertificate.keyFile(identity));
    }
    for (String name : names) {
      if (Files.exists(folder.resolve(name))) {
        throw new IOException(
            folder.resolve(name)
                + " is there already, and nothing is overwritten: give another --out, or another"
                + " name"
                + (ca == null ? ", or --ca to sign with the CA that is there" : ""));
      }
    }
  }

  private void tell(
      Path folder, CertificateAuthority authority, List<Identity> identities, Instant until) {
    PrintWriter print = spec.commandLine().getOut();
    Path place = folder.toAbsolutePath().normalize();
    print.printf("made in %s:%n", place);
    if (ca == null) {
      print.printf(
          "  %-32s the CA of cluster '%s', until %s; ca.key belongs on no server%n",
          "ca.crt, ca.key", authority.cluster(), authority.until());
    }
    for (Identity identity : identities) {
      String stem = identity.role() + "-" + identity.name();
      print.printf("  %-32s %s, until %s%n", stem + ".crt, .key", identity, until);
    }
    print.printf("%nfor the configuration of cluster '%s':%n%n", authority.cluster());
    if (!servers.isEmpty()) {
      print.println("server.tls {");
      print.println("  enabled = true");
      print.printf("  certificate = \"%s\"%n", place.resolve("server-{name}.crt"));
      print.printf("  key = \"%s\"%n", place.resolve("server-{name}.key"));
      print.printf("  trust = \"%s\"%n", place.resolve(CertificateAuthority.CERTIFICATE_FILE));
      print.println("}");
    }
    if (!clients.isEmpty()) {
      String stem = "client-" + clients.getFirst();
      print.println("client.tls {");
      print.printf("  certificate = \"%s\"%n", place.resolve(stem + ".crt"));
      print.printf("  key = \"%s\"%n", place.resolve(stem + ".key"));
      if (servers.isEmpty()) {
        print.printf("  trust = \"%s\"%n", place.resolve(CertificateAuthority.CERTIFICATE_FILE));
      }
      print.println("}");
    }
    print.flush();
  }
}
