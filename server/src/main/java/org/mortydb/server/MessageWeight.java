package org.mortydb.server;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** How much memory a message takes, about: enough to bound queues by bytes. */
final class MessageWeight {
  /** Objects around the bytes of a message, or of one of its parts. */
  private static final int OBJECT_BYTES = 128;

  /** The number of a partition in a list. */
  private static final int NUMBER_BYTES = 20;

  /** A version in a list, without its value. */
  private static final int VERSION_BYTES = 64;

  private MessageWeight() {}

  static long of(Message message) {
    // Without a default: a kind of message that nobody has weighed could pass all bounds.
    return OBJECT_BYTES
        + switch (message) {
          case Message.Get m -> m.key().size();
          case Message.GetReply m -> m.value().size() + ofVersions(m.below());
          case Message.Push m -> m.value().size() + ofVersions(m.below());
          case Message.Scan m -> of(m.range());
          case Message.ScanReply m -> of(m.rows()) + of(m.next());
          case Message.PushRow m -> of(m.row());
          case Message.Put m -> m.write().key().size() + m.write().value().size();
          case Message.Retract m -> ofKeys(m.keys());
          case Message.Prepare m ->
              of(m.reads(), m.writes()) + ofRanges(m.ranges()) + ofNumbers(m.participants());
          case Message.Register m -> of(m.reads(), List.of()) + ofRanges(m.ranges());
          case Message.PrepareReply m -> of(m.answer());
          case Message.Drop m -> ofKeys(m.keys());
          case Message.Finalize m -> of(m.value());
          case Message.FinalizeReply m ->
              m.answer() instanceof FinalizeAnswer.Decided(Outcome outcome) ? of(outcome) : 0;
          case Message.Decide m -> of(m.outcome());
          case Message.RecoverReply m -> of(m.answer());
          case Message.FetchReply m ->
              of(m.reads(), m.writes()) + ofRanges(m.ranges()) + ofNumbers(m.participants());
          case Message.TruncateReply m -> {
            Message.MapKnowledge known = m.maps();
            long bytes = (long) m.standings().size() * OBJECT_BYTES;
            yield known == null ? bytes : bytes + ofMaps(known.maps());
          }
          case Message.TruncateCommit m -> (long) m.commits().size() * OBJECT_BYTES;
          case Message.Copy m -> m.from().size();
          case Message.CopyReply m -> {
            long bytes = of(m.from()) + of(m.next());
            for (Message.CopiedVersion version : m.versions()) {
              bytes += OBJECT_BYTES + version.key().size() + version.value().size();
            }
            yield bytes;
          }
          case Message.CopyOutcomesReply m -> (long) m.outcomes().size() * OBJECT_BYTES;
          case Message.Found m -> ofNumbers(m.incarnations());
          case Message.Seal m -> of(m.map());
          case Message.CheckPartition m -> of(m.map());
          case Message.Maps m -> ofMaps(m.maps());
          case Message.ReadCut m -> of(m.range());
          case Message.CutReply m -> of(m.rows()) + of(m.from()) + of(m.next());
          case Message.ReadPast m -> ofKeys(m.keys());
          case Message.ScanPast m -> of(m.range());
          case Message.PastReply m -> of(m.rows()) + of(m.next());
          case Message.RegistrationLogged _,
              Message.Inquire _,
              Message.InquireReply _,
              Message.Recover _,
              Message.Fetch _,
              Message.NotHeld _,
              Message.Refused _,
              Message.TruncatePrepare _,
              Message.TruncateAck _,
              Message.Watermark _,
              Message.Behind _,
              Message.CopyOutcomes _,
              Message.SealReply _,
              Message.PartitionReply _,
              Message.AskMaps _,
              Message.OfSystem _ ->
              0;
        };
  }

  private static long of(PrepareAnswer answer) {
    return switch (answer) {
      case PrepareAnswer.Voted(Vote.Abandon abandon) -> of(abandon.fresh());
      case PrepareAnswer.Decided(Outcome outcome) -> of(outcome);
      case PrepareAnswer.Voted _,
          PrepareAnswer.Superseded _,
          PrepareAnswer.Fenced _,
          PrepareAnswer.Written _ ->
          0;
    };
  }

  private static long of(RecoverAnswer answer) {
    return switch (answer) {
      case RecoverAnswer.Promised promised -> {
        RecoverAnswer.Accepted accepted = promised.accepted();
        yield ofNumbers(promised.participants()) + (accepted == null ? 0 : of(accepted.value()));
      }
      case RecoverAnswer.Decided(Outcome outcome) -> of(outcome);
      case RecoverAnswer.Fenced _ -> 0;
    };
  }

  private static long of(Outcome outcome) {
    return outcome instanceof Outcome.Commit commit ? ofNumbers(commit.participants()) : 0;
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
      bytes += of(rows.get(i));
    }
    return bytes;
  }

  private static long of(VersionedValue row) {
    return OBJECT_BYTES + row.key().size() + row.value().size() + ofVersions(row.below());
  }

  private static long ofVersions(List<WriteId> versions) {
    return (long) versions.size() * VERSION_BYTES;
  }

  private static long ofKeys(List<Key> keys) {
    long bytes = 0;
    for (int i = 0; i < keys.size(); i++) {
      bytes += OBJECT_BYTES + keys.get(i).size();
    }
    return bytes;
  }

  private static long ofRanges(List<KeyRange> ranges) {
    long bytes = 0;
    for (int i = 0; i < ranges.size(); i++) {
      bytes += OBJECT_BYTES + of(ranges.get(i));
    }
    return bytes;
  }

  private static long of(KeyRange range) {
    return of(range.from()) + of(range.to());
  }

  private static long of(@Nullable Key key) {
    return key == null ? 0 : key.size();
  }

  private static long ofNumbers(List<? extends Number> numbers) {
    return (long) numbers.size() * NUMBER_BYTES;
  }

  private static long ofMaps(List<ClusterMap> maps) {
    long bytes = 0;
    for (int i = 0; i < maps.size(); i++) {
      bytes += of(maps.get(i));
    }
    return bytes;
  }

  private static long of(ClusterMap map) {
    return map.bytes().length;
  }
}
