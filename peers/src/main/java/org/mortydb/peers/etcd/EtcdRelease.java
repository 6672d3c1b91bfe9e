package org.mortydb.peers.etcd;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.cli.Checkout;

/** The etcd programs that can run. Their names on the command line are {@link #toString}. */
public enum EtcdRelease {
  /** The {@code etcd} on the {@code PATH}, of any version. */
  INSTALLED("etcd", null, "install it, on Debian with: apt-get install etcd-server"),

  /** The version of line 3.6 that {@code peers/etcd} pins. */
  LINE_3_6("etcd-3.6", "3.6", "build it with: support/get-etcd 3.6"),

  /** The version of line 3.7 that {@code peers/etcd} pins. */
  LINE_3_7("etcd-3.7", "3.7", "build it with: support/get-etcd 3.7");

  /** The folder of the checkout into which support/get-etcd builds. */
  private static final String BUILT = "peers/etcd/target";

  private final String label;
  private final @Nullable String line;
  private final String remedy;

  EtcdRelease(String label, @Nullable String line, String remedy) {
    this.label = label;
    this.line = line;
    this.remedy = remedy;
  }

  /**
   * Finds the program.
   *
   * @throws ClusterFailedException if it is missing; the message says how to get it
   */
  public Path find() {
    return (line == null ? onPath() : Checkout.find(BUILT + "/" + label))
        .map(Path::toAbsolutePath)
        .orElseThrow(
            () ->
                new ClusterFailedException(
                    "no program '%s' %s; %s"
                        .formatted(label, line == null ? "on the PATH" : "in " + BUILT, remedy)));
  }

  private Optional<Path> onPath() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(folder -> Path.of(folder, label))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  /**
   * Checks that running members are of this release.
   *
   * @param versions the versions that the members state, such as {@code 3.6.16}
   * @return their common version
   * @throws ClusterFailedException if they differ or are of another line
   */
  String check(Set<String> versions) {
    String version = versions.iterator().next();
    if (versions.size() > 1 || (line != null && !version.startsWith(line + "."))) {
      throw new ClusterFailedException(
          "members of %s state the versions %s; %s"
              .formatted(label, String.join(", ", versions), remedy));
    }
    return version;
  }

  @Override
  public String toString() {
    return label;
  }
}
