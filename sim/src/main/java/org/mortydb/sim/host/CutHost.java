package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.mortydb.protocol.cut.CutReader;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.sim.kernel.Kernel;

/** A process that makes a backup with the production {@link CutReader}. */
public final class CutHost extends Host {
  private final ClientId id;
  private final TxnId cut;
  private final CutReader reader;
  private final long tickMicros;
  private final List<VersionedValue> rows = new ArrayList<>();
  private final Consumer<CutHost> then;
  private boolean lost;
  private boolean outdated;

  /**
   * @param cut the cut; its client id is the id of this process
   * @param patienceMicros the timeout of a replica's answer
   * @param holdMicros how long a replica holds the cut after a question
   * @param then called at the end of the backup, or when the cut is lost
   */
  public CutHost(
      HostSpec spec,
      Kernel kernel,
      Fabric fabric,
      TxnId cut,
      Topology topology,
      long patienceMicros,
      long holdMicros,
      Consumer<CutHost> then) {
    super(spec, kernel, fabric);
    this.id = new ClientId(cut.clientId());
    this.cut = cut;
    this.tickMicros = Math.max(1, patienceMicros / 4);
    this.then = then;
    this.reader =
        new CutReader(cut, KeyRange.ALL, topology, patienceMicros, holdMicros, new World());
    fabric.add(id, this);
  }

  /** Starts the backup. */
  public void start() {
    tick();
  }

  private void tick() {
    if (!isOver()) {
      perform(() -> reader.onTick(clock().nowMicros()));
      kernel().schedule(tickMicros, this::tick);
    }
  }

  private boolean isOver() {
    return lost || outdated || reader.isDone();
  }

  /** The cut. */
  public TxnId cut() {
    return cut;
  }

  /** Whether replicas have discarded the cut. */
  public boolean isLost() {
    return lost;
  }

  /** Whether a later map holds at the cut. */
  public boolean isOutdated() {
    return outdated;
  }

  /** All rows at the cut. */
  public List<VersionedValue> rows() {
    return rows;
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    perform(
        () -> {
          boolean before = isOver();
          reader.onMessage(clock().nowMicros(), from, message);
          if (isOver() && !before) {
            then.accept(this);
          }
        });
  }

  private final class World implements CutReader.Host {
    @Override
    public void send(ReplicaId to, Message message) {
      fabric().send(CutHost.this, id, to, message);
    }

    @Override
    public void rows(int partition, List<VersionedValue> part, boolean last) {
      rows.addAll(part);
      reader.more(clock().nowMicros(), partition);
    }

    @Override
    public void lost(int partition) {
      lost = true;
    }

    @Override
    public void outdated() {
      outdated = true;
    }
  }
}
