package org.mortydb.wire;

import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.wire.proto.AbortedEntry;
import org.mortydb.wire.proto.CommittedEntry;
import org.mortydb.wire.proto.Envelope;
import org.mortydb.wire.proto.LogEntry;
import org.mortydb.wire.proto.PreparedEntry;

/** The messages of the systems with leaders, as {@link Generated}. */
final class GeneratedLeader {
  private GeneratedLeader() {}

  static void fill(Envelope.Builder out, LeaderMessage message) {
    switch (message) {
      case LeaderMessage.TransactionRead m ->
          out.getTransactionReadBuilder()
              .setTxn(Generated.txn(m.txn()))
              .setAgeMicros(m.ageMicros())
              .setRequest(m.request())
              .setKey(Generated.bytes(m.key()));
      case LeaderMessage.SnapshotRead m ->
          out.getSnapshotReadBuilder()
              .setTxn(Generated.txn(m.txn()))
              .setRequest(m.request())
              .setKey(Generated.bytes(m.key()))
              .setAtMicros(m.atMicros());
      case LeaderMessage.PrepareCommit m ->
          out.getPrepareCommitBuilder()
              .setTxn(Generated.txn(m.txn()))
              .setAgeMicros(m.ageMicros())
              .setCoordinator(m.coordinator())
              .setReadOnly(m.readOnly())
              .addAllReads(m.readSet().stream().map(Generated::read).toList())
              .addAllWrites(m.writeSet().stream().map(Generated::write).toList())
              .addAllParticipants(m.participants());
      case LeaderMessage.Rollback m -> out.getRollbackBuilder().setTxn(Generated.txn(m.txn()));
      case LeaderMessage.KeepAlive m -> out.getKeepAliveBuilder().setTxn(Generated.txn(m.txn()));
      case LeaderMessage.VersionReply m -> {
        var reply =
            out.getVersionReplyBuilder()
                .setTxn(Generated.txn(m.txn()))
                .setRequest(m.request())
                .setVersion(Generated.version(m.version()));
        if (!m.value().isAbsent()) {
          reply.setValue(Generated.bytes(m.value()));
        }
      }
      case LeaderMessage.Ballot m ->
          out.getBallotBuilder().setTxn(Generated.txn(m.txn())).setPrepareMicros(m.prepareMicros());
      case LeaderMessage.Verdict m ->
          out.getVerdictBuilder().setTxn(Generated.txn(m.txn())).setCommitMicros(m.commitMicros());
      case LeaderMessage.VerdictAck m -> out.getVerdictAckBuilder().setTxn(Generated.txn(m.txn()));
      case LeaderMessage.Append m ->
          out.getAppendBuilder()
              .setFirstIndex(m.firstIndex())
              .addAllEntries(m.entries().stream().map(GeneratedLeader::entry).toList())
              .setAppliedIndex(m.appliedIndex())
              .setSafeMicros(m.safeMicros());
      case LeaderMessage.AppendReply m ->
          out.getAppendReplyBuilder().setLastIndex(m.lastIndex()).setAppliedIndex(m.appliedIndex());
      case LeaderMessage.SafeTimeQuery m -> out.getSafeTimeQueryBuilder().setAtMicros(m.atMicros());
      case LeaderMessage.Blocked m -> out.getBlockedBuilder().setTxn(Generated.txn(m.txn()));
      case LeaderMessage.GiveWay m -> out.getGiveWayBuilder().setTxn(Generated.txn(m.txn()));
    }
  }

  private static LogEntry entry(org.mortydb.baselines.message.LogEntry entry) {
    LogEntry.Builder out = LogEntry.newBuilder();
    switch (entry) {
      case org.mortydb.baselines.message.LogEntry.Prepared e ->
          out.setPrepared(
              PreparedEntry.newBuilder()
                  .setTxn(Generated.txn(e.txn()))
                  .setPrepareMicros(e.prepareMicros())
                  .addAllWrites(e.writes().stream().map(Generated::write).toList()));
      case org.mortydb.baselines.message.LogEntry.Committed e ->
          out.setCommitted(
              CommittedEntry.newBuilder()
                  .setTxn(Generated.txn(e.txn()))
                  .setCommitMicros(e.commitMicros())
                  .addAllWrites(e.writes().stream().map(Generated::write).toList()));
      case org.mortydb.baselines.message.LogEntry.Aborted e ->
          out.setAborted(AbortedEntry.newBuilder().setTxn(Generated.txn(e.txn())));
    }
    return out.build();
  }
}
