package org.mortydb.protocol.change;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CheckPartition;
import org.mortydb.protocol.message.Message.PartitionReply;
import org.mortydb.protocol.message.Message.Seal;
import org.mortydb.protocol.message.Message.SealReply;
import org.mortydb.protocol.message.Message.ToMapChange;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Carries out one change of the map of a cluster, or ends the one that another process has left
 * open (docs/protocol.md, section 15). All that lasts is in the records of the maps and at the
 * replicas. So this process may die at any point: any other one finds out how far the change is,
 * and goes on. Several may do so at once.
 *
 * <p>A pure machine: it has no clock, and sends and runs transactions through its host. Not
 * thread-safe: its owner calls it from one thread, with a time that may jump.
 */
public final class MapChange {

  /** The host of a change. It must not call back from within. */
  public interface Host {
    /** Sends a message to a replica; it may be lost. */
    void send(ReplicaId to, Message message);

    /**
     * Runs a transaction on the record of a map, under that map: reads the record, and writes what
     * the edit makes of it, if that is not null. Then calls {@link MapChange#onEdited}, or {@link
     * MapChange#onEditFailed} if the transaction has not committed, as far as it knows.
     */
    void edit(ClusterMap map, Edit edit);

    /**
     * A change is proposed or decided. {@link CheckPartition} follows, for each replica of its new
     * partitions: the host must be able to send there.
     */
    void starts(ClusterMap map);

    /** A map has been decided: the clients of this process learn it. */
    void decided(ClusterMap map);

    /** The change has ended. Called once. */
    void ended(Result result);
  }

  /** What a transaction makes of a record; it may run several times. */
  @FunctionalInterface
  public interface Edit {
    /**
     * @param stored the record as it is; null if it was never written
     * @return what to write; null for nothing
     */
    @Nullable MapRecord of(@Nullable MapRecord stored);
  }

  /** What to change. */
  @FunctionalInterface
  public interface Plan {
    /**
     * @param last the map to change
     * @param number of the next map
     * @param partition the first number for new partitions
     * @param cutMicros the time of its cut
     * @return the next map; null if there is nothing to change
     */
    @Nullable ClusterMap next(ClusterMap last, int number, int partition, long cutMicros);

    /** Changes nothing: only a change that is open is ended. */
    Plan NOTHING = (last, number, partition, cutMicros) -> null;
  }

  /** How a change has ended. */
  public enum Result {
    /** The plan is carried out, and the new partitions hold their keys. */
    DONE,
    /** There was nothing to change. */
    NOTHING,
    /** The change was given up, and nothing of it remains. A later one may succeed. */
    GIVEN_UP
  }

  /**
   * The times of a change, in microseconds. Above the cut, nothing of what moves can commit from
   * the first seal until the new partitions serve. So seals are asked for only once the new
   * partitions are founded, and a change that is not decided soon after its cut is given up.
   *
   * @param leadMicros how far the cut is ahead of the clock when it is proposed: the time for the
   *     founding, and {@code sealMicros}; the time for the copy comes on top
   * @param sealMicros how long before the cut the first seals are asked for: the allowed skew, and
   *     the time that a message takes. Half of it before the cut, or {@code patienceMicros} after
   *     this process has heard of the proposal if that is later, the new partitions must be founded
   * @param patienceMicros how long after the cut, or after this process has heard of the proposal
   *     if that is later, the change may stay undecided
   * @param resendMicros when messages are repeated
   * @param bytesPerSecond how fast new partitions copy, ahead of the cut, what moves to them; 0 if
   *     the cut does not wait for that. What is not copied in time is copied behind the cut, and
   *     clients wait for it
   */
  public record Times(
      long leadMicros,
      long sealMicros,
      long patienceMicros,
      long resendMicros,
      long bytesPerSecond) {}

  private enum Phase {
    /** Asks how much the partitions hold. */
    WEIGHING,
    /** Finds out how far the cluster is, and proposes. */
    PROPOSING,
    /** Waits for the founding of the new partitions, and then for seals. */
    SEALING,
    /** The new partitions have copied what moves sooner than planned. */
    ADVANCING,
    DECIDING,
    GIVING_UP,
    /** Waits until the new partitions hold their keys. */
    COPYING,
    OPENING,
    ENDED
  }

  private static final int KEY_BYTES = 100;

  /**
   * A cut that is nearer than so many times of sealing, and the time for the founding, does not
   * become earlier.
   */
  private static final int MOST_ADVANCED = 2;

  /** How many resend intervals a change waits until it knows how much the partitions hold. */
  private static final int MOST_WEIGHINGS = 5;

  private final TxnId id;
  private final Times times;
  private final Plan plan;
  private final ChangeRules rules;
  private final Host host;

  private MapHistory history;
  private Phase phase = Phase.WEIGHING;

  /** The map that is proposed or decided, from {@link Phase#SEALING} on. */
  private @Nullable ClusterMap map;

  /** The map that was given up last; null if there is none. */
  private @Nullable ClusterMap givenUp;

  /** Whether the map that is proposed is this process's own plan. */
  private boolean own;

  /**
   * What this process has tried to propose. A transaction of which it does not know whether it has
   * committed may have proposed one of them.
   */
  private final List<ClusterMap> tried = new ArrayList<>();

  /** Whether a map that is {@link #isOwn own} is decided. */
  private boolean carriedOut;

  /** The map whose record a transaction reads, or read last. */
  private ClusterMap edited;

  private boolean editing;

  /**
   * The first number that no partition had when the last map was decided, as the record says that
   * has decided it; 0 if this process has not read that record.
   */
  private int nextPartition;

  private long nowMicros;
  private long sinceMicros;
  private long sentMicros;
  private final TreeMap<Integer, BitSet> sealed = new TreeMap<>();
  private final TreeMap<Integer, BitSet> refused = new TreeMap<>();
  private final TreeMap<Integer, BitSet> founded = new TreeMap<>();
  private final TreeMap<Integer, BitSet> ahead = new TreeMap<>();
  private final TreeMap<Integer, BitSet> holders = new TreeMap<>();

  /** The maps whose bytes were counted, and these bytes. */
  private int counted;

  private long countedBytes;

  /** What each replica has said last of how far it is. */
  private final Map<ReplicaId, PartitionReply> replies = new HashMap<>();

  /**
   * A change that has not begun.
   *
   * @param id identifies the change in messages; with the id of the client that runs it
   * @param history the maps as far as they are known
   */
  public MapChange(
      TxnId id, MapHistory history, Times times, Plan plan, ChangeRules rules, Host host) {
    this.id = id;
    this.history = history;
    this.edited = history.last();
    this.times = times;
    this.plan = plan;
    this.rules = rules;
    this.host = host;
  }

  /** Whether the change has ended. */
  public boolean isEnded() {
    return phase == Phase.ENDED;
  }

  /** The maps that are known. */
  public MapHistory history() {
    return history;
  }

  /** Goes on, and repeats what was not answered. To be called at once, and then regularly. */
  public void onTick(long now) {
    nowMicros = now;
    if (editing) {
      return;
    }
    switch (phase) {
      case WEIGHING -> weigh();
      case PROPOSING -> edit(history.last(), this::propose);
      case SEALING -> {
        if (takesTooLong()) {
          phase = Phase.GIVING_UP;
          onTick(now);
        } else if (mayAdvance()) {
          phase = Phase.ADVANCING;
          onTick(now);
        } else if (isDue()) {
          askForSeals();
          decideOnceSealed();
        }
      }
      case ADVANCING -> edit(history.last(), this::advance);
      case DECIDING -> edit(history.last(), this::decide);
      case GIVING_UP -> edit(history.last(), this::giveUp);
      case COPYING -> {
        if (isDue()) {
          checkNewPartitions();
          openOnceHeld();
        }
      }
      case OPENING -> {
        ClusterMap before = history.before(history.last());
        if (nextPartition == 0 && before != null) {
          edit(before, _ -> null);
        } else {
          edit(history.last(), this::open);
        }
      }
      case ENDED -> {}
    }
  }

  /** A partition that does not answer soon does not delay the change: the cut may be too early. */
  private void weigh() {
    ClusterMap last = history.last();
    sinceMicros = sinceMicros == 0 ? nowMicros : sinceMicros;
    boolean needless = times.bytesPerSecond == 0 || plan.equals(Plan.NOTHING);
    boolean late = Math.abs(nowMicros - sinceMicros) > MOST_WEIGHINGS * times.resendMicros;
    if (needless || late || last.servers().keySet().stream().allMatch(p -> roughBytes(p) >= 0)) {
      phase = Phase.PROPOSING;
      onTick(nowMicros);
    } else if (isDue()) {
      for (int p : last.servers().keySet()) {
        for (int i = 0; i <= 2 * last.f(); i++) {
          host.send(new ReplicaId(p, i), new CheckPartition(id, last));
        }
      }
    }
  }

  /**
   * What a partition holds, as one of its replicas has said; negative if none has. A key takes as
   * long to copy as some bytes more.
   */
  private long roughBytes(int partition) {
    return replies.entrySet().stream()
        .filter(reply -> reply.getKey().partition() == partition)
        .mapToLong(reply -> reply.getValue().bytes() + KEY_BYTES * reply.getValue().keys())
        .max()
        .orElse(-1);
  }

  /** How long the new partitions of a map take to copy, about. */
  private long copyMicros(ClusterMap next) {
    if (times.bytesPerSecond == 0) {
      return 0;
    }
    long bytes =
        next.sources(history.last()).stream().mapToLong(p -> Math.max(0, roughBytes(p))).sum();
    return (long) (bytes * 1e6 / times.bytesPerSecond);
  }

  /** Whether the change is given up: nothing of what moves may be kept waiting for long. */
  private boolean takesTooLong() {
    ClusterMap proposed = map;
    if (proposed == null) {
      return false;
    }
    long cut = proposed.cutMicros();
    long latest =
        isFounded()
            ? Math.max(cut, sinceMicros) + times.patienceMicros
            : Math.max(
                Math.min(cut, sinceMicros + times.leadMicros) - times.sealMicros / 2,
                sinceMicros + times.patienceMicros);
    // A clock that is set back does not make the time longer.
    return nowMicros > latest || nowMicros < sinceMicros - times.patienceMicros;
  }

  /** Whether f+1 replicas of each new partition know that it is founded. */
  private boolean isFounded() {
    ClusterMap proposed = map;
    return proposed != null
        && hasQuorum(founded, proposed.destinations(history.last()), proposed.f() + 1);
  }

  /**
   * Whether f+1 replicas of each new partition have copied most of what moves there, long before
   * the cut. So long before, no replica seals: an earlier cut contradicts nobody.
   */
  private boolean mayAdvance() {
    ClusterMap proposed = map;
    return proposed != null
        && isFounded()
        && nowMicros < proposed.cutMicros() - times.leadMicros - MOST_ADVANCED * times.sealMicros
        && hasQuorum(ahead, proposed.destinations(history.last()), proposed.f() + 1);
  }

  private boolean isDue() {
    boolean due = Math.abs(nowMicros - sentMicros) >= times.resendMicros;
    sentMicros = due ? nowMicros : sentMicros;
    return due;
  }

  private void edit(ClusterMap of, Edit edit) {
    editing = true;
    edited = of;
    host.edit(of, edit);
  }

  // ---- the records --------------------------------------------------------------------------

  private @Nullable MapRecord propose(@Nullable MapRecord stored) {
    MapRecord record = stored;
    if (record == null) {
      if (history.last().number() > 0) {
        return null; // the change to this map is not complete
      }
      record = MapRecord.first(history.last());
    }
    if (record.change() != null || carriedOut) {
      return null;
    }
    // The clock of the process that made the last change may be ahead of this one's.
    long cutMicros = Math.max(nowMicros + times.leadMicros, history.last().cutMicros() + 1);
    // A cluster that has gone back has forgotten changes that replicas no longer take part in.
    int number = Math.max(record.nextNumber(), history.closed() + 1);
    ClusterMap next = plan.next(history.last(), number, record.nextPartition(), cutMicros);
    long copyMicros = next == null ? 0 : copyMicros(next);
    if (copyMicros > 0) {
      next = plan.next(history.last(), number, record.nextPartition(), cutMicros + copyMicros);
    }
    // A read alone may be old: another process may have proposed above its timestamp. A write
    // cannot commit below that.
    if (next == null || whyNoMore(next) != null) {
      return record;
    }
    tried.add(next);
    return record.proposed(next);
  }

  /**
   * Whether a map was proposed by this process. Another process may have the same plan at the same
   * time, and then only the cut tells the two apart. A cut that has become earlier is known if this
   * process has seen the one before.
   */
  public boolean isOwn(ClusterMap proposed) {
    ClusterMap before = map;
    return tried.contains(proposed) || (own && before != null && before.isButForItsCut(proposed));
  }

  /** Why a map cannot follow, because processes would not remember so many; null if it can. */
  public @Nullable String whyNoMore(ClusterMap next) {
    List<ClusterMap> maps = history.maps();
    for (; counted < maps.size(); counted++) {
      countedBytes += maps.get(counted).storedBytes();
    }
    return MapHistory.whyNoMore(maps.size(), countedBytes, next.storedBytes());
  }

  private @Nullable MapRecord advance(@Nullable MapRecord stored) {
    ClusterMap proposed = map;
    if (stored == null || stored.decided() || proposed == null || !isMine(stored)) {
      return null;
    }
    ClusterMap sooner =
        proposed.withCut(Math.max(nowMicros + times.leadMicros, history.last().cutMicros() + 1));
    if (sooner.cutMicros() >= proposed.cutMicros()) {
      return null;
    }
    return stored.advanced(sooner);
  }

  private @Nullable MapRecord decide(@Nullable MapRecord stored) {
    return stored != null && !stored.decided() && isMine(stored) ? stored.withDecision() : null;
  }

  private @Nullable MapRecord giveUp(@Nullable MapRecord stored) {
    return stored != null && !stored.decided() && isMine(stored) ? stored.opened() : null;
  }

  private boolean isMine(MapRecord record) {
    return map != null && map.equals(record.change());
  }

  /** The change to the last map is complete. Its record begins where the one before has ended. */
  private @Nullable MapRecord open(@Nullable MapRecord stored) {
    ClusterMap last = history.last();
    int partitions = Math.max(1, nextPartition); // changes given up have used numbers, too
    for (ClusterMap earlier : history.maps()) {
      partitions = Math.max(partitions, earlier.servers().lastKey() + 1);
    }
    // Changes given up have used higher numbers than the last map, but lower ones than its own.
    return stored == null ? new MapRecord(last.number() + 1, partitions, null, false) : null;
  }

  /**
   * The transaction has committed.
   *
   * @param stored the record as it is now; null if it was never written
   * @param wrote whether this transaction has written it
   */
  public void onEdited(long now, @Nullable MapRecord stored, boolean wrote) {
    nowMicros = now;
    editing = false;
    if (phase == Phase.ENDED) {
      return;
    }
    if (edited.number() < history.last().number()) {
      onEarlier(stored);
      return;
    }
    if (stored == null) {
      if (history.last().number() == 0) {
        end(Result.NOTHING);
      } else {
        phase = Phase.COPYING;
        holders.clear();
        host.starts(history.last());
        sentMicros = now - times.resendMicros;
      }
      onTick(now);
      return;
    }
    ClusterMap change = stored.change();
    if (change == null) {
      onOpen();
    } else if (stored.decided()) {
      learn(change, stored.nextPartition());
    } else if (change.equals(map)) {
      phase = phase == Phase.ADVANCING ? Phase.SEALING : phase;
    } else {
      own = isOwn(change);
      map = change;
      givenUp = null;
      phase = Phase.SEALING;
      sealed.clear();
      refused.clear();
      founded.clear();
      ahead.clear();
      sinceMicros = now;
      sentMicros = now - times.resendMicros;
      host.starts(change);
    }
    onTick(now);
  }

  /** No change is open. */
  private void onOpen() {
    switch (phase) {
      case OPENING, COPYING -> {
        if (carriedOut) {
          end(Result.DONE);
        } else {
          phase = Phase.PROPOSING; // the change of another process has ended
        }
      }
      case WEIGHING, PROPOSING -> end(carriedOut ? Result.DONE : Result.NOTHING);
      case SEALING, ADVANCING, DECIDING, GIVING_UP -> {
        givenUp = map;
        map = null;
        if (own) {
          end(Result.GIVEN_UP);
        } else {
          phase = Phase.PROPOSING;
        }
      }
      case ENDED -> {}
    }
  }

  /** The record of the map before the last one. A read alone may be old. */
  private void onEarlier(@Nullable MapRecord stored) {
    if (stored != null && stored.decided()) {
      nextPartition = stored.nextPartition();
      onTick(nowMicros);
    }
  }

  private void learn(ClusterMap decided, int unusedPartition) {
    if (isOwn(decided)) {
      carriedOut = true;
      tried.add(decided); // whose cut another process may have made earlier
    }
    history = history.with(decided);
    nextPartition = unusedPartition;
    host.decided(decided);
    map = null;
    phase = Phase.PROPOSING; // reads the record of the new map, which says whether it is complete
  }

  /** The transaction has not committed, or nobody knows. */
  public void onEditFailed(long now) {
    nowMicros = now;
    editing = false;
  }

  private void end(Result result) {
    phase = Phase.ENDED;
    host.ended(result);
  }

  // ---- replicas -----------------------------------------------------------------------------

  private void askForSeals() {
    ClusterMap proposed = map;
    if (proposed == null) {
      return;
    }
    ClusterMap last = history.last();
    boolean seals = isFounded() && nowMicros >= proposed.cutMicros() - times.sealMicros;
    BitSet sources = proposed.sources(last);
    for (int p = sources.nextSetBit(0); p >= 0; p = sources.nextSetBit(p + 1)) {
      for (int i = 0; i <= 2 * last.f(); i++) {
        if (seals && !has(sealed, p, i)) {
          host.send(new ReplicaId(p, i), new Seal(id, proposed));
        }
        PartitionReply reply = replies.get(new ReplicaId(p, i));
        if (reply == null || reply.number() != proposed.number()) {
          // It says how much it holds, and knows then who may copy that.
          host.send(new ReplicaId(p, i), new CheckPartition(id, proposed));
        }
      }
    }
    check(proposed, proposed.destinations(last));
  }

  private void checkNewPartitions() {
    ClusterMap last = history.last();
    ClusterMap before = history.before(last);
    if (before != null) {
      check(last, last.destinations(before));
      BitSet sources = last.sources(before);
      for (int p = sources.nextSetBit(0); p >= 0; p = sources.nextSetBit(p + 1)) {
        for (int i = 0; i <= 2 * before.f(); i++) {
          if (!replies.containsKey(new ReplicaId(p, i))) {
            host.send(new ReplicaId(p, i), new CheckPartition(id, last)); // how much it holds
          }
        }
      }
    }
  }

  private void check(ClusterMap of, BitSet partitions) {
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      for (int i = 0; i <= 2 * of.f(); i++) {
        if (!has(holders, p, i)) {
          host.send(new ReplicaId(p, i), new CheckPartition(id, of));
        }
      }
    }
  }

  private static boolean has(Map<Integer, BitSet> counts, int partition, int index) {
    BitSet of = counts.get(partition);
    return of != null && of.get(index);
  }

  private static boolean hasQuorum(Map<Integer, BitSet> counts, BitSet partitions, int quorum) {
    return partitions.stream()
        .allMatch(
            partition ->
                quorum <= 0
                    || (counts.containsKey(partition)
                        && counts.get(partition).cardinality() >= quorum));
  }

  /** Handles a message. The change ignores those that answer none of its requests. */
  public void onMessage(long now, Endpoint from, Message message) {
    nowMicros = now;
    if (message instanceof ToMapChange answer
        && message.txn().equals(id)
        && from instanceof ReplicaId replica) {
      switch (answer) {
        case SealReply reply -> onSealReply(replica, reply);
        case PartitionReply reply -> onPartitionReply(replica, reply);
        case Message.Maps _ -> {} // the records say more
      }
    }
  }

  private void onSealReply(ReplicaId from, SealReply reply) {
    ClusterMap proposed = map;
    if (phase != Phase.SEALING || proposed == null || reply.number() != proposed.number()) {
      return;
    }
    (reply.sealed() ? sealed : refused)
        .computeIfAbsent(from.partition(), _ -> new BitSet())
        .set(from.index());
    int f = history.last().f();
    for (BitSet refusing : refused.values()) {
      if (refusing.cardinality() > f) {
        phase = Phase.GIVING_UP;
        onTick(nowMicros);
        return;
      }
    }
    decideOnceSealed();
  }

  private void decideOnceSealed() {
    ClusterMap proposed = map;
    ClusterMap last = history.last();
    if (proposed != null
        && isFounded()
        && hasQuorum(sealed, proposed.sources(last), rules.sealQuorum(last.f()))) {
      phase = Phase.DECIDING;
      onTick(nowMicros);
    }
  }

  private void openOnceHeld() {
    ClusterMap last = history.last();
    ClusterMap before = history.before(last);
    if (before != null
        && hasQuorum(holders, last.destinations(before), rules.holdersQuorum(last.f()))) {
      phase = Phase.OPENING;
      onTick(nowMicros);
    }
  }

  private void onPartitionReply(ReplicaId from, PartitionReply reply) {
    ClusterMap proposed = map;
    boolean wasFounded = isFounded();
    replies.put(from, reply);
    if (reply.founded()) {
      founded.computeIfAbsent(from.partition(), _ -> new BitSet()).set(from.index());
    }
    if (reply.watermarkMicros() > 0) {
      ahead.computeIfAbsent(from.partition(), _ -> new BitSet()).set(from.index());
    }
    if (reply.holds()) {
      holders.computeIfAbsent(from.partition(), _ -> new BitSet()).set(from.index());
    }
    if (phase == Phase.SEALING && proposed != null && reply.number() == proposed.number()) {
      if (!wasFounded && isFounded()) {
        askForSeals(); // now, and not with the next repetition
      }
      decideOnceSealed();
    } else if (phase == Phase.COPYING && reply.number() == history.last().number()) {
      openOnceHeld();
    }
  }

  // ---- how far it is ------------------------------------------------------------------------

  /** What a replica has not done yet. */
  public enum Awaited {
    /** It has not said whether it seals. */
    SEAL,
    /** It has refused to seal: it has voted, or may have voted, above the cut. */
    SEAL_REFUSED,
    /** It has not said that its new partition is founded. */
    FOUNDING,
    /** It does not hold the keys of its new partition durably. */
    KEYS
  }

  /**
   * The replicas for which the change waits. Not all of them have to answer: f+1 of each partition
   * are enough. After a change was given up, those for which it had waited.
   */
  public SortedMap<ReplicaId, Awaited> awaited() {
    TreeMap<ReplicaId, Awaited> awaited =
        new TreeMap<>(
            Comparator.comparingInt(ReplicaId::partition).thenComparingInt(ReplicaId::index));
    ClusterMap last = history.last();
    ClusterMap proposed = proposed();
    ClusterMap before = history.before(last);
    if (proposed != null) {
      int founders = proposed.f() + 1;
      BitSet added = proposed.destinations(last);
      awaited(awaited, founded, added, proposed.f(), founders, Awaited.FOUNDING);
      if (awaited.isEmpty()) { // nobody was asked to seal before
        int quorum = rules.sealQuorum(last.f());
        awaited(awaited, sealed, proposed.sources(last), last.f(), quorum, Awaited.SEAL);
      }
    } else if (before != null && (phase == Phase.COPYING || phase == Phase.OPENING)) {
      int quorum = rules.holdersQuorum(last.f());
      awaited(awaited, holders, last.destinations(before), last.f(), quorum, Awaited.KEYS);
    }
    return awaited;
  }

  private void awaited(
      Map<ReplicaId, Awaited> into,
      Map<Integer, BitSet> counts,
      BitSet partitions,
      int f,
      int quorum,
      Awaited what) {
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      BitSet done = counts.getOrDefault(p, new BitSet());
      for (int i = 0; i <= 2 * f && done.cardinality() < quorum; i++) {
        if (!done.get(i)) {
          boolean refuses = what == Awaited.SEAL && has(refused, p, i);
          into.put(new ReplicaId(p, i), refuses ? Awaited.SEAL_REFUSED : what);
        }
      }
    }
  }

  /** The map that is proposed, or was given up last; null if there is none. */
  public @Nullable ClusterMap proposed() {
    return map == null ? givenUp : map;
  }

  /**
   * How much of what moves has arrived.
   *
   * @param arrived the bytes that f+1 replicas of each new partition hold, about
   * @param all the bytes that move, about; 0 if they are not known
   */
  public record Bytes(long arrived, long all) {
    /** The bytes that f+1 replicas still lack. */
    public long left() {
      return Math.max(0, all - arrived);
    }
  }

  /** How much has arrived of what the change that is proposed or decided moves. */
  public Bytes bytes() {
    ClusterMap proposed = map;
    ClusterMap to = proposed == null ? history.last() : proposed;
    ClusterMap from = proposed == null ? history.before(to) : history.last();
    if (from == null) {
      return new Bytes(0, 0);
    }
    long all = 0;
    BitSet sources = to.sources(from);
    for (int p = sources.nextSetBit(0); p >= 0; p = sources.nextSetBit(p + 1)) {
      all += Math.round(newest(p, 2 * from.f(), 0) * to.shareThatLeaves(p, from));
    }
    long arrived = 0;
    BitSet destinations = to.destinations(from);
    for (int p = destinations.nextSetBit(0); p >= 0; p = destinations.nextSetBit(p + 1)) {
      arrived += newest(p, 2 * to.f(), to.f());
    }
    return new Bytes(all == 0 ? 0 : Math.min(arrived, all), all);
  }

  /** The bytes that so many other replicas of a partition hold at least as much of. */
  private long newest(int partition, int lastIndex, int others) {
    return IntStream.rangeClosed(0, lastIndex)
        .mapToObj(index -> replies.get(new ReplicaId(partition, index)))
        .map(reply -> reply == null ? 0L : reply.bytes())
        .sorted(Comparator.reverseOrder())
        .skip(others)
        .findFirst()
        .orElse(0L);
  }
}
