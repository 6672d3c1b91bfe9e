package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.BitSet;
import java.util.List;
import java.util.Objects;
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
 * loses buckets to this one, the newest committed version of each key at or below the cut. A
 * replica of the source has them once its watermark has reached the cut. All its replicas have the
 * same then, so a copy that one of them began another one may end. The new partition begins with
 * the cut as its fence and watermark.
 */
final class Arriving {
  private final ReplicaState state;
  private final Visibility visibility;
  private final Forgetting forgetting;

  /** The partitions that are copied in full. */
  private final BitSet copied = new BitSet();

  private @Nullable ReplicaId peer;

  /** The partition of which a part is here, and not all; negative if there is none. */
  private int current = -1;

  /** What each other partition has reached, and which replica has said so last. */
  private final TreeMap<Integer, Reached> reached = new TreeMap<>();

  /** The partitions that were asked as soon as they had reached the cut. */
  private final BitSet askedAtCut = new BitSet();

  private record Reached(ReplicaId by, TxnId watermark) {}

  /** The lowest key of the part that the copy waits for. */
  private Key from = KeyRange.ALL.from();

  private long resendMicros;
  private int asked;

  /** The keys of the current source that were looked at, and how many it has. */
  private long examined;

  private int keys;

  Arriving(ReplicaState state, Visibility visibility, Forgetting forgetting) {
    this.state = state;
    this.visibility = visibility;
    this.forgetting = forgetting;
  }

  /**
   * Whether this replica, which has no lock, may be new. If its partition gets its keys from
   * others, what has arrived of them does not count: all replicas get the same.
   */
  boolean mayFound(Copies copies) {
    return copies.haveLeftNothing()
        || (state.maps.arrival() != null && state.horizon.fence().equals(TxnId.INITIAL));
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
    BitSet missing = state.maps.sources();
    missing.andNot(copied);
    if (!missing.isEmpty() && state.rules.servesWhatHasArrived()) {
      return false;
    }
    TxnId cut = map.cut();
    if (cut.isAfter(state.horizon.watermark())) {
      mark(cut, Branch.ARRIVED, out);
      state.horizon.fence(cut, out);
      state.historyBegins(cut);
      out.append(new LogRecord.HistoryFrom(cut));
      state.erased(cut); // deletions have not been copied
      out.append(new LogRecord.Erased(cut, List.of()));
      state.horizon.forget(cut);
      forgetting.reach(cut, out);
    }
    return true;
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
    int sources = state.maps.sources().cardinality();
    double part = keys == 0 ? 0 : Math.min(1, (double) examined / keys);
    return sources == 0 ? -1 : Math.min(1, (copied.cardinality() + part) / sources);
  }

  /** Where this partition begins; the lowest place if its map is not decided. */
  TxnId cut() {
    ClusterMap map = state.maps.arrival();
    return map == null ? TxnId.INITIAL : map.cut();
  }

  /** Asks for the next part, or asks the next replica for one that has not come. */
  void onTick(Effects out) {
    if (state.maps.arrival() != null && state.elapsedMicros >= resendMicros) {
      askNext(out);
    }
  }

  private void askNext(Effects out) {
    BitSet missing = state.maps.sources();
    missing.andNot(copied);
    if (missing.isEmpty()) {
      return;
    }
    int partition = current >= 0 ? current : missing.nextSetBit(0);
    int replicas = 2 * state.maps.f(partition) + 1;
    peer = new ReplicaId(partition, (state.self.index() + asked++) % replicas);
    ask(out);
    askWhoHasReached(out);
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
    if (map == null || current >= 0) {
      return;
    }
    BitSet missing = state.maps.sources();
    missing.andNot(copied);
    missing.andNot(askedAtCut);
    for (int p = missing.nextSetBit(0); p >= 0; p = missing.nextSetBit(p + 1)) {
      Reached told = reached.get(p);
      if (told != null && !told.watermark().isBefore(map.cut())) {
        askedAtCut.set(p);
        peer = told.by();
        ask(out);
        return;
      }
    }
  }

  private void ask(Effects out) {
    resendMicros = state.elapsedMicros + state.options.inquireMicros() / 2;
    out.send(Objects.requireNonNull(peer), new Copy(TxnId.INITIAL, from, TxnId.INITIAL));
  }

  void onCopyReply(ReplicaId sender, CopyReply reply, Effects out) {
    ClusterMap map = state.maps.arrival();
    if (map == null
        || !sender.equals(peer)
        || !reply.from().equals(from)
        || reply.watermark().isBefore(map.cut())) {
      return; // the next replica is asked soon
    }
    for (CopiedVersion version : reply.versions()) {
      if (map.partitionOf(version.key()) == state.self.partition()
          && !version.value().isAbsent()
          && !version.version().writer().isAfter(map.cut())) {
        out.append(new LogRecord.Version(version.key(), version.version(), version.value()));
        visibility.installCopied(state.key(version.key()), version.version(), version.value());
      }
    }
    Key next = reply.next();
    examined += reply.examined();
    keys = reply.keys();
    if (next != null) {
      from = next;
      current = sender.partition();
      ask(out);
    } else {
      current = -1;
      copied.set(sender.partition());
      from = KeyRange.ALL.from();
      examined = 0;
      askNext(out);
    }
  }
}
