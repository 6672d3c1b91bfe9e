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
 * The jars of Cassandra and a suitable JDK.
 *
 * @param lib the folder with the jars
 * @param java the Java program
 * @param javaVersion the version of Java
 * @param agent the jar of the agent that measures objects
 * @param version the version of Cassandra
 */
record CassandraHome(Path lib, Path java, String javaVersion, Path agent, String version) {
  /** The start script sets this to the root of the project. */
  private static final String HOME_PROPERTY = "morty.home";

  private static final String JAVA_VARIABLE = "CASSANDRA_JAVA_HOME";
  private static final int OLDEST_JAVA = 17;
  private static final int NEWEST_JAVA = 21;

  /**
   * Finds jars and JDK.
   *
   * @throws ClusterFailedException if one is missing; the message says how to get it
   */
  static CassandraHome find() {
    Path lib = Path.of(System.getProperty(HOME_PROPERTY, ""), "peers/cassandra/target/lib");
    Path main = jar(lib, "cassandra-all-");
    Path agent = jar(lib, "jamm-");
    if (main == null || agent == null) {
      throw new ClusterFailedException(
          "no jars of Cassandra in "
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

  /** The JDK of the variable, or the oldest suitable one. */
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
          "Cassandra needs a JDK %d to %d, but none was found: set %s to its folder, or install one, on Debian with: apt-get install openjdk-17-jdk-headless"
              .formatted(OLDEST_JAVA, NEWEST_JAVA, JAVA_VARIABLE));
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
