package org.mortydb.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;

class ClusterConfigTest {
  private static final Path EXAMPLE = Path.of("..", "deploy", "example", "cluster.conf");

  private static final String SMALL =
      """
      cluster {
        name = tea
        regions = [a, b, c]
        servers = [
          { name = a1, region = a, listen = "10.0.0.1:7401" }
          { name = b1, region = b, listen = "b.example:7401" }
          { name = c1, region = c, listen = "[fe80::1]:7401" }
        ]
      }
      """;

  @Test
  void theExampleIsValidAndSpellsOutTheDefaults() throws Exception {
    ClusterConfig example = ClusterConfig.load(EXAMPLE);
    assertThat(example.name()).isEqualTo("example");
    assertThat(example.partitions()).isEqualTo(4);
    assertThat(example.regions()).containsExactly("us-east", "eu-west", "ap-south");
    assertThat(example.linkOptions()).isEqualTo(LinkOptions.DEFAULTS);
    assertThat(example.replicaOptions()).isEqualTo(ReplicaOptions.DEFAULTS);
    assertThat(example.tracing()).isEqualTo(TracingSettings.OFF);
    assertThat(example.delays().micros("ap-south", "us-east")).isEqualTo(95_000);
    assertThat(example.delays().jitterMicros("ap-south", "us-east")).isEqualTo(1_900);
    assertThat(example.delays().micros("us-east", "us-east")).isZero();
  }

  @Test
  void defaultsHoldForWhatIsNotGiven() throws Exception {
    ClusterConfig config = ClusterConfig.parse(SMALL);
    assertThat(config.f()).isEqualTo(1);
    assertThat(config.partitions()).isEqualTo(1);
    assertThat(config.durability()).isEqualTo(Durability.SYNC);
    assertThat(config.storage().data()).isEqualTo(Path.of("data"));
    assertThat(config.linkOptions()).isEqualTo(LinkOptions.DEFAULTS);
    assertThat(config.replicaOptions()).isEqualTo(ReplicaOptions.DEFAULTS);
    assertThat(config.delays().micros("a", "b")).isZero();
    assertThat(config.servers())
        .containsExactly(
            new ServerSpec("a1", "a", "10.0.0.1", 7401),
            new ServerSpec("b1", "b", "b.example", 7401),
            new ServerSpec("c1", "c", "fe80::1", 7401));
    assertThat(config.servers().getLast().address()).isEqualTo("[fe80::1]:7401");
  }

  @Test
  void settingsAreRead() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            SMALL
                + """
                server {
                  event-loops = 3
                  links { max-outbound = 32 MiB, min-backoff = 7ms }
                  replica { allowed-skew = 250us, max-versions-per-key = 9 }
                }
                emulation { delays { a { b = 1ms, c = 2ms }, b { c = 3ms, a = 4ms } }, jitter = 100us }
                """);
    assertThat(config.eventLoops(8, 64)).isEqualTo(3);
    assertThat(config.eventLoops(2, 64)).isEqualTo(2);
    assertThat(config.linkOptions().maxOutboundBytes()).isEqualTo(32 * 1024 * 1024);
    assertThat(config.linkOptions().minBackoff()).isEqualTo(Duration.ofMillis(7));
    assertThat(config.replicaOptions().allowedSkewMicros()).isEqualTo(250);
    assertThat(config.replicaOptions().maxVersionsPerKey()).isEqualTo(9);
    DelayMatrix delays = config.delays();
    assertThat(delays.micros("a", "b")).isEqualTo(1_000);
    assertThat(delays.micros("b", "a")).isEqualTo(4_000);
    assertThat(delays.micros("c", "b")).isEqualTo(3_000);
    assertThat(delays.jitterMicros("c", "b")).isEqualTo(100);
    assertThat(delays.jitterMicros("a", "a")).isZero();
  }

  @Test
  void eventLoopsFollowTheMachineUnlessGiven() throws Exception {
    ClusterConfig config = ClusterConfig.parse(SMALL);
    assertThat(config.eventLoops(8, 2)).isEqualTo(1);
    assertThat(config.eventLoops(8, 1)).isEqualTo(1);
    assertThat(config.eventLoops(8, 8)).isEqualTo(4);
    assertThat(config.eventLoops(2, 64)).isEqualTo(2);
  }

  @Test
  void replicasAreSpreadOverRegionsAndServers() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            """
            cluster {
              name = tea, partitions = 4, regions = [a, b, c]
              servers = [
                { name = a1, region = a, listen = "h:1" }, { name = a2, region = a, listen = "h:2" }
                { name = b1, region = b, listen = "h:3" }, { name = b2, region = b, listen = "h:4" }
                { name = c1, region = c, listen = "h:5" }, { name = c2, region = c, listen = "h:6" }
              ]
            }
            """);
    for (int partition = 0; partition < 4; partition++) {
      TreeSet<String> regions = new TreeSet<>();
      for (int index = 0; index < 3; index++) {
        regions.add(config.serverOf(new ReplicaId(partition, index)).region());
      }
      assertThat(regions).containsExactly("a", "b", "c");
    }
    for (ServerSpec server : config.servers()) {
      List<ReplicaId> replicas = config.replicasOf(server);
      assertThat(replicas).hasSize(2);
      assertThat(replicas).allMatch(replica -> config.serverOf(replica).equals(server));
    }
    assertThat(config.hasReplica(new ReplicaId(3, 2))).isTrue();
    assertThat(config.hasReplica(new ReplicaId(4, 0))).isFalse();
    assertThat(config.hasReplica(new ReplicaId(0, 3))).isFalse();
  }

  @Test
  void fewerRegionsThanReplicasAreUsedEvenly() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            """
            cluster {
              name = tea, f = 2, regions = [a, b]
              servers = [
                { name = a1, region = a, listen = "h:1" }, { name = a2, region = a, listen = "h:2" }
                { name = a3, region = a, listen = "h:3" }, { name = a4, region = a, listen = "h:4" }
                { name = b1, region = b, listen = "h:5" }, { name = b2, region = b, listen = "h:6" }
              ]
            }
            """);
    TreeSet<String> group = new TreeSet<>();
    for (int index = 0; index < 5; index++) {
      group.add(config.serverOf(new ReplicaId(0, index)).name());
    }
    assertThat(group).containsExactly("a1", "a2", "a3", "b1", "b2");
  }

  @Test
  void aGivenPlacementIsKept() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            SMALL + "cluster { partitions = 2, placement { 0 = [c1, a1, b1], 1 = [b1, a1, c1] } }");
    assertThat(config.serverOf(new ReplicaId(0, 0)).name()).isEqualTo("c1");
    assertThat(config.replicasOf(config.servers().get(1)))
        .containsExactly(new ReplicaId(0, 2), new ReplicaId(1, 0));
  }

  @Test
  void theClosestReplicaIsInTheRegionOrTheLeastDelayAway() throws Exception {
    String placed = "cluster { placement { 0 = [a1, b1, c1] }, regions = [a, b, c, d, e]\n";
    String more =
        """
          servers = ${cluster.servers} [
            { name = d1, region = d, listen = "h:8" }, { name = e1, region = e, listen = "h:9" }
          ]
        }
        """;
    ClusterConfig plain = ClusterConfig.parse(SMALL + placed + more);
    assertThat(plain.topology("c").closest(0)).isEqualTo(2);
    assertThat(plain.topology("d").closest(0)).isZero();
    ClusterConfig delayed =
        ClusterConfig.parse(
            SMALL
                + placed
                + more
                + """
                emulation.delays {
                  a { b = 1ms, c = 1ms, d = 9ms, e = 1ms }, b { c = 1ms, d = 5ms, e = 1ms }
                  c { d = 7ms, e = 1ms }, d { e = 1ms }
                }
                """);
    Topology topology = delayed.topology("d");
    assertThat(topology.closest(0)).isEqualTo(1);
    assertThat(topology.f()).isEqualTo(1);
    assertThat(topology.partitions()).isEqualTo(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> delayed.topology("aa"))
        .withMessageContaining(
            "region 'aa' does not exist: did you mean 'a'? there are a, b, c, d, e");
  }

  @Test
  void leadersTakeTurnsUnlessTheyAreInOneRegion() throws Exception {
    String partitions = "cluster { partitions = 4 }\n";
    Topology spread = ClusterConfig.parse(SMALL + partitions).topology("b");
    ClusterConfig inOneRegion = ClusterConfig.parse(SMALL + partitions + "cluster.leaders = c");
    Topology together = inOneRegion.topology("b");
    for (int partition = 0; partition < 4; partition++) {
      assertThat(spread.leader(partition)).isEqualTo(partition % 3);
      ReplicaId leader = new ReplicaId(partition, together.leader(partition));
      assertThat(inOneRegion.serverOf(leader).region()).isEqualTo("c");
    }
    assertThat(
            ClusterConfig.parse(SMALL + partitions + "cluster.leaders = spread")
                .topology("b")
                .leader(2))
        .isEqualTo(2);
  }

  @Test
  void theClockUncertaintyIsReadAndZeroUnlessGiven() throws Exception {
    assertThat(ClusterConfig.parse(SMALL).replicaOptions().clockUncertaintyMicros()).isZero();
    assertThat(
            ClusterConfig.parse(SMALL + "server.replica.clock-uncertainty = 7ms")
                .replicaOptions()
                .clockUncertaintyMicros())
        .isEqualTo(7_000);
  }

  @Test
  void regionSlotsAreAdaptiveUnlessGiven() throws Exception {
    assertThat(ClusterConfig.parse(SMALL).regionSlots()).isEqualTo(SlotSetting.AUTO);
    assertThat(ClusterConfig.parse(SMALL + "client.region-slots = off").regionSlots())
        .isEqualTo(SlotSetting.OFF);
    assertThat(ClusterConfig.parse(SMALL + "client.region-slots = 8ms").regionSlots())
        .isEqualTo(new SlotSetting(false, 8_000));
  }

  @Test
  void admissionIsOffUnlessGiven() throws Exception {
    assertThat(ClusterConfig.parse(SMALL).admission()).isEqualTo(AdmissionSetting.OFF);
    assertThat(ClusterConfig.parse(SMALL + "client.admission = auto").admission())
        .isEqualTo(AdmissionSetting.AUTO);
    assertThat(ClusterConfig.parse(SMALL + "client.admission = 64").admission())
        .isEqualTo(new AdmissionSetting(false, 64));
  }

  // ---- what is refused ----------------------------------------------------------------------

  @Test
  void everyProblemIsReportedAtOnceWithItsPathAndPlace(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("bad.conf");
    Files.writeString(
        file,
        """
        cluster {
          f = 0
          patritions = 3
          regions = [a, b, b, "x y"]
          servers = [
            { name = a1, region = a, listen = "h:1" }
            { name = a1, region = a, listen = "h:2" }
            { name = a3, region = aa, listen = "h:3" }
            { name = a4, region = a, listen = "h:1" }
            { name = a5, region = a, listen = "h:70000" }
            { name = a6, region = a, adress = "h:6" }
          ]
        }
        server {
          event-loops = 0
          durability = sync
          links { high-water-mark = 1000B, max-outbound = 1 MiB, connect-timeout = soon }
          replica { max-versions-per-key = 1 }
        }
        emulation { delays { a { c = 1ms }, z { a = 1ms } }, jitter = 150% }
        """);
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.load(file))
        .satisfies(
            e ->
                assertThat(e.problems().stream().map(p -> p.path() + " " + p.text()))
                    .satisfiesExactlyInAnyOrder(
                        p -> assertThat(p).startsWith("cluster.name is missing"),
                        p ->
                            assertThat(p)
                                .isEqualTo(
                                    "cluster.f is 0: it must be a whole number from 1 to 10"),
                        p -> assertThat(p).startsWith("cluster.regions holds 'b' twice"),
                        p ->
                            assertThat(p).startsWith("cluster.regions holds 'x y': a name must be"),
                        p ->
                            assertThat(p)
                                .startsWith("cluster.servers[1].name is 'a1' a second time"),
                        p ->
                            assertThat(p)
                                .startsWith(
                                    "cluster.servers[2].region is 'aa', which is no region: "
                                        + "did you mean 'a'? there are a, b"),
                        p ->
                            assertThat(p)
                                .startsWith(
                                    "cluster.servers[3].listen is 'h:1', where server 'a1'"
                                        + " listens"),
                        p ->
                            assertThat(p)
                                .startsWith(
                                    "cluster.servers[4].listen is 'h:70000': it must be host:port"),
                        p ->
                            assertThat(p)
                                .startsWith(
                                    "cluster.servers[5].listen is missing: it must be given"),
                        p -> assertThat(p).startsWith("cluster.servers[5].adress is no setting"),
                        p ->
                            assertThat(p)
                                .startsWith("cluster.regions holds 'b', but no server is there"),
                        p ->
                            assertThat(p)
                                .startsWith(
                                    "cluster.patritions is no setting: did you mean 'partitions'?"),
                        p -> assertThat(p).startsWith("server.event-loops is 0: it must be"),
                        p ->
                            assertThat(p)
                                .startsWith("server.links.high-water-mark is 1000 bytes: it must"),
                        p ->
                            assertThat(p)
                                .startsWith("server.links.max-outbound is 1048576 bytes: it must"),
                        p ->
                            assertThat(p)
                                .startsWith(
                                    "server.links.connect-timeout is 'soon': it must be a time"),
                        p ->
                            assertThat(p)
                                .startsWith("server.replica.max-versions-per-key is 1: it must be"),
                        p ->
                            assertThat(p)
                                .startsWith("emulation.delays.a.c is no region: there are a, b"),
                        p -> assertThat(p).startsWith("emulation.delays.z is no region"),
                        p ->
                            assertThat(p)
                                .startsWith("emulation.delays has none between 'a' and 'b'"),
                        p -> assertThat(p).startsWith("emulation.jitter is 150%")))
        .satisfies(
            e ->
                assertThat(e)
                    .hasMessageStartingWith("the configuration " + file + " is invalid:\n  ")
                    .hasMessageContaining("cluster.f (" + file + ":2) is 0"));
  }

  @Test
  void tracingIsOffUnlessGiven() throws Exception {
    assertThat(ClusterConfig.parse(SMALL).tracing()).isEqualTo(TracingSettings.OFF);
    assertThat(ClusterConfig.parse(SMALL).tracing().isOn()).isFalse();
    TracingSettings tracing =
        ClusterConfig.parse(
                SMALL + "tracing { rate = 0.25, zipkin = \"https://zipkin.example/api/v2/spans\" }")
            .tracing();
    assertThat(tracing.isOn()).isTrue();
    assertThat(tracing.rate()).isEqualTo(0.25);
    assertThat(tracing.zipkin()).hasToString("https://zipkin.example/api/v2/spans");
    assertProblems(
        SMALL + "tracing { rate = 2, zipkin = \"zipkin:9411\", rates = 1 }",
        "tracing.rate is 2.0: it must be a number from 0 to 1",
        "tracing.rates is no setting: did you mean 'rate'? there are rate, zipkin",
        "tracing.zipkin is 'zipkin:9411': it must be where spans are posted, such as"
            + " 'http://127.0.0.1:9411/api/v2/spans'");
  }

  @Test
  void aHoleInAPlacementIsNamed() {
    assertProblems(
        SMALL
            + """
            cluster { partitions = 4, placement {
              0 = [a1, b1, c1], 1 = [a1, b1], 2 = [a1, b1, bb1], 4 = [a1, b1, c1], 5x = []
            } }
            """,
        "cluster.placement.1 holds 2 servers: a partition has 2f+1 = 3 replicas",
        "cluster.placement.2 holds 'bb1', which is not a server of the cluster: did you mean 'b1'? "
            + "there are a1, b1, c1",
        "cluster.placement.3 is missing: a placement names the servers of every partition, 0 to 3",
        "cluster.placement.4 is no partition: they are 0 to 3",
        "cluster.placement.5x is no partition: they are 0 to 3");
    assertProblems(
        SMALL + "cluster.placement { 0 = [a1, b1, c1], 00 = [c1, b1, a1] }",
        "cluster.placement.00 is no partition: they are 0 to 0");
    assertProblems(
        SMALL + "cluster.placement { 0 = [a1, b1, b1] }",
        "cluster.placement.0 holds 'b1' twice: the replicas of a partition need a server each");
  }

  @Test
  void leadersWhereThereAreNoReplicasAreRefused() {
    assertProblems(
        SMALL + "cluster.leaders = bb",
        "cluster.leaders is 'bb', which is no region: did you mean 'b'? there are a, b, c: it must"
            + " be one, or spread");
    assertProblems(
        SMALL
            + """
            cluster {
              regions = [a, b, c, d], partitions = 2, leaders = d
              servers = ${cluster.servers} [{ name = d1, region = d, listen = "h:8" }]
              placement { 0 = [a1, b1, d1], 1 = [a1, b1, c1] }
            }
            """,
        "cluster.leaders is 'd', where partition 1 has no replica: choose another region, or give a"
            + " placement");
  }

  @Test
  void anAdminAddressIsAPortOfLoopbackOrHostAndPort() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            """
            cluster {
              name = tea, regions = [a, b, c]
              servers = [
                { name = a1, region = a, listen = "h:1", admin = 9464 }
                { name = b1, region = b, listen = "h:2", admin = "10.0.0.2:9464" }
                { name = c1, region = c, listen = "h:3" }
              ]
            }
            """);
    assertThat(config.servers())
        .extracting(ServerSpec::admin)
        .containsExactly(new Address("127.0.0.1", 9464), new Address("10.0.0.2", 9464), null);
  }

  @Test
  void anAdminAddressThatCannotBeUsedIsRefused() {
    String servers =
        """
        cluster {
          name = tea, regions = [a, b, c]
          servers = [
            { name = a1, region = a, listen = "h:1", admin = %s }
            { name = b1, region = b, listen = "h:2", admin = %s }
            { name = c1, region = c, listen = "h:3" }
          ]
        }
        """;
    String rule =
        ": it must be a port, which is then open to processes of the same machine alone, or"
            + " host:port, with a port from 1 to 65535";
    assertProblems(
        servers.formatted("0", "\"h:70000\""),
        "cluster.servers[0].admin is 0" + rule,
        "cluster.servers[1].admin is 'h:70000'" + rule);
    assertProblems(
        servers.formatted("9464", "9464"),
        "cluster.servers[1].admin is '127.0.0.1:9464', where server 'a1' listens: every server"
            + " needs its own address");
  }

  @Test
  void aServerListensOnOneAddressAndAdvertisesAnother() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            """
            cluster {
              name = tea, regions = [a]
              servers = [
                { name = a1, region = a, listen = "0.0.0.0:7401", advertise = "a1.example:443",
                  admin = "[::]:9464", admin-advertise = "admin.example:1" }
                { name = a2, region = a, listen = "0.0.0.0:7401", advertise = "a2.example:443",
                  admin = "0.0.0.0:9464", admin-advertise = "admin.example:2" }
                { name = a3, region = a, listen = "h:1", admin = 9464 }
              ]
            }
            """);
    ServerSpec first = config.servers().getFirst();
    assertThat(first.address()).isEqualTo("a1.example:443");
    assertThat(first.listen()).isEqualTo(new Address("0.0.0.0", 7401));
    assertThat(first.admin()).isEqualTo(new Address("admin.example", 1));
    assertThat(first.adminListen()).isEqualTo(new Address("::", 9464));
    assertThat(first.advertisedText()).contains("a1.example:443");
    ServerSpec last = config.servers().getLast();
    assertThat(last.listen()).isEqualTo(new Address("h", 1));
    assertThat(last.admin()).isEqualTo(last.adminListen());
    assertThat(last.advertisedText()).isEmpty();
  }

  @Test
  void anAddressToWhichNobodyCanConnectIsRefused() {
    String servers =
        """
        cluster {
          name = tea, regions = [a]
          servers = [
            { name = a1, region = a, listen = "0.0.0.0:1", admin = "[::]:2" }
            { name = a2, region = a, listen = "h:2", advertise = "0.0.0.0:4" }
            { name = a3, region = a, listen = "h:3", advertise = "h", admin-advertise = "h:9" }
            { name = a4, region = a, listen = "h:4", advertise = "x:4", admin = 1 }
            { name = a5, region = a, listen = "h:5", advertise = "x:4", admin = 2,
              admin-advertise = "x:4" }
          ]
        }
        """;
    assertProblems(
        servers,
        "cluster.servers[0].listen is '0.0.0.0:1', to which others cannot connect: set"
            + " cluster.servers[0].advertise to the address that others use",
        "cluster.servers[0].admin is '[::]:2', to which others cannot connect: set"
            + " cluster.servers[0].admin-advertise to the address that others use",
        "cluster.servers[1].advertise is '0.0.0.0:4', to which others cannot connect: it must be"
            + " one address",
        "cluster.servers[2].advertise is 'h': it must be host:port, with a port from 1 to 65535",
        "cluster.servers[2].admin-advertise is set, but cluster.servers[2].admin is not: set both",
        "cluster.servers[4].advertise is 'x:4', where server 'a4' listens: every server needs its"
            + " own address",
        "cluster.servers[4].admin-advertise is 'x:4', where server 'a4' listens: every server needs"
            + " its own address");
  }

  @Test
  void aPlaceOfTheDataThatIsNoPathIsRefused() {
    assertProblems(
        SMALL + "server.data = \"a\\u0000b\"",
        "server.data is 'a\0b': it must be the path of a directory");
    assertProblems(SMALL + "server.data = [a]", "server.data is [\"a\"]: it must be a text");
  }

  @Test
  void aFileThatIsNotInUtf8IsRefused(@TempDir Path folder) throws Exception {
    String text = SMALL + "# f\u00fcr Tee\n";
    Path file = Files.writeString(folder.resolve("cluster.conf"), text);
    assertThat(ClusterConfig.load(file).name()).isEqualTo("tea");
    for (Charset other : List.of(StandardCharsets.ISO_8859_1, StandardCharsets.UTF_16)) {
      Files.write(file, text.getBytes(other));
      long line = other.equals(StandardCharsets.UTF_16) ? 1 : text.lines().count();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> ClusterConfig.load(file))
          .withMessage(
              "the configuration file %s is not text in UTF-8, from line %d on: save it in UTF-8",
              file, line);
    }
  }

  /** A server's data is in a folder of its name. */
  @Test
  void aNameThatIsAFolderOfItsOwnIsRefused() {
    for (String name : List.of(".", "..")) {
      assertProblems(
          SMALL.replace("name = b1", "name = \"" + name + "\""),
          "cluster.servers[1].name is '" + name + "': a name must be " + Names.RULE);
    }
    for (String name : List.of("...", ".a", "a.", "-", "..b")) {
      assertThat(Names.isValid(name)).isTrue();
    }
  }

  @Test
  void aFractionIsNoWholeNumber() {
    assertProblems(
        SMALL + "cluster.f = 1.9\ncluster.partitions = \"2.5\"\nserver.event-loops = 1e99",
        "cluster.f is 1.9: it must be a whole number from 1 to 10",
        "cluster.partitions is 2.5: it must be a whole number from 1 to 16384",
        "server.event-loops is 1.0E99: it must be a whole number from 1 to 256");
  }

  @Test
  void anIpv6AddressIsOneAndStandsInBrackets() {
    for (String none : List.of("[1.2.3.4]:1", "[1:2]:1", "[:::]:1", "[12345::]:1", "::1:1")) {
      assertThat(Address.parse(none)).as(none).isNull();
    }
    assertThat(Address.parse("[2001:db8::7]:1")).isEqualTo(new Address("2001:db8::7", 1));
    assertThat(Address.parse("[::ffff:10.0.0.1]:1")).isNotNull();
    String rule =
        ": it must be host:port, with a port from 1 to 65535; an IPv6 address needs brackets, as in"
            + " [::1]:7400";
    assertProblems(
        SMALL.replace("[fe80::1]:7401", "fe80::1:7401"),
        "cluster.servers[2].listen is 'fe80::1:7401'" + rule);
  }

  @Test
  void wildcardAddressesAreTold() {
    for (String wildcard : List.of("0.0.0.0:1", "[::]:1", "[0:0:0:0:0:0:0:0]:1", "[::0.0.0.0]:1")) {
      assertThat(Objects.requireNonNull(Address.parse(wildcard)).isWildcard()).isTrue();
    }
    for (String one : List.of("0.0.0.1:1", "[::1]:1", "h:1", "10.0.0.0:1", "[fe80::]:1")) {
      assertThat(Objects.requireNonNull(Address.parse(one)).isWildcard()).isFalse();
    }
  }

  @Test
  void aClockUncertaintyOutOfItsRangeIsRefused() {
    assertProblems(
        SMALL + "server.replica.clock-uncertainty = 2s",
        "server.replica.clock-uncertainty is 2 s: it must be a time such as 250ms, from 0 s to 1"
            + " s");
    assertProblems(
        SMALL + "server.replica.clock-uncertainty = small",
        "server.replica.clock-uncertainty is 'small': it must be a time such as 250ms, from 0 s to"
            + " 1 s");
    assertProblems(
        SMALL + "server.replica.clock-uncertanty = 1ms",
        "server.replica.clock-uncertanty is no setting: did you mean 'clock-uncertainty'? there are"
            + " allowed-skew, clock-uncertainty, inquire-after, max-versions-per-key, retention,"
            + " tick, watermark-lag");
  }

  @Test
  void aWatermarkLagIsBelowTheRetention() throws Exception {
    ClusterConfig config = ClusterConfig.parse(SMALL + "server.replica.watermark-lag = 1s");
    assertThat(config.replicaOptions().watermarkLagMicros()).isEqualTo(1_000_000);
    assertThat(config.replicaOptions().retentionMicros()).isEqualTo(15_000_000);
    assertProblems(
        SMALL + "server.replica.watermark-lag = 16s",
        "server.replica.watermark-lag is 16 s: it must be a time such as 250ms, from 100 ms to"
            + " 15 s");
  }

  @Test
  void regionSlotsThatCannotBeAreRefused() {
    assertProblems(
        SMALL + "client.region-slots = often",
        "client.region-slots is 'often': it must be auto, off, or a time such as 250ms, from 1 ms"
            + " to 1 s");
    assertProblems(
        SMALL + "client.region-slots = 2s",
        "client.region-slots is 2 s: it must be auto, off, or a time such as 250ms, from 1 ms to 1"
            + " s");
    assertProblems(
        SMALL + "server.replica.clock-uncertainty = 1ms\nclient.region-slots = 400ms",
        "client.region-slots is 400 ms: it must be auto, off, or a time such as 250ms, from 1 ms"
            + " to 150 ms");
  }

  @Test
  void admissionThatCannotBeIsRefused() {
    assertProblems(
        SMALL + "client.admission = often",
        "client.admission is 'often': it must be auto, off, or a whole number from 1 to 999999");
    assertProblems(
        SMALL + "client.admission = 0",
        "client.admission is 0: it must be auto, off, or a whole number from 1 to 999999");
  }

  @Test
  void whatHasAnotherShapeIsRefused() {
    assertProblems(
        "cluster = 3, server = [], emulation = x",
        "cluster is 3: it must be a section in braces",
        "cluster.name is missing: it must be given",
        "cluster.regions is missing: list the names of the regions",
        "cluster.servers is missing: with f = 1 every partition needs 2f+1 = 3 replicas, each on "
            + "a server of its own",
        "server is []: it must be a section in braces",
        "emulation is 'x': it must be a section in braces");
    assertProblems(
        SMALL + "cluster { regions = a, servers = [1], f = many }",
        "cluster.f is 'many': it must be a whole number from 1 to 10",
        "cluster.regions is 'a': it must be a list in brackets",
        "cluster.regions is empty: list the names of the regions",
        "cluster.servers holds 1: every element must be a section in braces",
        "cluster.servers holds 0 servers: with f = 1 every partition needs 2f+1 = 3 replicas, each "
            + "on a server of its own");
    assertProblems(
        SMALL + "server.links { low-water-mark = 2 MiB, min-backoff = 3s }",
        "server.links.low-water-mark is 2097152 bytes, above high-water-mark, 1048576 bytes: it "
            + "must not be",
        "server.links.min-backoff is above max-backoff: it must not be");
    assertProblems(
        SMALL + "server.durability = disk",
        "server.durability is 'disk': it must be sync, async or memory");
    assertProblems(
        SMALL + "server { durability = async, data = \"\", storage { segment = 1 KiB } }",
        "server.data is empty: with durability async it must name the directory that servers store"
            + " in",
        "server.storage.segment is 1024 bytes: it must be a size such as 512 KiB, from 1048576 to"
            + " 1073741824 bytes");
    assertProblems(
        SMALL + "sever { }",
        "sever is no setting: did you mean 'server'? there are client, cluster, emulation, server,"
            + " tracing");
  }

  @Test
  void storageCanBeSet() throws Exception {
    ClusterConfig config =
        ClusterConfig.parse(
            SMALL
                + """

                server {
                  durability = async
                  data = /var/lib/morty
                  storage {
                    force-interval = 5ms, segment = 2 MiB, buffer = 40 MiB
                    checkpoint-log = 3 MiB, checkpoint-rate = 4 MiB
                  }
                }
                """);
    int mebibyte = 1024 * 1024;
    assertThat(config.durability()).isEqualTo(Durability.ASYNC);
    assertThat(config.storage())
        .isEqualTo(
            new StorageSettings(
                Durability.ASYNC,
                Path.of("/var/lib/morty"),
                java.time.Duration.ofMillis(5),
                2 * mebibyte,
                40 * mebibyte,
                3 * mebibyte,
                4 * mebibyte));
  }

  @Test
  void aFileThatIsNoConfigurationSaysWhere(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("broken.conf");
    Files.writeString(file, "cluster {\n  name = tea\n");
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.load(file))
        .withMessageContaining("the file (" + file + ":3) is not well-formed: ")
        .satisfies(e -> assertThat(e.getMessage().split(":3", -1)).as("the line, once").hasSize(2));
    Files.writeString(file, "include required(\"other.conf\")");
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.load(file))
        .withMessageContaining("other.conf")
        .satisfies(e -> assertThat(e).hasMessageNotContaining("java."));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ClusterConfig.load(folder.resolve("none.conf")))
        .withMessageEndingWith("none.conf does not exist");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ClusterConfig.load(Path.of("none.conf")))
        .withMessageEndingWith(
            "none.conf does not exist, looked up in the folder " + Path.of("").toAbsolutePath());
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> ClusterConfig.load(folder))
        .withMessageEndingWith(folder + " is a folder");
  }

  @Test
  void aProblemInATextNamesItsLine() {
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.parse("cluster {\n  name = \"a b\"\n}"))
        .withMessageContaining("cluster.name (line 2)");
  }

  private static void assertProblems(String text, String... problems) {
    assertThatExceptionOfType(InvalidConfigException.class)
        .isThrownBy(() -> ClusterConfig.parse(text))
        .satisfies(
            e ->
                assertThat(e.problems().stream().map(p -> p.path() + " " + p.text()))
                    .containsExactlyInAnyOrder(problems));
  }
}
