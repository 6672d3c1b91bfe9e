package org.mortydb.testing;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback interface. They lie below the ports of outgoing connections. Otherwise
 * such a connection could take the port of a server that is down for a while, or connect to itself.
 *
 * <p>A found port belongs to this process until its end. The process holds the UDP port of the same
 * number, which servers do not use and which this class checks in other processes. So concurrent
 * tests do not disturb each other, even while their servers are down.
 */
public final class LoopbackPorts {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;
  private static final int ATTEMPTS = 1_000;

  /** The marks of found ports, open until the process ends. */
  private static final List<DatagramSocket> MARKS = new ArrayList<>();

  private LoopbackPorts() {}

  /**
   * Finds different ports, which no earlier call has returned. Thread-safe.
   *
   * @param count the number of ports
   * @throws IOException if there are too few
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
