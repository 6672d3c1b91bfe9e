package org.mortydb.peers.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.workloads.load.Workload;

/** Another store with three replicas on this machine, empty at first. Not thread-safe. */
public interface Peer extends AutoCloseable {

  /** Its name in records, in lower case. */
  String name();

  /** Its processes. */
  PeerCluster cluster();

  /**
   * Connects to the store, with one {@link VersionedStore} for each share of the load.
   *
   * @param workload the workload
   * @throws org.mortydb.bench.cluster.ClusterFailedException if that fails
   */
  List<VersionedStore> connect(Workload workload);

  /** The records are filled, and transactions can conflict from now on. */
  default void filled() {}

  /** Version, tuning and guarantees, for the record. */
  Map<String, @Nullable Object> facts();

  /**
   * The history in a serial order, if positions are not serial already.
   *
   * @param logs closed logs
   * @param folder the folder for new logs
   * @return closed logs
   */
  default List<HistoryLog> inOrder(List<HistoryLog> logs, HistoryFolder folder) throws IOException {
    return logs;
  }

  /** Ends its processes and deletes its data. */
  @Override
  void close();
}
