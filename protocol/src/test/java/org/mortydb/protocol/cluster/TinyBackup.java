package org.mortydb.protocol.cluster;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.cut.CutReader;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** A process that reads a cut. */
final class TinyBackup implements CutReader.Host {
  private static final long PATIENCE_MICROS = 60_000;

  final TxnId cut;
  final List<VersionedValue> rows = new ArrayList<>();
  private final Cluster cluster;
  private final CutReader reader;
  private boolean lost;

  TinyBackup(Cluster cluster, TxnId cut, Topology topology) {
    this.cluster = cluster;
    this.cut = cut;
    this.reader =
        new CutReader(cut, KeyRange.ALL, topology, PATIENCE_MICROS, 4 * PATIENCE_MICROS, this);
  }

  boolean isDone() {
    return !lost && reader.isDone();
  }

  void tick() {
    if (!lost && !reader.isDone()) {
      reader.onTick(cluster.nowMicros);
      cluster.schedule(PATIENCE_MICROS / 3, this::tick);
    }
  }

  void receive(Endpoint from, Message message) {
    reader.onMessage(cluster.nowMicros, from, message);
  }

  @Override
  public void send(ReplicaId to, Message message) {
    cluster.send(new ClientId(cut.clientId()), to, message);
  }

  @Override
  public void rows(int partition, List<VersionedValue> part, boolean last) {
    rows.addAll(part);
    reader.more(cluster.nowMicros, partition);
  }

  @Override
  public void lost(int partition) {
    lost = true;
  }

  @Override
  public void outdated() {
    lost = true;
  }
}
