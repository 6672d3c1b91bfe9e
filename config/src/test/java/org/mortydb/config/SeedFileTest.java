package org.mortydb.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Member;

class SeedFileTest {
  private static final String WHOLE =
      """
      cluster {
        name = tea, f = 1, partitions = 4, regions = [a, b]
        servers = [
          { name = a1, region = a, listen = "0.0.0.0:1", advertise = "h:1", admin = "h:9" }
          { name = a2, region = a, listen = "h:2" }
          { name = b1, region = b, listen = "h:3" }
        ]
      }
      server.replica { allowed-skew = 250ms, retention = 20s }
      server.durability = memory
      server.tls { enabled = true, certificate = "its.crt", key = "its.key", trust = "ca.crt" }
      emulation { delays { a { b = 1ms } } }
      """;
  private static final String SEEDS = "cluster { name = tea, seeds = [\"h:1\", \"[::1]:2\"] }\n";

  @TempDir private Path folder;

  private SeedFile file(String text) throws Exception {
    return Objects.requireNonNull(
        SeedFile.of(Files.writeString(folder.resolve("seeds.conf"), text)));
  }

  private static String shared() throws InvalidConfigException {
    return ClusterConfig.parse(WHOLE).shared();
  }

  @Test
  void aWholeFileHasNoSeeds() throws Exception {
    assertThat(SeedFile.of(Files.writeString(folder.resolve("cluster.conf"), WHOLE))).isNull();
  }

  @Test
  void aFileWithSeedsIsCompletedByTheSharedSettings() throws Exception {
    SeedFile seeds = file(SEEDS + "server.data = mine\nserver.links.min-backoff = 7ms\n");
    assertThat(seeds.cluster()).isEqualTo("tea");
    assertThat(seeds.seeds()).containsExactly(new Address("h", 1), new Address("::1", 2));
    assertThat(seeds.linkOptions().minBackoff()).hasMillis(7);
    assertThat(seeds.security().tls()).isFalse();
    ClusterConfig whole = ClusterConfig.parse(WHOLE);
    ClusterConfig learnt = seeds.complete(whole.shared(), "server 'a1' at h:1");
    assertThat(learnt.servers()).isEqualTo(whole.servers());
    assertThat(learnt.layout()).isEqualTo(whole.layout());
    assertThat(learnt.replicaOptions()).isEqualTo(whole.replicaOptions());
    assertThat(learnt.delays().micros("a", "b")).isEqualTo(1_000);
    // What is a process's own stays its own.
    assertThat(learnt.durability()).isEqualTo(Durability.SYNC);
    assertThat(learnt.storage().data()).isEqualTo(folder.resolve("mine"));
    assertThat(learnt.security().tls()).isFalse();
    // It can tell others in turn.
    assertThat(file(SEEDS).complete(learnt.shared(), "a").layout()).isEqualTo(whole.layout());
  }

  @Test
  void aPlaceOfTheDataThatIsNoTextIsAProblem() {
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> file(SEEDS + "server.data = [1]\n"))
        .withMessageContaining("server.data (")
        .withMessageContaining("is [1]: it must be a text");
  }

  /** A process that refused them could not connect, and so let none of them leave. */
  @Test
  void serversThatHaveJoinedMayShareAnAddress() throws Exception {
    ClusterConfig whole = ClusterConfig.parse(WHOLE);
    ClusterMap first = whole.firstMap();
    ClusterMap one = first.withServer(1, 1, "b2", new Member("b", "h:4", "h:4", "h:8"));
    ClusterMap two = one.withServer(2, 2, "b3", new Member("b", "h:5", "h:5", "h:8"));
    ClusterMap three = two.withServer(3, 3, "b4", new Member("b", "h:6", "h:6", "h:6"));
    ClusterConfig learnt = file(SEEDS).complete(whole.shared(three), "server 'a1' at h:1");
    assertThat(learnt.servers())
        .extracting(ServerSpec::name)
        .containsExactly("a1", "a2", "b1", "b2", "b3", "b4");
    assertThat(whole.withMembers(whole.shared(three), "server 'a1' at h:1").servers())
        .isEqualTo(learnt.servers());
  }

  @Test
  void secretsAndRightsAreNotShared() throws Exception {
    assertThat(shared()).doesNotContain("its.key", "tls", "durability");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cluster.f = 1, cluster.partitions = 4             |
          cluster.regions = [a, b]                          |
          server.replica.allowed-skew = 250000us            |
          cluster.partitions = 8                            | cluster.partitions is 8 here and 4 there
          cluster.regions = [b, a]                          | cluster.regions is [b, a] here
          server.replica.allowed-skew = 1s                  | server.replica is
          cluster.leaders = a                               | cluster.leaders is
          emulation.delays.a.b = 2ms                        | emulation is a to b 2000
          """)
  void whatTheFileSaysItselfMustAgree(String settings, String difference) throws Exception {
    SeedFile seeds = file(SEEDS + settings.replaceAll(", (?=[cs])", "\n") + "\n");
    if (difference == null) {
      assertThat(seeds.complete(shared(), "server 'a1' at h:1").partitions()).isEqualTo(4);
      return;
    }
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> seeds.complete(shared(), "server 'a1' at h:1"))
        .withMessageContaining("seeds.conf")
        .withMessageContaining("what server 'a1' at h:1 told of cluster 'tea': " + difference)
        .withMessageContaining("correct the file");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "include \"/etc/passwd\"",
        "{\"cluster\": {\"include\": 1}}",
        "{\"cluster\": ${?HOME}}",
        "{\"cluster\": {\"name\": \"tea\"}}",
        "{\"server\": {\"tls\": {\"enabled\": true}}}",
        "cluster { name = tea }"
      })
  void whatIsNoLayoutIsRefused(String told) throws Exception {
    SeedFile seeds = file(SEEDS);
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> seeds.complete(told, "server 'a1' at h:1"))
        .withMessageContaining("server 'a1' at h:1");
  }

  @Test
  void whatIsLearntIsBounded() throws Exception {
    SeedFile seeds = file(SEEDS);
    String deep = "[".repeat(500_000);
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> seeds.complete("{\"cluster\": " + deep, "s"))
        .withMessageContaining("nested deeper than 16 levels");
    StringBuilder many = new StringBuilder("{\"cluster\":{\"name\":\"tea\",\"regions\":[\"a\"],");
    many.append("\"servers\":[");
    for (int i = 0; i < 1001; i++) {
      many.append(i == 0 ? "" : ",");
      many.append("{\"name\":\"s%d\",\"region\":\"a\",\"listen\":\"h:%d\"}".formatted(i, i + 1));
    }
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> seeds.complete(many + "]}}", "s"))
        .withMessageContaining("holds 1001 servers, at most 1000");
    // Brackets within texts are no nesting.
    String quoted = shared().replace("\"h:2\"", "\"h\\\"" + "[{".repeat(20) + "\"");
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> seeds.complete(quoted, "s"))
        .withMessageContaining("cluster.servers[1].listen");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cluster { name = tea, seeds = [] }         | cluster.seeds (seeds.conf:1) holds 0 addresses
          cluster { name = tea, seeds = [h] }        | cluster.seeds (seeds.conf:1) holds 'h'
          cluster { name = tea, seeds = ["0.0.0.0:1"]}| holds '0.0.0.0:1'
          cluster { name = tea, seeds = 7 }          | cluster.seeds (seeds.conf:1) is 7
          cluster { seeds = ["h:1"] }                | cluster.name (seeds.conf:1) is missing
          """)
  void seedsThatCannotBeAreRefused(String text, String problem) {
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> file(text))
        .satisfies(e -> assertThat(e.getMessage().replace(folder + "/", "")).contains(problem));
  }

  @Test
  void atMostSixteenSeedsAreAsked() {
    StringBuilder seeds = new StringBuilder();
    for (int i = 1; i <= 17; i++) {
      seeds.append("\"h:").append(i).append("\",");
    }
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> file("cluster { name = tea, seeds = [" + seeds + "] }"))
        .withMessageContaining("holds 17 addresses: it must hold 1 to 16");
  }

  /** A program that does not ask must not take such a file for a whole one. */
  @Test
  void aFileWithSeedsIsNoWholeFile() {
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.parse(WHOLE + "cluster.seeds = [\"h:1\"]"))
        .withMessageContaining("cluster.seeds")
        .withMessageContaining("needs the whole file");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> SeedFile.of(folder.resolve("missing.conf")))
        .withMessageContaining("missing.conf");
  }
}
