package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/**
 * Shows the writes of the current execution to replicas, and retracts those that only earlier
 * executions made (docs/protocol.md, section 2, Put).
 */
final class Writes {
  private final CoordinatorState state;
  private final Decision decision;

  /** Whether the current execution may have writes that replicas do not know. */
  private boolean unshown;

  /** Whether {@link #show} has left out writes of the current execution. */
  private boolean kept;

  /** Whether any write of any execution was sent to replicas. */
  private boolean sent;

  /** Whether replicas may know writes that the current execution has not made. */
  private boolean stale;

  Writes(CoordinatorState state, Decision decision) {
    this.state = state;
    this.decision = decision;
  }

  /** Buffers a write of the application. */
  void put(Key key, Value value, CoordinatorEffects out) {
    state.operate(key);
    if (state.log.size() >= Limits.MAX_OPERATIONS) {
      decision.abort(AbortReason.REFUSED, out);
      return;
    }
    WriteSlot slot = state.log.write(key, value);
    if (slot.value != null && slot.value.isFailed()) {
      decision.abort(AbortReason.MERGE_FAILED, out); // it does not fit the own put below
      return;
    }
    unshown |= slot.isDirty();
  }

  /** The current execution makes none of its writes. */
  void forgo() {
    state.log.forgoWrites();
    unshown = false;
    kept = false;
    stale = true;
  }

  /** A new execution has begun, which has yet to make its writes. */
  void onReexecution() {
    unshown = true;
    stale = true;
  }

  /** The application waits: shows the writes that replicas do not know and that others may miss. */
  void show(CoordinatorEffects out) {
    if (!unshown || state.options.shownWrites() == ShownWrites.NONE) {
      return;
    }
    unshown = false;
    boolean all = state.options.shownWrites() == ShownWrites.ALL;
    for (WriteSlot slot : state.log.writes()) {
      if (slot.isDirty()) {
        if (all || slot.isShown() || isMissedByOthers(slot.key)) {
          show(slot, out);
        } else {
          kept = true;
        }
      }
    }
  }

  /** Whether others probably read the key at the same time, so that a late write may abort. */
  private boolean isMissedByOthers(Key key) {
    return state.log.hasSeen(key) || state.attempt.contended().test(key);
  }

  /** The application has committed, but the Prepare has to wait: shows all writes meanwhile. */
  void showAll(CoordinatorEffects out) {
    if (!(unshown || kept) || state.options.shownWrites() == ShownWrites.NONE) {
      return;
    }
    unshown = false;
    kept = false;
    for (WriteSlot slot : state.log.writes()) {
      if (slot.isDirty()) {
        show(slot, out);
      }
    }
  }

  private void show(WriteSlot slot, CoordinatorEffects out) {
    sent = true;
    state.touched.set(slot.partition);
    Write write = slot.show();
    out.broadcast(slot.partition, new Put(state.txn, state.execution, write));
    out.shown(List.of(write), false);
  }

  /** Whether replicas may know of any write of this transaction, in whatever execution. */
  boolean wereSent() {
    return sent;
  }

  /** The write set, for Prepares: they show it. */
  List<Write> forPrepare() {
    unshown = false;
    kept = false;
    ArrayList<Write> writes = new ArrayList<>(state.log.writes().size());
    for (WriteSlot slot : state.log.writes()) {
      if (slot.value != null) {
        sent = true;
        writes.add(slot.show());
      }
    }
    return writes;
  }

  /**
   * Retracts the writes of earlier executions that this execution, which is complete, has not made.
   * Retracting earlier would be wasteful, because most executions write the same keys again. It
   * would also be harmful: a later transaction could read past the write and commit, and this
   * transaction would have to abort.
   */
  void retractStale(CoordinatorEffects out) {
    if (!stale) {
      return;
    }
    stale = false;
    BitSet touched = state.touched;
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      retract(state, p, state.execution, WriteSlot::isStale, out);
    }
  }

  /**
   * Retracts writes at a partition. Those of several executions together can be more than one
   * message may have, so they go in parts.
   *
   * @param execution the one that does not make them
   * @return whether there were any
   */
  static boolean retract(
      CoordinatorState state,
      int partition,
      int execution,
      Predicate<WriteSlot> which,
      CoordinatorEffects out) {
    List<Key> keys = state.log.retract(partition, which);
    int from = 0;
    while (from < keys.size()) {
      int to = endOfMessage(keys, from);
      out.broadcast(partition, new Retract(state.txn, execution, keys.subList(from, to)));
      from = to;
    }
    return !keys.isEmpty();
  }

  /** The end of the keys that one message may have. Any key fits. */
  private static int endOfMessage(List<Key> keys, int from) {
    int to = from;
    long bytes = 0;
    while (to < keys.size() && to - from < Limits.MAX_OPERATIONS) {
      bytes += (long) keys.get(to).size() + Limits.ENTRY_BYTES;
      if (bytes > Limits.MAX_REQUEST_BYTES) {
        break;
      }
      to++;
    }
    return to;
  }

  /** The same before a Prepare. Participants need no message: the Prepare has all of its writes. */
  void retractStaleBesides(List<Integer> participants, CoordinatorEffects out) {
    if (!stale) {
      return;
    }
    for (WriteSlot slot : state.log.writes()) {
      if (slot.isStale() && participants.contains(slot.partition)) {
        slot.retracted();
      }
    }
    retractStale(out);
  }
}
