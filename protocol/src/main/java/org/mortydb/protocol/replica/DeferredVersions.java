package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/**
 * Copied versions whose writers are still open here. What the record of such a writer holds counts
 * as its vote until the outcome is known or the watermark has passed it (docs/protocol.md, section
 * 6). A copy that fails leaves its versions here: they are in the log, and a restart finds them.
 *
 * <p>Each pins the state of its key. The copy has listed the key there, and the key may hold
 * nothing else: it would be forgotten if the copy took longer than the retention.
 */
final class DeferredVersions {

  private record Deferred(KeyState key, Message.CopiedVersion copied) {
    TxnId writer() {
      return copied.version().writer();
    }
  }

  private final ReplicaState state;
  private final Visibility visibility;
  private final ArrayList<Deferred> versions = new ArrayList<>();

  DeferredVersions(ReplicaState state, Visibility visibility) {
    this.state = state;
    this.visibility = visibility;
  }

  boolean isEmpty() {
    return versions.isEmpty();
  }

  /** Takes a version if its writer is open here, and says whether it did. */
  boolean defers(KeyState key, Message.CopiedVersion copied) {
    TxnRecord writer = state.records.get(copied.version().writer());
    if (writer == null || writer.isInstalled()) {
      return false;
    }
    key.pin();
    versions.add(new Deferred(key, copied));
    return true;
  }

  /** Installs the versions whose writers are from {@code first} to {@code last}, inclusive. */
  void install(TxnId first, TxnId last, Effects out) {
    versions.removeIf(
        deferred -> {
          TxnId writer = deferred.writer();
          if (writer.isBefore(first) || writer.isAfter(last)) {
            return false;
          }
          KeyState key = release(deferred);
          Message.CopiedVersion copied = deferred.copied();
          if (visibility.installCopied(key, copied.version(), copied.value())) {
            visibility.push(key, writer, out);
          }
          return true;
        });
  }

  /**
   * Adds the version of a key's floor to a copy by a peer, if it waits here. The peer would lack
   * versions below the floor without knowing it, and a floor goes with its version.
   *
   * @return the size of the key and the value in bytes, 0 if there is none
   */
  long addFloor(KeyState key, List<Message.CopiedVersion> to) {
    TxnId floor = key.floor();
    for (Deferred deferred : versions) {
      if (deferred.key() == key && deferred.writer().equals(floor)) {
        WriteId version = deferred.copied().version();
        Value value = deferred.copied().value();
        to.add(new Message.CopiedVersion(key.key(), version, value, floor));
        return (long) key.key().size() + value.size();
      }
    }
    return 0;
  }

  /** Discards the versions at or below {@code upTo} of the keys that a copy has found deleted. */
  void discard(TxnId upTo, Predicate<KeyState> deleted) {
    versions.removeIf(
        deferred -> {
          if (deferred.writer().isAfter(upTo) || !deleted.test(deferred.key())) {
            return false;
          }
          state.housekeeping.prunable(release(deferred), state.elapsedMicros);
          return true;
        });
  }

  private static KeyState release(Deferred deferred) {
    deferred.key().unpin();
    return deferred.key();
  }

  /**
   * Copies the versions for a checkpoint, each after what is known of its writer, so that a restart
   * defers it.
   *
   * @param erased see {@link TxnRecord#copy}
   */
  void copy(TxnId erased, Consumer<LogRecord> to) {
    for (Deferred deferred : versions) {
      TxnRecord writer = state.records.get(deferred.writer());
      if (writer != null) {
        writer.copy(erased, to);
      }
      Message.CopiedVersion copied = deferred.copied();
      to.accept(new LogRecord.Version(copied.key(), copied.version(), copied.value()));
    }
  }
}
