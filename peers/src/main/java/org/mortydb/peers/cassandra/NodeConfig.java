package org.mortydb.peers.cassandra;

import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;

/**
 * The configuration of a node. Other settings have Cassandra's defaults.
 *
 * @param node the number of the node, from 0
 * @param folder the folder of all its data
 * @param storagePort the port for other nodes, equal on all nodes
 * @param nativePort the port for clients, equal on all nodes
 */
record NodeConfig(int node, Path folder, int storagePort, int nativePort) {
  static final int NODES = 3;

  /**
   * The description of the tuning in records: the storage formats of cassandra_latest.yaml, one
   * token per node, and no acknowledgement before data is on disk.
   */
  static final String TUNING =
      "accord.enabled, transactional_mode='full'; commitlog_sync: batch, accord.journal.flush_mode:"
          + " BATCH; from cassandra_latest.yaml: trie memtables off-heap, bti sstables, unified"
          + " compaction; num_tokens: 1; auto_snapshot: false";

  /** The JVM options of conf/jvm-server.options and jvm17-server.options. */
  static final List<String> JVM =
      List.of(
          "-Xms1200m",
          "-Xmx1200m",
          "-Xss256k",
          "-XX:+UseG1GC",
          "-XX:+ParallelRefProcEnabled",
          "-XX:MaxGCPauseMillis=300",
          "-XX:InitiatingHeapOccupancyPercent=70",
          "-XX:+AlwaysPreTouch",
          "-XX:+UseTLAB",
          "-XX:+ResizeTLAB",
          "-XX:+PerfDisableSharedMem",
          "-XX:+ExitOnOutOfMemoryError");

  String address() {
    return "127.0.0." + (node + 1);
  }

  /** The token; tokens are equally spaced. */
  private BigInteger token() {
    BigInteger ring = BigInteger.ONE.shiftLeft(64);
    return ring.multiply(BigInteger.valueOf(node))
        .divide(BigInteger.valueOf(NODES))
        .subtract(BigInteger.ONE.shiftLeft(63));
  }

  /** The text of cassandra.yaml. */
  String yaml() {
    return """
    cluster_name: morty-peers
    num_tokens: 1
    initial_token: "%s"
    partitioner: org.apache.cassandra.dht.Murmur3Partitioner
    endpoint_snitch: SimpleSnitch
    seed_provider:
      - class_name: org.apache.cassandra.locator.SimpleSeedProvider
        parameters:
          - seeds: "127.0.0.1:%d"
    listen_address: %s
    rpc_address: %s
    storage_port: %d
    native_transport_port: %d
    start_native_transport: true
    data_file_directories: ["%s"]
    commitlog_directory: "%s"
    hints_directory: "%s"
    saved_caches_directory: "%s"
    cdc_raw_directory: "%s"
    commitlog_sync: batch
    commitlog_segment_size: 32MiB
    memtable:
      configurations:
        skiplist:
          class_name: SkipListMemtable
        trie:
          class_name: TrieMemtable
        default:
          inherits: trie
    memtable_allocation_type: offheap_objects
    sstable:
      selected_format: bti
    default_compaction:
      class_name: UnifiedCompactionStrategy
      parameters:
        scaling_parameters: T4
        max_sstables_to_compact: 64
        target_sstable_size: 1GiB
        sstable_growth: 0.3333333333333333
        min_sstable_size: 100MiB
    auto_snapshot: false
    accord:
      enabled: true
      journal_directory: "%s"
      journal:
        flush_mode: BATCH
    """
        .formatted(
            token(),
            storagePort,
            address(),
            address(),
            storagePort,
            nativePort,
            folder.resolve("data"),
            folder.resolve("commitlog"),
            folder.resolve("hints"),
            folder.resolve("saved_caches"),
            folder.resolve("cdc_raw"),
            folder.resolve("accord_journal"));
  }

  /** The text of logback.xml: warnings to standard output. */
  static String logback() {
    return """
    <configuration>
      <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
        <encoder>
          <pattern>%-5level %date{HH:mm:ss.SSS} %logger{0} %msg%n</pattern>
        </encoder>
      </appender>
      <root level="WARN">
        <appender-ref ref="STDOUT" />
      </root>
    </configuration>
    """;
  }
}
