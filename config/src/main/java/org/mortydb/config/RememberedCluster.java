package org.mortydb.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ClusterMap;

/**
 * What a server was last told of the servers of its cluster, in a file beside its data. A server
 * that was started from a few addresses starts again with it when none of them answers: those
 * servers may have left, or all may start at the same time.
 */
public final class RememberedCluster {
  private static final String ENDING = ".cluster.json";

  /** A layout is never longer. */
  private static final long MOST_BYTES = 16L * 1024 * 1024;

  private RememberedCluster() {}

  private static Path file(Path data, String server) {
    return data.resolve(server + ENDING);
  }

  /**
   * Remembers the settings that all processes share, with the servers under a map. Does nothing for
   * a server without a data directory.
   */
  public static void write(ClusterConfig config, String server, ClusterMap map) throws IOException {
    Path data = config.storage().data();
    if (data != null) {
      Files.createDirectories(data);
      Path next = data.resolve(server + ENDING + ".new");
      Files.writeString(next, config.shared(map));
      Files.move(
          next,
          file(data, server),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * The configuration of a server from its own file and from what it remembers.
   *
   * @return null if it remembers nothing, or nothing that can be used
   */
  public static @Nullable ClusterConfig read(SeedFile seeds, String server) {
    Path data = seeds.data();
    if (data == null) {
      return null;
    }
    Path file = file(data, server);
    try {
      if (!Files.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
        return null;
      }
      ClusterConfig config = seeds.complete(Files.readString(file), file.toString());
      return config.name().equals(seeds.cluster()) ? config : null;
    } catch (IOException | InvalidConfigException e) {
      return null; // the servers that run know better
    }
  }
}
