package org.mortydb.protocol.change;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Member;

/**
 * The plans that operators ask for. A plan that cannot be carried out throws an {@link
 * IllegalArgumentException} with a sentence for the operator.
 */
public final class Plans {
  private Plans() {}

  /**
   * The upper half of the buckets of a partition moves to a new partition.
   *
   * @param partition the partition to split, which keeps the lower half
   * @param servers of the new partition, 2f+1; null for those of the one to split
   */
  public static MapChange.Plan split(int partition, @Nullable List<String> servers) {
    return (last, number, newPartition, cutMicros) -> {
      List<Integer> buckets = buckets(last, partition);
      if (buckets.size() < 2) {
        throw new IllegalArgumentException(
            "partition " + partition + " has only one bucket, and cannot be split");
      }
      return moved(
          last,
          number,
          newPartition,
          cutMicros,
          servers == null ? serversOf(last, partition) : servers,
          buckets.subList(buckets.size() / 2, buckets.size()));
    };
  }

  /**
   * All buckets of a partition move to a new partition on other servers.
   *
   * @param partition the partition to move; nothing of it remains
   * @param servers of the new partition, 2f+1
   */
  public static MapChange.Plan move(int partition, List<String> servers) {
    return (last, number, newPartition, cutMicros) ->
        moved(last, number, newPartition, cutMicros, servers, buckets(last, partition));
  }

  /**
   * All buckets of several partitions move to one new partition.
   *
   * @param partitions to merge, two or more; nothing of them remains
   * @param servers of the new partition, 2f+1; null for those of the first one, if all others are
   *     on the same servers
   */
  public static MapChange.Plan merge(List<Integer> partitions, @Nullable List<String> servers) {
    return (last, number, newPartition, cutMicros) -> {
      if (new HashSet<>(partitions).size() != partitions.size() || partitions.size() < 2) {
        throw new IllegalArgumentException(
            "a merge needs two or more different partitions, not " + partitions);
      }
      List<Integer> buckets = new ArrayList<>();
      partitions.forEach(partition -> buckets.addAll(buckets(last, partition)));
      return moved(
          last,
          number,
          newPartition,
          cutMicros,
          servers == null ? sharedServers(last, partitions) : servers,
          buckets);
    };
  }

  /** The servers of the first partition, which must be those of the others. */
  private static List<String> sharedServers(ClusterMap map, List<Integer> partitions) {
    List<String> first = serversOf(map, partitions.getFirst());
    for (int partition : partitions) {
      if (!new HashSet<>(serversOf(map, partition)).equals(new HashSet<>(first))) {
        throw new IllegalArgumentException(
            "partition "
                + partitions.getFirst()
                + " is on "
                + String.join(", ", first)
                + ", partition "
                + partition
                + " on "
                + String.join(", ", serversOf(map, partition))
                + ": choose the servers of the new partition (--on)");
      }
    }
    return first;
  }

  private static List<Integer> buckets(ClusterMap map, int partition) {
    if (!map.has(partition)) {
      throw new IllegalArgumentException(
          "there is no partition "
              + partition
              + " in map "
              + map.number()
              + ": it has "
              + map.servers().keySet());
    }
    return IntStream.range(0, Bucket.COUNT)
        .filter(bucket -> map.partitionOf(bucket) == partition)
        .boxed()
        .toList();
  }

  private static List<String> serversOf(ClusterMap map, int partition) {
    List<String> servers = map.servers().get(partition);
    if (servers == null) {
      throw new IllegalArgumentException("there is no partition " + partition);
    }
    return servers;
  }

  private static ClusterMap moved(
      ClusterMap last,
      int number,
      int newPartition,
      long cutMicros,
      List<String> servers,
      List<Integer> buckets) {
    int needed = 2 * last.f() + 1;
    if (servers.stream().distinct().count() != needed || servers.size() != needed) {
      throw new IllegalArgumentException(
          "a partition needs "
              + needed
              + " different servers, because f is "
              + last.f()
              + ", not "
              + servers
              + twice(servers));
    }
    requireNumbers(number, newPartition, 1);
    Map<Integer, Integer> to = new TreeMap<>();
    buckets.forEach(bucket -> to.put(bucket, newPartition));
    Map<Integer, List<String>> added = new TreeMap<>();
    added.put(newPartition, servers);
    return last.moved(number, cutMicros, last.f(), added, to);
  }

  private static String twice(List<String> servers) {
    return servers.stream()
        .filter(server -> Collections.frequency(servers, server) > 1)
        .findFirst()
        .map(server -> ": server '" + server + "' is named twice")
        .orElse("");
  }

  private static void requireNumbers(int number, int partition, int count) {
    if (partition + count > Limits.MAX_PARTITIONS || number >= Limits.MAX_NUMBER) {
      throw new IllegalArgumentException(
          "all numbers of partitions are used up: " + partition + " would be the next one");
    }
  }

  // ---- servers ------------------------------------------------------------------------------

  /** The servers of the cluster under a map, in their order. */
  @FunctionalInterface
  public interface Members {
    /** The servers under a map. */
    List<Server> of(ClusterMap map);
  }

  /**
   * A server joins. It holds nothing yet. Nothing changes if it has joined already, with the same
   * region and addresses.
   */
  public static MapChange.Plan add(String name, Member member, Members members) {
    return (last, number, newPartition, cutMicros) -> {
      if (has(members.of(last), name)) {
        if (member.equals(last.joined().get(name))) {
          return null;
        }
        throw new IllegalArgumentException(
            "server '"
                + name
                + "' is in the cluster already, and not as asked for: see 'morty servers show'");
      }
      return last.withServer(number, cutMicros, name, member);
    };
  }

  /** A server that holds no partition leaves. Nothing changes if it has left. */
  public static MapChange.Plan leave(String name, Members members) {
    return (last, number, newPartition, cutMicros) -> {
      if (hasLeft(last, members.of(last), name)) {
        return null;
      }
      requireMember(members.of(last), name);
      List<Integer> held = heldBy(last, name);
      if (!held.isEmpty()) {
        throw new IllegalArgumentException(
            "server '" + name + "' holds the partitions " + held + ": move them first");
      }
      return last.withServer(number, cutMicros, name, null);
    };
  }

  /**
   * All that a server holds moves to others; nothing changes if it holds nothing, or has left.
   *
   * @throws IllegalArgumentException if there is no such server
   */
  public static MapChange.Plan evacuate(String name, Members members) {
    return (last, number, newPartition, cutMicros) -> {
      List<Server> all = members.of(last);
      if (hasLeft(last, all, name)) {
        return null;
      }
      requireMember(all, name);
      List<Server> others = all.stream().filter(server -> !server.name().equals(name)).toList();
      int needed = 2 * last.f() + 1;
      if (others.size() < needed) {
        throw new IllegalArgumentException(
            "server '"
                + name
                + "' cannot leave: with f = "
                + last.f()
                + " each partition needs "
                + needed
                + " servers, and "
                + others.size()
                + " would be left: "
                + names(others)
                + "; add a server first (morty servers add)");
      }
      Map<Integer, List<String>> groups = new TreeMap<>();
      List<Integer> held = heldBy(last, name);
      Grouping grouping = new Grouping(others, without(last, held));
      held.forEach(p -> groups.put(p, grouping.group(serversOf(last, p), needed)));
      return regrouped(last, number, newPartition, cutMicros, last.f(), groups);
    };
  }

  /**
   * All that a server holds moves to another one, which may hold nothing of the same partitions.
   * Nothing changes if the first one holds nothing, or has left.
   */
  public static MapChange.Plan replace(String old, String by, Members members) {
    return (last, number, newPartition, cutMicros) -> {
      List<Server> all = members.of(last);
      requireMember(all, by);
      if (hasLeft(last, all, old)) {
        return null;
      }
      requireMember(all, old);
      if (old.equals(by)) {
        throw new IllegalArgumentException("server '" + old + "' cannot replace itself");
      }
      Map<Integer, List<String>> groups = new TreeMap<>();
      for (int partition : heldBy(last, old)) {
        List<String> group = serversOf(last, partition);
        if (group.contains(by)) {
          throw new IllegalArgumentException(
              "server '"
                  + by
                  + "' holds a replica of partition "
                  + partition
                  + " already, as server '"
                  + old
                  + "' does: one server cannot hold two; choose another server, or use 'morty"
                  + " servers remove'");
        }
        groups.put(partition, group.stream().map(name -> name.equals(old) ? by : name).toList());
      }
      return regrouped(last, number, newPartition, cutMicros, last.f(), groups);
    };
  }

  /** Each partition tolerates so many failures. All buckets move. */
  public static MapChange.Plan replication(int f, Members members) {
    return (last, number, newPartition, cutMicros) -> {
      if (f < 1 || f > Limits.MAX_F) {
        throw new IllegalArgumentException("f must be from 1 to " + Limits.MAX_F + ", not " + f);
      }
      if (f == last.f()) {
        return null;
      }
      List<Server> all = members.of(last);
      if (all.size() < 2 * f + 1) {
        throw new IllegalArgumentException(
            "with f = "
                + f
                + " each partition needs "
                + (2 * f + 1)
                + " servers, and there are "
                + all.size()
                + ": "
                + names(all)
                + "; add servers first (morty servers add)");
      }
      Map<Integer, List<String>> groups = new TreeMap<>();
      Grouping grouping = new Grouping(all, List.of());
      last.servers()
          .forEach((partition, old) -> groups.put(partition, grouping.group(old, 2 * f + 1)));
      return regrouped(last, number, newPartition, cutMicros, f, groups);
    };
  }

  /** Moves each of some partitions to a new one on other servers; null if there are none. */
  static @Nullable ClusterMap regrouped(
      ClusterMap last,
      int number,
      int newPartition,
      long cutMicros,
      int f,
      Map<Integer, List<String>> groups) {
    if (groups.isEmpty()) {
      return null;
    }
    requireNumbers(number, newPartition, groups.size());
    Map<Integer, List<String>> added = new TreeMap<>();
    Map<Integer, Integer> renamed = new TreeMap<>();
    groups.forEach(
        (partition, servers) -> {
          int next = newPartition + added.size();
          added.put(next, servers);
          renamed.put(partition, next);
        });
    Map<Integer, Integer> to = new TreeMap<>();
    for (int bucket = 0; bucket < Bucket.COUNT; bucket++) {
      Integer next = renamed.get(last.partitionOf(bucket));
      if (next != null) {
        to.put(bucket, next);
      }
    }
    return last.moved(number, cutMicros, f, added, to);
  }

  /** The partitions of a map that have a replica on a server, ascending. */
  public static List<Integer> heldBy(ClusterMap map, String server) {
    return map.servers().entrySet().stream()
        .filter(partition -> partition.getValue().contains(server))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static List<List<String>> without(ClusterMap map, List<Integer> partitions) {
    return map.servers().entrySet().stream()
        .filter(partition -> !partitions.contains(partition.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static boolean has(List<Server> servers, String name) {
    return servers.stream().anyMatch(server -> server.name().equals(name));
  }

  private static boolean hasLeft(ClusterMap map, List<Server> servers, String name) {
    return map.left().contains(name) && !has(servers, name);
  }

  private static void requireMember(List<Server> servers, String name) {
    if (!has(servers, name)) {
      throw new IllegalArgumentException(
          "the cluster has no server '" + name + "': its servers are " + names(servers));
    }
  }

  private static String names(List<Server> servers) {
    return servers.stream().map(Server::name).collect(Collectors.joining(", "));
  }
}
