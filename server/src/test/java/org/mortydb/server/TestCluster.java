package org.mortydb.server;

import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaRules;

/** Three servers, s0 to s2, one in each of the regions r0 to r2, on free ports of this machine. */
final class TestCluster implements AutoCloseable {
  static final String NAME = "tea";

  final ClusterConfig config;
  private final List<MortyServer> running = new ArrayList<>();

  /**
   * @param more what to add to the configuration
   */
  TestCluster(String more) throws IOException {
    this(more, false);
  }

  /**
   * @param admin whether the servers have admin addresses
   */
  TestCluster(String more, boolean admin) throws IOException {
    String text = text(more, admin);
    try {
      config = ClusterConfig.parse(text);
    } catch (InvalidConfigException e) {
      throw new AssertionError(text, e);
    }
  }

  static String text(String more) throws IOException {
    return text(more, false);
  }

  private static String text(String more, boolean admin) throws IOException {
    StringBuilder text =
        new StringBuilder("cluster { name = tea, regions = [r0, r1, r2], servers = [");
    List<ServerSocket> sockets = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ServerSocket socket = new ServerSocket(0);
      sockets.add(socket);
      text.append(
          "\n{ name = s%d, region = r%d, listen = \"127.0.0.1:%d\""
              .formatted(i, i, socket.getLocalPort()));
      if (admin) {
        ServerSocket another = new ServerSocket(0);
        sockets.add(another);
        text.append(", admin = ").append(another.getLocalPort());
      }
      text.append(" }");
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return text.append("] }\nserver.durability = memory\n").append(more).toString();
  }

  /** Starts all servers and waits until they serve. */
  List<MortyServer> startAll() throws IOException {
    List<MortyServer> started = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      started.add(start(i, null, MicrosClock.SYSTEM));
    }
    for (MortyServer server : started) {
      server.serving().orTimeout(20, TimeUnit.SECONDS).join();
    }
    return started;
  }

  MortyServer start(int index, @Nullable EventLoopGroup loops, MicrosClock clock)
      throws IOException {
    return start(index, new ServerOptions(loops, clock, List.of()));
  }

  MortyServer start(int index, ServerOptions options) throws IOException {
    return add(MortyServer.start(config, "s" + index, options));
  }

  MortyServer start(int index, MortyServer.MachineFactory machines) throws IOException {
    return start(index, ServerOptions.DEFAULTS, machines);
  }

  MortyServer start(int index, ServerOptions options, MortyServer.MachineFactory machines)
      throws IOException {
    return add(MortyServer.start(config, config.servers().get(index), options, machines));
  }

  /** Starts one alone that takes itself for one that was up before: it need not join. */
  MortyServer startWhole(int index, MicrosClock clock) throws IOException {
    ServerSpec spec = config.servers().get(index);
    Topology topology = config.topology(spec.region());
    return add(
        MortyServer.start(
            config,
            spec,
            ServerOptions.DEFAULTS.withClock(clock),
            id -> {
              Replica replica =
                  new Replica(id, topology, config.replicaOptions(), ReplicaRules.SOUND);
              replica.restore(clock.nowMicros(), new LogRecord.Serving(true));
              return replica;
            }));
  }

  private MortyServer add(MortyServer server) {
    running.add(server);
    return server;
  }

  void stopAll() {
    running.forEach(MortyServer::close);
    running.clear();
  }

  @Override
  public void close() {
    stopAll();
  }
}
