package org.mortydb.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A configuration file that names a few servers instead of describing the whole cluster. A process
 * that starts from it asks one of them for the settings that all processes share. What the file
 * says of these settings itself must agree. Immutable.
 */
public final class SeedFile {
  /** The setting that makes a file one of seeds. */
  static final String SEEDS = "seeds";

  /** The settings that all processes of a cluster share. */
  private static final List<String> SHARED = List.of("cluster", "server.replica", "emulation");

  private static final String SEEDS_PATH = "cluster." + SEEDS;
  private static final int MOST_SEEDS = 16;

  /** The most servers that a layout may have. */
  private static final int MOST_SERVERS = 1000;

  /** How deep the sections and lists of a layout may be nested. */
  private static final int DEEPEST = 16;

  private final String origin;
  private final Path folder;
  private final @Nullable Path data;
  private final Config config;
  private final String cluster;
  private final List<Address> seeds;
  private final LinkOptions linkOptions;
  private final SecurityConfig security;

  private SeedFile(
      String origin,
      Path folder,
      @Nullable Path data,
      Config config,
      String cluster,
      List<Address> seeds,
      LinkOptions linkOptions,
      SecurityConfig security) {
    this.origin = origin;
    this.folder = folder;
    this.data = data;
    this.config = config;
    this.cluster = cluster;
    this.seeds = List.copyOf(seeds);
    this.linkOptions = linkOptions;
    this.security = security;
  }

  /**
   * Reads a file.
   *
   * @return null if the file has no seeds, but describes the whole cluster
   * @throws IOException when the file cannot be read; names the file
   * @throws InvalidConfigException when its seeds, its links, its security or the place of its data
   *     are invalid
   */
  public static @Nullable SeedFile of(Path file) throws IOException, InvalidConfigException {
    Config config = ConfigReader.parsed(file);
    if (!config.hasPath(SEEDS_PATH)) {
      return null;
    }
    List<ConfigProblem> problems = new ArrayList<>();
    Section root = new Section("", config, problems);
    Section section = root.section("cluster");
    String cluster = ConfigReader.name(section, "name");
    List<Address> seeds = new ArrayList<>();
    for (String text : section.texts(SEEDS)) {
      Address seed = Address.parse(text);
      if (seed == null || seed.isWildcard()) {
        section.problem(
            SEEDS,
            "holds '"
                + text
                + "': it must be the host:port of a server, port 1 to 65535"
                + Address.hint(text));
      } else {
        seeds.add(seed);
      }
    }
    if (problems.isEmpty() && (seeds.isEmpty() || seeds.size() > MOST_SEEDS)) {
      section.problem(
          SEEDS, "holds " + seeds.size() + " addresses: it must hold 1 to " + MOST_SEEDS);
    }
    Section server = root.section("server");
    LinkOptions links = ConfigReader.linkOptions(server.section("links"));
    Path folder = ConfigReader.folder(file);
    Path data = ConfigReader.data(server, folder);
    SecurityConfig security =
        new SecurityReader(folder).read(cluster, server, root.section("client"));
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(file.toString(), problems);
    }
    return new SeedFile(file.toString(), folder, data, config, cluster, seeds, links, security);
  }

  /** Returns the shared settings of a configuration, in JSON. */
  static String shared(Config config) {
    Config shared = ConfigFactory.empty();
    for (String path : SHARED) {
      if (config.hasPath(path)) {
        shared = shared.withValue(path, config.getValue(path));
      }
    }
    return shared.root().render(ConfigRenderOptions.concise());
  }

  /** The cluster's name. */
  public String cluster() {
    return cluster;
  }

  /** The addresses to ask, at least one. */
  public List<Address> seeds() {
    return seeds;
  }

  /** The limits of links. */
  public LinkOptions linkOptions() {
    return linkOptions;
  }

  /** The parent of the servers' data directories; null if the file's setting is blank. */
  @Nullable Path data() {
    return data;
  }

  /** How processes authenticate. */
  public SecurityConfig security() {
    return security;
  }

  /**
   * Returns the configuration of this file together with the shared settings of the cluster.
   *
   * @param shared what a server has told, in JSON; nothing of it is believed without a check
   * @param from the server, for errors
   * @throws InvalidConfigException when the settings are invalid, or contradict this file
   */
  public ClusterConfig complete(String shared, String from) throws InvalidConfigException {
    String told = "what " + from + " told of cluster '" + cluster + "'";
    requireShallow(shared, told);
    ConfigParseOptions json =
        ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON).setOriginDescription(told);
    Config own = config.withoutPath(SEEDS_PATH);
    Config local = own;
    for (String path : SHARED) {
      local = local.withoutPath(path);
    }
    Config others = local;
    ClusterConfig learnt =
        ConfigReader.read(
            told,
            folder,
            () -> {
              Config parsed = ConfigFactory.parseString(shared, json);
              Config only = ConfigFactory.empty();
              for (String path : SHARED) {
                only = parsed.hasPath(path) ? only.withValue(path, parsed.getValue(path)) : only;
              }
              return only.withFallback(others);
            });
    if (learnt.servers().size() > MOST_SERVERS) {
      throw problem(
          told,
          "cluster.servers",
          "holds "
              + learnt.servers().size()
              + " servers, at most "
              + MOST_SERVERS
              + " are believed");
    }
    ClusterConfig asGiven =
        ConfigReader.read(
            origin,
            folder,
            () -> own.withFallback(ConfigFactory.parseString(learnt.shared(), json)));
    String difference = asGiven.sharedDifference(learnt);
    if (difference != null) {
      throw problem(
          origin,
          "the file",
          "contradicts "
              + told
              + ": "
              + difference
              + "; correct the file, or leave the setting out");
    }
    return learnt;
  }

  /** Refuses what would make a parser nest very deep. */
  static void requireShallow(String json, String from) throws InvalidConfigException {
    if (depth(json) > DEEPEST) {
      throw problem(from, "the layout", "is nested deeper than " + DEEPEST + " levels");
    }
  }

  private static InvalidConfigException problem(String origin, String setting, String text) {
    return new InvalidConfigException(origin, List.of(new ConfigProblem(setting, "", text)));
  }

  /** Returns how deep sections and lists are nested, so that a parser need not find out. */
  private static int depth(String json) {
    int depth = 0;
    int deepest = 0;
    boolean quoted = false;
    for (int i = 0; i < json.length(); i++) {
      char next = json.charAt(i);
      if (quoted && next == '\\') {
        i++;
      } else if (next == '"') {
        quoted = !quoted;
      } else if (!quoted && (next == '{' || next == '[')) {
        depth++;
        deepest = Math.max(deepest, depth);
      } else if (!quoted && (next == '}' || next == ']')) {
        depth--;
      }
    }
    return deepest;
  }
}
