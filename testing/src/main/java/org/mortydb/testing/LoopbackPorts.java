package org.mortydb.testing;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback interface that nobody listens on. They lie below those that systems give to
 * outgoing connections: the port of a server that is down for a while would otherwise be taken by
 * one of those, or connect to itself.
 *
 * <p>A port that was found belongs to this process until that ends: it holds the UDP port of the
 * same number, which servers do not use, and which every other process that looks for ports here
 * tries as well. So tests that run at the same time do not get into each other's way, also while
 * their servers are down.
 */
public final class LoopbackPorts {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int ATTEMPTS = 1_000;

  /** What marks the ports that were found. Open until the process ends. */
  private static final List<DatagramSocket> MARKS = new ArrayList<>();

  private LoopbackPorts() {}

  /**
   * Finds ports, all different, and never the same ones twice. By any thread.
   *
   * @param count how many
   * @throws IOException when there are not so many
   */
  public static synchronized List<Integer> free(int count) throws IOException {
    List<Integer> ports = new ArrayList<>();
    for (int attempt = 0; ports.size() < count; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try {
        MARKS.add(mark(port));
        ports.add(port);
      } catch (IOException e) {
        if (attempt >= ATTEMPTS) {
          throw new IOException(
              "no free port from %d to %d: %s".formatted(FIRST, END - 1, e.getMessage()), e);
        }
      }
    }
    return ports;
  }

  private static DatagramSocket mark(int port) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    DatagramSocket mark = new DatagramSocket(port, loopback);
    try (ServerSocket tried = new ServerSocket(port, 1, loopback)) {
      return mark;
    } catch (IOException e) {
      mark.close();
      throw e;
    }
  }
}
