package org.mortydb.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback interface that nobody listens on. They lie below those that systems give to
 * outgoing connections: the port of a server that is down for a while would otherwise be taken by
 * one of those, or connect to itself.
 */
public final class LoopbackPorts {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int ATTEMPTS = 1_000;

  private LoopbackPorts() {}

  /**
   * Finds ports. Nobody keeps them free afterwards, so whoever cannot listen on one after all asks
   * again.
   *
   * @param count how many, all different
   * @throws IOException when there are not so many
   */
  public static List<Integer> free(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>(); // until the last is found, so that they differ
    try {
      List<Integer> ports = new ArrayList<>();
      for (int attempt = 0; ports.size() < count; attempt++) {
        int port = ThreadLocalRandom.current().nextInt(FIRST, END);
        try {
          held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
          ports.add(port);
        } catch (IOException e) {
          if (attempt >= ATTEMPTS) {
            throw new IOException(
                "no free port from %d to %d: %s".formatted(FIRST, END - 1, e.getMessage()), e);
          }
        }
      }
      return ports;
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }
}
