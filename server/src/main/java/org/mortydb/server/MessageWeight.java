package org.mortydb.server;

import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/** How much memory a message takes, about: enough to bound queues by bytes. */
final class MessageWeight {
  /** Objects around the bytes of a message, or of one of its parts. */
  private static final int OBJECT_BYTES = 128;

  private MessageWeight() {}

  static long of(Message message) {
    return OBJECT_BYTES
        + switch (message) {
          case Message.Get m -> m.key().size();
          case Message.Put m -> m.write().key().size() + m.write().value().size();
          case Message.Prepare m -> of(m.reads(), m.writes());
          case Message.FetchReply m -> of(m.reads(), m.writes());
          case Message.Retract m -> ofKeys(m.keys());
          case Message.GetReply m -> m.value().size();
          case Message.Push m -> m.value().size();
          case Message.ScanReply m -> of(m.rows());
          case Message.CutReply m -> of(m.rows());
          case Message.ReadPast m -> ofKeys(m.keys());
          case Message.PastReply m -> of(m.rows());
          case Message.Copy m -> m.from().size();
          case Message.CopyReply m -> {
            Key next = m.next();
            long bytes = (long) m.from().size() + (next == null ? 0 : next.size());
            for (Message.CopiedVersion version : m.versions()) {
              bytes += OBJECT_BYTES + version.key().size() + version.value().size();
            }
            yield bytes;
          }
          case Message.TruncateReply m -> (long) m.standings().size() * OBJECT_BYTES;
          case Message.TruncateCommit m -> (long) m.commits().size() * OBJECT_BYTES;
          case Message.CopyOutcomesReply m -> (long) m.outcomes().size() * OBJECT_BYTES;
          default -> 0;
        };
  }

  private static long of(List<Read> reads, List<Write> writes) {
    long bytes = 0;
    for (int i = 0; i < reads.size(); i++) {
      bytes += OBJECT_BYTES + reads.get(i).key().size();
    }
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      bytes += OBJECT_BYTES + write.key().size() + write.value().size();
    }
    return bytes;
  }

  private static long of(List<VersionedValue> rows) {
    long bytes = 0;
    for (int i = 0; i < rows.size(); i++) {
      bytes += OBJECT_BYTES + rows.get(i).key().size() + rows.get(i).value().size();
    }
    return bytes;
  }

  private static long ofKeys(List<Key> keys) {
    long bytes = 0;
    for (int i = 0; i < keys.size(); i++) {
      bytes += OBJECT_BYTES + keys.get(i).size();
    }
    return bytes;
  }
}
