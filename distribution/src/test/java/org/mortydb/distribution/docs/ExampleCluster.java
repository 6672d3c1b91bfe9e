package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Main;
import org.mortydb.testing.LoopbackPorts;

/** The cluster of the example configuration, as processes, with ports and folders of its own. */
final class ExampleCluster implements AutoCloseable {
  private static final Pattern PORT = Pattern.compile("(?<=127\\.0\\.0\\.1:|admin = )\\d{4,5}");

  private final Path folder;
  private final Path file;
  private final String original;
  private final Map<String, String> ports;
  private final List<Process> servers = new ArrayList<>();

  private ExampleCluster(Path folder, Path file, String original, Map<String, String> ports) {
    this.folder = folder;
    this.file = file;
    this.original = original;
    this.ports = ports;
  }

  /**
   * Copies the configuration, with ports that are free.
   *
   * @param example where it is, from the root of the checkout
   */
  static ExampleCluster start(Path folder, String example) throws IOException {
    String text = Files.readString(Documents.root().resolve(example));
    List<String> named =
        PORT.matcher(text.substring(0, text.indexOf("tracing {")))
            .results()
            .map(match -> match.group())
            .distinct()
            .toList();
    List<Integer> free = LoopbackPorts.free(named.size());
    Map<String, String> ports = new LinkedHashMap<>();
    for (int i = 0; i < named.size(); i++) {
      ports.put(named.get(i), free.get(i).toString());
    }
    Path file = folder.resolve("cluster.conf");
    ExampleCluster cluster = new ExampleCluster(folder, file, example, ports);
    Files.writeString(file, cluster.withPorts(text));
    return cluster;
  }

  private String withPorts(String text) {
    return PORT.matcher(text).replaceAll(match -> ports.getOrDefault(match.group(), match.group()));
  }

  /** The same command for this copy; without a configuration it is the one of the environment. */
  List<String> command(List<String> words) {
    List<String> command = new ArrayList<>(onIt(words));
    if (!command.contains(file.toString())) {
      command.addAll(List.of("--config", file.toString()));
    }
    return command;
  }

  /** The same words for this copy. */
  List<String> onIt(List<String> words) {
    return words.stream()
        .map(
            word ->
                word.equals(original) || word.endsWith("cluster.conf")
                    ? file.toString()
                    : withPorts(word))
        .toList();
  }

  /** Starts a server by the command line that a document has. */
  void server(List<String> words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(onIt(words));
    servers.add(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("server-" + servers.size() + ".log").toFile())
            .start());
  }

  void awaitServing() throws IOException {
    MortyCommands.Ran ran =
        MortyCommands.run(List.of("status", "--config", file.toString(), "--wait", "90"), "");
    assertThat(ran.code())
        .as("%s%s%s", ran.out(), ran.err(), logs())
        .isIn(
            ExitCode.OK, ExitCode.WARNING); // with warnings: on a busy machine servers stand still
  }

  private String logs() throws IOException {
    StringBuilder logs = new StringBuilder();
    for (int i = 0; i < servers.size(); i++) {
      logs.append(Files.readString(folder.resolve("server-" + i + ".log")));
    }
    return logs.toString();
  }

  @Override
  public void close() {
    for (Process server : servers) {
      server.destroyForcibly().onExit().join();
    }
  }
}
