package org.mortydb.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValueFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Member;

/**
 * The servers of a cluster: those of its file, and those that have joined, without those that have
 * left. The maps of the cluster say who has joined and left. A process that starts from a few
 * addresses learns it together with the file's settings, before it knows any map. Immutable.
 */
final class Membership {
  /** Where a server tells others who has joined. No file has it. */
  static final String JOINED = "joined";

  /** Where a server tells others who has left. No file has it. */
  static final String LEFT = "left";

  /** Those of the file, in its order. */
  private final Map<String, ServerSpec> first = new LinkedHashMap<>();

  private final Map<String, ServerSpec> joined = new TreeMap<>();
  private final Set<String> left;

  Membership(Collection<ServerSpec> first, Collection<ServerSpec> joined, Collection<String> left) {
    first.forEach(server -> this.first.put(server.name(), server));
    joined.forEach(server -> this.joined.put(server.name(), server));
    this.left = Set.copyOf(left);
  }

  /** The same with other servers of the file. */
  Membership ofFirst(Collection<ServerSpec> others) {
    return new Membership(others, joined.values(), left);
  }

  /** Those that are in the cluster, the file's first. */
  List<ServerSpec> servers() {
    return servers(joined, left);
  }

  private List<ServerSpec> servers(Map<String, ServerSpec> come, Set<String> gone) {
    List<ServerSpec> all = new ArrayList<>();
    first.forEach(
        (name, server) -> {
          if (!gone.contains(name)) {
            all.add(come.getOrDefault(name, server));
          }
        });
    come.forEach(
        (name, server) -> {
          if (!first.containsKey(name) && !gone.contains(name)) {
            all.add(server);
          }
        });
    return List.copyOf(all);
  }

  /** Those that are in the cluster under a map. */
  List<ServerSpec> servers(ClusterMap map) {
    return servers(joined(map), left(map));
  }

  /** The server of a name, whether or not it has left; null if there is none. */
  @Nullable ServerSpec server(String name) {
    ServerSpec come = joined.get(name);
    return come == null ? first.get(name) : come;
  }

  /** The server of a name under a map, whether or not it has left; null if there is none. */
  @Nullable ServerSpec server(String name, ClusterMap map) {
    Member member = map.joined().get(name);
    ServerSpec come = member == null ? null : spec(name, member);
    return come == null ? server(name) : come;
  }

  private Map<String, ServerSpec> joined(ClusterMap map) {
    Map<String, ServerSpec> come = new TreeMap<>(joined);
    map.joined()
        .forEach(
            (name, member) -> {
              ServerSpec spec = spec(name, member);
              if (spec != null) {
                come.put(name, spec);
              }
            });
    return come;
  }

  /** Who has left is known of maps alone, once one is known. */
  private Set<String> left(ClusterMap map) {
    return map.number() == 0 ? left : map.left();
  }

  private static @Nullable ServerSpec spec(String name, Member member) {
    Address address = Address.parse(member.address());
    Address listen = Address.parse(member.listen());
    Address admin = Address.parse(member.admin());
    return address == null || listen == null
        ? null
        : new ServerSpec(
            name, member.region(), address.host(), address.port(), listen, admin, admin);
  }

  /** Adds who has joined and left under a map to the shared settings of a configuration. */
  static String shared(String settings, ClusterMap map) {
    ConfigParseOptions json = ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON);
    Config config = ConfigFactory.parseString(settings, json);
    List<Map<String, String>> come = new ArrayList<>();
    map.joined()
        .forEach(
            (name, member) -> {
              Map<String, String> one = new LinkedHashMap<>();
              one.put("name", name);
              one.put("region", member.region());
              one.put("listen", member.listen());
              if (!member.address().equals(member.listen())) {
                one.put("advertise", member.address());
              }
              if (!member.admin().isEmpty()) {
                one.put("admin", member.admin());
              }
              come.add(one);
            });
    return config
        .withValue("cluster." + JOINED, ConfigValueFactory.fromIterable(come))
        .withValue("cluster." + LEFT, ConfigValueFactory.fromIterable(map.left()))
        .root()
        .render(ConfigRenderOptions.concise());
  }
}
