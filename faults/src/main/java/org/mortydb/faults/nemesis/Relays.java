package org.mortydb.faults.nemesis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The network between processes of this machine. Between each two processes stands a relay that can
 * drop what it carries. Servers and clients run unchanged, and no privileges are needed.
 *
 * <p>Processes are named by numbers. Safe for use by several threads.
 */
final class Relays implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 * 1024;
  private static final int CONNECT_MILLIS = 2_000;

  /**
   * What one process sends to another.
   *
   * @param from the sender
   * @param to the receiver
   */
  record Direction(int from, int to) {}

  private final Map<Direction, ServerSocket> listening = new HashMap<>();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicLong dropped = new AtomicLong();
  private volatile Set<Direction> cut = Set.of();

  /**
   * Adds the relay by which a process reaches another.
   *
   * @param from the process that connects
   * @param to the other process
   * @param port the port of the other process
   * @return the port of the relay
   */
  int add(int from, int to, int port) throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    listening.put(new Direction(from, to), socket);
    Thread.ofPlatform()
        .daemon()
        .name("morty-bench-relay-" + from + "-" + to)
        .start(() -> accept(socket, from, to, port));
    return socket.getLocalPort();
  }

  private void accept(ServerSocket socket, int from, int to, int port) {
    while (!socket.isClosed()) {
      try {
        Connection connection = new Connection(socket.accept(), from, to, port);
        connections.add(connection);
        Thread.ofVirtual().start(connection::run);
      } catch (IOException e) {
        // The relay is closed, or the process that wanted to connect has gone.
      }
    }
  }

  /** Drops what is sent in these directions from now on, and in no others. */
  void cut(List<Direction> directions) {
    cut = Set.copyOf(directions);
  }

  /**
   * Drops nothing any more. Closes the connections that have lost bytes, because a stream with a
   * hole is useless; the processes make new ones.
   */
  void heal() {
    cut = Set.of();
    for (Connection connection : connections) {
      if (connection.broken) {
        connection.close();
      }
    }
  }

  /** The bytes dropped so far. */
  long droppedBytes() {
    return dropped.get();
  }

  @Override
  public void close() {
    for (ServerSocket socket : listening.values()) {
      try {
        socket.close();
      } catch (IOException e) {
        // Nothing can be done about it.
      }
    }
    new HashSet<>(connections).forEach(Connection::close);
  }

  /** A connection from one process to the relay, and the one on to the other process. */
  private final class Connection {
    private final Socket near;
    private final Socket far = new Socket();
    private final Direction forth;
    private final Direction back;
    private final int port;

    /** Whether bytes of it were dropped. */
    private volatile boolean broken;

    Connection(Socket near, int from, int to, int port) {
      this.near = near;
      this.forth = new Direction(from, to);
      this.back = new Direction(to, from);
      this.port = port;
    }

    void run() {
      try {
        near.setTcpNoDelay(true);
        if (!cut.contains(forth) && !cut.contains(back)) {
          far.setTcpNoDelay(true);
          far.connect(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
          Thread.ofVirtual().start(() -> carry(far, near, back));
        } else {
          broken = true; // A request for a connection is dropped as well.
        }
      } catch (IOException e) {
        close();
        return;
      }
      carry(near, far, forth);
    }

    private void carry(Socket source, Socket target, Direction direction) {
      byte[] buffer = new byte[BUFFER_BYTES];
      try {
        InputStream in = source.getInputStream();
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          if (broken || cut.contains(direction)) {
            broken = true;
            dropped.addAndGet(n);
            if (cut.isEmpty()) {
              break; // healed meanwhile
            }
          } else {
            OutputStream out = target.getOutputStream();
            out.write(buffer, 0, n);
          }
        }
      } catch (IOException e) {
        // One of the two has gone.
      }
      if (cut.contains(direction)) {
        broken = true; // Nor does the other one learn of the end.
        if (cut.contains(direction)) {
          return;
        }
      }
      close();
    }

    void close() {
      connections.remove(this);
      for (Socket socket : List.of(near, far)) {
        try {
          socket.close();
        } catch (IOException e) {
          // It is of no use either way.
        }
      }
    }
  }

  /** All directions between two groups of processes, both ways. */
  static List<Direction> between(List<Integer> some, List<Integer> others) {
    List<Direction> directions = new ArrayList<>();
    for (int one : some) {
      for (int other : others) {
        directions.add(new Direction(one, other));
        directions.add(new Direction(other, one));
      }
    }
    return directions;
  }
}
