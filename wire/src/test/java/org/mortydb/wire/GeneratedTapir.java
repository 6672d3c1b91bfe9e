package org.mortydb.wire;

import static org.mortydb.wire.Generated.bytes;
import static org.mortydb.wire.Generated.txn;

import org.mortydb.baselines.tapir.PrepareResult;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.wire.proto.Envelope;
import org.mortydb.wire.proto.TapirPrepareReply.Result;

/** The same as {@link Generated} for the messages of the baseline TAPIR. */
final class GeneratedTapir {
  private GeneratedTapir() {}

  static void set(Envelope.Builder out, TapirMessage message) {
    switch (message) {
      case TapirMessage.Get m ->
          out.getTapirGetBuilder().setTxn(txn(m)).setRequest(m.request()).setKey(bytes(m.key()));
      case TapirMessage.GetReply m -> {
        var reply =
            out.getTapirGetReplyBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .setVersion(Generated.version(m.version()));
        if (!m.value().isAbsent()) {
          reply.setValue(bytes(m.value()));
        }
      }
      case TapirMessage.Prepare m ->
          out.getTapirPrepareBuilder()
              .setTxn(txn(m))
              .setStamp(txn(m.stamp()))
              .addAllReads(m.readSet().stream().map(Generated::read).toList())
              .addAllWrites(m.writeSet().stream().map(Generated::write).toList());
      case TapirMessage.PrepareReply m -> {
        var reply = out.getTapirPrepareReplyBuilder().setTxn(txn(m)).setStamp(txn(m.stamp()));
        switch (m.result()) {
          case PrepareResult.Ok _ -> reply.setResult(Result.OK);
          case PrepareResult.Abort _ -> reply.setResult(Result.ABORT);
          case PrepareResult.Abstain _ -> reply.setResult(Result.ABSTAIN);
          case PrepareResult.Retry(long timeMicros) ->
              reply.setResult(Result.RETRY).setRetryMicros(timeMicros);
        }
      }
      case TapirMessage.Finalize m ->
          out.getTapirFinalizeBuilder().setTxn(txn(m)).setStamp(txn(m.stamp()));
      case TapirMessage.FinalizeReply m ->
          out.getTapirFinalizeReplyBuilder().setTxn(txn(m)).setStamp(txn(m.stamp()));
      case TapirMessage.Commit m ->
          out.getTapirCommitBuilder().setTxn(txn(m)).setStamp(txn(m.stamp()));
      case TapirMessage.Abort m -> out.getTapirAbortBuilder().setTxn(txn(m));
      case TapirMessage.OutcomeReply m ->
          out.getTapirOutcomeReplyBuilder().setTxn(txn(m)).setApplied(m.applied());
      case TapirMessage.Install m ->
          out.getTapirInstallBuilder()
              .setTxn(txn(m))
              .setStamp(txn(m.stamp()))
              .addAllReads(m.readSet().stream().map(Generated::read).toList())
              .addAllWrites(m.writeSet().stream().map(Generated::write).toList());
      case TapirMessage.Inquire m -> out.getTapirInquireBuilder().setTxn(txn(m));
    }
  }
}
