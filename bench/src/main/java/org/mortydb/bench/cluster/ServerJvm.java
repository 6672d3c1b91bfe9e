package org.mortydb.bench.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.mortydb.cli.Checkout;

/** The JVM options of server processes. */
public final class ServerJvm {
  /** The options that {@code bin/morty server} uses, as one argument without a heap. */
  public static final String AS_DEPLOYED =
      "-XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED @support/server.jvm";

  /** The options of measurements: those of deployments, and a heap of fixed size. */
  public static final String MEASURED = "-Xms2g -Xmx2g " + AS_DEPLOYED;

  private ServerJvm() {}

  /**
   * The options in one argument, separated by blanks. {@code @FILE} stands for the options in a
   * file, one on each line, with {@code #} before comments; its path is within the checkout.
   *
   * @throws ClusterFailedException if such a file does not exist
   */
  public static List<String> of(String options) {
    return Stream.of(options.strip().split("\\s+"))
        .flatMap(option -> option.startsWith("@") ? inFile(option.substring(1)) : Stream.of(option))
        .toList();
  }

  private static Stream<String> inFile(String name) {
    Path file =
        Checkout.find(name)
            .or(() -> Checkout.find("lib/" + Path.of(name).getFileName())) // of an archive
            .orElseThrow(
                () ->
                    new ClusterFailedException(
                        "the file of JVM options "
                            + name
                            + " is not in "
                            + Checkout.start()
                            + " or above: use bin/morty of a checkout or of an archive, or"
                            + " --server-jvm"));
    try {
      return Files.readAllLines(file).stream()
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
