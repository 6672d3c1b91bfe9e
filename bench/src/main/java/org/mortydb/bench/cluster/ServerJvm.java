package org.mortydb.bench.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.cli.Checkout;

/**
 * The JVM options of server processes: those of {@code bin/morty server}, and a heap of fixed size.
 */
public final class ServerJvm {
  /** The file with the options of servers in every deployment. */
  static final String FILE = "support/server.jvm";

  /** The heap of measurements. */
  private static final String HEAP = "-Xms2g -Xmx2g";

  /** The options that the launcher gives to every program. */
  private static final String LAUNCHER =
      "-XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED";

  private ServerJvm() {}

  /**
   * The options of servers in measurements, with a heap of 2 GiB.
   *
   * @throws ClusterFailedException if the file with the options does not exist
   */
  public static List<String> options() {
    return options(HEAP);
  }

  /**
   * The options of servers with a heap.
   *
   * @param heap the options of the heap, separated by blanks
   * @throws ClusterFailedException if the file with the options does not exist
   */
  public static List<String> options(String heap) {
    List<String> options = new ArrayList<>(of(heap + " " + LAUNCHER));
    Path file =
        Checkout.find(FILE)
            .orElseThrow(
                () ->
                    new ClusterFailedException(
                        "the servers' JVM options, "
                            + FILE
                            + ", are not in "
                            + Checkout.start()
                            + " or above: use bin/morty of a checkout, or --server-jvm"));
    try (Stream<String> lines = Files.lines(file)) {
      lines
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .forEach(options::add);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    return List.copyOf(options);
  }

  /** The options in one argument. */
  public static List<String> of(String options) {
    return List.of(options.strip().split("\\s+"));
  }
}
