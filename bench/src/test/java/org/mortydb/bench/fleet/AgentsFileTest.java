package org.mortydb.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.fleet.AgentsFile.Agent;
import org.mortydb.config.Address;

final class AgentsFileTest {
  private static final String GOOD =
      """
      certificates: certs
      currency: EUR
      roundTripMillis: 220
      agents:
        - {name: e1, region: east, address: '10.0.0.1:7500', server: '10.0.0.1:7600', pricePerHour: 0.5}
        - {name: e2, region: east, address: '10.0.0.2:7500', pricePerHour: 0.25}
        - name: w1
          region: west
          address: w1.example:7500
          server: w1.example:7600
          clients: false
          pricePerHour: 1
        - {name: s1, region: south, address: '10.0.2.1:7500', server: '10.0.2.1:7600', pricePerHour: 1}
      """;

  @TempDir Path folder;

  private AgentsFile read(String text) throws IOException {
    return AgentsFile.read(Files.writeString(folder.resolve("agents.yaml"), text));
  }

  private static ClusterSettings cluster(int f, int clientRegions) {
    return new ClusterSettings(
        f,
        1,
        OptionalLong.empty(),
        false,
        "memory",
        null,
        true,
        0,
        List.of(),
        clientRegions,
        1,
        Map.of());
  }

  @Test
  void aFileNamesAgentsAndCredentials() throws IOException {
    AgentsFile file = read(GOOD);
    assertThat(file.regions()).containsExactly("east", "west", "south");
    assertThat(file.agents().get(1))
        .isEqualTo(new Agent("e2", "east", new Address("10.0.0.2", 7_500), null, true, 0.25));
    assertThat(file.agents().get(2).clients()).isFalse();
    assertThat(file.mostSkewMillis()).isEqualTo(20);
    assertThat(file.roundTripMillis()).isEqualTo(220);
    assertThat(file.tls().certificate()).isEqualTo(folder.resolve("certs/client-controller.crt"));
    assertThat(file.tls().trust()).isEqualTo(folder.resolve("certs/ca.crt"));
  }

  @Test
  void regionsGetServersAndClientsInOrder() throws IOException {
    AgentsFile file = read(GOOD);
    Placement placement = Placement.of(file, cluster(1, 1));
    assertThat(placement.servers()).extracting(Agent::name).containsExactly("e1", "w1", "s1");
    assertThat(placement.clients().getFirst()).extracting(Agent::name).containsExactly("e1", "e2");
    assertThat(placement.shares()).isEqualTo(2);
    assertThat(placement.all()).extracting(Agent::name).containsExactly("e1", "w1", "s1", "e2");
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> Placement.of(file, cluster(1, 2)))
        .withMessageContaining("no agent in region 'west'");
    assertThatExceptionOfType(AgentFailedException.class)
        .isThrownBy(() -> Placement.of(file, cluster(2, 1)))
        .withMessageContaining("in 5 regions")
        .withMessageContaining("in 3");
  }

  @Test
  void hoursCostWhatTheFileSays() throws IOException {
    FleetEstimate estimate = FleetEstimate.of(read(GOOD), 1_800);
    assertThat(estimate).isEqualTo(new FleetEstimate(0.5, 4, 1.375, "EUR"));
    assertThat(estimate.text())
        .contains("about 30 min on 4 hosts", "2.0 machine-hours", "about 1.38 EUR");
    FleetEstimate unknown = FleetEstimate.of(read(GOOD.replace(", pricePerHour: 0.25", "")), 1_800);
    assertThat(unknown.cost()).isNull();
    assertThat(unknown.text()).contains("about 30 min").doesNotContain("EUR");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "certificates: certs|certificat: certs|certificat is no key: did you mean 'certificates'?",
        "region: east|regoin: east|agents[0].regoin is no key: did you mean 'region'? there are addr",
        "currency: EUR|mostSkewMillis: much|mostSkewMillis: Cannot",
        "certificates: certs|x: 1|x",
        "name: e1|name: 'e 1'|agents[0].name must be",
        "10.0.0.1:7500|10.0.0.1|agents[0].address must be an address",
        "10.0.0.1:7600|10.0.0.1:99999|agents[0].server must be an address",
        "10.0.0.2:7500|10.0.0.1:7500|two of them have the address",
        "10.0.2.1:7600|10.0.0.1:7600|two of them have the server",
        "name: e2|name: e1|two of them have the name e1",
        "pricePerHour: 0.5|pricePerHour: -1|agents[0].pricePerHour must be 0 to",
        "currency: EUR|controller: c|currency is missing",
        "roundTripMillis: 220|controller: c|roundTripMillis is missing, and the agents are in several",
        "roundTripMillis: 220|roundTripMillis: -1|roundTripMillis must be 0 to",
        "clients: false|clients: perhaps|clients",
        "currency: EUR|{currency: EUR, mostSkewMillis: 1e9}|agents.yaml",
        "agents:|mostSkewMillis: 1e9\\nagents:|mostSkewMillis must be 0 to"
      })
  void aMistakeIsNamedWithItsPlace(String right, String wrong, String message) throws IOException {
    assertThat(GOOD).contains(right);
    String text = GOOD.replace(right, wrong.translateEscapes());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(text))
        .withMessageContaining("agents.yaml")
        .withMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, east, 10.0.0.2, east",
    "10.0.0.1, east, 10.0.0.1, west",
    "127.0.0.2, east, 127.0.0.3, west",
    "localhost, east, [::1], west"
  })
  void agentsOfOneRegionOrOneMachineNeedNoRoundTrip(
      String first, String firstRegion, String second, String secondRegion) throws IOException {
    String text =
        """
        certificates: certs
        agents:
          - {name: a, address: '%s:7500', region: %s}
          - {name: b, address: '%s:7501', region: %s}
        """
            .formatted(first, firstRegion, second, secondRegion);
    assertThat(read(text).roundTripMillis()).isNull();
  }

  @Test
  void aFileThatIsNoneIsRefused() throws IOException {
    for (String text : List.of("", "[]", "agents: []", "{", "certificates: certs")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> read(text))
          .withMessageContaining("agents.yaml");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AgentsFile.read(folder.resolve("none.yaml")))
        .withMessageContaining("none.yaml");
  }
}
