package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;

/**
 * Copied versions whose writers are still open here. What the record of such a writer holds counts
 * as its vote until the outcome is known or the watermark has passed it (docs/protocol.md, section
 * 6). A copy that fails leaves its versions here: they are in the log, and a restart finds them.
 */
final class DeferredVersions {
  private final ReplicaState state;
  private final Visibility visibility;
  private final ArrayList<Message.CopiedVersion> versions = new ArrayList<>();

  DeferredVersions(ReplicaState state, Visibility visibility) {
    this.state = state;
    this.visibility = visibility;
  }

  boolean isEmpty() {
    return versions.isEmpty();
  }

  /** Takes a version if its writer is open here, and says whether it did. */
  boolean defers(Message.CopiedVersion copied) {
    TxnRecord writer = state.records.get(copied.version().writer());
    return writer != null && !writer.isInstalled() && versions.add(copied);
  }

  /** Installs the versions whose writers are from {@code first} to {@code last}, inclusive. */
  void install(TxnId first, TxnId last, Effects out) {
    versions.removeIf(
        copied -> {
          TxnId writer = copied.version().writer();
          if (writer.isBefore(first) || writer.isAfter(last)) {
            return false;
          }
          KeyState key = state.key(copied.key());
          if (visibility.installCopied(key, copied.version(), copied.value())) {
            visibility.push(key, writer, out);
          }
          return true;
        });
  }

  /** Discards the versions at or below {@code upTo} of the keys that a copy has found deleted. */
  void discard(TxnId upTo, Predicate<Key> deleted) {
    versions.removeIf(
        copied -> !copied.version().writer().isAfter(upTo) && deleted.test(copied.key()));
  }

  /**
   * Copies the versions for a checkpoint, each after what is known of its writer, so that a restart
   * defers it.
   *
   * @param erased see {@link TxnRecord#copy}
   */
  void copy(TxnId erased, Consumer<LogRecord> to) {
    for (Message.CopiedVersion copied : versions) {
      TxnRecord writer = state.records.get(copied.version().writer());
      if (writer != null) {
        writer.copy(erased, to);
      }
      to.accept(new LogRecord.Version(copied.key(), copied.version(), copied.value()));
    }
  }
}
