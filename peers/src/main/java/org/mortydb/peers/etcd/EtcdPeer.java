package org.mortydb.peers.etcd;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.peers.process.Peer;
import org.mortydb.peers.process.PeerCluster;
import org.mortydb.peers.process.PeerProcess;
import org.mortydb.workloads.load.Workload;

/** Three members of etcd, all of one release. */
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

  private final EtcdRelease release;
  private final PeerCluster cluster;
  private final List<URI> clientUrls = new ArrayList<>();
  private final AtomicLong names = new AtomicLong();
  private String version = "";

  private EtcdPeer(EtcdRelease release, PeerCluster cluster) {
    this.release = release;
    this.cluster = cluster;
  }

  /**
   * Starts three members. Returns when all serve.
   *
   * @param data the directory for their folder
   * @throws ClusterFailedException if the release is not installed, does not start, or is another
   *     one than its name says
   */
  public static EtcdPeer start(EtcdRelease release, Path data) throws InterruptedException {
    Path program = release.find();
    PeerCluster cluster = new PeerCluster(data, release.toString());
    EtcdPeer peer = new EtcdPeer(release, cluster);
    boolean started = false;
    try {
      peer.startMembers(program);
      started = true;
      return peer;
    } finally {
      if (!started) {
        cluster.close();
      }
    }
  }

  private void startMembers(Path program) throws InterruptedException {
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
      command.add(program.toString());
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
    Set<String> versions = new TreeSet<>();
    for (int i = 0; i < MEMBERS; i++) {
      versions.add(version(processes.get(i), clientUrls.get(i), deadline));
    }
    version = release.check(versions);
  }

  /** The version that a member states once it is healthy. */
  private static String version(PeerProcess process, URI url, long deadlineNanos)
      throws InterruptedException {
    try (MemberStatus status = new MemberStatus(url)) {
      while (System.nanoTime() - deadlineNanos < 0) {
        process.check();
        if (status.isHealthy()) {
          return status.version();
        }
        Thread.sleep(100);
      }
    }
    throw process.failed("does not serve after " + START_SECONDS + " s");
  }

  private static String memberName(int member) {
    return "etcd-" + (member + 1);
  }

  private static URI freeUrl() {
    return URI.create("http://127.0.0.1:" + PeerCluster.freePort());
  }

  @Override
  public String name() {
    return release.toString();
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
