package org.mortydb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A cluster of three servers with its configuration in a file, as for operators. */
public final class OperatedCluster implements AutoCloseable {
  private final EmbeddedCluster cluster;
  private final Path file;

  private OperatedCluster(EmbeddedCluster cluster, Path file) {
    this.cluster = cluster;
    this.file = file;
  }

  /**
   * Starts servers us-1, eu-1 and ap-1.
   *
   * @param folder the folder of the file
   * @param admin whether servers have admin addresses
   * @param settings further lines of the configuration
   */
  public static OperatedCluster start(Path folder, boolean admin, String... settings)
      throws IOException {
    String text = configuration(admin, settings);
    Path file = Files.writeString(folder.resolve("cluster.conf"), text);
    return new OperatedCluster(EmbeddedCluster.start(text), file);
  }

  /** The configuration, on free ports. */
  public static String configuration(boolean admin, String... settings) throws IOException {
    List<Integer> ports = LoopbackPorts.free(6);
    StringBuilder text = new StringBuilder("cluster { name = shop, regions = [us, eu, ap]\n");
    text.append("servers = [\n");
    for (int i = 0; i < 3; i++) {
      String region = List.of("us", "eu", "ap").get(i);
      text.append(
          "{ name = %s-1, region = %s, listen = \"127.0.0.1:%d\"%s }\n"
              .formatted(
                  region, region, ports.get(i), admin ? ", admin = " + ports.get(3 + i) : ""));
    }
    text.append("] }\nserver.event-loops = 1\n");
    for (String setting : settings) {
      text.append(setting).append('\n');
    }
    return text.toString();
  }

  /** The servers. */
  public EmbeddedCluster servers() {
    return cluster;
  }

  /** The configuration file. */
  public Path file() {
    return file;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
