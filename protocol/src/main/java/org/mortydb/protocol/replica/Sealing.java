package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.AskMaps;
import org.mortydb.protocol.message.Message.MapKnowledge;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.Seal;
import org.mortydb.protocol.message.Message.SealReply;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * How a replica hears of maps, and seals what is about to move (docs/protocol.md, section 15).
 *
 * <p>From the moment it seals, a replica votes on nothing above the cut that moves. It acknowledges
 * that once its clock has come as near to the cut as the allowed skew. If it then loses its memory,
 * the fence of its join is at or above the cut. No replica seals with such a fence. So either those
 * that it asks have sealed before, and tell it, or too few of them ever do.
 */
final class Sealing {
  /** A cut may be ahead of the clock by this multiple of the allowed skew. */
  private static final int MOST_SKEWS = 4;

  /** A replica without a seal asks for maps only as often as it would inquire so many times. */
  private static final int CALM_INQUIRIES = 8;

  private enum Answer {
    SEAL,
    /** This replica does not know enough yet: who asks will ask again. */
    WAIT,
    REFUSE
  }

  private final ReplicaState state;

  /** Who waits for the acknowledgement of the seal; null if nobody does. */
  private @Nullable Endpoint asker;

  private TxnId change = TxnId.INITIAL;
  private long askMicros;
  private int asked;

  Sealing(ReplicaState state) {
    this.state = state;
  }

  void onSeal(Endpoint from, Seal seal, Effects out) {
    ClusterMap map = seal.map();
    if (!state.maps.mayChange()) {
      out.send(from, new SealReply(seal.txn(), map.number(), false));
      return;
    }
    if (map.equals(state.maps.history().numbered(map.number()))) {
      return; // decided: whoever asks learns it from the record
    }
    boolean counts = map.equals(state.maps.seal()) && state.maps.sealCounts();
    Answer answer = counts ? Answer.SEAL : answer(map);
    switch (answer) {
      case WAIT -> ask(out);
      case REFUSE -> {
        mark(map.cut(), Branch.SEAL_REFUSED, out);
        out.send(from, new SealReply(seal.txn(), map.number(), false));
      }
      case SEAL -> {
        if (!counts) {
          mark(map.cut(), Branch.SEALED, out);
          state.maps.seal(map, true, out);
        }
        asker = from;
        change = seal.txn();
        acknowledge(out);
      }
    }
  }

  private Answer answer(ClusterMap map) {
    KnownMaps maps = state.maps;
    ClusterMap other = maps.seal();
    ClusterMap last = maps.history().last();
    if (map.number() <= maps.history().closed() || map.number() <= last.number()) {
      return Answer.REFUSE;
    }
    if (map.before() != last.number()
        || !maps.history().isComplete()
        || (other != null && !other.equals(map))) {
      return Answer.WAIT; // this replica has missed something: a map, or the end of a change
    }
    long highest = state.nowMicros + MOST_SKEWS * state.options.allowedSkewMicros();
    boolean fits =
        map.whyNotAfter(last) == null
            && maps.isSource(map)
            && map.cutMicros() <= highest
            && (!state.rules.sealsBelowVotes()
                || (state.horizon.fence().isBefore(map.cut())
                    && state.registrations.highest().isBefore(map.cut())
                    && state.registrations.forgotten().isBefore(map.cut())
                    && !hasVotedAbove(map)));
    return fits ? Answer.SEAL : Answer.REFUSE;
  }

  /**
   * Whether a vote to commit stands above the cut, or a commit is here, of something that moves.
   */
  private boolean hasVotedAbove(ClusterMap map) {
    for (TxnRecord txn : state.records.above(map.cut())) {
      boolean committed =
          txn.outcome() instanceof Outcome.Commit commit
              && commit.participants().contains(state.self.partition());
      ExecutionRecord latest = txn.latest();
      if ((txn.isPrepared() || committed) && (latest == null || state.maps.moves(map, latest))) {
        return true;
      }
    }
    return false;
  }

  private void acknowledge(Effects out) {
    Endpoint to = asker;
    ClusterMap map = state.maps.seal();
    if (to == null || map == null || !state.maps.sealCounts()) {
      return;
    }
    if (!state.isAhead(map.cut()) || !state.rules.acknowledgesSealsLate()) {
      asker = null;
      state.holdUntilDurable(out);
      out.send(to, new SealReply(change, map.number(), true));
    }
  }

  /**
   * A replica tells what it knows. Nobody else is believed: the type of the sender sees to that.
   */
  void onMaps(ReplicaId from, Maps maps, Effects out) {
    if (!maps.maps().isEmpty() && state.maps.mayChange()) {
      int before = state.maps.history().last().number();
      state.maps.learn(maps.maps(), maps.closed(), state.horizon, out);
      if (maps.closed() == 0 && state.maps.history().last().number() > before) {
        askFor(from, out); // not all may have fitted
      }
    }
  }

  private void askFor(Endpoint whom, Effects out) {
    MapHistory known = state.maps.history();
    out.send(whom, new AskMaps(TxnId.INITIAL, known.last().number(), known.closed()));
  }

  void onAskMaps(Endpoint from, AskMaps ask, Effects out) {
    if (state.maps.history().last().number() > ask.last()
        || state.maps.history().closed() > ask.closed()) {
      out.send(from, state.maps.news(ask.txn(), ask.last()));
    }
  }

  /** This replica joins, and a peer has told what it knows. */
  void adopt(MapKnowledge known, Effects out) {
    if (!state.rules.joinsWithSeals() || !state.maps.mayChange()) {
      return;
    }
    state.maps.learn(known.maps(), known.closed(), state.horizon, out);
    if (known.seal() != null) {
      mark(known.seal().cut(), Branch.SEAL_ADOPTED, out);
      state.maps.adopt(known.seal(), out);
    }
  }

  void onTick(Effects out) {
    if (!state.maps.mayChange()) {
      return; // an older program at the other end of a link would not know what is asked
    }
    state.maps.retire(state.horizon);
    acknowledge(out);
    int inquiries = state.maps.seal() == null ? CALM_INQUIRIES : 1;
    if (state.elapsedMicros - askMicros >= inquiries * state.options.inquireMicros()) {
      ask(out);
    }
  }

  /** Asks a replica, another one each time, for maps and for the end of a change. */
  private void ask(Effects out) {
    askMicros = state.elapsedMicros;
    ClusterMap last = state.maps.history().last();
    int replicas = 2 * last.f() + 1;
    int turn = Math.floorMod(asked++ + state.self.index(), replicas * last.servers().size());
    int partition = state.maps.seal() == null ? nth(last, turn / replicas) : recordOf(last);
    ReplicaId peer = new ReplicaId(partition, turn % replicas);
    if (!peer.equals(state.self)) {
      askFor(peer, out);
    }
  }

  private static int nth(ClusterMap map, int rank) {
    return map.servers().keySet().stream().skip(rank).findFirst().orElseThrow();
  }

  private static int recordOf(ClusterMap map) {
    return map.partitionOf(MapRecord.key(map.number()));
  }
}
