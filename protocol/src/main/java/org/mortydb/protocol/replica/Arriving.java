package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Copies what moves to a new partition (docs/protocol.md, section 15): from each partition that
 * loses buckets to this one, the newest committed version of each key at or below the cut. Most of
 * it is copied ahead of the cut, at whatever watermark a replica of the source has. What has
 * changed since then follows once a replica has reached the cut. All replicas of a source have
 * committed the same at or below a watermark that they have reached, so a copy that one of them
 * began another one may end. The new partition begins with the cut as its fence and watermark.
 */
final class Arriving {

  /** A partition that loses buckets to this one. */
  private static final class Source {
    /** Everything at or below it that moves here is here; initial if that is nothing. */
    TxnId complete = TxnId.INITIAL;

    /** The replica that was copied ahead of the cut: it keeps the deletions since. */
    @Nullable ReplicaId copied;

    /** When it is copied once more ahead of the cut, so that little is left at the cut. */
    long dueMicros;

    /** Whether nothing is here that an earlier copy has left. */
    boolean isClean;

    /** Whether a replica that has reached the cut was asked at once. */
    boolean askedAtCut;
  }

  private record Reached(ReplicaId by, TxnId watermark) {}

  private final ReplicaState state;
  private final Visibility visibility;
  private final Forgetting forgetting;
  private final DeferredVersions deferred;

  private final TreeMap<Integer, Source> sources = new TreeMap<>();

  /** What each other partition has reached, and which replica has said so last. */
  private final TreeMap<Integer, Reached> reached = new TreeMap<>();

  // ---- the copy under way, or the last one --------------------------------------------------

  private @Nullable ReplicaId peer;

  /** The partition of which a part is here, and not all; negative if there is none. */
  private int current = -1;

  /** What is at or below it is here. */
  private TxnId since = TxnId.INITIAL;

  /** The copy will be complete up to it; initial if its first part is to say so. */
  private TxnId upTo = TxnId.INITIAL;

  /** The lowest key of the part that the copy waits for. */
  private Key from = KeyRange.ALL.from();

  private long resendMicros;
  private int asked;

  /** Whether the peer has sent the part that it was asked for last. */
  private boolean answered;

  /** The keys of the source that were looked at, and how many it has. */
  private long examined;

  private int keys;

  Arriving(
      ReplicaState state, Visibility visibility, Forgetting forgetting, DeferredVersions deferred) {
    this.state = state;
    this.visibility = visibility;
    this.forgetting = forgetting;
    this.deferred = deferred;
  }

  /**
   * Whether this replica, which has no lock, may be new. If its partition gets its keys from
   * others, what has arrived of them does not count: all replicas get the same.
   */
  boolean mayFound(Copies copies) {
    return copies.haveLeftNothing()
        || (state.maps.newIn() != null && state.horizon.fence().equals(TxnId.INITIAL));
  }

  /** Whether everything that moves here is here; ends the copy if so. */
  boolean hasArrived(Effects out) {
    if (state.maps.isOfFirstMap()) {
      return true;
    }
    ClusterMap map = state.maps.arrival();
    if (map == null) {
      return false; // the map is not decided
    }
    TxnId cut = map.cut();
    if (hasArrivedBefore(map)) {
      return true;
    }
    BitSet missing = state.maps.sources();
    for (int p = missing.nextSetBit(0); p >= 0; p = missing.nextSetBit(p + 1)) {
      if (source(p).complete.isBefore(cut) && state.rules.servesWhatHasArrived()) {
        return false;
      }
    }
    if (cut.isAfter(state.horizon.watermark())) {
      mark(cut, Branch.ARRIVED, out);
      state.horizon.fence(cut, out);
      state.historyBegins(cut);
      out.append(new LogRecord.HistoryFrom(cut));
      state.erased(cut); // not all deletions have been copied
      out.append(new LogRecord.Erased(cut, List.of()));
      state.horizon.forget(cut);
      forgetting.reach(cut, out);
    }
    return true;
  }

  /**
   * Whether an earlier process of this replica has ended the copy, and has died before it served.
   */
  private boolean hasArrivedBefore(ClusterMap decided) {
    return !state.completeTo().isBefore(decided.cut());
  }

  /**
   * Whether the change is complete, so that f+1 replicas of this partition have what moves here.
   * Those from which it came may have dropped it.
   */
  boolean mayCopyPeer() {
    ClusterMap map = state.maps.arrival();
    return map != null && state.maps.history().closed() >= map.number();
  }

  /** How much of what moves here has arrived, from 0 to 1; negative if nothing does. */
  double progress() {
    BitSet all = state.maps.sources();
    double arrived = 0;
    for (int p = all.nextSetBit(0); p >= 0; p = all.nextSetBit(p + 1)) {
      boolean isCopied = !source(p).complete.equals(TxnId.INITIAL);
      double part = p != current || keys == 0 ? 0 : Math.min(1, (double) examined / keys);
      arrived += isCopied ? 1 : part;
    }
    return all.isEmpty() ? -1 : arrived / all.cardinality();
  }

  /**
   * Up to where everything that moves here is here; the lowest place if something is not, or if
   * nothing moves here.
   */
  TxnId completeTo() {
    BitSet all = state.maps.sources();
    TxnId lowest = all.isEmpty() ? TxnId.INITIAL : TxnId.HIGHEST;
    for (int p = all.nextSetBit(0); p >= 0; p = all.nextSetBit(p + 1)) {
      TxnId complete = source(p).complete;
      lowest = complete.isBefore(lowest) ? complete : lowest;
    }
    return lowest;
  }

  /** Where this partition begins; the lowest place if its map is not decided. */
  TxnId cut() {
    ClusterMap map = state.maps.arrival();
    return map == null ? TxnId.INITIAL : map.cut();
  }

  private Source source(int partition) {
    return sources.computeIfAbsent(partition, any -> new Source());
  }

  /** Asks for the next part, or asks the next replica for one that has not come. */
  void onTick(Effects out) {
    if (state.elapsedMicros >= resendMicros) {
      askNext(out);
    }
  }

  private void askNext(Effects out) {
    if (current >= 0) {
      ask(answered && peer != null ? peer : nextOf(current), out);
      return;
    }
    ClusterMap map = state.maps.arrival();
    if (map != null && hasArrivedBefore(map)) {
      return;
    }
    BitSet all = state.maps.sources();
    for (int p = all.nextSetBit(0); p >= 0; p = all.nextSetBit(p + 1)) {
      Source source = source(p);
      if (map != null && source.complete.isBefore(map.cut())) {
        begin(p, map.cut(), nextOf(p), out);
        break;
      } else if (map == null && state.elapsedMicros >= source.dueMicros) {
        begin(p, TxnId.INITIAL, source.copied == null ? nextOf(p) : source.copied, out);
        break;
      }
    }
    askWhoHasReached(out);
  }

  /** The replicas of a partition take turns. */
  private ReplicaId nextOf(int partition) {
    int replicas = 2 * state.maps.f(partition) + 1;
    return new ReplicaId(partition, (state.self.index() + asked++) % replicas);
  }

  /** f+1 replicas of a partition have reached a watermark, the sender perhaps among them. */
  void onWatermark(ReplicaId by, Watermark told, Effects out) {
    if (by.partition() == told.partition() && state.maps.knows(told.partition())) {
      reached.put(told.partition(), new Reached(by, told.watermark()));
      askWhoHasReached(out);
    }
  }

  /** A partition that has reached the cut is asked at once: everybody waits for what moves. */
  private void askWhoHasReached(Effects out) {
    ClusterMap map = state.maps.arrival();
    if (map == null || current >= 0 || hasArrivedBefore(map)) {
      return;
    }
    BitSet all = state.maps.sources();
    for (int p = all.nextSetBit(0); p >= 0; p = all.nextSetBit(p + 1)) {
      Source source = source(p);
      Reached told = reached.get(p);
      if (!source.askedAtCut
          && source.complete.isBefore(map.cut())
          && told != null
          && !told.watermark().isBefore(map.cut())) {
        source.askedAtCut = true;
        begin(p, map.cut(), told.by(), out);
        return;
      }
    }
  }

  /**
   * Begins to copy a partition.
   *
   * @param needed the watermark that the replica must have reached; initial for any
   */
  private void begin(int partition, TxnId needed, ReplicaId asks, Effects out) {
    since = source(partition).complete;
    upTo = needed;
    from = KeyRange.ALL.from();
    examined = 0;
    if (!source(partition).isClean) {
      source(partition).isClean = true;
      discard(partition, out);
    }
    ask(asks, out);
  }

  /**
   * Discards what an earlier copy of a partition has left, which the next one may not list: it was
   * deleted since. An earlier process has left it, or a source that has dropped deletions.
   */
  private void discard(int partition, Effects out) {
    ClusterMap map = state.maps.newIn();
    if (map == null || state.keys.size() == 0) {
      return;
    }
    TxnId cut = map.cut();
    deferred.discard(cut, key -> state.maps.comesFrom(partition, key.key()));
    List<Key> left = new ArrayList<>();
    for (int slot = 0; slot < state.keys.slots(); slot++) {
      Key name = state.keys.nameAt(slot);
      if (name != null && state.maps.comesFrom(partition, name)) {
        KeyState key = state.keys.wake(slot);
        if (key.hasCommittedUpTo(cut)) {
          key.eraseUpTo(cut);
          left.add(name);
        }
        state.housekeeping.prunable(key, state.elapsedMicros);
      }
    }
    for (int i = 0; i < left.size(); i += Housekeeping.MOST_ERASED) {
      int end = Math.min(left.size(), i + Housekeeping.MOST_ERASED);
      out.append(new LogRecord.Erased(cut, List.copyOf(left.subList(i, end))));
    }
  }

  private void ask(ReplicaId asks, Effects out) {
    peer = asks;
    answered = false;
    resendMicros = state.elapsedMicros + state.options.inquireMicros() / 2;
    out.send(asks, new Copy(since, from, upTo));
  }

  void onCopyReply(ReplicaId sender, CopyReply reply, Effects out) {
    ClusterMap map = state.maps.newIn();
    if (map == null
        || !sender.equals(peer)
        || !reply.since().equals(since)
        || !reply.from().equals(from)) {
      return;
    }
    if (reply.watermark().equals(TxnId.INITIAL)
        || reply.watermark().isBefore(since)
        || reply.watermark().isBefore(upTo)) {
      resendMicros = state.elapsedMicros; // the next tick asks the next replica
      return;
    }
    answered = true;
    Source source = source(sender.partition());
    boolean isOfChanges = !since.equals(TxnId.INITIAL);
    if (isOfChanges && reply.erased().isAfter(since)) {
      mark(reply.erased(), Branch.COPIED_AGAIN, out);
      source.complete = TxnId.INITIAL; // a key that is not listed may have been deleted
      source.isClean = false;
      current = -1;
      begin(sender.partition(), upTo.equals(map.cut()) ? upTo : TxnId.INITIAL, sender, out);
      return;
    }
    upTo = upTo.equals(TxnId.INITIAL) ? reply.watermark() : upTo;
    for (CopiedVersion version : reply.versions()) {
      install(version, map, reply.watermark(), out);
    }
    Key next = reply.next();
    examined += reply.examined();
    keys = reply.keys();
    if (next != null) {
      from = next;
      current = sender.partition();
      if (state.maps.arrival() == null) {
        // Nobody waits yet. Both replicas may share an event loop, which has other work to do.
        resendMicros = state.elapsedMicros;
      } else {
        ask(sender, out);
      }
    } else {
      current = -1;
      if (upTo.isBefore(map.cut())) {
        mark(upTo, Branch.COPIED_AHEAD, out);
      }
      source.complete = upTo;
      source.copied = sender;
      source.dueMicros = state.elapsedMicros + state.options.retentionMicros() / 4;
      askNext(out);
    }
  }

  /** A version above the watermark of its part may build on others that are not listed. */
  private void install(CopiedVersion version, ClusterMap map, TxnId watermark, Effects out) {
    TxnId writer = version.version().writer();
    Key name = version.key();
    boolean isDeletionOfNothing = version.value().isAbsent() && state.keys.get(name) == null;
    if (map.partitionOf(name) == state.self.partition()
        && !isDeletionOfNothing
        && !writer.isAfter(map.cut())
        && !writer.isAfter(watermark)) {
      out.append(new LogRecord.Version(name, version.version(), version.value()));
      visibility.installCopied(state.key(name), version.version(), version.value());
    }
  }
}
