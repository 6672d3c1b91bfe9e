package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;

/**
 * Refuses requests that this replica must not serve, and says why (docs/protocol.md, section 7).
 */
final class Refusals {
  /** So many writes are compared with each other in less time than a set of their keys takes. */
  private static final int FEW_WRITES = 8;

  private final ReplicaState state;

  Refusals(ReplicaState state) {
    this.state = state;
  }

  /** Refuses a transaction that is too far ahead or too old to be served. */
  boolean refuses(Endpoint from, TxnId txn, Effects out) {
    if (state.isAhead(txn)) {
      mark(txn, Branch.CLOCK_REFUSED, out);
      refuse(from, txn, Refusal.CLOCK_AHEAD, out);
      return true;
    }
    if (state.horizon.isTooOld(txn)) {
      TxnRecord known = state.records.get(txn);
      if (known == null || !known.isDecided()) {
        mark(txn, Branch.TRUNCATED_REFUSED, out);
        refuse(from, txn, Refusal.TRUNCATED, out);
      }
      return true;
    }
    return false;
  }

  /**
   * Refuses a request that no client sends that follows the protocol and has the cluster's layout:
   * it could never be decided, or installed, or forgotten.
   */
  boolean refusesForm(Endpoint from, FromClient request, Effects out) {
    Refusal reason = formOf(from, request);
    if (reason == null) {
      return false;
    }
    if (reason == Refusal.MOVED) {
      refuseMoved(from, request.txn(), out);
    } else {
      refuse(from, request.txn(), reason, out);
    }
    return true;
  }

  private @Nullable Refusal formOf(Endpoint from, FromClient request) {
    TxnId txn = request.txn();
    if (!state.maps.knows(txn.home())) {
      return unknown(Refusal.WRONG_PARTITION);
    }
    return switch (request) {
      case Prepare prepare when !knowsAll(prepare.participants()) ->
          unknown(Refusal.WRONG_PARTITION);
      case Prepare prepare ->
          isLayout(txn, prepare.participants())
                  && prepare.participants().contains(state.self.partition())
              ? formOf(txn, prepare.participants(), prepare.reads())
              : Refusal.WRONG_PARTITION;
      case Register register -> formOf(txn, register.reads());
      case Finalize finalize when !knowsAll(finalize.value()) -> unknown(Refusal.WRONG_PARTITION);
      case Finalize finalize ->
          txn.home() != state.self.partition() || !isLayout(txn, finalize.value())
              ? Refusal.WRONG_PARTITION
              : formOf(from, finalize.view());
      // What a peer knows to be decided must end here, too, or truncation would be held up.
      case Decide decide ->
          from instanceof ReplicaId
                  || concernsNobody(decide.outcome())
                  || isLayout(txn, decide.outcome())
              ? null
              : Refusal.WRONG_PARTITION;
      default -> null;
    };
  }

  /**
   * A partition may be a new one, which this replica has not heard of.
   *
   * @param never the reason if no partition is ever new
   */
  private Refusal unknown(Refusal never) {
    return state.maps.mayChange() ? Refusal.SEALED : never;
  }

  /** Only a recovery proposes in a view above 0. */
  private static @Nullable Refusal formOf(Endpoint from, View view) {
    return from instanceof ClientId && !view.equals(View.CLIENT) ? Refusal.INVALID : null;
  }

  /** A participant that has no buckets under the map of a transaction may be gone for good. */
  private @Nullable Refusal formOf(TxnId txn, List<Integer> participants, List<Read> reads) {
    return state.maps.areOfMap(txn, participants) || !state.rules.seals()
        ? formOf(txn, reads)
        : Refusal.MOVED;
  }

  /** A transaction reads versions below itself, of writers that can be decided. */
  private @Nullable Refusal formOf(TxnId reader, List<Read> reads) {
    boolean knowsHomes = true;
    for (int i = 0; i < reads.size(); i++) {
      TxnId writer = reads.get(i).version().writer();
      if (!writer.isBefore(reader)) {
        return Refusal.INVALID;
      }
      knowsHomes &= state.maps.knows(writer.home());
      if (i > 0 && reads.get(i).key().equals(reads.get(i - 1).key())) {
        // What a value is made of ascends: the entries say that nothing is in between.
        if (!writer.isAfter(reads.get(i - 1).version().writer())) {
          return Refusal.INVALID;
        }
      }
    }
    return knowsHomes ? null : unknown(Refusal.INVALID);
  }

  private boolean knowsAll(Outcome outcome) {
    return !(outcome instanceof Outcome.Commit(int ignored, List<Integer> participants))
        || knowsAll(participants);
  }

  private boolean knowsAll(List<Integer> participants) {
    for (int i = 0; i < participants.size(); i++) {
      if (!state.maps.knows(participants.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** A commit that only read, and that no replica has to know of (section 3, rule 5 of those). */
  private static boolean concernsNobody(Outcome outcome) {
    return outcome instanceof Outcome.Commit(_, List<Integer> participants)
        && participants.isEmpty();
  }

  private boolean isLayout(TxnId txn, Outcome outcome) {
    return !(outcome instanceof Outcome.Commit(int ignored, List<Integer> participants))
        || isLayout(txn, participants);
  }

  /** Whether participants exist, ascend, and contain the home partition. */
  private boolean isLayout(TxnId txn, List<Integer> participants) {
    int before = -1;
    boolean home = false;
    for (int i = 0; i < participants.size(); i++) {
      int partition = participants.get(i);
      if (partition <= before) {
        return false;
      }
      home |= partition == txn.home();
      if (!state.maps.knows(partition)) {
        return false;
      }
      before = partition;
    }
    return home;
  }

  boolean refusesKey(Endpoint from, TxnId txn, Key key, Effects out) {
    if (!state.maps.holds(txn, key)) {
      if (state.maps.held(txn, key)) {
        refuseMoved(from, txn, out);
      } else {
        refuse(from, txn, Refusal.WRONG_PARTITION, out);
      }
      return true;
    }
    if (state.maps.isSealed(txn, key) && state.rules.seals()) {
      mark(txn, Branch.SEALED_REFUSED, out);
      refuse(from, txn, Refusal.SEALED, out);
      return true;
    }
    return refusesSize(from, txn, key, out);
  }

  boolean refusesSize(Endpoint from, TxnId txn, Key key, Effects out) {
    if (key.size() > Limits.MAX_KEY_BYTES) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    return false;
  }

  /** Refuses to read the past of a key that does not lie in this partition at the place. */
  boolean refusesPlacement(Endpoint from, TxnId txn, TxnId place, Key key, Effects out) {
    if (state.maps.holds(place, key)) {
      return false;
    }
    // A new partition knows nothing of places below its cut, and a reader may know a later map.
    if (state.maps.mayChange()) {
      refuseMoved(from, txn, out);
    } else {
      refuse(from, txn, Refusal.WRONG_PARTITION, out);
    }
    return true;
  }

  /**
   * @param map the number of the map by which the client has chosen the partitions
   */
  boolean refusesScan(Endpoint from, TxnId txn, KeyRange range, int limit, int map, Effects out) {
    if (refusesLimit(from, txn, limit, out) || refusesRange(from, txn, range, out)) {
      return true;
    }
    if (state.maps.mayVote(txn, range, map) || !state.rules.seals()) {
      return false;
    }
    if (map < state.maps.history().at(txn).number()) {
      refuseMoved(from, txn, out);
    } else {
      mark(txn, Branch.SEALED_REFUSED, out);
      refuse(from, txn, Refusal.SEALED, out);
    }
    return true;
  }

  /** Refuses a scan of the past by a reader that does not know the map at the place. */
  boolean refusesMap(Endpoint from, TxnId txn, TxnId place, int map, Effects out) {
    boolean older = map < state.maps.history().at(place).number();
    if (older) {
      refuseMoved(from, txn, out);
    }
    return older;
  }

  boolean refusesLimit(Endpoint from, TxnId txn, int limit, Effects out) {
    if (limit < 1 || limit > Limits.MAX_SCAN_ROWS) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    return false;
  }

  /**
   * Refuses what has moved to another partition, and tells the last map. Most clients lack no other
   * one; who does asks for the rest.
   */
  private void refuseMoved(Endpoint from, TxnId txn, Effects out) {
    mark(txn, Branch.MOVED_REFUSED, out);
    refuse(from, txn, Refusal.MOVED, out);
    out.send(from, state.maps.lastOf(txn));
  }

  boolean refusesRange(Endpoint from, TxnId txn, KeyRange range, Effects out) {
    if (isOversized(range)) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    return false;
  }

  private static boolean isOversized(List<KeyRange> ranges) {
    for (int i = 0; i < ranges.size(); i++) {
      if (isOversized(ranges.get(i))) {
        return true;
      }
    }
    return ranges.size() > Limits.MAX_SCANS;
  }

  /** A range may end just above the longest key. */
  private static boolean isOversized(KeyRange range) {
    Key to = range.to();
    int longest = Math.max(range.from().size(), to == null ? 0 : to.size());
    return longest > Limits.MAX_KEY_BYTES + 1;
  }

  boolean refusesValue(Endpoint from, TxnId txn, Value value, Effects out) {
    if (value.size() > Limits.MAX_VALUE_BYTES) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    if (value.isFailed()) {
      refuse(from, txn, Refusal.INVALID, out);
      return true;
    }
    return false;
  }

  /**
   * A replica that joins serves nothing, and ignores what it need not refuse. Where its partition
   * has no buckets it may never serve again, so it says who has them; but nobody else has its
   * records of maps.
   */
  void refuseWhileJoining(Endpoint from, Message message, Effects out) {
    TxnId txn = message.txn();
    switch (message) {
      case Get get -> refuseWhileJoining(from, txn, state.maps.isRecord(get.key()), out);
      case Scan _ -> refuseWhileJoining(from, txn, false, out);
      case Put put -> refuseWhileJoining(from, txn, state.maps.isRecord(put.write().key()), out);
      case Prepare prepare ->
          refuseWhileJoining(
              from,
              txn,
              hasRecord(prepare.reads())
                  || prepare.writes().stream().anyMatch(write -> state.maps.isRecord(write.key())),
              out);
      case Register register -> refuseWhileJoining(from, txn, hasRecord(register.reads()), out);
      case ReadCut _, ReadPast _, ScanPast _ -> refuse(from, txn, Refusal.NOT_SERVING, out);
      default -> {}
    }
  }

  private void refuseWhileJoining(Endpoint from, TxnId txn, boolean ofRecord, Effects out) {
    if (ofRecord || state.maps.history().at(txn).has(state.self.partition())) {
      refuse(from, txn, Refusal.NOT_SERVING, out);
    } else {
      refuseMoved(from, txn, out);
    }
  }

  private boolean hasRecord(List<Read> reads) {
    return reads.stream().anyMatch(read -> state.maps.isRecord(read.key()));
  }

  boolean refusesSets(Endpoint from, Prepare prepare, Effects out) {
    List<Write> writes = prepare.writes();
    if (isForEmptyHome(prepare) && state.rules.seals()) {
      refuseMoved(from, prepare.txn(), out);
      return true;
    }
    long bytes = 0;
    for (int i = 0; i < writes.size(); i++) {
      bytes += writes.get(i).key().size() + writes.get(i).value().size();
    }
    if (writes.size() > Limits.MAX_OPERATIONS
        || bytes > Limits.MAX_WRITE_SET_BYTES
        || !canBeFetched(prepare.reads(), writes.size(), bytes)) {
      refuse(from, prepare.txn(), Refusal.OVERSIZED, out);
      return true;
    }
    if (writesTwice(writes)) {
      refuse(from, prepare.txn(), Refusal.INVALID, out);
      return true;
    }
    if (refusesReads(from, prepare.txn(), prepare.reads(), prepare.ranges(), out)) {
      return true;
    }
    for (int i = 0; i < writes.size(); i++) {
      if (refusesKey(from, prepare.txn(), writes.get(i).key(), out)
          || refusesValue(from, prepare.txn(), writes.get(i).value(), out)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the sets of an execution fit in an answer to a peer. The longest frames that clients
   * may send do not. A peer that must have learnt the commit would ask for it for ever.
   *
   * @param writtenBytes the bytes of the keys and values written
   */
  private static boolean canBeFetched(List<Read> reads, int writes, long writtenBytes) {
    long bytes = writtenBytes + (long) Limits.ENTRY_BYTES * (writes + reads.size());
    for (int i = 0; i < reads.size(); i++) {
      bytes += reads.get(i).key().size();
    }
    return bytes <= Limits.MAX_REQUEST_BYTES;
  }

  /** Whether two writes are of one key. Only one of them could be installed. */
  private static boolean writesTwice(List<Write> writes) {
    if (writes.size() > FEW_WRITES) {
      HashSet<Key> keys = HashSet.newHashSet(writes.size());
      for (int i = 0; i < writes.size(); i++) {
        if (!keys.add(writes.get(i).key())) {
          return true;
        }
      }
      return false;
    }
    for (int i = 1; i < writes.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (writes.get(i).key().equals(writes.get(j).key())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether nothing of a transaction is here, nor any bucket under its map. */
  private boolean isForEmptyHome(Prepare prepare) {
    return prepare.reads().isEmpty()
        && prepare.ranges().isEmpty()
        && prepare.writes().isEmpty()
        && !state.maps.history().at(prepare.txn()).has(state.self.partition());
  }

  boolean refusesReads(Endpoint from, Register register, Effects out) {
    return refusesReads(from, register.txn(), register.reads(), register.ranges(), out);
  }

  private boolean refusesReads(
      Endpoint from, TxnId txn, List<Read> reads, List<KeyRange> ranges, Effects out) {
    if (reads.size() > Limits.MAX_OPERATIONS || isOversized(ranges)) {
      refuse(from, txn, Refusal.OVERSIZED, out);
      return true;
    }
    for (int i = 0; i < reads.size(); i++) {
      if (refusesKey(from, txn, reads.get(i).key(), out)) {
        return true;
      }
    }
    return false;
  }

  void refuse(Endpoint to, TxnId txn, Refusal reason, Effects out) {
    out.send(to, new Refused(txn, reason, state.nowMicros));
  }

  /** Tells a replica that is behind that a transaction it asks about is below the watermark. */
  boolean sendsBehind(Endpoint to, TxnId txn, Effects out) {
    boolean isBehind =
        to instanceof ReplicaId replica
            && (!txn.isAfter(state.horizon.everywhere())
                || (state.horizon.isTruncated(txn)
                    && replica.partition() == state.self.partition()));
    if (isBehind) {
      out.send(to, new Behind(txn, state.horizon.watermark()));
    }
    return isBehind;
  }
}
