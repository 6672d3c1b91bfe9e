package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.ReplicaState.mark;

import java.util.List;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * What transactions have written at this replica, as far as others see it, and who is told when
 * that changes (docs/protocol.md, section 2).
 */
final class Visibility {
  private final ReplicaState state;

  Visibility(ReplicaState state) {
    this.state = state;
  }

  /** Adds or replaces the transaction's uncommitted version; false when nothing new was learnt. */
  boolean upsert(TxnRecord txn, KeyState key, Write write, int execution) {
    Version version = key.versions.find(txn.id);
    if (version == null) {
      key.versions.insert(
          new Version(new WriteId(txn.id, write.valueId()), write.value(), execution));
      txn.addWritten(key);
      return true;
    }
    version.execution(Math.max(execution, version.execution()));
    if (version.isCommitted() || version.id().valueId() >= write.valueId()) {
      return false;
    }
    version.replace(write.valueId(), write.value());
    return true;
  }

  /**
   * Makes the write set visible, and takes back what an older execution left beside it.
   *
   * @return whether anything was written that was not visible before, and is to be told of
   */
  boolean showWriteSet(TxnRecord txn, ExecutionRecord execution, Effects out) {
    KeyState[] writeKeys = execution.writeKeys();
    boolean news = false;
    for (int i = 0; i < writeKeys.length; i++) {
      news |= upsert(txn, writeKeys[i], execution.writes().get(i), execution.number());
    }
    if (txn.written().size() <= writeKeys.length) {
      return news;
    }
    for (KeyState key : txn.written()) {
      retractOlder(txn, key, execution.number(), out);
    }
    return news;
  }

  /** Takes back what an execution older than {@code execution} wrote to a key. */
  void retractOlder(TxnRecord txn, KeyState key, int execution, Effects out) {
    Version version = key.versions.find(txn.id);
    if (version != null && version.execution() < execution) {
      key.versions.remove(txn.id);
      mark(txn.id, Branch.RETRACTED, out);
      tellSubscribers(key, txn.id, out);
      state.housekeeping.prunable(key, state.nowMicros);
    }
  }

  /** Takes back all that the transaction wrote and that is not committed. */
  void removeVersions(TxnRecord txn, Effects out) {
    for (KeyState key : txn.written()) {
      Version version = key.versions.find(txn.id);
      if (version != null && !version.isCommitted()) {
        key.versions.remove(txn.id);
        tellSubscribers(key, txn.id, out);
        state.housekeeping.prunable(key, state.nowMicros);
      }
    }
    txn.clearWritten();
  }

  /** Makes one write of a committed transaction final. */
  void installWrite(TxnRecord txn, KeyState key, Write write, Effects out) {
    Version version = key.versions.find(txn.id);
    boolean changed = version == null || version.id().valueId() != write.valueId();
    if (version == null) {
      version = new Version(new WriteId(txn.id, write.valueId()), write.value(), 0);
      key.versions.insert(version);
    } else if (changed) {
      version.replace(write.valueId(), write.value());
    }
    boolean news = changed || !version.isSettled();
    key.versions.commit(version);
    state.housekeeping.prunable(key, state.nowMicros);
    key.limitVersions(state.options.maxVersionsPerKey(), state.cuts);
    if (news) {
      tellSubscribers(key, txn.id, out);
    }
  }

  /**
   * Adds a committed version of which nothing else is known.
   *
   * @return false when it was here already
   */
  boolean installCopied(KeyState key, WriteId id, Value value) {
    Version version = key.versions.find(id.writer());
    if (version != null && version.isCommitted()) {
      return false;
    }
    if (version == null) {
      version = new Version(id, value, 0);
      key.versions.insert(version);
    } else {
      version.replace(id.valueId(), value);
    }
    key.versions.commit(version);
    state.housekeeping.prunable(key, state.nowMicros);
    return true;
  }

  /**
   * Pushes to every subscriber above {@code writer} that should see something else now, because the
   * writer's version appeared, changed, settled or vanished. A version that took the place of one
   * by the same writer is told of when it has settled: a chain of writers that all wait for the
   * first would otherwise run again, each of them, at every change of any of them.
   */
  void tellSubscribers(KeyState key, TxnId writer, Effects out) {
    List<KeyState.Subscription> subscriptions = key.subscriptions();
    for (int i = 0; i < subscriptions.size(); i++) {
      KeyState.Subscription subscription = subscriptions.get(i);
      TxnRecord reader = subscription.reader;
      if (!reader.id.isAfter(writer) || subscription.seen.writer().isAfter(writer)) {
        continue;
      }
      VersionedValue visible = Validator.visible(key, reader.id);
      if (!isNews(subscription.seen, subscription.seenSettled, visible)
          || reader.coordinator == null) {
        continue;
      }
      subscription.seen = visible.version();
      subscription.seenSettled = visible.settled();
      subscription.sequence++;
      out.send(
          reader.coordinator,
          new Push(
              reader.id,
              subscription.request,
              subscription.sequence,
              visible.version(),
              visible.value(),
              visible.settled()));
      if (out.probing()) {
        out.probe(new Probe.Pushed(reader.id, key.key, visible.version()));
      }
    }
    if (!state.rangeSubscriptions.isEmpty()) {
      tellScans(key, writer, out);
    }
  }

  private void tellScans(KeyState key, TxnId writer, Effects out) {
    for (List<RangeSubscriptions.Subscription> scans : state.rangeSubscriptions.above(writer)) {
      for (int i = 0; i < scans.size(); i++) {
        RangeSubscriptions.Subscription scan = scans.get(i);
        TxnRecord reader = scan.reader;
        if (!scan.range.contains(key.key) || reader.coordinator == null) {
          continue;
        }
        RangeSubscriptions.Seen seen = scan.seen(key.key);
        VersionedValue visible = Validator.visible(key, reader.id);
        if (seen.version().writer().isAfter(writer)
            || !isNews(seen.version(), seen.settled(), visible)) {
          continue;
        }
        scan.sees(visible);
        scan.sequence++;
        out.send(reader.coordinator, new PushRow(reader.id, scan.request, scan.sequence, visible));
        if (out.probing()) {
          out.probe(new Probe.Pushed(reader.id, key.key, visible.version()));
        }
      }
    }
  }

  private static boolean isNews(WriteId seen, boolean seenSettled, VersionedValue visible) {
    if (visible.version().equals(seen)) {
      return visible.settled() && !seenSettled;
    }
    return visible.settled() || !visible.version().writer().equals(seen.writer());
  }
}
