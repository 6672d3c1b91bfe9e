package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * The versions that transactions have written at this replica, as others see them, and the pushes
 * to their readers when that changes (docs/protocol.md, section 2).
 */
final class Visibility {
  private final ReplicaState state;

  Visibility(ReplicaState state) {
    this.state = state;
  }

  /** Adds or replaces the transaction's uncommitted version; false if that changes nothing. */
  boolean upsert(TxnRecord txn, KeyState key, Write write, int execution) {
    Version version = key.versions().find(txn.id());
    if (version == null) {
      if (write.value().isMerge() && !state.restoring && state.isFullOfMerges(key)) {
        return false; // it gets no vote either: a reader would have to name it
      }
      key.versions()
          .insert(new Version(new WriteId(txn.id(), write.valueId()), write.value(), execution));
      txn.addWritten(key);
      return true;
    }
    version.seenIn(execution);
    if (version.isCommitted() || version.id().valueId() >= write.valueId()) {
      return false;
    }
    version.replace(write.valueId(), write.value());
    return true;
  }

  /**
   * Shows the write set of an execution, and retracts what an older execution has written besides.
   *
   * @return whether something is visible now that was not before, and has to be pushed
   */
  boolean showWriteSet(TxnRecord txn, ExecutionRecord execution, Effects out) {
    KeyState[] writeKeys = execution.writeKeys();
    boolean news = false;
    boolean allShown = true;
    for (int i = 0; i < writeKeys.length; i++) {
      Write write = execution.writes().get(i);
      news |= upsert(txn, writeKeys[i], write, execution.number());
      // A merge beyond the limit is not.
      allShown &= !write.value().isMerge() || writeKeys[i].versions().find(txn.id()) != null;
    }
    if (allShown && txn.written().size() <= writeKeys.length) {
      return news; // nothing was written besides
    }
    for (KeyState key : txn.written()) {
      retractOlder(txn, key, execution.number(), out);
    }
    return news;
  }

  /**
   * Retracts what an execution older than {@code execution} has written to a key. A committed
   * version stays: a copy has brought it, and this replica does not know the outcome yet.
   */
  void retractOlder(TxnRecord txn, KeyState key, int execution, Effects out) {
    Version version = key.versions().find(txn.id());
    if (version != null && !version.isCommitted() && version.execution() < execution) {
      key.versions().remove(txn.id());
      mark(txn.id(), Branch.RETRACTED, out);
      push(key, txn.id(), out);
      state.housekeeping.prunable(key, state.elapsedMicros);
    }
  }

  /** Removes all uncommitted versions of the transaction. */
  void removeVersions(TxnRecord txn, Effects out) {
    for (KeyState key : txn.written()) {
      Version version = key.versions().find(txn.id());
      if (version != null && !version.isCommitted()) {
        key.versions().remove(txn.id());
        push(key, txn.id(), out);
        state.housekeeping.prunable(key, state.elapsedMicros);
      }
    }
    txn.clearWritten();
  }

  /** Makes one write of a committed transaction final. */
  void installWrite(TxnRecord txn, KeyState key, Write write, Effects out) {
    Version version = key.versions().find(txn.id());
    // A copy may have brought another value, if the client has told two replicas two outcomes. What
    // has committed stays as it is.
    boolean changed =
        version == null || (!version.isCommitted() && version.id().valueId() != write.valueId());
    if (version == null) {
      version = new Version(new WriteId(txn.id(), write.valueId()), write.value(), 0);
      key.versions().insert(version);
    } else if (changed) {
      version.replace(write.valueId(), write.value());
    }
    boolean news = changed || !version.isSettled();
    key.versions().commit(version);
    state.housekeeping.prunable(key, state.elapsedMicros);
    key.limitVersions(state.options.maxVersionsPerKey(), state.cuts);
    if (news) {
      push(key, txn.id(), out);
    }
  }

  /**
   * Adds a committed version that a copy or a checkpoint holds.
   *
   * @return false if it is here already
   */
  boolean installCopied(KeyState key, WriteId id, Value value) {
    Version version = key.versions().find(id.writer());
    if (version != null && version.isCommitted()) {
      if (!version.isMerge() || value.isMerge()) {
        return false;
      }
      key.versions().fold(version, value); // what it is made of may be missing here
      return true;
    }
    if (version == null) {
      version = new Version(id, value, 0);
      key.versions().insert(version);
    } else {
      version.replace(id.valueId(), value);
    }
    key.versions().commit(version);
    state.housekeeping.prunable(key, state.elapsedMicros);
    return true;
  }

  /**
   * Pushes a key to every subscriber above {@code writer} that should see something else now,
   * because the version of {@code writer} appeared, changed, settled or vanished.
   *
   * <p>A version that replaces one by the same writer is pushed only once it has settled. Otherwise
   * each writer in a chain of waiting writers would re-execute at every change of every other one.
   */
  void push(KeyState key, TxnId writer, Effects out) {
    List<KeyState.Subscription> subscriptions = key.subscriptions();
    for (int i = 0; i < subscriptions.size(); i++) {
      KeyState.Subscription subscription = subscriptions.get(i);
      TxnRecord reader = subscription.reader();
      VersionedValue seen = subscription.seen();
      Endpoint coordinator = reader.coordinator();
      if (!reader.id().isAfter(writer) || isPast(seen, writer) || coordinator == null) {
        continue;
      }
      VersionedValue visible = state.visible(key, reader.id());
      if (isNews(seen, visible)) {
        out.send(
            coordinator,
            new Push(
                reader.id(),
                subscription.request(),
                subscription.show(visible),
                visible.version(),
                visible.value(),
                visible.settled(),
                visible.below()));
        probePushed(reader, visible, out);
      }
    }
    if (!state.rangeSubscriptions.isEmpty()) {
      pushRow(key, writer, out);
    }
  }

  private void pushRow(KeyState key, TxnId writer, Effects out) {
    for (List<RangeSubscriptions.Subscription> scans : state.rangeSubscriptions.above(writer)) {
      for (int i = 0; i < scans.size(); i++) {
        RangeSubscriptions.Subscription scan = scans.get(i);
        TxnRecord reader = scan.reader();
        Endpoint coordinator = reader.coordinator();
        if (!scan.range().contains(key.key())
            || coordinator == null
            || !state.maps.shows(reader.id(), key.key())) {
          continue;
        }
        VersionedValue seen = scan.seen(key.key());
        VersionedValue visible = state.visible(key, reader.id());
        if (!isPast(seen, writer) && isNews(seen, visible)) {
          out.send(
              coordinator, new PushRow(reader.id(), scan.request(), scan.push(visible), visible));
          probePushed(reader, visible, out);
        }
      }
    }
  }

  private static void probePushed(TxnRecord reader, VersionedValue pushed, Effects out) {
    if (out.probing()) {
      out.probe(new Probe.Pushed(reader.id(), pushed.key(), pushed.version()));
    }
  }

  /** Whether a writer is below all versions that the value shown is made of. */
  private static boolean isPast(@Nullable VersionedValue seen, TxnId writer) {
    return seen != null && seen.lowest().writer().isAfter(writer);
  }

  /** Null if nothing was shown: then the key counts as absent. */
  private static boolean isNews(@Nullable VersionedValue seen, VersionedValue visible) {
    if (seen == null) {
      return !visible.version().isInitial();
    }
    if (visible.isLike(seen)) {
      return visible.settled() && !seen.settled();
    }
    return visible.settled() || !hasSameWriters(seen, visible);
  }

  /** Whether two values are made of versions by the same writers, some of which have changed. */
  private static boolean hasSameWriters(VersionedValue seen, VersionedValue visible) {
    if (!visible.version().writer().equals(seen.version().writer())
        || visible.below().size() != seen.below().size()) {
      return false;
    }
    for (int i = 0; i < visible.below().size(); i++) {
      if (!visible.below().get(i).writer().equals(seen.below().get(i).writer())) {
        return false;
      }
    }
    return true;
  }
}
