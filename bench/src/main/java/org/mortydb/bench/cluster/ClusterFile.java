package org.mortydb.bench.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes the configuration of a cluster on this machine. */
final class ClusterFile {
  private ClusterFile() {}

  /** The text of a configuration with servers on ports of this machine that are free. */
  static String of(ClusterSettings settings) throws IOException {
    List<String> regions = settings.regions();
    List<Integer> ports = freePorts(regions.size());
    StringBuilder text = new StringBuilder("cluster {\n  name = bench\n");
    add(text, "  f = %d%n  partitions = %d%n", settings.f(), settings.partitions());
    add(text, "  regions = [%s]%n  servers = [%n", String.join(", ", regions));
    for (int i = 0; i < regions.size(); i++) {
      add(
          text,
          "    { name = %s, region = %s, listen = \"127.0.0.1:%d\" }%n",
          serverName(i),
          regions.get(i),
          ports.get(i));
    }
    text.append("  ]\n}\nserver {\n");
    add(text, "  durability = %s%n", settings.durability());
    if (settings.serverLoops() > 0) {
      add(text, "  event-loops = %d%n", settings.serverLoops());
    }
    text.append("}\n");
    if (settings.delayMicros().isPresent()) {
      text.append("emulation {\n  delays {\n");
      for (int i = 0; i < regions.size(); i++) {
        for (int j = i + 1; j < regions.size(); j++) {
          add(
              text,
              "    %s { %s = %d us }%n",
              regions.get(i),
              regions.get(j),
              settings.delayMicros().getAsLong());
        }
      }
      text.append("  }\n}\n");
    }
    return text.toString();
  }

  /** The name of the server in a region, by the region's place. */
  static String serverName(int region) {
    return "server-" + (region + 1);
  }

  private static void add(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments));
  }

  /** Ports that nobody listens on; all are held until the last is found, so that they differ. */
  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        held.add(socket);
        ports.add(socket.getLocalPort());
      }
      return ports;
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }
}
