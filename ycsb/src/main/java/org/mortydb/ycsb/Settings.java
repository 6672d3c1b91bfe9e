package org.mortydb.ycsb;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.WriteDurability;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.transport.ClusterFiles;
import site.ycsb.DBException;
import site.ycsb.workloads.CoreWorkload;

/**
 * The settings in the properties of a run.
 *
 * @param cluster the cluster
 * @param client the options of the client
 */
record Settings(ClusterConfig cluster, ClientOptions client) {
  static final String PREFIX = "morty.";

  /** The cluster file. */
  static final String CONFIG = "morty.config";

  /** The region of the client; by default the first of the file. */
  static final String REGION = "morty.region";

  /** The event loops of the client, each with its own connections. */
  static final String ENGINES = "morty.engines";

  /** The deadline of a transaction with all its attempts. */
  static final String DEADLINE_MILLIS = "morty.deadlinemillis";

  /** What operations that only read promise about their reads. */
  static final String READ_LEVEL = "morty.readlevel";

  /** When the commits of operations that write are acknowledged. */
  static final String DURABILITY = "morty.durability";

  private static final TreeSet<String> NAMES =
      new TreeSet<>(List.of(CONFIG, REGION, ENGINES, DEADLINE_MILLIS, READ_LEVEL, DURABILITY));
  private static final long MICROS_PER_MILLI = 1_000;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

  /**
   * Reads the properties of a run.
   *
   * @throws DBException if one is missing or wrong; the message names it
   */
  static Settings of(Properties properties) throws DBException {
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      if (name.startsWith(PREFIX) && !NAMES.contains(name)) {
        throw new DBException(
            "unknown property " + name + "; the properties are " + String.join(", ", NAMES));
      }
    }
    String table = properties.getProperty(CoreWorkload.TABLENAME_PROPERTY, "");
    if (table.contains("/")) {
      throw new DBException(
          "property %s: the name of a table must not contain a slash: '%s'"
              .formatted(CoreWorkload.TABLENAME_PROPERTY, table));
    }
    ClusterConfig cluster = cluster(properties);
    String region = properties.getProperty(REGION, cluster.regions().getFirst());
    if (!cluster.regions().contains(region)) {
      throw new DBException(
          "property %s: cluster '%s' has no region '%s'; its regions are %s"
              .formatted(REGION, cluster.name(), region, String.join(", ", cluster.regions())));
    }
    long deadline =
        number(
            properties,
            DEADLINE_MILLIS,
            TransactionOptions.DEFAULTS.deadlineMicros() / MICROS_PER_MILLI,
            1,
            Integer.MAX_VALUE);
    ClientOptions client =
        ClientOptions.inRegion(region)
            .withConnectTimeout(CONNECT_TIMEOUT)
            .withEngines((int) number(properties, ENGINES, 1, 1, 1_000))
            .withTransaction(
                TransactionOptions.DEFAULTS
                    .withDeadlineMicros(deadline * MICROS_PER_MILLI)
                    .withReadLevel(level(properties))
                    .withDurability(durability(properties)));
    return new Settings(cluster, client);
  }

  private static ClusterConfig cluster(Properties properties) throws DBException {
    String file = properties.getProperty(CONFIG);
    if (file == null) {
      throw new DBException(
          "name the cluster's configuration file: -p " + CONFIG + "=deploy/example/cluster.conf");
    }
    try {
      return ClusterFiles.forClient(Path.of(file), null);
    } catch (IOException | InvalidConfigException e) {
      throw new DBException("property " + CONFIG + ": " + e.getMessage(), e);
    }
  }

  private static ReadLevel level(Properties properties) throws DBException {
    try {
      return ReadLevel.parse(properties.getProperty(READ_LEVEL, ReadLevel.SERIALIZABLE.words()));
    } catch (IllegalArgumentException e) {
      throw new DBException("property " + READ_LEVEL + ": " + e.getMessage(), e);
    }
  }

  private static WriteDurability durability(Properties properties) throws DBException {
    String text = properties.getProperty(DURABILITY);
    try {
      return text == null ? WriteDurability.AS_SERVERS : WriteDurability.parse(text);
    } catch (IllegalArgumentException e) {
      throw new DBException("property " + DURABILITY + ": " + e.getMessage(), e);
    }
  }

  private static long number(
      Properties properties, String name, long byDefault, long least, long most)
      throws DBException {
    String text = properties.getProperty(name);
    if (text == null) {
      return byDefault;
    }
    try {
      long number = Long.parseLong(text.strip());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new DBException(
        "property %s must be a number from %d to %d, not '%s'".formatted(name, least, most, text));
  }
}
