package org.mortydb.protocol.coordinator;

import java.util.List;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;

/**
 * Takes replies and pushes for the keys and ranges that were read, and notices stale reads
 * (docs/protocol.md, section 2, Push).
 */
final class Answers {
  private final CoordinatorState state;
  private final Preparation preparation;
  private final Reading reading;
  private final Reexecution reexecution;

  Answers(
      CoordinatorState state, Preparation preparation, Reading reading, Reexecution reexecution) {
    this.state = state;
    this.preparation = preparation;
    this.reading = reading;
    this.reexecution = reexecution;
  }

  // ---- keys ---------------------------------------------------------------------------------

  /** A reply to a Get, or a push after it. */
  void onVersion(
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled,
      List<WriteId> below,
      CoordinatorEffects out) {
    if (!(reading.requested(request) instanceof ReadSlot slot)) {
      return;
    }
    VersionedValue shown = new VersionedValue(slot.key, version, value, settled, below);
    if (!slot.known) {
      slot.request = request; // the replica that answers first keeps the subscription
      slot.sequence = sequence;
      slot.learn(shown);
      if (!settled) {
        follow(slot, out);
      }
      reading.resumeIfAnswered(out);
    } else if (slot.request == request && sequence > slot.sequence) {
      slot.sequence = sequence;
      follow(slot, out);
      update(slot, shown, out);
    }
  }

  // ---- other transactions of the client -----------------------------------------------------

  /**
   * Others write the key meanwhile: the client's other transactions may do so, too (section 14).
   */
  private void follow(ReadSlot slot, CoordinatorEffects out) {
    if (!slot.follows && state.options.forwards() && state.phase.isOpen()) {
      slot.follows = true;
      out.follow(slot.key);
    }
  }

  /**
   * Takes a version that is on its way to the replica, or its withdrawal. The replica's own word
   * stays in memory meanwhile, because the replica does not repeat it.
   */
  void onForwarded(Event.Forwarded forwarded, CoordinatorEffects out) {
    ReadSlot slot = state.log.slotFor(forwarded.key());
    Value value = forwarded.value();
    VersionedValue told = slot.told;
    if (value == null) {
      if (told != null && slot.version.equals(forwarded.version())) {
        state.mark(Branch.FORWARD_WITHDRAWN, out);
        replace(slot, told, out);
      }
    } else if (slot.subscribed && slot.followed && forwarded.version().isNewerThan(slot.version)) {
      if (out.probing()) {
        out.probe(new Probe.Forwarded(state.txn, forwarded.key(), forwarded.version()));
      }
      boolean sameValue = slot.value.equals(value);
      slot.forward(forwarded.version(), value);
      react(slot, sameValue, out);
    }
  }

  // ---- ranges -------------------------------------------------------------------------------

  void onScanReply(ScanReply reply, CoordinatorEffects out) {
    if (!(reading.requested(reply.request()) instanceof ScanRequest request)) {
      return;
    }
    ScanSlot slot = request.slot;
    if (request.accepted || !request.from.equals(slot.next)) {
      return; // another replica was faster
    }
    request.accepted = true;
    slot.asked = false;
    slot.attempts = 1;
    slot.next = reply.next();
    for (VersionedValue row : reply.rows()) {
      onRow(reply.request(), 0, row, out);
    }
    for (PushRow push : request.takeEarly()) {
      onRow(push.request(), push.sequence(), push.row(), out);
    }
    reading.resumeIfAnswered(out);
  }

  void onPushRow(PushRow push, CoordinatorEffects out) {
    if (reading.requested(push.request()) instanceof ScanRequest request) {
      if (request.accepted) {
        onRow(push.request(), push.sequence(), push.row(), out);
        reading.resumeIfAnswered(out);
      } else if (request.from.equals(request.slot.next)) {
        request.keep(push);
      }
    }
  }

  /** A version of one key of a range. */
  private void onRow(int request, int sequence, VersionedValue row, CoordinatorEffects out) {
    ReadSlot slot = state.log.slotFor(row.key());
    slot.subscribed = true;
    if (!slot.known) {
      slot.request = request;
      slot.sequence = sequence;
      slot.learn(row);
      return;
    }
    boolean sameVersion = slot.version.equals(row.version());
    if (slot.request == ReadSlot.UNASKED) {
      slot.request = request;
      slot.sequence = -1;
      if (!sameVersion) {
        state.mark(Branch.PHANTOM_PUSHED, out);
      }
    }
    if (slot.request == request) {
      if (sequence <= slot.sequence) {
        return;
      }
      slot.sequence = sequence;
    } else if (!sameVersion && !row.version().isNewerThan(slot.version)) {
      return; // the subscription of the key itself knows better
    }
    update(slot, row, out);
  }

  // ---- news ---------------------------------------------------------------------------------

  /** The replica that is subscribed to shows a version of a known key. */
  private void update(ReadSlot slot, VersionedValue shown, CoordinatorEffects out) {
    if (slot.told != null && slot.version.isNewerThan(shown.version())) {
      slot.told = shown;
    } else if (!slot.versionedValue().isLike(shown)) {
      replace(slot, shown, out);
    } else {
      slot.confirm(shown.settled());
      preparation.prepareIfSettled(out);
    }
  }

  /** The read should have seen another version, with another value or with the same one. */
  private void replace(ReadSlot slot, VersionedValue shown, CoordinatorEffects out) {
    boolean sameValue = slot.value.equals(shown.value());
    slot.learn(shown);
    react(slot, sameValue, out);
  }

  /** The version that is known has changed. */
  private void react(ReadSlot slot, boolean sameValue, CoordinatorEffects out) {
    if (!state.phase.isOpen() || !slot.isLive() || reading.isWaitingFor(slot.operation)) {
      return;
    }
    if (!sameValue) {
      reexecution.onStale(slot, out);
      return;
    }
    if (state.phase != Phase.EXECUTING) {
      state.mark(Branch.VALUE_UNCHANGED, out);
    }
    if (state.phase == Phase.PREPARING) {
      preparation.prepareAgain(out);
    }
    preparation.prepareIfSettled(out);
  }
}
