package org.mortydb.peers.etcd;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.peers.process.Peer;
import org.mortydb.peers.process.PeerCluster;
import org.mortydb.peers.process.PeerProcess;
import org.mortydb.workloads.load.Workload;

/** Three members of etcd. */
public final class EtcdPeer implements Peer {
  private static final int MEMBERS = 3;
  private static final long START_SECONDS = 60;

  /**
   * The settings that differ from etcd's defaults, with reasons; docs/reference/peers.md names the
   * sources.
   */
  private static final List<String> TUNING =
      List.of(
          // The largest advised value. The default of 2 GiB could fill up within a long run.
          "--quota-backend-bytes=8589934592",
          // Keeps more revisions than a transaction can need, and compacts older ones.
          "--auto-compaction-mode=revision",
          "--auto-compaction-retention=100000",
          // Transactions that fill or audit records exceed the default of 128.
          "--max-txn-ops=1024",
          "--log-level=warn",
          "--logger=zap");

  private final PeerCluster cluster;
  private final String version;
  private final List<URI> clientUrls = new ArrayList<>();
  private final AtomicLong names = new AtomicLong();

  private EtcdPeer(PeerCluster cluster, String version) {
    this.cluster = cluster;
    this.version = version;
  }

  /**
   * Starts three members. Returns when all serve.
   *
   * @param data the directory for their folder
   * @throws ClusterFailedException if etcd is not installed or does not start
   */
  public static EtcdPeer start(Path data) throws InterruptedException {
    String version = version();
    PeerCluster cluster = new PeerCluster(data, "etcd");
    EtcdPeer peer = new EtcdPeer(cluster, version);
    boolean started = false;
    try {
      peer.startMembers();
      started = true;
      return peer;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  /** The version of the installed etcd, such as {@code 3.4.23}. */
  static String version() throws InterruptedException {
    try {
      Process process = new ProcessBuilder("etcd", "--version").redirectErrorStream(true).start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return text.lines()
          .filter(line -> line.startsWith("etcd Version:"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElseThrow(
              () -> new ClusterFailedException("'etcd --version' prints no version: " + text));
    } catch (IOException e) {
      throw new ClusterFailedException(
          "the program 'etcd' is not on the PATH; install it, on Debian with:"
              + " apt-get install etcd-server",
          e);
    }
  }

  private void startMembers() throws InterruptedException {
    List<URI> peerUrls = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      clientUrls.add(freeUrl());
      peerUrls.add(freeUrl());
    }
    List<String> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      members.add(memberName(i) + "=" + peerUrls.get(i));
    }
    List<PeerProcess> processes = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      String name = memberName(i);
      List<String> command = new ArrayList<>();
      command.add("etcd");
      command.add("--name=" + name);
      command.add("--data-dir=" + cluster.folder().resolve(name));
      command.add("--listen-client-urls=" + clientUrls.get(i));
      command.add("--advertise-client-urls=" + clientUrls.get(i));
      command.add("--listen-peer-urls=" + peerUrls.get(i));
      command.add("--initial-advertise-peer-urls=" + peerUrls.get(i));
      command.add("--initial-cluster=" + String.join(",", members));
      command.add("--initial-cluster-state=new");
      command.add("--initial-cluster-token=morty-peers");
      command.addAll(TUNING);
      Path log = cluster.folder().resolve(name + ".log");
      processes.add(cluster.add(PeerProcess.start(name, command, cluster.folder(), log, Map.of())));
    }
    long deadline = System.nanoTime() + Duration.ofSeconds(START_SECONDS).toNanos();
    for (int i = 0; i < MEMBERS; i++) {
      awaitHealth(processes.get(i), clientUrls.get(i), deadline);
    }
  }

  private static String memberName(int member) {
    return "etcd-" + (member + 1);
  }

  private static URI freeUrl() {
    return URI.create("http://127.0.0.1:" + PeerCluster.freePort());
  }

  private static void awaitHealth(PeerProcess process, URI url, long deadlineNanos)
      throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(url.resolve("/health")).timeout(Duration.ofSeconds(5)).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (System.nanoTime() - deadlineNanos < 0) {
        process.check();
        try {
          if (http.send(request, BodyHandlers.ofString()).statusCode() == 200) {
            return;
          }
        } catch (IOException e) {
          // Not listening yet.
        }
        Thread.sleep(100);
      }
    }
    throw process.failed("does not serve after " + START_SECONDS + " s");
  }

  @Override
  public String name() {
    return "etcd";
  }

  @Override
  public PeerCluster cluster() {
    return cluster;
  }

  @Override
  public List<VersionedStore> connect(Workload workload) {
    List<VersionedStore> stores = new ArrayList<>();
    for (URI url : clientUrls) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress(url.getHost(), url.getPort())
              .usePlaintext()
              // A Txn that is sent again after it was applied would conflict with itself.
              .disableRetry()
              // Turns run on the threads of the connections, which saves a change of threads.
              .directExecutor()
              .build();
      stores.add(new EtcdStore(channel, names));
    }
    return stores;
  }

  @Override
  public Map<String, @Nullable Object> facts() {
    Map<String, @Nullable Object> facts = new LinkedHashMap<>();
    facts.put("version", version);
    facts.put("client", "gRPC, a connection to each member");
    facts.put("replicas", MEMBERS);
    facts.put("durability", "the write-ahead log is forced before a Raft entry is acknowledged");
    facts.put("tuning", TUNING.stream().collect(Collectors.joining(" ")));
    facts.put(
        "transactions",
        "optimistic: reads of the first read's revision, one Txn that compares all of them");
    facts.put("order", "revisions");
    return facts;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
