package example;

import example.PrimaryCopyMessage.Abort;
import example.PrimaryCopyMessage.Appended;
import example.PrimaryCopyMessage.Commit;
import example.PrimaryCopyMessage.Denied;
import example.PrimaryCopyMessage.Ended;
import example.PrimaryCopyMessage.Entry;
import example.PrimaryCopyMessage.Get;
import example.PrimaryCopyMessage.Got;
import example.PrimaryCopyMessage.Prepare;
import example.PrimaryCopyMessage.Promised;
import example.PrimaryCopyMessage.ToPrimary;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Inspectable;

/**
 * The replica of a partition that serves reads, keeps the locks and writes the log.
 *
 * <p>Transactions are serializable in the order of their commit times. A transaction holds its
 * locks from its first access to its outcome. So of two transactions that conflict, the later one
 * is promised after the earlier one has committed here, and {@link #highestMicros} gives it a later
 * time.
 */
final class Primary implements StateMachine<Effects>, Inspectable {

  /** A transaction without an outcome. */
  private static final class Txn {
    final TxnId id;
    final Endpoint client;

    /** The keys that it has locked. */
    final Set<Key> keys = new HashSet<>();

    /** When the client was last heard. */
    long heardMicros;

    boolean prepared;

    /** The index of the log entry with its writes; 0 if there are none. */
    long entry;

    /** The least commit time; 0 before the promise. */
    long promisedMicros;

    Txn(TxnId id, Endpoint client) {
      this.id = id;
      this.client = client;
    }
  }

  private final ReplicaId self;
  private final Topology topology;
  private final ReplicaOptions options;
  private final Store store = new Store();
  private final Locks locks = new Locks();
  private final PrimaryLog log;
  private final Map<TxnId, Txn> open = new TreeMap<>();

  /** Transactions whose writes wait for f backups, in the order of the log. */
  private final ArrayDeque<Txn> storing = new ArrayDeque<>();

  /** Transactions that have ended, so that late messages do not begin them again. */
  private final TreeSet<TxnId> ended = new TreeSet<>();

  /** Transactions that began up to this time have ended unless they are open. */
  private long fenceMicros;

  /** The latest time of a promise or commit. */
  private long highestMicros;

  private long nowMicros;

  Primary(ReplicaId self, Topology topology, ReplicaOptions options) {
    this.self = self;
    this.topology = topology;
    this.options = options;
    this.log = new PrimaryLog(self, topology);
  }

  @Override
  public void step(long now, Event event, Effects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint client, ToPrimary message) when log.isFollowed() ->
          onMessage(client, message, out);
      case Event.Received(Endpoint client, ToPrimary message) ->
          refuse(client, message.txn(), Refusal.NOT_SERVING, out);
      case Event.Received(ReplicaId backup, Appended appended) -> {
        log.onAppended(backup, appended);
        while (!storing.isEmpty() && log.isStored(storing.peek().entry)) {
          promise(storing.remove(), out);
        }
      }
      case Event.TimerFired(Timer timer) when timer == Timer.TICK -> onTick(out);
      default -> {}
    }
  }

  private void onMessage(Endpoint client, ToPrimary message, Effects out) {
    switch (message) {
      case Get get -> {
        Txn txn = begin(get.txn(), client, List.of(get.key()), out);
        if (txn != null && !txn.prepared) {
          read(txn, get, out);
        }
      }
      case Prepare prepare -> {
        List<Key> keys = prepare.writes().stream().map(Write::key).toList();
        Txn txn = begin(prepare.txn(), client, keys, out);
        if (txn != null && txn.promisedMicros > 0) {
          out.send(client, new Promised(txn.id, txn.promisedMicros)); // the first may be lost
        } else if (txn != null && !txn.prepared) {
          prepare(txn, prepare.writes(), out);
        }
      }
      case Commit(TxnId txn, long commitMicros) -> {
        highestMicros = Math.max(highestMicros, commitMicros);
        end(txn, true, out);
        out.send(client, new Ended(txn));
      }
      case Abort(TxnId txn) -> {
        end(txn, false, out);
        out.send(client, new Ended(txn));
      }
    }
  }

  /** The open transaction of an id; null, after an answer to the client, if it cannot be open. */
  private Txn begin(TxnId id, Endpoint client, List<Key> keys, Effects out) {
    Txn txn = open.get(id);
    if (keys.stream().anyMatch(key -> topology.partitionOf(key) != self.partition())) {
      refuse(client, id, Refusal.WRONG_PARTITION, out);
      return null;
    } else if (txn == null && ended.contains(id)) {
      out.send(client, new Denied(id)); // a client that has decided ignores this
    } else if (txn == null && id.timeMicros() <= fenceMicros) {
      refuse(client, id, Refusal.TRUNCATED, out);
    } else if (txn == null && id.timeMicros() > nowMicros + options.allowedSkewMicros()) {
      refuse(client, id, Refusal.CLOCK_AHEAD, out);
    } else if (txn == null) {
      txn = new Txn(id, client);
      open.put(id, txn);
    }
    if (txn != null) {
      txn.heardMicros = nowMicros;
    }
    return txn;
  }

  private void refuse(Endpoint client, TxnId txn, Refusal reason, Effects out) {
    out.send(client, new Refused(txn, reason, nowMicros));
  }

  private void read(Txn txn, Get get, Effects out) {
    if (!locks.read(get.key(), txn.id)) {
      deny(txn, out);
      return;
    }
    txn.keys.add(get.key());
    VersionedValue newest = store.get(get.key());
    out.send(txn.client, new Got(txn.id, get.request(), newest.version(), newest.value()));
    if (out.probing()) {
      out.probe(new Probe.ReadServed(txn.id, get.key(), newest.version(), true));
    }
  }

  private void prepare(Txn txn, List<Write> writes, Effects out) {
    for (Write write : writes) {
      if (!locks.write(write.key(), txn.id)) {
        deny(txn, out);
        return;
      }
      txn.keys.add(write.key());
    }
    txn.prepared = true;
    if (writes.isEmpty()) {
      promise(txn, out);
    } else {
      txn.entry = append(new Entry.Prepared(txn.id, writes), out);
      storing.add(txn);
    }
  }

  private long append(Entry entry, Effects out) {
    store.apply(entry);
    return log.append(entry, out);
  }

  private void promise(Txn txn, Effects out) {
    if (open.containsKey(txn.id)) {
      txn.promisedMicros = Math.max(nowMicros, highestMicros + 1);
      highestMicros = txn.promisedMicros;
      out.send(txn.client, new Promised(txn.id, txn.promisedMicros));
    }
  }

  private void deny(Txn txn, Effects out) {
    end(txn.id, false, out);
    out.send(txn.client, new Denied(txn.id));
  }

  private void end(TxnId id, boolean committed, Effects out) {
    if (id.timeMicros() > fenceMicros) {
      ended.add(id);
    }
    Txn txn = open.remove(id);
    if (txn == null) {
      return;
    }
    if (txn.entry > 0) {
      append(new Entry.Decided(id, committed), out);
    }
    txn.keys.forEach(key -> locks.release(key, id));
    if (out.probing()) {
      out.probe(new Probe.Installed(id, committed ? Outcome.commit(0, List.of()) : Outcome.ABORT));
    }
  }

  private void onTick(Effects out) {
    out.armTimer(Timer.TICK, options.tickMicros());
    log.onTick(nowMicros, out);
    // Only the client ends what is prepared. The clients of these have given up.
    long silentMicros = nowMicros - options.retentionMicros();
    open.values().stream()
        .filter(txn -> !txn.prepared && txn.heardMicros < silentMicros)
        .toList()
        .forEach(txn -> end(txn.id, false, out));
    fenceMicros = Math.max(fenceMicros, silentMicros);
    ended.headSet(new TxnId(fenceMicros, Long.MAX_VALUE, 0), true).clear();
  }

  @Override
  public List<TxnId> undecided() {
    return List.copyOf(open.keySet());
  }

  @Override
  public VersionedValue newestCommitted(Key key) {
    return store.find(key);
  }

  @Override
  public void checkInvariants() {
    if (open.isEmpty() && locks.size() > 0) {
      throw new IllegalStateException(locks.size() + " locks are held, and no transaction is open");
    }
  }
}
