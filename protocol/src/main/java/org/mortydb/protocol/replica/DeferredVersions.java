package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.TxnId;

/**
 * Copied versions whose writers are still open here. What the record of such a writer holds counts
 * as its vote until the outcome is known or the copy is complete (docs/protocol.md, section 6).
 */
final class DeferredVersions {
  private final ReplicaState state;
  private final Visibility visibility;
  private final ArrayList<Message.CopiedVersion> versions = new ArrayList<>();

  DeferredVersions(ReplicaState state, Visibility visibility) {
    this.state = state;
    this.visibility = visibility;
  }

  /** Takes a version if its writer is open here, and says whether it did. */
  boolean defers(Message.CopiedVersion copied) {
    TxnRecord writer = state.records.get(copied.version().writer());
    return writer != null && !writer.isInstalled() && versions.add(copied);
  }

  /** Installs the versions whose writers are from {@code first} to {@code last}, inclusive. */
  void install(TxnId first, TxnId last, Effects out) {
    for (Message.CopiedVersion copied : versions) {
      TxnId writer = copied.version().writer();
      if (!writer.isBefore(first)
          && !writer.isAfter(last)
          && visibility.installCopied(state.key(copied.key()), copied.version(), copied.value())) {
        visibility.push(state.key(copied.key()), writer, out);
      }
    }
  }

  /** Copies the versions, each after what is known of its writer, so that a restart defers it. */
  void copy(Consumer<LogRecord> to) {
    for (Message.CopiedVersion copied : versions) {
      TxnRecord writer = state.records.get(copied.version().writer());
      if (writer != null) {
        writer.copy(to);
      }
      to.accept(new LogRecord.Version(copied.key(), copied.version(), copied.value()));
    }
  }

  void clear() {
    versions.clear();
  }
}
