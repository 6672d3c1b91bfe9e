package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.AskMaps;
import org.mortydb.protocol.message.Message.CheckPartition;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.FetchReply;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.PartitionReply;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.ToReplica;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.recovery.Recoveries;

/**
 * How a replica without memory begins to serve (docs/protocol.md, section 9). It founds the
 * partition together with others that remember nothing; or it joins.
 *
 * <p>To join, it runs a round of truncation with the others alone, at a watermark in the future.
 * Then it copies a replica that has reached this watermark. No replica votes beyond its clock and
 * the allowed skew, so the watermark is above everything that this replica may have voted on.
 */
final class Joining implements Copying.Purpose {
  private static final int MOST_DOUBLINGS = 2;

  private final ReplicaState state;
  private final Copies copies;
  private final TruncationRounds rounds;
  private final RoundOutcomes roundOutcomes;
  private final Arriving arriving;
  private final Sealing sealing;

  /** Present while this replica may found the partition, or may confirm it to other founders. */
  private @Nullable Founding founding;

  /** The incarnations that this replica has locked to found the partition; empty if none. */
  private List<Long> lock = List.of();

  /** The round of truncation of a replica that joins; null once it serves. */
  private @Nullable Truncation round;

  /** When the next round begins, by the replica's elapsed time. */
  private long dueMicros;

  /** How many rounds have begun; not more than make a difference to the next pause. */
  private int attempts;

  /** How many peers this replica, as a founder that has never served, has begun to copy. */
  private int peersAsked;

  /** When the founding is sent again, by the replica's elapsed time. */
  private long sendMicros;

  /** Whether the restored log says that this replica serves; false once it begins anew. */
  private boolean served;

  /** Whether the restored log has ever said so. */
  private boolean everServed;

  /** Whether the log has to say that this replica, which is in doubt, serves no longer. */
  private boolean forgetful;

  /** Whether the partition is founded: this replica is no new one any more. */
  private boolean founded;

  Joining(
      ReplicaState state,
      Copies copies,
      TruncationRounds rounds,
      Outcomes outcomes,
      Recoveries recoveries,
      Arriving arriving,
      Sealing sealing) {
    this.state = state;
    this.copies = copies;
    this.rounds = rounds;
    this.roundOutcomes = new RoundOutcomes(state, outcomes, recoveries, true);
    this.arriving = arriving;
    this.sealing = sealing;
  }

  /** See {@link Replica#join}. */
  void begin(long incarnation, boolean doubtful) {
    forgetful = doubtful && (served || !lock.isEmpty());
    served = false;
    founded &= !doubtful;
    if (doubtful) {
      lock = List.of();
      founding = null; // what it has promised and forgotten may still count in a quorum
    } else if (!lock.isEmpty()) {
      founding = Founding.resumed(state.self, lock);
      if (founded) {
        founding.serve();
      }
    } else if (arriving.mayFound(copies)) {
      founding = new Founding(state.self, state.maps.replicas(), incarnation);
    } else {
      founding = null; // parts of a copy are here, which the other founders would not have
    }
    round = new Truncation(state.self, state.maps.f(), roundOutcomes, false);
    state.keys.defer();
  }

  /** See {@link Replica#isWhole}. */
  boolean hasServed() {
    return served;
  }

  /** Whether this replica has served at any time that it remembers. */
  boolean hasEverServed() {
    return everServed;
  }

  boolean isUnderWay() {
    return round != null;
  }

  /** Whether a replica that joins handles a message; it ignores all others. */
  static boolean concerns(ToReplica message) {
    return message instanceof Found
        || message instanceof Decide
        || message instanceof FetchReply
        || message instanceof RecoverReply
        || message instanceof FinalizeReply
        || message instanceof TruncateReply
        || message instanceof TruncateAck
        || message instanceof Watermark
        || message instanceof Maps
        || message instanceof AskMaps
        || message instanceof CheckPartition
        || message instanceof CopyReply
        || message instanceof CopyOutcomesReply;
  }

  /** Restores the lock from the log. */
  void restoreLock(List<Long> incarnations, boolean all) {
    lock = incarnations;
    founded = all;
    confirmAsFounder();
  }

  /** Restores from the log whether this replica served. */
  void restoreServing(boolean serving) {
    served = serving;
    everServed |= serving;
    confirmAsFounder();
  }

  /** Prepares to confirm the founding to other founders, which may ask after their restart. */
  private void confirmAsFounder() {
    founding = null;
    if (served && lock.size() == state.maps.replicas()) {
      founding = Founding.resumed(state.self, lock);
      founding.serve();
    }
  }

  /** Copies the records that {@link #restoreLock} and {@link #restoreServing} restore. */
  void copy(Consumer<LogRecord> to) {
    to.accept(locked());
    if (!isUnderWay()) {
      to.accept(new LogRecord.Serving(true));
    }
  }

  private LogRecord.Locked locked() {
    return new LogRecord.Locked(lock, founded && !lock.isEmpty() && !state.maps.isOfFirstMap());
  }

  void onFound(ReplicaId from, Found found, Effects out) {
    if (founding == null) {
      return;
    }
    if (!isUnderWay() || founded) {
      founding.confirm(from, found, out);
      return;
    }
    founded = founding.onFound(from, found, out);
    lock = founding.lock();
    if (founded) {
      if (!state.maps.isOfFirstMap()) {
        // It may restart before it serves. It must not found once more then, with a founder that
        // has served, and has lost its memory.
        out.append(locked());
      }
      founding.serve();
      founding.send(out);
      mark(state.horizon.fence(), Branch.FOUNDED, out);
      serveOnceArrived(out);
    }
  }

  /** Serves if the partition is founded, and what moves here has arrived. */
  private void serveOnceArrived(Effects out) {
    if (founded && arriving.hasArrived(out)) {
      serve(out);
    }
  }

  void onCopyReply(ReplicaId from, CopyReply reply, Effects out) {
    arriving.onCopyReply(from, reply, out);
    if (isUnderWay()) {
      serveOnceArrived(out);
    }
  }

  void onWatermark(ReplicaId from, Watermark reached, Effects out) {
    if (isUnderWay() && !everServed && !copies.isUnderWay()) {
      arriving.onWatermark(from, reached, out);
    }
  }

  /** See {@link Replica#isNew}. */
  boolean isNew() {
    return isUnderWay() && lock.isEmpty() && !state.maps.isOfFirstMap();
  }

  /** Tells the client of a change how far this replica is. */
  void onCheck(Endpoint from, CheckPartition check, Effects out) {
    state.maps.propose(check.map());
    state.holdUntilDurable(out);
    boolean serves = !isUnderWay();
    out.send(
        from,
        new PartitionReply(
            check.txn(),
            check.map().number(),
            founded || serves,
            serves,
            state.keys.size(),
            state.keys.roughBytes(),
            ReplicaState.later(state.horizon.watermark(), arriving.completeTo()).timeMicros()));
  }

  void onTruncateReply(ReplicaId from, TruncateReply reply, Effects out) {
    if (round != null) {
      if (reply.maps() != null && from.partition() == state.self.partition()) {
        sealing.adopt(reply.maps(), out);
      }
      TxnId before = round.base();
      round.onReply(from, reply, out);
      goesOnFrom(before, round);
    }
  }

  void onTruncateAck(ReplicaId from, TruncateAck ack, Effects out) {
    if (round != null) {
      TxnId before = round.base();
      round.onAck(from, ack, state.maps.partitions(), out);
      goesOnFrom(before, round);
    }
  }

  /** A round of many messages may take long, but it does not begin again while it goes on. */
  private void goesOnFrom(TxnId before, Truncation current) {
    if (current.base().isAfter(before)) {
      dueMicros = Math.max(dueMicros, state.elapsedMicros + 8 * state.options.inquireMicros());
    }
  }

  void onTick(Effects out) {
    Truncation current = round;
    if (current == null) {
      return;
    }
    if (forgetful) {
      forgetful = false;
      out.append(new LogRecord.Serving(false));
      out.append(new LogRecord.Locked(List.of()));
    }
    if (founding != null && state.elapsedMicros >= sendMicros) {
      sendMicros = state.elapsedMicros + state.options.inquireMicros() / 5;
      founding.send(out);
    }
    if (founded && !everServed && !copies.isUnderWay()) {
      arriving.onTick(out);
      serveOnceArrived(out);
      if (!isUnderWay()) {
        return;
      }
    }
    current.onTick(state.nowMicros, state.elapsedMicros, state.options.inquireMicros(), out);
    if (!copies.isUnderWay() && current.firstAck() >= 0) {
      copies.begin(current.firstAck(), current.watermark(), this, out);
      return;
    }
    if (founded && !copies.isUnderWay() && arriving.mayCopyPeer()) {
      copyPeer(out);
    }
    if (!copies.isUnderWay() && state.elapsedMicros >= dueMicros) {
      beginRound(current, out);
    }
  }

  /**
   * A founder that has never served has promised nothing. So it may begin as any other replica of
   * its partition is, without a round. Those from which the keys came may have dropped them.
   */
  private void copyPeer(Effects out) {
    int replicas = state.maps.replicas();
    int peer = (state.self.index() + 1 + peersAsked++ % (replicas - 1)) % replicas;
    copies.begin(
        peer,
        arriving.cut(),
        new Copying.Purpose() {
          @Override
          public void failed(Copying copy, Effects effects) {
            if (round != null && state.elapsedMicros >= dueMicros) {
              beginRound(round, effects);
            }
          }

          @Override
          public void completed(TxnId upTo, Effects effects) {
            mark(upTo, Branch.ARRIVED_BY_PEER, effects);
            serve(effects);
          }
        },
        out);
  }

  /** Begins a round of truncation above everything that this replica may have voted on. */
  private void beginRound(Truncation current, Effects out) {
    // The pause doubles, because a round may take long on slow links: a round that is started again
    // before it can end would never end.
    dueMicros = state.elapsedMicros + ((8 * state.options.inquireMicros()) << attempts);
    attempts = Math.min(attempts + 1, MOST_DOUBLINGS);
    if (!state.rules.settlesBeforeServing()) {
      int next = (state.self.index() + 1) % state.maps.replicas();
      copies.begin(next, TxnId.INITIAL, this, out);
      return;
    }
    long ahead = state.nowMicros + state.options.allowedSkewMicros();
    current.propose(
        new TxnId(ahead, Long.MAX_VALUE, 0),
        state.nowMicros,
        state.elapsedMicros,
        state.options.inquireMicros(),
        out);
  }

  @Override
  public void failed(Copying copy, Effects out) {
    if (round != null) {
      beginRound(round, out);
    }
  }

  @Override
  public void completed(TxnId upTo, Effects out) {
    mark(upTo, Branch.REJOINED, out);
    founding = null; // a replica that has joined confirms no founder
    lock = List.of();
    out.append(new LogRecord.Locked(lock));
    serve(out);
  }

  private void serve(Effects out) {
    state.keys.order();
    round = null;
    copies.abandon();
    rounds.advanced();
    out.append(new LogRecord.Serving(true));
    if (out.probing()) {
      out.probe(new Probe.Joined(state.horizon.fence()));
    }
  }
}
