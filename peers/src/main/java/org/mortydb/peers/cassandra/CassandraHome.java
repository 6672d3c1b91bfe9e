package org.mortydb.peers.cassandra;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;

/**
 * What is needed to run Cassandra: its jars, and a JDK that it runs on.
 *
 * @param lib the folder with its jars
 * @param java the program that runs it
 * @param javaVersion what that calls itself
 * @param agent the jar that measures objects for it
 * @param version Cassandra's own
 */
record CassandraHome(Path lib, Path java, String javaVersion, Path agent, String version) {
  /** Set to the root of the project by the script that starts this program. */
  private static final String HOME_PROPERTY = "morty.home";

  private static final String JAVA_VARIABLE = "CASSANDRA_JAVA_HOME";
  private static final int OLDEST_JAVA = 17;
  private static final int NEWEST_JAVA = 21;

  /**
   * Finds both.
   *
   * @throws ClusterFailedException when one is missing; says how to get it
   */
  static CassandraHome find() {
    Path lib = Path.of(System.getProperty(HOME_PROPERTY, ""), "peers/cassandra/target/lib");
    Path main = jar(lib, "cassandra-all-");
    Path agent = jar(lib, "jamm-");
    if (main == null || agent == null) {
      throw new ClusterFailedException(
          "the jars of Cassandra are not in "
              + lib
              + "; fetch them with: mvn -q -f peers/cassandra/pom.xml package");
    }
    Jdk jdk = jdk();
    String version = main.getFileName().toString().replaceAll("^cassandra-all-|\\.jar$", "");
    return new CassandraHome(lib, jdk.home.resolve("bin/java"), jdk.version, agent, version);
  }

  private static @Nullable Path jar(Path lib, String prefix) {
    if (!Files.isDirectory(lib)) {
      return null;
    }
    try (Stream<Path> files = Files.list(lib)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      return null;
    }
  }

  private record Jdk(Path home, String version, int feature) {}

  /** The one that the variable names, or the oldest that will do. */
  private static Jdk jdk() {
    List<Path> homes = new ArrayList<>();
    String named = System.getenv(JAVA_VARIABLE);
    if (named != null) {
      homes.add(Path.of(named));
    } else {
      homes.addAll(children(Path.of("/usr/lib/jvm")));
      homes.addAll(children(Path.of(System.getProperty("user.home"), ".sdkman/candidates/java")));
      homes.addAll(children(Path.of(System.getProperty("user.home"), ".jdks")));
    }
    Jdk best = null;
    for (Path home : homes) {
      Jdk jdk = jdkAt(home);
      if (jdk != null
          && jdk.feature >= OLDEST_JAVA
          && jdk.feature <= NEWEST_JAVA
          && (best == null || jdk.feature < best.feature)) {
        best = jdk;
      }
    }
    if (best == null) {
      throw new ClusterFailedException(
          "Cassandra needs a JDK "
              + OLDEST_JAVA
              + " to "
              + NEWEST_JAVA
              + " and none was found; install one, on Debian with: apt-get install"
              + " openjdk-17-jdk-headless, or point "
              + JAVA_VARIABLE
              + " at it");
    }
    return best;
  }

  private static List<Path> children(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static @Nullable Jdk jdkAt(Path home) {
    Path release = home.resolve("release");
    if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isReadable(release)) {
      return null;
    }
    Properties facts = new Properties();
    try (InputStream in = Files.newInputStream(release)) {
      facts.load(in);
    } catch (IOException e) {
      return null;
    }
    String version = facts.getProperty("JAVA_VERSION", "").replace("\"", "");
    String feature = version.replaceAll("\\D.*", "");
    return feature.isEmpty() ? null : new Jdk(home, version, Integer.parseInt(feature));
  }
}
