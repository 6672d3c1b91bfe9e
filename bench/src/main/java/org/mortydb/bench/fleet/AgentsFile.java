package org.mortydb.bench.fleet;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Address;
import org.mortydb.config.DidYouMean;
import org.mortydb.config.Names;
import org.mortydb.config.TlsFiles;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * A file that names agents, in YAML. Paths are relative to the file.
 *
 * @param certificates the folder with {@code ca.crt} and the certificate and key of the controller,
 *     as {@code morty certs} makes them
 * @param controller the controller's name in its certificate; {@code controller} if not given
 * @param mostSkewMillis how far the clocks of two hosts may be apart; 20 if not given
 * @param roundTripMillis the longest round trip between two hosts, for the back-off; null, for
 *     agents of one region or on one host, if the emulated delays are all that counts
 * @param clientJvm the options of the clients' JVMs, separated by blanks
 * @param currency the currency of the prices
 * @param encrypt whether the servers and clients of a run use TLS; true if not given
 * @param runCertificates the folder with the certificates of servers and clients; null to make new
 *     ones for each run
 * @param sameCode whether the agents run the same classes as this process
 * @param agents the agents, in the order of the regions
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentsFile(
    Path certificates,
    String controller,
    double mostSkewMillis,
    @Nullable Double roundTripMillis,
    String clientJvm,
    @Nullable String currency,
    boolean encrypt,
    @Nullable Path runCertificates,
    boolean sameCode,
    List<Agent> agents) {
  private static final String CONTROLLER = "controller";
  private static final double SKEW_MILLIS = 20;
  private static final double MOST_SKEW_MILLIS = 10_000;
  private static final double MOST_ROUND_TRIP_MILLIS = 20_000;
  private static final double MOST_PRICE = 1_000_000;
  private static final int MOST_AGENTS = 256;
  private static final String CLIENT_JVM =
      "-Xms1g -Xmx1g -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED";

  private static final YAMLMapper MAPPER =
      YAMLMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /**
   * An agent.
   *
   * @param name its name in its certificate
   * @param region the region of its host
   * @param address where it listens
   * @param server where a server on its host shall listen; null if the host runs none
   * @param clients whether its host runs clients
   * @param pricePerHour what the host costs in an hour; null if that is not known
   */
  public record Agent(
      String name,
      String region,
      Address address,
      @Nullable Address server,
      boolean clients,
      @Nullable Double pricePerHour) {

    @Override
    public String toString() {
      return "agent '" + name + "' at " + address;
    }
  }

  /** The file as it is written. */
  private record Text(
      @Nullable String certificates,
      @Nullable String controller,
      @Nullable Double mostSkewMillis,
      @Nullable Double roundTripMillis,
      @Nullable String clientJvm,
      @Nullable String currency,
      @Nullable Boolean encrypt,
      @Nullable String runCertificates,
      @Nullable List<AgentText> agents) {}

  private record AgentText(
      @Nullable String name,
      @Nullable String region,
      @Nullable String address,
      @Nullable String server,
      @Nullable Boolean clients,
      @Nullable Double pricePerHour) {}

  /** Copies the list. */
  public AgentsFile {
    agents = List.copyOf(agents);
  }

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it cannot be read, or something in it is wrong; the message
   *     names file and place
   */
  public static AgentsFile read(Path file) {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("cannot read " + file + ": no readable file");
    }
    try {
      Text text = MAPPER.readValue(file, Text.class);
      if (text == null) {
        throw wrong(file, "agents", "is missing: name the agents");
      }
      return of(file, text);
    } catch (UnrecognizedPropertyException e) {
      List<String> known = e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList();
      throw wrong(file, place(e), "is no key" + DidYouMean.hint(e.getPropertyName(), known));
    } catch (DatabindException e) {
      throw new IllegalArgumentException(
          "%s: %s: %s".formatted(file, place(e), e.getOriginalMessage()), e);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          file + " is not a file of agents in YAML: " + e.getOriginalMessage(), e);
    }
  }

  /**
   * Agents of this process's classes on this machine. Their runs are like local ones: they do not
   * encrypt.
   *
   * @param certificates the folder with the credentials of the controller {@code controller}
   */
  static AgentsFile ofThisMachine(Path certificates, List<Agent> agents) {
    return new AgentsFile(
        certificates, CONTROLLER, SKEW_MILLIS, null, CLIENT_JVM, null, false, null, true, agents);
  }

  private static AgentsFile of(Path file, Text text) {
    Path folder = file.toAbsolutePath().getParent();
    String certificates = text.certificates;
    if (certificates == null) {
      throw wrong(file, "certificates", "is missing: name the folder that 'morty certs' has made");
    }
    List<AgentText> listed = text.agents == null ? List.of() : text.agents;
    if (listed.isEmpty() || listed.size() > MOST_AGENTS) {
      throw wrong(file, "agents", "must be 1 to " + MOST_AGENTS + " agents, not " + listed.size());
    }
    List<Agent> agents = new ArrayList<>();
    for (int i = 0; i < listed.size(); i++) {
      agents.add(agent(file, "agents[" + i + "]", listed.get(i)));
    }
    requireDifferent(file, "name", agents.stream().map(Agent::name).toList());
    requireDifferent(file, "address", agents.stream().map(Agent::address).toList());
    requireDifferent(
        file, "server", agents.stream().map(Agent::server).filter(one -> one != null).toList());
    if (text.currency == null && agents.stream().anyMatch(one -> one.pricePerHour != null)) {
      throw wrong(file, "currency", "is missing: name the currency of the prices");
    }
    if (text.roundTripMillis == null && areApart(agents)) {
      // Without it, the baselines would wait after an abort as within one region, and lose.
      throw wrong(
          file,
          "roundTripMillis",
          "is missing, and the agents are in several regions: name the longest round trip between"
              + " two hosts in milliseconds, such as ping shows on one of the two that are"
              + " furthest apart; 0 if only emulated delays count");
    }
    boolean encrypt = text.encrypt == null || text.encrypt;
    if (!encrypt && text.runCertificates != null) {
      throw wrong(file, "runCertificates", "has no effect with 'encrypt: false': leave one out");
    }
    return new AgentsFile(
        in(folder, certificates),
        text.controller == null ? CONTROLLER : name(file, "controller", text.controller),
        within(
            file,
            "mostSkewMillis",
            text.mostSkewMillis == null ? SKEW_MILLIS : text.mostSkewMillis,
            MOST_SKEW_MILLIS),
        text.roundTripMillis == null
            ? null
            : (Double)
                within(file, "roundTripMillis", text.roundTripMillis, MOST_ROUND_TRIP_MILLIS),
        text.clientJvm == null ? CLIENT_JVM : text.clientJvm,
        text.currency,
        encrypt,
        text.runCertificates == null ? null : in(folder, text.runCertificates),
        false,
        agents);
  }

  /** Whether a network may be between the regions. */
  private static boolean areApart(List<Agent> agents) {
    List<String> hosts = agents.stream().map(agent -> agent.address.host()).distinct().toList();
    return agents.stream().map(Agent::region).distinct().count() > 1
        && hosts.size() > 1
        && !hosts.stream().allMatch(AgentsFile::isLoopback);
  }

  /** Whether an address is of the machine itself. Names are not looked up. */
  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
  }

  private static Path in(@Nullable Path folder, String path) {
    return folder == null ? Path.of(path) : folder.resolve(path);
  }

  private static Agent agent(Path file, String place, AgentText text) {
    Double price = text.pricePerHour;
    return new Agent(
        name(file, place + ".name", text.name),
        name(file, place + ".region", text.region),
        address(file, place + ".address", text.address),
        text.server == null ? null : address(file, place + ".server", text.server),
        text.clients == null || text.clients,
        price == null ? null : (Double) within(file, place + ".pricePerHour", price, MOST_PRICE));
  }

  private static String name(Path file, String place, @Nullable String name) {
    if (name == null || !Names.isValid(name)) {
      throw wrong(file, place, "must be " + Names.RULE + ", not " + name);
    }
    return name;
  }

  private static Address address(Path file, String place, @Nullable String text) {
    Address address = text == null ? null : Address.parse(text);
    if (address == null) {
      throw wrong(file, place, "must be an address such as 10.0.0.1:7500, not " + text);
    }
    return address;
  }

  private static double within(Path file, String place, double value, double most) {
    if (!(value >= 0 && value <= most)) {
      throw wrong(file, place, "must be 0 to %.0f, not %s".formatted(most, value));
    }
    return value;
  }

  private static void requireDifferent(Path file, String what, List<?> values) {
    Set<Object> seen = new HashSet<>();
    for (Object value : values) {
      if (!seen.add(value)) {
        throw wrong(file, "agents", "must differ: two of them have the " + what + " " + value);
      }
    }
  }

  /** Where in the file the mistake is, such as {@code agents[0].region}. */
  private static String place(DatabindException e) {
    StringBuilder place = new StringBuilder();
    for (JacksonException.Reference step : e.getPath()) {
      String key = step.getPropertyName();
      if (key == null) {
        place.append('[').append(step.getIndex()).append(']');
      } else {
        place.append(place.isEmpty() ? "" : ".").append(key);
      }
    }
    return place.isEmpty() ? "the file" : place.toString();
  }

  private static IllegalArgumentException wrong(Path file, String place, String problem) {
    return new IllegalArgumentException("%s: %s %s".formatted(file, place, problem));
  }

  /** The credentials of the controller. */
  public TlsFiles tls() {
    return new TlsFiles(
        certificates.resolve("client-" + controller + ".crt"),
        certificates.resolve("client-" + controller + ".key"),
        certificates.resolve("ca.crt"));
  }

  /** The names of the regions, in the order of the file. */
  public List<String> regions() {
    Set<String> regions = new LinkedHashSet<>();
    agents.forEach(agent -> regions.add(agent.region));
    return List.copyOf(regions);
  }

  /** What all hosts cost in an hour; null unless every price is given. */
  public @Nullable Double pricePerHour() {
    double sum = 0;
    for (Agent agent : agents) {
      Double price = agent.pricePerHour;
      if (price == null) {
        return null;
      }
      sum += price;
    }
    return sum;
  }
}
