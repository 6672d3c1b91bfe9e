package org.mortydb.protocol.change;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses the servers of new partitions: those of a partition lie in as many regions as can be, and
 * all servers hold about as many replicas.
 */
final class Grouping {
  /** The region of each server, in the order of the cluster. */
  private final Map<String, String> regions = new LinkedHashMap<>();

  /** How many replicas each server has been given. */
  private final Map<String, Integer> loads = new HashMap<>();

  /**
   * @param servers that may get replicas
   * @param kept the groups of the partitions that stay as they are
   */
  Grouping(List<Server> servers, Collection<List<String>> kept) {
    servers.forEach(server -> regions.put(server.name(), server.region()));
    kept.forEach(this::count);
  }

  private void count(List<String> group) {
    group.forEach(name -> loads.merge(name, 1, Integer::sum));
  }

  /**
   * The servers of a new partition. As many as possible of the old ones stay, at their place.
   *
   * @param old the servers of the partition now; those that may get no replicas are replaced
   * @param size of the new group
   * @throws IllegalArgumentException if there are too few servers
   */
  List<String> group(List<String> old, int size) {
    if (regions.size() < size) {
      throw new IllegalArgumentException(
          size
              + " servers are needed for each partition, and only "
              + regions.size()
              + " can hold one: "
              + String.join(", ", regions.keySet())
              + "; add a server first (morty servers add)");
    }
    List<String> group = new ArrayList<>();
    old.forEach(name -> group.add(regions.containsKey(name) ? name : ""));
    while (group.size() > size) {
      String gone = group.contains("") ? "" : worst(group);
      group.remove(gone);
    }
    for (int i = 0; i < size; i++) {
      if (i == group.size()) {
        group.add("");
      }
      if (group.get(i).isEmpty()) {
        group.set(i, best(group));
      }
    }
    count(group);
    return group;
  }

  private long inRegion(List<String> group, String region) {
    return group.stream().filter(name -> region.equals(regions.get(name))).count();
  }

  private int load(String name) {
    return loads.getOrDefault(name, 0);
  }

  /** The server that spreads a group most, and of those the one that holds least. */
  private String best(List<String> group) {
    return regions.keySet().stream()
        .filter(name -> !group.contains(name))
        .min(
            Comparator.comparingLong((String name) -> inRegion(group, region(name)))
                .thenComparingInt(this::load))
        .orElseThrow();
  }

  /** The server that the group needs least. */
  private String worst(List<String> group) {
    return group.stream()
        .max(
            Comparator.comparingLong((String name) -> inRegion(group, region(name)))
                .thenComparingInt(this::load)
                .thenComparingInt(group::indexOf))
        .orElseThrow();
  }

  private String region(String name) {
    return regions.getOrDefault(name, "");
  }
}
