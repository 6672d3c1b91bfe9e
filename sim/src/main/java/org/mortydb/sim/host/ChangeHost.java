package org.mortydb.sim.host;

import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codec;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.change.ChangeRules;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.sim.kernel.Kernel;

/** A process that changes the map of the cluster with the production {@link MapChange}. */
public final class ChangeHost {
  private static final Codec<MapRecord> RECORD =
      new Codec<>() {
        @Override
        public byte[] encode(MapRecord record) {
          return record.toValue().bytes();
        }

        @Override
        public MapRecord decode(byte[] bytes) {
          return MapRecord.of(Value.wrap(bytes));
        }
      };

  /** Learns what the process does. */
  public interface Listener {
    /** New partitions are about to be. */
    void starts(ClusterMap map);

    /** The process has ended; null if it has died. */
    void ended(MapChange.@Nullable Result result);
  }

  private final ClientHost client;
  private final Kernel kernel;
  private final MapChange change;
  private final Listener listener;
  private final long tickMicros;
  private final int regions;
  private boolean over;

  /** What a transaction has read and written in its last execution. */
  private record Edited(@Nullable MapRecord stored, boolean wrote) {}

  /**
   * @param client the process; nothing else runs in it
   * @param history the maps that it knows
   * @param regions how many there are
   */
  public ChangeHost(
      ClientHost client,
      Kernel kernel,
      ClientId id,
      MapHistory history,
      MapChange.Times times,
      MapChange.Plan plan,
      ChangeRules rules,
      int regions,
      Listener listener) {
    this.client = client;
    this.kernel = kernel;
    this.listener = listener;
    this.regions = regions;
    this.tickMicros = Math.max(1, times.resendMicros() / 2);
    this.change = new MapChange(new TxnId(1, id.id(), 0), history, times, plan, rules, new World());
    client.listenForChange(
        (from, message) -> change.onMessage(client.clock().nowMicros(), from, message));
  }

  /**
   * Starts the process.
   *
   * @param messages after how many messages it dies; 0 for never
   */
  public void start(long messages) {
    if (messages > 0) {
      client.dieAfter(messages, () -> end(null));
    }
    tick();
  }

  /** Ends the process, wherever it is. */
  public void die() {
    if (!over && !change.isEnded()) {
      client.die();
      end(null);
    }
  }

  private void tick() {
    if (!over && !change.isEnded()) {
      client.run(() -> change.onTick(client.clock().nowMicros()));
      kernel.schedule(tickMicros, this::tick);
    }
  }

  private void end(MapChange.@Nullable Result result) {
    if (!over) {
      over = true;
      listener.ended(result);
    }
  }

  private final class World implements MapChange.Host {
    @Override
    public void send(ReplicaId to, Message message) {
      client.sendForChange(to, message);
    }

    @Override
    public void edit(ClusterMap map, MapChange.Edit edit) {
      TypedKey<MapRecord> key = TypedKey.of(MapRecord.key(map.number()), RECORD);
      kernel.schedule(0, () -> client.run(() -> edit(map, key, edit)));
    }

    private void edit(ClusterMap map, TypedKey<MapRecord> key, MapChange.Edit edit) {
      client
          .engine()
          .executeUnder(
              map.number(),
              new Edited(null, false),
              (txn, ctx) ->
                  txn.get(
                      ctx,
                      key,
                      (c, stored) -> {
                        MapRecord next = edit.of(stored);
                        if (next != null) {
                          txn.put(c, key, next);
                        }
                        txn.commit(c.with(new Edited(next == null ? stored : next, next != null)));
                      }),
              new ResultHandler<Edited>() {
                @Override
                public void completed(Result<Edited> result) {
                  if (result instanceof Result.Committed<Edited>(Edited edited, var _)) {
                    later(
                        () ->
                            change.onEdited(
                                client.clock().nowMicros(), edited.stored, edited.wrote));
                  } else {
                    later(() -> change.onEditFailed(client.clock().nowMicros()));
                  }
                }

                @Override
                public void failed(Throwable cause) {
                  later(() -> change.onEditFailed(client.clock().nowMicros()));
                }
              });
    }

    private void later(Runnable task) {
      kernel.schedule(0, () -> client.run(task));
    }

    @Override
    public void starts(ClusterMap map) {
      listener.starts(map);
    }

    @Override
    public void decided(ClusterMap map) {
      client.engine().learn(SimTopology.of(map, client.region(), regions));
    }

    @Override
    public void ended(MapChange.Result result) {
      end(result);
    }
  }
}
