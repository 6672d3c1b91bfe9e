package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Identity;
import org.mortydb.config.Identity.Role;
import org.mortydb.config.SecurityConfig;
import org.mortydb.config.TlsFiles;
import org.mortydb.transport.tls.ConfiguredTls;
import org.mortydb.transport.tls.Tls;

class CertsCommandTest {
  private static final String CLUSTER =
      """
      cluster {
        name = tea
        regions = [a]
        servers = [
          { name = a1, region = a, listen = "10.0.0.1:7401" }
          { name = a2, region = a, listen = "10.0.0.2:7401" }
          { name = a3, region = a, listen = "10.0.0.3:7401" }
        ]
      }
      """;

  @TempDir Path folder;
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  private int run(String args) {
    out = new StringWriter();
    err = new StringWriter();
    return CommandLines.run(out, err, ("certs " + args).split(" "));
  }

  private Path certs() {
    return folder.resolve("certs");
  }

  private Tls client(Path where, String name) throws Exception {
    TlsFiles files =
        new TlsFiles(
            where.resolve("client-" + name + ".crt"),
            where.resolve("client-" + name + ".key"),
            certs().resolve("ca.crt"));
    return Tls.load(files, Duration.ofHours(1));
  }

  @Test
  void whatItPrintsIsAConfigurationThatWorks() throws Exception {
    int code =
        run("--out " + certs() + " --cluster tea --servers a1,a2,a3 --clients shop --days 30");
    assertThat(code).as("%s", err).isEqualTo(ExitCode.OK);
    String printed = out.toString();
    assertThat(printed).contains("server-a1.crt").contains("client-shop.crt").contains("ca.key");
    String lines = printed.substring(printed.indexOf("server.tls {"));
    SecurityConfig security = ClusterConfig.parse(CLUSTER + lines).security();
    for (String server : new String[] {"a1", "a2", "a3"}) {
      Tls tls = ConfiguredTls.ofServer(security, server);
      assertThat(tls).isNotNull();
      assertThat(tls.identity()).isEqualTo(new Identity("tea", Role.SERVER, server));
    }
    Tls tls = ConfiguredTls.ofClient(security, null);
    assertThat(tls).isNotNull();
    assertThat(tls.identity()).isEqualTo(new Identity("tea", Role.CLIENT, "shop"));
    for (String key : new String[] {"ca", "server-a1", "client-shop"}) {
      assertThat(Files.getPosixFilePermissions(certs().resolve(key + ".key")))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void theCaThatIsThereSignsFurtherOnes() throws Exception {
    assertThat(run("--out " + certs() + " --cluster tea --servers a1")).isEqualTo(ExitCode.OK);
    assertThat(run("--ca " + certs() + " --clients audit")).as("%s", err).isEqualTo(ExitCode.OK);
    assertThat(client(certs(), "audit").identity().name()).isEqualTo("audit");

    Path elsewhere = folder.resolve("elsewhere");
    assertThat(run("--ca " + certs() + " --out " + elsewhere + " --clients audit"))
        .isEqualTo(ExitCode.OK);
    assertThat(client(elsewhere, "audit").identity().name()).isEqualTo("audit");
    assertThat(elsewhere.resolve("ca.crt")).hasSameBinaryContentAs(certs().resolve("ca.crt"));
    assertThat(elsewhere.resolve("ca.key")).doesNotExist();
  }

  @Test
  void nothingIsOverwritten() throws Exception {
    assertThat(run("--out " + certs() + " --cluster tea --clients a")).isEqualTo(ExitCode.OK);
    String key = Files.readString(certs().resolve("client-a.key"));
    assertThat(run("--out " + certs() + " --cluster tea --clients b")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("ca.crt", "--ca");
    assertThat(run("--ca " + certs() + " --clients b,a")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("client-a.crt");
    assertThat(certs().resolve("client-b.crt")).as("all or nothing").doesNotExist();
    assertThat(certs().resolve("client-a.key")).hasContent(key);
  }

  @Test
  void aFolderWithoutACaIsNamed() {
    assertThat(run("--ca " + folder + " --clients a")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "morty: the certificates cannot be made: "
                + folder.resolve("ca.crt")
                + " does not exist or is not readable");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--cluster tea --clients a | --out is missing",
        "--out x --cluster tea | name --servers or --clients",
        "--out x --clients a | --cluster is missing",
        "--out x --cluster t/ea --clients a | --cluster holds 't/ea': a name must be",
        "--out x --cluster tea --clients a,b! | --clients holds 'b!': a name must be",
        "--out x --cluster tea --clients a --days 0 | --days must be 1 to",
      })
  void aWrongCommandLineIsExplained(String args, String message) {
    assertThat(run(args)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("morty: ").contains(message);
  }

  @Test
  void aCaOfAnotherClusterAndOneThatEndsTooSoonAreRefused() {
    assertThat(run("--out " + certs() + " --cluster tea --clients a")).isEqualTo(ExitCode.OK);
    assertThat(run("--ca " + certs() + " --cluster coffee --clients b")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--cluster", "'coffee'", "'tea'");
    assertThat(run("--ca " + certs() + " --clients b --days 4000")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--days 4000");
  }
}
