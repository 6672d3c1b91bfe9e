package org.mortydb.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections to one address on to another, as an address translation does. */
final class Relay implements AutoCloseable {
  private final ServerSocket listening;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();

  /** Listens on a free port. */
  Relay(InetAddress listen, InetAddress to, int port) throws IOException {
    listening = new ServerSocket(0, 50, listen);
    Thread.ofVirtual().start(() -> accept(to, port));
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Returns how many connections reached their end. */
  int connections() {
    return connections.get();
  }

  private void accept(InetAddress to, int port) {
    while (!listening.isClosed()) {
      try {
        Socket in = listening.accept();
        sockets.add(in);
        try {
          Socket out = new Socket(to, port);
          sockets.add(out);
          connections.incrementAndGet();
          Thread.ofVirtual().start(() -> copy(in, out));
          Thread.ofVirtual().start(() -> copy(out, in));
        } catch (IOException e) {
          in.close();
        }
      } catch (IOException e) {
        // Closed, or the connection was.
      }
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One end has closed it.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
