package org.mortydb.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

/** Reads a configuration and finds all its problems. */
final class ConfigReader {
  /** Leaders rotate over the replicas. */
  private static final String LOOPBACK = "127.0.0.1";

  private static final String SPREAD = "spread";

  private static final int MOST_FAILURES = 10;
  private static final int MOST_EVENT_LOOPS = 256;

  /** The default folder of data, relative to the configuration file. */
  static final String DEFAULT_DATA = "data";

  private static final int MEBIBYTE = 1024 * 1024;
  private static final int GIBIBYTE = 1024 * 1024 * 1024;
  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final List<ConfigProblem> problems = new ArrayList<>();
  private final List<String> regions = new ArrayList<>();
  private final Map<String, ServerSpec> servers = new LinkedHashMap<>();

  /** The names of all servers in the file, those with a problem included, and their regions. */
  private final Set<String> named = new HashSet<>();

  private final Set<String> populated = new HashSet<>();

  /** The folder to which relative paths in the configuration refer. */
  private final Path folder;

  private ConfigReader(Path folder) {
    this.folder = folder;
  }

  static ClusterConfig load(Path file) throws IOException, InvalidConfigException {
    requireReadable(file);
    return read(file.toString(), folder(file), () -> unresolved(file));
  }

  /** Parses a file without reading its settings. */
  static Config parsed(Path file) throws IOException, InvalidConfigException {
    requireReadable(file);
    return resolved(file.toString(), () -> unresolved(file));
  }

  /** Returns the folder to which relative paths in a file refer. */
  static Path folder(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? Path.of("") : parent;
  }

  private static Config unresolved(Path file) {
    ConfigParseOptions options =
        ConfigParseOptions.defaults().setAllowMissing(false).setSyntax(ConfigSyntax.CONF);
    return ConfigFactory.parseFile(file.toFile(), options);
  }

  private static void requireReadable(Path file) throws IOException {
    if (Files.notExists(file)) {
      String where =
          file.isAbsolute() ? "" : ", looked up in the folder " + Path.of("").toAbsolutePath();
      throw new IOException("the configuration file " + file + " does not exist" + where);
    }
    if (Files.isDirectory(file)) {
      throw new IOException("the configuration file " + file + " is a folder");
    }
    if (!Files.isReadable(file)) {
      throw new IOException("the configuration file " + file + " is not readable");
    }
    if (Files.isRegularFile(file)) { // a pipe can be read only once
      requireText(file);
    }
  }

  /** The parser replaces bytes that are not UTF-8, so that a name or a path becomes another one. */
  private static void requireText(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
    CharBuffer text = CharBuffer.allocate(bytes.capacity());
    if (StandardCharsets.UTF_8.newDecoder().decode(bytes, text, true).isError()) {
      long line = 1 + text.flip().chars().filter(c -> c == '\n').count();
      throw new IOException(
          "the configuration file "
              + file
              + " is not text in UTF-8, from line "
              + line
              + " on: save it in UTF-8");
    }
  }

  static ClusterConfig parse(String text) throws InvalidConfigException {
    return read("text", Path.of(""), () -> ConfigFactory.parseString(text));
  }

  static ClusterConfig read(Config config) throws InvalidConfigException {
    return read(config.origin().description(), Path.of(""), () -> config);
  }

  /** Reads what a server has told of the shared settings. */
  static ClusterConfig told(String settings, String from) throws InvalidConfigException {
    SeedFile.requireShallow(settings, from);
    ConfigParseOptions json =
        ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON).setOriginDescription(from);
    return read(from, Path.of(""), () -> ConfigFactory.parseString(settings, json));
  }

  interface Source {
    Config get();
  }

  static ClusterConfig read(String origin, Path folder, Source source)
      throws InvalidConfigException {
    Config config = resolved(origin, source);
    ConfigReader reader = new ConfigReader(folder);
    ClusterConfig cluster =
        reader.cluster(new Section("", config, reader.problems), SeedFile.shared(config));
    if (!reader.problems.isEmpty()) {
      throw new InvalidConfigException(origin, reader.problems);
    }
    return cluster;
  }

  private static Config resolved(String origin, Source source) throws InvalidConfigException {
    try {
      return source.get().resolve();
    } catch (ConfigException e) {
      String place = e.origin() == null ? "" : Section.place(e.origin());
      throw new InvalidConfigException(
          origin, List.of(new ConfigProblem("the file", place, "is not well-formed: " + text(e))));
    }
  }

  /** Returns the message of the library, without the place and Java's names of exceptions. */
  private static String text(ConfigException failure) {
    String message = String.valueOf(failure.getMessage());
    String place = failure.origin() == null ? "" : failure.origin().description() + ": ";
    return message
        .substring(message.startsWith(place) ? place.length() : 0)
        .replaceAll("java\\.[a-z.]+[A-Za-z]+Exception: ", "");
  }

  private ClusterConfig cluster(Section root, String shared) {
    Section cluster = root.section("cluster");
    if (cluster.has(SeedFile.SEEDS)) {
      cluster.problem(
          SeedFile.SEEDS,
          "is set, and this program does not ask servers for their layout: it needs the whole"
              + " file");
    }
    String name = name(cluster, "name");
    int f = cluster.number("f", 1, 1, MOST_FAILURES);
    int partitions = cluster.number("partitions", 1, 1, Limits.MAX_PARTITIONS);
    TransactionSystem system = system(cluster);
    boolean changes = cluster.flag("changes");
    if (changes && !system.name().equals(Morty.NAME)) {
      cluster.problem("changes", "is true, and only the map of the system morty can change");
    }
    regions(cluster);
    servers(cluster, f);
    Membership members = members(cluster);
    List<List<ServerSpec>> placement = placement(cluster, f, partitions);
    int[] leaders = leaders(cluster, placement);
    cluster.refuseUnknown();

    Section server = root.section("server");
    int eventLoops = eventLoops(server);
    StorageSettings storage = storage(server, system);
    if (!system.isDurable() && storage.durability() != Durability.MEMORY) {
      server.problem(
          "durability",
          "is "
              + storage.durability().name().toLowerCase(Locale.ROOT)
              + ": the system "
              + system
              + " keeps everything in memory, so it must be memory");
    }
    LinkOptions linkOptions = linkOptions(server.section("links"));
    ReplicaOptions replicaOptions = replicaOptions(server.section("replica"));
    replicaOptions = changes ? replicaOptions.withMapChanges() : replicaOptions;
    Section client = root.section("client");
    SecurityConfig security = new SecurityReader(folder).read(name, server, client);
    SlotSetting regionSlots = regionSlots(client, replicaOptions, regions.size());
    AdmissionSetting admission = admission(client);
    server.refuseUnknown();
    client.refuseUnknown();

    DelayMatrix delays = new EmulationReader(root.section("emulation"), regions).delays();
    TracingSettings tracing = tracing(root.section("tracing"));
    root.refuseUnknown();
    return new ClusterConfig(
        name,
        system,
        f,
        changes,
        regions,
        List.copyOf(servers.values()),
        members,
        placement,
        leaders,
        eventLoops,
        storage,
        linkOptions,
        replicaOptions,
        regionSlots,
        admission,
        delays,
        security,
        tracing,
        shared);
  }

  // ---- cluster ------------------------------------------------------------------------------

  static String name(Section section, String key) {
    int before = section.problemCount();
    String name = section.text(key);
    if (section.problemCount() == before && !Names.isValid(name)) {
      section.problem(key, "is '" + name + "': a name must be " + Names.RULE);
    }
    return name;
  }

  private void regions(Section cluster) {
    for (String region : cluster.texts("regions")) {
      if (!Names.isValid(region)) {
        cluster.problem("regions", "holds '" + region + "': a name must be " + Names.RULE);
      } else if (regions.contains(region)) {
        cluster.problem("regions", "holds '" + region + "' twice: every region needs its own name");
      } else {
        regions.add(region);
      }
    }
    if (!cluster.has("regions")) {
      cluster.problem("regions", "is missing: list the names of the regions");
    } else if (regions.isEmpty()) {
      cluster.problem("regions", "is empty: list the names of the regions");
    }
  }

  private void servers(Section cluster, int f) {
    Map<String, String> byAddress = new HashMap<>();
    List<Section> sections = cluster.sections("servers");
    for (Section section : sections) {
      server(section, byAddress, servers);
      section.refuseUnknown();
    }
    int needed = 2 * f + 1;
    if (sections.size() < needed) {
      cluster.problem(
          "servers",
          (cluster.has("servers") ? "holds " + sections.size() + " servers: " : "is missing: ")
              + "with f = "
              + f
              + " every partition needs 2f+1 = "
              + needed
              + " replicas, each on a server of its own");
    }
    for (String region : regions) {
      if (!populated.contains(region)) {
        cluster.problem(
            "regions",
            "holds '" + region + "', but no server is there: add one, or drop the region");
      }
    }
  }

  /** What a server tells of those that have joined and left. */
  private Membership members(Section cluster) {
    Map<String, ServerSpec> joined = new LinkedHashMap<>();
    if (cluster.has(Membership.JOINED)) {
      // They are in the cluster, even if they share an address: a process that refused the settings
      // could not connect, and so let none of them leave.
      for (Section section : cluster.sections(Membership.JOINED)) {
        server(section, null, joined);
        section.refuseUnknown();
      }
    }
    List<String> left = cluster.has(Membership.LEFT) ? cluster.texts(Membership.LEFT) : List.of();
    return new Membership(servers.values(), joined.values(), left);
  }

  /**
   * Reads a server.
   *
   * @param byAddress the servers so far by their addresses; null if servers may share addresses
   */
  private void server(
      Section section, @Nullable Map<String, String> byAddress, Map<String, ServerSpec> known) {
    int before = section.problemCount();
    String name = name(section, "name");
    String region = section.text("region");
    named.add(name);
    populated.add(region);
    if (section.has("region") && !regions.contains(region)) {
      section.problem(
          "region", "is '" + region + "', which is no region" + DidYouMean.hint(region, regions));
    }
    Address listen = Address.parse(section.text("listen"));
    if (section.has("listen") && listen == null) {
      section.problem("listen", notAnAddress(section, "listen"));
    }
    Address address = advertised(section, "advertise", "listen", listen);
    unshared(section, "advertise", "listen", address, name, byAddress);
    Address adminListen = admin(section);
    Address admin = advertised(section, "admin-advertise", "admin", adminListen);
    unshared(section, "admin-advertise", "admin", admin, name, byAddress);
    if (known.containsKey(name)) {
      section.problem("name", "is '" + name + "' a second time: every server needs its own name");
    } else if (address != null && listen != null && section.problemCount() == before) {
      known.put(
          name,
          new ServerSpec(name, region, address.host(), address.port(), listen, admin, adminListen));
    }
  }

  private static String notAnAddress(Section section, String key) {
    String shown = Section.shown(section.value(key));
    return "is "
        + shown
        + ": it must be host:port, with a port from 1 to 65535"
        + Address.hint(shown);
  }

  /**
   * Returns the address to which others connect: the advertised one, or else the one where the
   * server listens.
   */
  private static @Nullable Address advertised(
      Section section, String key, String listenKey, @Nullable Address listen) {
    if (!section.has(key)) {
      if (listen != null && listen.isWildcard()) {
        section.problem(
            listenKey,
            "is '"
                + listen
                + "', to which others cannot connect: set "
                + section.path(key)
                + " to the address that others use");
      }
      return listen;
    }
    Address address = Address.parse(section.text(key));
    if (address == null) {
      section.problem(key, notAnAddress(section, key));
    } else if (address.isWildcard()) {
      section.problem(
          key, "is '" + address + "', to which others cannot connect: it must be one address");
    } else if (!section.has(listenKey)) {
      section.problem(key, "is set, but " + section.path(listenKey) + " is not: set both");
    }
    return address;
  }

  /** Returns where a server listens for administrators; a port alone is on the loopback address. */
  private static @Nullable Address admin(Section section) {
    if (!section.has("admin")) {
      return null;
    }
    String text = section.text("admin");
    Address admin = Address.parse(text.matches("\\d{1,5}") ? LOOPBACK + ":" + text : text);
    if (admin == null) {
      String shown = Section.shown(section.value("admin"));
      section.problem(
          "admin",
          "is "
              + shown
              + ": it must be a port, which is then open to processes of the same machine alone,"
              + " or host:port, with a port from 1 to 65535"
              + Address.hint(shown));
    }
    return admin;
  }

  private static void unshared(
      Section section,
      String advertiseKey,
      String listenKey,
      @Nullable Address address,
      String name,
      @Nullable Map<String, String> byAddress) {
    if (address == null || byAddress == null) {
      return;
    }
    String other = byAddress.putIfAbsent(address.toString(), name);
    if (other != null) {
      section.problem(
          section.has(advertiseKey) ? advertiseKey : listenKey,
          "is '"
              + address
              + "', where server '"
              + other
              + "' listens: every server needs its own address");
    }
  }

  // ---- placement ----------------------------------------------------------------------------

  private List<List<ServerSpec>> placement(Section cluster, int f, int partitions) {
    int replicas = 2 * f + 1;
    if (cluster.has("placement")) {
      return givenPlacement(cluster.section("placement"), replicas, partitions);
    }
    return servers.size() < replicas
        ? List.of()
        : Placement.spread(List.copyOf(servers.values()), partitions, replicas);
  }

  private List<List<ServerSpec>> givenPlacement(Section section, int replicas, int partitions) {
    List<List<ServerSpec>> placement = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      String key = Integer.toString(partition);
      if (section.has(key)) {
        placement.add(group(section, key, replicas));
      } else {
        section.problem(
            key,
            "is missing: a placement names the servers of every partition, 0 to "
                + (partitions - 1));
      }
    }
    for (String key : section.entries().keySet()) {
      if (!key.matches("0|[1-9]\\d{0,8}") || Integer.parseInt(key) >= partitions) {
        section.problem(key, "is no partition: they are 0 to " + (partitions - 1));
      }
    }
    return placement;
  }

  private List<ServerSpec> group(Section section, String key, int replicas) {
    List<ServerSpec> group = new ArrayList<>();
    List<String> names = section.texts(key);
    for (String name : names) {
      ServerSpec server = servers.get(name);
      if (server == null && named.contains(name)) {
        continue; // what is wrong with the server is a problem of its own
      }
      if (server == null) {
        section.problem(
            key,
            "holds '"
                + name
                + "', which is not a server of the cluster"
                + DidYouMean.hint(name, servers.keySet()));
      } else if (group.contains(server)) {
        section.problem(
            key, "holds '" + name + "' twice: the replicas of a partition need a server each");
      } else {
        group.add(server);
      }
    }
    if (names.size() != replicas) {
      section.problem(
          key,
          "holds " + names.size() + " servers: a partition has 2f+1 = " + replicas + " replicas");
    }
    return group;
  }

  /** Returns the index of each partition's leader: in rotation, or the replica in one region. */
  private int[] leaders(Section cluster, List<List<ServerSpec>> placement) {
    String where = cluster.text("leaders", SPREAD);
    int[] leaders = new int[placement.size()];
    if (!where.equals(SPREAD) && !regions.contains(where)) {
      cluster.problem(
          "leaders",
          "is '"
              + where
              + "', which is no region"
              + DidYouMean.hint(where, regions)
              + ": it must be one, or "
              + SPREAD);
      return leaders;
    }
    for (int partition = 0; partition < leaders.length; partition++) {
      List<ServerSpec> group = placement.get(partition);
      leaders[partition] = partition % Math.max(1, group.size());
      if (!where.equals(SPREAD)) {
        leaders[partition] = indexInRegion(group, where);
      }
      if (leaders[partition] < 0) {
        cluster.problem(
            "leaders",
            "is '"
                + where
                + "', where partition "
                + partition
                + " has no replica: choose another region, or give a placement");
        return new int[placement.size()];
      }
    }
    return leaders;
  }

  private static int indexInRegion(List<ServerSpec> group, String region) {
    for (int index = 0; index < group.size(); index++) {
      if (group.get(index).region().equals(region)) {
        return index;
      }
    }
    return -1;
  }

  // ---- server -------------------------------------------------------------------------------

  private static TransactionSystem system(Section cluster) {
    try {
      return TransactionSystems.named(cluster.text("system", Morty.NAME));
    } catch (IllegalArgumentException e) {
      cluster.problem("system", "is unknown: " + e.getMessage());
      return Morty.SYSTEM;
    }
  }

  private static int eventLoops(Section server) {
    return server.text("event-loops", "auto").equals("auto")
        ? 0
        : server.number("event-loops", 0, 1, MOST_EVENT_LOOPS);
  }

  private StorageSettings storage(Section server, TransactionSystem system) {
    StorageSettings d = StorageSettings.MEMORY;
    Durability durability = durability(server, system);
    int before = server.problemCount();
    Path data = data(server, folder);
    if (durability != Durability.MEMORY && data == null && server.problemCount() == before) {
      server.problem(
          "data",
          "is empty: with durability "
              + durability.name().toLowerCase(Locale.ROOT)
              + " it must name the directory that servers store in");
    }
    Section files = server.section("storage");
    Duration force =
        files.duration("force-interval", d.forceInterval(), MILLISECOND, Duration.ofSeconds(10));
    int segment = files.bytes("segment", d.segmentBytes(), MEBIBYTE, GIBIBYTE);
    // An execution as long as a frame must fit even when half of the space is taken.
    int buffer = files.bytes("buffer", d.bufferBytes(), 32 * MEBIBYTE, 64 * MEBIBYTE);
    int log = files.bytes("checkpoint-log", d.checkpointLogBytes(), MEBIBYTE, 2047 * MEBIBYTE);
    int rate = files.bytes("checkpoint-rate", d.checkpointBytesPerSecond(), MEBIBYTE, GIBIBYTE);
    files.refuseUnknown();
    return new StorageSettings(durability, data, force, segment, buffer, log, rate);
  }

  /** The parent of the servers' data directories; null if the setting is blank, or a problem. */
  static @Nullable Path data(Section server, Path folder) {
    String text = server.text("data", DEFAULT_DATA);
    try {
      return text.isBlank() ? null : folder.resolve(text);
    } catch (InvalidPathException e) {
      server.problem("data", "is '" + text + "': it must be the path of a directory");
      return null;
    }
  }

  private static Durability durability(Section server, TransactionSystem system) {
    String mode = server.text("durability", system.isDurable() ? "sync" : "memory");
    return switch (mode) {
      case "memory" -> Durability.MEMORY;
      case "async" -> Durability.ASYNC;
      case "sync" -> Durability.SYNC;
      default -> {
        server.problem("durability", "is '" + mode + "': it must be sync, async or memory");
        yield Durability.MEMORY;
      }
    };
  }

  static LinkOptions linkOptions(Section links) {
    LinkOptions d = LinkOptions.DEFAULTS;
    int before = links.problemCount();
    int low = links.bytes("low-water-mark", d.lowWaterMarkBytes(), 1024, GIBIBYTE);
    int high = links.bytes("high-water-mark", d.highWaterMarkBytes(), 1024, GIBIBYTE);
    int most =
        links.bytes("max-outbound", d.maxOutboundBytes(), Limits.MAX_FRAME_BYTES + 1, GIBIBYTE);
    Duration connect = links.duration("connect-timeout", d.connectTimeout(), MILLISECOND, MINUTE);
    Duration handshake =
        links.duration("handshake-timeout", d.handshakeTimeout(), MILLISECOND, MINUTE);
    Duration minBackoff = links.duration("min-backoff", d.minBackoff(), MILLISECOND, MINUTE);
    Duration maxBackoff = links.duration("max-backoff", d.maxBackoff(), MILLISECOND, MINUTE);
    links.refuseUnknown();
    if (low > high) {
      links.problem(
          "low-water-mark",
          "is " + low + " bytes, above high-water-mark, " + high + " bytes: it must not be");
    }
    if (high >= most) {
      links.problem(
          "high-water-mark",
          "is " + high + " bytes, not below max-outbound, " + most + " bytes: it must be");
    }
    if (minBackoff.compareTo(maxBackoff) > 0) {
      links.problem("min-backoff", "is above max-backoff: it must not be");
    }
    return links.problemCount() > before
        ? d
        : new LinkOptions(low, high, most, connect, handshake, minBackoff, maxBackoff);
  }

  private static ReplicaOptions replicaOptions(Section replica) {
    ReplicaOptions d = ReplicaOptions.DEFAULTS;
    long skew = micros(replica, "allowed-skew", d.allowedSkewMicros(), Duration.ZERO, MINUTE);
    long retention =
        micros(
            replica, "retention", d.retentionMicros(), Duration.ofSeconds(1), Duration.ofHours(1));
    Duration least = Duration.ofMillis(100);
    Duration most = Duration.of(retention, ChronoUnit.MICROS);
    long lag = micros(replica, "watermark-lag", retention, least, most);
    long tick = micros(replica, "tick", d.tickMicros(), MILLISECOND, Duration.ofSeconds(10));
    long inquire =
        micros(replica, "inquire-after", d.inquireMicros(), Duration.ofMillis(10), MINUTE);
    int versions = replica.number("max-versions-per-key", d.maxVersionsPerKey(), 2, 1_000_000);
    Duration second = Duration.ofSeconds(1);
    long uncertainty =
        micros(replica, "clock-uncertainty", d.clockUncertaintyMicros(), Duration.ZERO, second);
    replica.refuseUnknown();
    return new ReplicaOptions(skew, retention, tick, inquire, versions)
        .withWatermarkLagMicros(lag)
        .withClockUncertaintyMicros(uncertainty);
  }

  private static SlotSetting regionSlots(Section client, ReplicaOptions replica, int regions) {
    switch (client.text("region-slots", "auto")) {
      case "auto" -> {
        return SlotSetting.AUTO;
      }
      case "off" -> {
        return SlotSetting.OFF;
      }
      default -> {
        boolean waits = replica.clockUncertaintyMicros() > 0;
        long longest = SlotSetting.longestMicros(replica.allowedSkewMicros(), regions, waits);
        Duration most = Duration.of(Math.max(1_000, longest), ChronoUnit.MICROS);
        Duration length =
            client.duration("region-slots", "auto, off, or ", Duration.ZERO, MILLISECOND, most);
        return new SlotSetting(false, length.toNanos() / 1_000);
      }
    }
  }

  private static AdmissionSetting admission(Section client) {
    return switch (client.text("admission", "off")) {
      case "auto" -> AdmissionSetting.AUTO;
      case "off" -> AdmissionSetting.OFF;
      default -> {
        int most = client.number("admission", "auto, off, or ", 1, 1, AdmissionSetting.HIGHEST);
        yield new AdmissionSetting(false, most);
      }
    };
  }

  private static TracingSettings tracing(Section tracing) {
    TracingSettings d = TracingSettings.OFF;
    double rate = tracing.fraction("rate", d.rate());
    String text = tracing.text("zipkin", d.zipkin().toString());
    tracing.refuseUnknown();
    try {
      URI zipkin = new URI(text);
      if (zipkin.getHost() != null
          && ("http".equals(zipkin.getScheme()) || "https".equals(zipkin.getScheme()))) {
        return new TracingSettings(rate, zipkin);
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    tracing.problem(
        "zipkin",
        "is '" + text + "': it must be where spans are posted, such as '" + d.zipkin() + "'");
    return d;
  }

  private static long micros(
      Section section, String key, long byDefaultMicros, Duration least, Duration most) {
    Duration byDefault = Duration.ofNanos(byDefaultMicros * 1000);
    return section.duration(key, byDefault, least, most).toNanos() / 1000;
  }
}
