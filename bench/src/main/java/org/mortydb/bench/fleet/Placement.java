package org.mortydb.bench.fleet;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.fleet.AgentsFile.Agent;

/**
 * Which agents a run uses. The first regions of the file stand for the regions of the cluster, in
 * order.
 *
 * @param servers the agent with the server of each region
 * @param clients the agents with clients, by region
 */
record Placement(List<Agent> servers, List<List<Agent>> clients) {

  /**
   * Chooses the agents for a cluster.
   *
   * @throws AgentFailedException if there are too few
   */
  static Placement of(AgentsFile file, ClusterSettings cluster) {
    List<Agent> servers = new ArrayList<>();
    List<List<Agent>> clients = new ArrayList<>();
    for (String region : file.regions()) {
      List<Agent> here =
          file.agents().stream().filter(agent -> agent.region().equals(region)).toList();
      here.stream()
          .filter(agent -> agent.server() != null)
          .findFirst()
          .ifPresent(
              server -> {
                servers.add(server);
                clients.add(here.stream().filter(Agent::clients).toList());
              });
    }
    if (servers.size() < cluster.regionCount()) {
      throw new AgentFailedException(
          "f = %d needs agents with a server in %d regions, and the file of agents has them in %d"
              .formatted(cluster.f(), cluster.regionCount(), servers.size()));
    }
    for (int i = 0; i < cluster.clientRegions(); i++) {
      if (clients.get(i).isEmpty()) {
        throw new AgentFailedException(
            "%d regions shall have clients, and no agent in region '%s' has 'clients: true'"
                .formatted(cluster.clientRegions(), servers.get(i).region()));
      }
    }
    return new Placement(
        List.copyOf(servers.subList(0, cluster.regionCount())),
        List.copyOf(clients.subList(0, cluster.clientRegions())));
  }

  /** The number of processes with clients. */
  int shares() {
    return clients.stream().mapToInt(List::size).sum();
  }

  /** All agents that the run uses. */
  List<Agent> all() {
    Set<Agent> all = new LinkedHashSet<>(servers);
    clients.forEach(all::addAll);
    return List.copyOf(all);
  }
}
