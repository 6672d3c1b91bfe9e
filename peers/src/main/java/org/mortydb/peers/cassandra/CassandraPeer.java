package org.mortydb.peers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.peers.process.Peer;
import org.mortydb.peers.process.PeerCluster;
import org.mortydb.peers.process.PeerProcess;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.workloads.load.Workload;

/** Three nodes of Cassandra with Accord. */
public final class CassandraPeer implements Peer {
  private static final long START_SECONDS = 180;
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(60);

  /** The packages of the JDK that Cassandra opens, as in its conf/jvm17-server.options. */
  private static final List<String> OPENED =
      List.of(
          "-Djdk.attach.allowAttachSelf=true",
          "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--add-exports=java.management.rmi/com.sun.jmx.remote.internal.rmi=ALL-UNNAMED",
          "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
          "--add-exports=java.rmi/sun.rmi.server=ALL-UNNAMED",
          "--add-exports=java.sql/java.sql=ALL-UNNAMED",
          "--add-exports=java.base/java.lang.ref=ALL-UNNAMED",
          "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
          "--add-exports=jdk.attach/sun.tools.attach=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.module=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.loader=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.reflect=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.math=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.module=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.util.jar=ALL-UNNAMED",
          "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Dio.netty.allocator.useCacheForAllThreads=true",
          "-Dio.netty.allocator.maxOrder=11");

  private final CassandraHome home;
  private final PeerCluster cluster;
  private final int storagePort = PeerCluster.freePort();
  private final int nativePort = PeerCluster.freePort();
  private final VersionOrder order = new VersionOrder();
  private @Nullable AccordStore store;
  private boolean oneShot;

  private CassandraPeer(CassandraHome home, PeerCluster cluster) {
    this.home = home;
    this.cluster = cluster;
  }

  /**
   * Checks that its jars and a JDK for it are there.
   *
   * @throws ClusterFailedException if something is missing; the message says how to get it
   */
  public static void checkInstalled() {
    var unused = CassandraHome.find();
  }

  /**
   * Starts three nodes, which join one after another. Returns when all serve.
   *
   * @param data the directory for their folder
   * @throws ClusterFailedException if Cassandra or its JDK is missing, or does not start
   */
  public static CassandraPeer start(Path data) throws InterruptedException {
    CassandraHome home = CassandraHome.find();
    PeerCluster cluster = new PeerCluster(data, "cassandra");
    boolean started = false;
    try {
      CassandraPeer peer = new CassandraPeer(home, cluster);
      for (int node = 0; node < NodeConfig.NODES; node++) {
        peer.startNode(node);
      }
      started = true;
      return peer;
    } catch (IOException e) {
      throw new ClusterFailedException("cannot configure Cassandra: " + e.getMessage(), e);
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  private void startNode(int node) throws IOException, InterruptedException {
    String name = "cassandra-" + (node + 1);
    Path folder = Files.createDirectory(cluster.folder().resolve(name));
    NodeConfig config = new NodeConfig(node, folder, storagePort, nativePort);
    Path yaml = Files.writeString(folder.resolve("cassandra.yaml"), config.yaml());
    Path logback = Files.writeString(folder.resolve("logback.xml"), NodeConfig.logback());
    List<String> command = new ArrayList<>();
    command.add(home.java().toString());
    command.addAll(NodeConfig.JVM);
    command.addAll(OPENED);
    command.add("-javaagent:" + home.agent().toAbsolutePath());
    command.add("-Djava.net.preferIPv4Stack=true");
    command.add("-Dcassandra.config=" + yaml.toUri());
    command.add("-Dcassandra.storagedir=" + folder);
    command.add("-Dcassandra.logdir=" + folder);
    command.add("-Dcassandra-foreground=yes");
    // New nodes need not wait for the knowledge of others.
    command.add("-Dcassandra.ring_delay_ms=2000");
    command.add("-Dlogback.configurationFile=" + logback);
    command.add("-cp");
    command.add(folder + ":" + home.lib().toAbsolutePath() + "/*");
    command.add("org.apache.cassandra.service.CassandraDaemon");
    Path log = cluster.folder().resolve(name + ".log");
    PeerProcess process = cluster.add(PeerProcess.start(name, command, folder, log, Map.of()));
    awaitPort(process, new InetSocketAddress(config.address(), nativePort));
  }

  private static void awaitPort(PeerProcess process, InetSocketAddress address)
      throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(START_SECONDS).toNanos();
    while (System.nanoTime() - deadline < 0) {
      process.check();
      try (Socket socket = new Socket()) {
        socket.connect(address, 1_000);
        return;
      } catch (IOException e) {
        Thread.sleep(200); // not listening yet
      }
    }
    throw process.failed("does not accept clients after " + START_SECONDS + " s");
  }

  @Override
  public String name() {
    return "cassandra";
  }

  @Override
  public PeerCluster cluster() {
    return cluster;
  }

  @Override
  public List<VersionedStore> connect(Workload workload) {
    try {
      CqlSession session = session();
      createTables(session);
      if (workload instanceof OneShotTransfer transfers) {
        OneShotTransferStore accounts = new OneShotTransferStore(session);
        transfers.readBalancesWith(accounts::balance);
        oneShot = true;
        return List.of(accounts);
      }
      AccordStore made = new AccordStore(session, order);
      store = made;
      return List.of(made);
    } catch (DriverException e) {
      throw new ClusterFailedException("cannot use Cassandra: " + e.getMessage(), e);
    }
  }

  private CqlSession session() {
    DriverConfigLoader config =
        DriverConfigLoader.programmaticBuilder()
            .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, REQUEST_TIMEOUT)
            .withString(
                DefaultDriverOption.REQUEST_CONSISTENCY, DefaultConsistencyLevel.QUORUM.name())
            .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, REQUEST_TIMEOUT)
            .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, REQUEST_TIMEOUT)
            .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, SCHEMA_TIMEOUT)
            .withBoolean(DefaultDriverOption.REQUEST_WARN_IF_SET_KEYSPACE, false)
            .build();
    var builder = CqlSession.builder().withConfigLoader(config).withLocalDatacenter("datacenter1");
    for (int node = 0; node < NodeConfig.NODES; node++) {
      builder.addContactPoint(new InetSocketAddress("127.0.0." + (node + 1), nativePort));
    }
    return builder.build();
  }

  private static void createTables(CqlSession session) {
    for (String statement :
        List.of(
            "CREATE KEYSPACE morty WITH replication ="
                + " {'class': 'SimpleStrategy', 'replication_factor': 3}",
            "CREATE TABLE "
                + Statements.TABLE
                + " (k blob PRIMARY KEY, v blob, ver bigint) WITH transactional_mode = 'full'",
            "CREATE TABLE "
                + OneShotTransferStore.TABLE
                + " (id bigint PRIMARY KEY, balance bigint) WITH transactional_mode = 'full'")) {
      session.execute(SimpleStatement.newInstance(statement).setTimeout(SCHEMA_TIMEOUT));
    }
  }

  @Override
  public void filled() {
    AccordStore used = store;
    if (used != null) {
      used.filled();
    }
  }

  @Override
  public Map<String, @Nullable Object> facts() {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("version", home.version());
    facts.put("client", "Apache Cassandra Java driver, one session for all nodes");
    facts.put("replicas", NodeConfig.NODES);
    facts.put(
        "durability", "commit log and Accord's journal are forced before a message is answered");
    facts.put("tuning", NodeConfig.TUNING);
    facts.put("serverJvm", "JDK " + home.javaVersion() + ": " + String.join(" ", NodeConfig.JVM));
    facts.put(
        "transactions",
        oneShot
            ? "one Accord transaction that reads, compares and subtracts"
            : "optimistic: reads of single rows, one Accord transaction that checks all of them");
    facts.put("errors", store == null ? null : store.errors());
    facts.put(
        "order",
        oneShot
            ? "not seen by the clients, so there is no replay; the sum is checked"
            : "found after the run from the versions read and overwritten");
    return facts;
  }

  @Override
  public List<HistoryLog> inOrder(List<HistoryLog> logs, HistoryFolder folder) throws IOException {
    Long2LongMap places = order.places();
    return List.of(
        folder.reordered(
            logs, id -> new TxnId(places.get(id.timeMicros()), id.clientId(), id.home())));
  }

  @Override
  public void close() {
    cluster.close();
  }
}
