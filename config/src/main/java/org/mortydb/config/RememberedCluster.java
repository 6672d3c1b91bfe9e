package org.mortydb.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
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
      force(next, config.shared(map));
      Files.move(
          next,
          file(data, server),
          StandardCopyOption.REPLACE_EXISTING,
          StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * Writes a file that is on the disk before another one is replaced by it: a loss of power must
   * not leave an empty one.
   */
  private static void force(Path file, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    try (FileChannel out =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
  }

  /**
   * The servers that remember something in a folder of data directories, in alphabetical order.
   *
   * @param data the parent of the data directories
   * @throws IOException when the folder cannot be read
   */
  public static List<String> servers(Path data) throws IOException {
    if (!Files.isDirectory(data)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(data)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(ENDING))
          .map(name -> name.substring(0, name.length() - ENDING.length()))
          .sorted()
          .toList();
    }
  }

  /**
   * The configuration of a cluster whose servers are stopped, from a file that names a few of them
   * and from what any server of this machine remembers.
   *
   * @return null if none remembers anything that can be used
   * @throws IOException when the folder of the data directories cannot be read
   */
  public static @Nullable ClusterConfig read(SeedFile seeds) throws IOException {
    Path data = seeds.data();
    for (String server : data == null ? List.<String>of() : servers(data)) {
      ClusterConfig config = read(seeds, server);
      if (config != null) {
        return config;
      }
    }
    return null;
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
