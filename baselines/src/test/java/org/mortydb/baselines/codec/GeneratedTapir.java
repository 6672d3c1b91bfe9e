package org.mortydb.baselines.codec;

import static org.mortydb.wire.parts.GeneratedParts.bytes;
import static org.mortydb.wire.parts.GeneratedParts.txn;

import com.google.protobuf.MessageLite;
import org.mortydb.baselines.proto.TapirAbort;
import org.mortydb.baselines.proto.TapirCommit;
import org.mortydb.baselines.proto.TapirFinalize;
import org.mortydb.baselines.proto.TapirFinalizeReply;
import org.mortydb.baselines.proto.TapirGet;
import org.mortydb.baselines.proto.TapirGetReply;
import org.mortydb.baselines.proto.TapirInquire;
import org.mortydb.baselines.proto.TapirInstall;
import org.mortydb.baselines.proto.TapirOutcomeReply;
import org.mortydb.baselines.proto.TapirPrepare;
import org.mortydb.baselines.proto.TapirPrepareReply;
import org.mortydb.baselines.proto.TapirPrepareReply.Result;
import org.mortydb.baselines.tapir.PrepareResult;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.wire.parts.GeneratedParts;

/** The messages of TAPIR as the classes that protoc generates from the schema. */
final class GeneratedTapir {
  private GeneratedTapir() {}

  static MessageLite.Builder of(TapirMessage message) {
    return switch (message) {
      case TapirMessage.Get m ->
          TapirGet.newBuilder().setTxn(txn(m.txn())).setRequest(m.request()).setKey(bytes(m.key()));
      case TapirMessage.GetReply m -> {
        var reply =
            TapirGetReply.newBuilder()
                .setTxn(txn(m.txn()))
                .setRequest(m.request())
                .setVersion(GeneratedParts.version(m.version()));
        if (!m.value().isAbsent()) {
          reply.setValue(bytes(m.value()));
        }
        yield reply;
      }
      case TapirMessage.Prepare m ->
          TapirPrepare.newBuilder()
              .setTxn(txn(m.txn()))
              .setStamp(txn(m.stamp()))
              .addAllReads(m.readSet().stream().map(GeneratedParts::read).toList())
              .addAllWrites(m.writeSet().stream().map(GeneratedParts::write).toList());
      case TapirMessage.PrepareReply m -> {
        var reply = TapirPrepareReply.newBuilder().setTxn(txn(m.txn())).setStamp(txn(m.stamp()));
        switch (m.result()) {
          case PrepareResult.Ok _ -> reply.setResult(Result.OK);
          case PrepareResult.Abort _ -> reply.setResult(Result.ABORT);
          case PrepareResult.Abstain _ -> reply.setResult(Result.ABSTAIN);
          case PrepareResult.Retry(long timeMicros) ->
              reply.setResult(Result.RETRY).setRetryMicros(timeMicros);
        }
        yield reply;
      }
      case TapirMessage.Finalize m ->
          TapirFinalize.newBuilder().setTxn(txn(m.txn())).setStamp(txn(m.stamp()));
      case TapirMessage.FinalizeReply m ->
          TapirFinalizeReply.newBuilder().setTxn(txn(m.txn())).setStamp(txn(m.stamp()));
      case TapirMessage.Commit m ->
          TapirCommit.newBuilder().setTxn(txn(m.txn())).setStamp(txn(m.stamp()));
      case TapirMessage.Abort m -> TapirAbort.newBuilder().setTxn(txn(m.txn()));
      case TapirMessage.OutcomeReply m ->
          TapirOutcomeReply.newBuilder().setTxn(txn(m.txn())).setApplied(m.applied());
      case TapirMessage.Install m ->
          TapirInstall.newBuilder()
              .setTxn(txn(m.txn()))
              .setStamp(txn(m.stamp()))
              .addAllReads(m.readSet().stream().map(GeneratedParts::read).toList())
              .addAllWrites(m.writeSet().stream().map(GeneratedParts::write).toList());
      case TapirMessage.Inquire m -> TapirInquire.newBuilder().setTxn(txn(m.txn()));
    };
  }
}
