package org.mortydb.bench.fleet;

import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.About;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.bench.fleet.AgentsFile.Agent;

/** The hosts of a run: their agents, what they are, and how far their clocks are apart. */
final class Hosts implements AutoCloseable {
  private final FleetExperiment experiment;
  private final Placement placement;
  private final List<AgentConnection> connections = new ArrayList<>();
  private final Map<Agent, About> abouts = new LinkedHashMap<>();
  private final Map<Agent, ClockOffset> offsets = new LinkedHashMap<>();
  private long skewMicros;

  /**
   * What a report says of the hosts.
   *
   * @param serverProcessors the processors of all machines with servers
   * @param clientProcessors the processors of all machines with clients
   * @param settings the hosts and their clocks
   * @param environment the facts of an {@link Environment}, of all hosts together
   */
  record Facts(
      int serverProcessors,
      int clientProcessors,
      Map<String, @Nullable Object> settings,
      Map<String, Object> environment) {}

  Hosts(FleetExperiment experiment, Placement placement) {
    this.experiment = experiment;
    this.placement = placement;
  }

  /**
   * Connects to all agents, and compares their clocks, of several at once. It compares only after
   * all have connected, because handshakes would disturb it.
   *
   * @throws AgentFailedException if an agent cannot be used, or a clock differs too much
   */
  void compare() throws InterruptedException {
    for (Agent agent : placement.all()) {
      connections.add(new AgentConnection(experiment.agents(), agent));
    }
    List<About> answers = AtOnce.send(connections, this::requireUsable);
    List<ClockOffset> clocks = AtOnce.send(connections, AgentConnection::clock);
    Map<String, ClockOffset> named = new LinkedHashMap<>();
    for (int i = 0; i < connections.size(); i++) {
      Agent agent = connections.get(i).agent();
      abouts.put(agent, answers.get(i));
      offsets.put(agent, clocks.get(i));
      named.put(agent.toString(), clocks.get(i));
    }
    skewMicros = ClockOffset.requireAgreement(named, experiment.agents().mostSkewMillis());
  }

  /**
   * Compares the clocks again, and checks that none was set since {@link #compare}, because the
   * windows of the hosts begin by what was found then.
   *
   * @throws AgentFailedException if one was; the message names its agent
   */
  void requireSteady() throws InterruptedException {
    List<ClockOffset> clocks = AtOnce.send(connections, AgentConnection::clock);
    Map<String, ClockOffset> before = new LinkedHashMap<>();
    Map<String, ClockOffset> now = new LinkedHashMap<>();
    for (int i = 0; i < connections.size(); i++) {
      Agent agent = connections.get(i).agent();
      before.put(agent.toString(), offset(agent));
      now.put(agent.toString(), clocks.get(i));
    }
    ClockOffset.requireSteady(before, now);
  }

  private About requireUsable(AgentConnection connection) throws InterruptedException {
    About about = connection.about();
    String system = experiment.cluster().system();
    String workload = experiment.workload().name();
    if (!about.systems().contains(system) || !about.workloads().contains(workload)) {
      throw connection.failed(
          "it lacks the system '%s' or the workload '%s': install the archive for experiments"
              .formatted(system, workload),
          null);
    }
    return about;
  }

  /** The connections to all agents. */
  List<AgentConnection> connections() {
    return List.copyOf(connections);
  }

  /** How far the clock of an agent is ahead of that of this machine. */
  ClockOffset offset(Agent agent) {
    ClockOffset offset = offsets.get(agent);
    if (offset == null) {
      throw new IllegalStateException("the clock was not compared of " + agent);
    }
    return offset;
  }

  /** The longest round trip to an agent, in microseconds. */
  long longestRoundTripMicros() {
    return offsets.values().stream().mapToLong(one -> 2 * one.errorMicros()).max().orElse(0);
  }

  /** What a report says of the hosts. */
  Facts facts() {
    List<Agent> withClients =
        placement.clients().stream().flatMap(List::stream).distinct().toList();
    List<Map<String, Object>> all = new ArrayList<>();
    long error = 0;
    for (Agent agent : placement.all()) {
      Map<String, Object> host = new LinkedHashMap<>();
      About about = about(agent);
      host.put("agent", agent.name());
      host.put("region", agent.region());
      host.put("server", placement.servers().contains(agent));
      host.put("clients", withClients.contains(agent));
      host.put("processors", about.processors());
      host.put("memoryBytes", about.memoryBytes());
      host.put("java", about.java());
      host.put("os", about.os());
      all.add(host);
      error = Math.max(error, offset(agent).errorMicros());
    }
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("hosts", all);
    settings.put("clockSkewMicros", skewMicros);
    settings.put("clockErrorMicros", error);
    return new Facts(
        processors(placement.servers()), processors(withClients), settings, environment());
  }

  private Map<String, Object> environment() {
    List<About> all = machines(placement.all());
    Map<String, Object> facts = new LinkedHashMap<>(Environment.facts());
    IntSummaryStatistics processors = all.stream().mapToInt(About::processors).summaryStatistics();
    facts.put(
        "processors",
        all.size() == 1
            ? (Object) processors.getMin()
            : processors.getMin() == processors.getMax()
                ? "%d hosts of %d".formatted(all.size(), processors.getMin())
                : "%d hosts of %d to %d"
                    .formatted(all.size(), processors.getMin(), processors.getMax()));
    facts.put("java", different(all, About::java));
    facts.put("vm", different(all, About::vm));
    facts.put("os", different(all, About::os));
    facts.put("arch", different(all, About::arch));
    if (!experiment.agents().sameCode()) {
      // An archive does not say from which commit it was built, and may differ from this checkout.
      facts.remove(Environment.COMMIT);
      facts.remove(Environment.DIRTY);
    }
    return facts;
  }

  private static String different(List<About> hosts, Function<About, String> fact) {
    return hosts.stream().map(fact).distinct().collect(Collectors.joining(", "));
  }

  private int processors(List<Agent> agents) {
    return machines(agents).stream().mapToInt(About::processors).sum();
  }

  /** The machines of some agents, each once. */
  private List<About> machines(List<Agent> agents) {
    Map<String, About> machines = new LinkedHashMap<>();
    for (Agent agent : agents) {
      About about = about(agent);
      String machine = about.machine();
      machines.putIfAbsent(machine == null ? agent.name() : machine, about);
    }
    return List.copyOf(machines.values());
  }

  private About about(Agent agent) {
    About about = abouts.get(agent);
    if (about == null) {
      throw new IllegalStateException("nothing is known of " + agent);
    }
    return about;
  }

  @Override
  public void close() {
    connections.forEach(AgentConnection::close);
  }
}
