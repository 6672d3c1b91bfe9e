package org.mortydb.peers.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.journal.HistoryFolder;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.workloads.load.Workload;

/** Another store, running as three replicas on this machine, empty at first. Used by one thread. */
public interface Peer extends AutoCloseable {

  /** Its name in records, in lower case. */
  String name();

  /** Its processes. */
  PeerCluster cluster();

  /**
   * Connects to it: a store for each of its members, through which a part of the load goes.
   *
   * @param workload what it is for
   * @throws org.mortydb.bench.cluster.ClusterFailedException when that fails
   */
  List<VersionedStore> connect(Workload workload);

  /** Is told that the records are filled, and that transactions meet one another from now on. */
  default void filled() {}

  /** Version, tuning, and what it promises, for the record. */
  Map<String, @Nullable Object> facts();

  /**
   * The history in an order in which it ought to be serial, if the positions that the stores gave
   * are not that already.
   *
   * @param logs closed
   * @param folder where to put other logs
   * @return closed logs
   */
  default List<HistoryLog> inOrder(List<HistoryLog> logs, HistoryFolder folder) throws IOException {
    return logs;
  }

  /** Ends its processes and deletes its data. */
  @Override
  void close();
}
