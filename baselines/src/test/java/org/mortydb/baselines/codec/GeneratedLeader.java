package org.mortydb.baselines.codec;

import com.google.protobuf.MessageLite;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.proto.AbortedEntry;
import org.mortydb.baselines.proto.Append;
import org.mortydb.baselines.proto.AppendReply;
import org.mortydb.baselines.proto.Ballot;
import org.mortydb.baselines.proto.Blocked;
import org.mortydb.baselines.proto.CommittedEntry;
import org.mortydb.baselines.proto.GiveWay;
import org.mortydb.baselines.proto.KeepAlive;
import org.mortydb.baselines.proto.LogEntry;
import org.mortydb.baselines.proto.PrepareCommit;
import org.mortydb.baselines.proto.PreparedEntry;
import org.mortydb.baselines.proto.Rollback;
import org.mortydb.baselines.proto.SafeTimeQuery;
import org.mortydb.baselines.proto.SnapshotRead;
import org.mortydb.baselines.proto.TransactionRead;
import org.mortydb.baselines.proto.Update;
import org.mortydb.baselines.proto.Verdict;
import org.mortydb.baselines.proto.VerdictAck;
import org.mortydb.baselines.proto.VersionReply;
import org.mortydb.wire.parts.GeneratedParts;

/**
 * The messages of the systems with leaders as the classes that protoc generates from the schema.
 */
final class GeneratedLeader {
  private GeneratedLeader() {}

  static MessageLite.Builder of(LeaderMessage message) {
    return switch (message) {
      case LeaderMessage.TransactionRead m ->
          TransactionRead.newBuilder()
              .setTxn(GeneratedParts.txn(m.txn()))
              .setAgeMicros(m.ageMicros())
              .setRequest(m.request())
              .setKey(GeneratedParts.bytes(m.key()));
      case LeaderMessage.SnapshotRead m ->
          SnapshotRead.newBuilder()
              .setTxn(GeneratedParts.txn(m.txn()))
              .setRequest(m.request())
              .setKey(GeneratedParts.bytes(m.key()))
              .setAtMicros(m.atMicros());
      case LeaderMessage.PrepareCommit m ->
          PrepareCommit.newBuilder()
              .setTxn(GeneratedParts.txn(m.txn()))
              .setAgeMicros(m.ageMicros())
              .setCoordinator(m.coordinator())
              .setReadOnly(m.readOnly())
              .addAllReads(m.readSet().stream().map(GeneratedParts::read).toList())
              .addAllWrites(m.writeSet().stream().map(GeneratedParts::write).toList())
              .addAllParticipants(m.participants())
              .setSnapshotMicros(m.snapshotMicros());
      case LeaderMessage.Rollback m -> Rollback.newBuilder().setTxn(GeneratedParts.txn(m.txn()));
      case LeaderMessage.KeepAlive m -> KeepAlive.newBuilder().setTxn(GeneratedParts.txn(m.txn()));
      case LeaderMessage.VersionReply m -> {
        var reply =
            VersionReply.newBuilder()
                .setTxn(GeneratedParts.txn(m.txn()))
                .setRequest(m.request())
                .setVersion(GeneratedParts.version(m.version()));
        if (!m.value().isAbsent()) {
          reply.setValue(GeneratedParts.bytes(m.value()));
        }
        yield reply;
      }
      case LeaderMessage.Ballot m ->
          Ballot.newBuilder()
              .setTxn(GeneratedParts.txn(m.txn()))
              .setPrepareMicros(m.prepareMicros())
              .setInConflict(m.conflicts().in())
              .setOutConflict(m.conflicts().out());
      case LeaderMessage.Verdict m ->
          Verdict.newBuilder()
              .setTxn(GeneratedParts.txn(m.txn()))
              .setCommitMicros(m.commitMicros())
              .setInConflict(m.conflicts().in())
              .setOutConflict(m.conflicts().out());
      case LeaderMessage.VerdictAck m ->
          VerdictAck.newBuilder().setTxn(GeneratedParts.txn(m.txn()));
      case LeaderMessage.Append m ->
          Append.newBuilder()
              .setFirstIndex(m.firstIndex())
              .addAllEntries(m.entries().stream().map(GeneratedLeader::entry).toList())
              .setAppliedIndex(m.appliedIndex())
              .setSafeMicros(m.safeMicros());
      case LeaderMessage.AppendReply m ->
          AppendReply.newBuilder().setLastIndex(m.lastIndex()).setAppliedIndex(m.appliedIndex());
      case LeaderMessage.SafeTimeQuery m -> SafeTimeQuery.newBuilder().setAtMicros(m.atMicros());
      case LeaderMessage.Blocked m -> Blocked.newBuilder().setTxn(GeneratedParts.txn(m.txn()));
      case LeaderMessage.GiveWay m -> GiveWay.newBuilder().setTxn(GeneratedParts.txn(m.txn()));
      case LeaderMessage.Update m ->
          Update.newBuilder()
              .setTxn(GeneratedParts.txn(m.txn()))
              .setAgeMicros(m.ageMicros())
              .setKey(GeneratedParts.bytes(m.key()))
              .setSnapshotMicros(m.snapshotMicros());
    };
  }

  private static LogEntry entry(org.mortydb.baselines.message.LogEntry entry) {
    LogEntry.Builder out = LogEntry.newBuilder();
    switch (entry) {
      case org.mortydb.baselines.message.LogEntry.Prepared e ->
          out.setPrepared(
              PreparedEntry.newBuilder()
                  .setTxn(GeneratedParts.txn(e.txn()))
                  .setPrepareMicros(e.prepareMicros())
                  .addAllWrites(e.writes().stream().map(GeneratedParts::write).toList()));
      case org.mortydb.baselines.message.LogEntry.Committed e ->
          out.setCommitted(
              CommittedEntry.newBuilder()
                  .setTxn(GeneratedParts.txn(e.txn()))
                  .setCommitMicros(e.commitMicros())
                  .addAllWrites(e.writes().stream().map(GeneratedParts::write).toList()));
      case org.mortydb.baselines.message.LogEntry.Aborted e ->
          out.setAborted(AbortedEntry.newBuilder().setTxn(GeneratedParts.txn(e.txn())));
    }
    return out.build();
  }
}
