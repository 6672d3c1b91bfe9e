package org.mortydb.wire;

import static org.mortydb.wire.parts.GeneratedParts.bytes;
import static org.mortydb.wire.parts.GeneratedParts.version;
import static org.mortydb.wire.parts.GeneratedParts.write;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.function.Consumer;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.table.ByteCursor;
import org.mortydb.wire.parts.GeneratedParts;
import org.mortydb.wire.proto.Abandon;
import org.mortydb.wire.proto.Abort;
import org.mortydb.wire.proto.Accepted;
import org.mortydb.wire.proto.CommitVote;
import org.mortydb.wire.proto.Envelope;
import org.mortydb.wire.proto.Written;

/**
 * Protocol records as objects of the classes that protoc generates. The codec must produce the same
 * bytes.
 */
final class Generated {
  private Generated() {}

  static Envelope envelope(Endpoint from, Endpoint to, Message message) {
    Envelope.Builder out = Envelope.newBuilder();
    switch (from) {
      case ReplicaId replica -> out.setFromReplica(replica(replica));
      case ClientId client -> out.setFromClient(client.id());
    }
    switch (to) {
      case ReplicaId replica -> out.setToReplica(replica(replica));
      case ClientId client -> out.setToClient(client.id());
    }
    switch (message) {
      case Message.Get m ->
          out.getGetBuilder().setTxn(txn(m)).setRequest(m.request()).setKey(bytes(m.key()));
      case Message.Put m ->
          out.getPutBuilder().setTxn(txn(m)).setExecution(m.execution()).setWrite(write(m.write()));
      case Message.Retract m ->
          out.getRetractBuilder()
              .setTxn(txn(m))
              .setExecution(m.execution())
              .addAllKeys(m.keys().stream().map(GeneratedParts::bytes).toList());
      case Message.Prepare m ->
          out.getPrepareBuilder()
              .setTxn(txn(m))
              .setExecution(m.execution().number())
              .addAllReads(m.reads().stream().map(GeneratedParts::read).toList())
              .addAllWrites(m.writes().stream().map(GeneratedParts::write).toList())
              .addAllParticipants(m.participants())
              .addAllRanges(m.ranges().stream().map(Generated::range).toList())
              .setAsync(m.async());
      case Message.Register m ->
          out.getRegisterBuilder()
              .setTxn(txn(m))
              .setExecution(m.execution().number())
              .addAllReads(m.reads().stream().map(GeneratedParts::read).toList())
              .addAllRanges(m.ranges().stream().map(Generated::range).toList())
              .setMap(m.map());
      case Message.RegistrationLogged m -> {
        var logged = out.getRegistrationLoggedBuilder().setWritten(m.written());
        if (!m.upTo().equals(TxnId.INITIAL)) {
          logged.setUpTo(GeneratedParts.txn(m.upTo()));
        }
      }
      case Message.Drop m ->
          out.getDropBuilder()
              .setTxn(txn(m))
              .setExecution(m.execution().number())
              .addAllKeys(m.keys().stream().map(GeneratedParts::bytes).toList());
      case Message.Finalize m ->
          out.getFinalizeBuilder()
              .setTxn(txn(m))
              .setView(view(m.view()))
              .setValue(outcome(m.value()));
      case Message.Decide m ->
          out.getDecideBuilder().setTxn(txn(m)).setOutcome(outcome(m.outcome()));
      case Message.GetReply m -> {
        var reply =
            out.getGetReplyBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .setSequence(m.sequence())
                .setVersion(version(m.version()))
                .setSettled(m.settled())
                .setForm(form(m.value()))
                .addAllBelow(m.below().stream().map(GeneratedParts::version).toList());
        if (!m.value().isAbsent()) {
          reply.setValue(bytes(m.value()));
        }
      }
      case Message.Push m -> {
        var push =
            out.getPushBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .setSequence(m.sequence())
                .setVersion(version(m.version()))
                .setSettled(m.settled())
                .setForm(form(m.value()))
                .addAllBelow(m.below().stream().map(GeneratedParts::version).toList());
        if (!m.value().isAbsent()) {
          push.setValue(bytes(m.value()));
        }
      }
      case Message.PrepareReply m -> prepareReply(out, m);
      case Message.FinalizeReply m -> finalizeReply(out, m);
      case Message.Refused m ->
          out.getRefusedBuilder()
              .setTxn(txn(m))
              .setReason(org.mortydb.wire.proto.Refused.Reason.valueOf(m.reason().name()))
              .setReplicaClockMicros(m.replicaClockMicros());
      case Message.Inquire m -> out.getInquireBuilder().setTxn(txn(m));
      case Message.InquireReply m -> out.getInquireReplyBuilder().setTxn(txn(m));
      case Message.Fetch m ->
          out.getFetchBuilder().setTxn(txn(m)).setExecution(m.execution().number());
      case Message.NotHeld m ->
          out.getNotHeldBuilder().setTxn(txn(m)).setExecution(m.execution().number());
      case Message.FetchReply m ->
          out.getFetchReplyBuilder()
              .setTxn(txn(m))
              .setExecution(m.execution().number())
              .addAllReads(m.reads().stream().map(GeneratedParts::read).toList())
              .addAllWrites(m.writes().stream().map(GeneratedParts::write).toList())
              .addAllParticipants(m.participants())
              .addAllRanges(m.ranges().stream().map(Generated::range).toList());
      case Message.Recover m -> out.getRecoverBuilder().setTxn(txn(m)).setView(view(m.view()));
      case Message.RecoverReply m -> recoverReply(out, m);
      case Message.TruncatePrepare m -> {
        var prepare = out.getTruncatePrepareBuilder().setJoinerMicros(m.joinerMicros());
        stamp(m.watermark(), prepare::setWatermark);
        stamp(m.base(), prepare::setBase);
      }
      case Message.TruncateReply m -> {
        var reply =
            out.getTruncateReplyBuilder()
                .addAllStandings(standings(m.standings()))
                .setChange(m.change());
        stamp(m.watermark(), reply::setWatermark);
        stamp(m.applied(), reply::setApplied);
        stamp(m.base(), reply::setBase);
        stamp(m.upTo(), reply::setUpTo);
        stamp(m.open(), reply::setOpen);
        Message.MapKnowledge known = m.maps();
        if (known != null) {
          var maps =
              reply
                  .getMapsBuilder()
                  .addAllMaps(known.maps().stream().map(Generated::map).toList())
                  .setClosed(known.closed());
          if (known.seal() != null) {
            maps.setSeal(map(known.seal()));
          }
        }
      }
      case Message.TruncateCommit m -> {
        var commit =
            out.getTruncateCommitBuilder()
                .addAllCommits(standings(m.commits()))
                .setChange(m.change());
        stamp(m.watermark(), commit::setWatermark);
        stamp(m.base(), commit::setBase);
      }
      case Message.TruncateAck m -> stamp(m.txn(), out.getTruncateAckBuilder()::setWatermark);
      case Message.Watermark m ->
          stamp(m.txn(), out.getWatermarkBuilder().setPartition(m.partition())::setWatermark);
      case Message.Behind m ->
          stamp(m.watermark(), out.getBehindBuilder().setTxn(txn(m))::setWatermark);
      case Message.Copy m -> {
        var copy = out.getCopyBuilder().setFrom(ByteString.copyFrom(m.from().bytes()));
        stamp(m.since(), copy::setSince);
        stamp(m.upTo(), copy::setUpTo);
      }
      case Message.CopyReply m -> {
        var reply =
            out.getCopyReplyBuilder()
                .setFrom(ByteString.copyFrom(m.from().bytes()))
                .setKeys(m.keys())
                .setExamined(m.examined())
                .setDropped(m.dropped());
        stamp(m.watermark(), reply::setWatermark);
        stamp(m.erased(), reply::setErased);
        stamp(m.since(), reply::setSince);
        Key next = m.next();
        if (next != null) {
          reply.setNext(ByteString.copyFrom(next.bytes()));
        }
        for (Message.CopiedVersion copied : m.versions()) {
          var part =
              reply
                  .addVersionsBuilder()
                  .setKey(ByteString.copyFrom(copied.key().bytes()))
                  .setVersion(version(copied.version()))
                  .setForm(form(copied.value()));
          if (!copied.value().isAbsent()) {
            part.setValue(ByteString.copyFrom(copied.value().bytes()));
          }
          stamp(copied.floor(), part::setFloor);
        }
      }
      case Message.CopyOutcomes m -> stamp(m.after(), out.getCopyOutcomesBuilder()::setAfter);
      case Message.OfSystem m ->
          out.getSystemMessageBuilder()
              .setCodec(NoteSystem.NUMBER)
              .setKind(NoteSystem.NOTE)
              .setContent(ByteString.copyFromUtf8(((NoteSystem.Note) m).text()));
      case Message.CopyOutcomesReply m -> {
        var reply = out.getCopyOutcomesReplyBuilder().addAllOutcomes(standings(m.outcomes()));
        stamp(m.after(), reply::setAfter);
        stamp(m.next(), reply::setNext);
        stamp(m.watermark(), reply::setWatermark);
        stamp(m.forgotten(), reply::setForgotten);
      }
      case Message.Found m ->
          out.getFoundBuilder()
              .addAllIncarnations(m.incarnations())
              .setLocked(m.locked())
              .setServing(m.serving());
      case Message.Scan m ->
          out.getScanBuilder()
              .setTxn(txn(m))
              .setRequest(m.request())
              .setRange(range(m.range()))
              .setLimit(m.limit())
              .setMap(m.map());
      case Message.ScanReply m -> {
        var reply =
            out.getScanReplyBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .addAllRows(m.rows().stream().map(Generated::versioned).toList());
        Key next = m.next();
        if (next != null) {
          reply.setNext(bytes(next));
        }
      }
      case Message.ReadCut m ->
          out.getReadCutBuilder().setCut(txn(m)).setRange(range(m.range())).setLimit(m.limit());
      case Message.CutReply m -> {
        var reply =
            out.getCutReplyBuilder()
                .setCut(txn(m))
                .setFrom(bytes(m.from()))
                .setState(org.mortydb.wire.proto.CutReply.State.valueOf(m.state().name()))
                .setMap(m.map())
                .addAllRows(m.rows().stream().map(Generated::versioned).toList());
        stamp(m.watermark(), reply::setWatermark);
        Key next = m.next();
        if (next != null) {
          reply.setNext(bytes(next));
        }
      }
      case Message.ReadPast m -> {
        var ask =
            out.getReadPastBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .setLevel(org.mortydb.wire.proto.PastLevel.valueOf(m.level().name()))
                .addAllKeys(m.keys().stream().map(GeneratedParts::bytes).toList());
        stamp(m.place(), ask::setPlace);
      }
      case Message.ScanPast m -> {
        var ask =
            out.getScanPastBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .setLevel(org.mortydb.wire.proto.PastLevel.valueOf(m.level().name()))
                .setRange(range(m.range()))
                .setLimit(m.limit())
                .setMap(m.map());
        stamp(m.place(), ask::setPlace);
      }
      case Message.PastReply m -> {
        var reply =
            out.getPastReplyBuilder()
                .setTxn(txn(m))
                .setRequest(m.request())
                .setState(org.mortydb.wire.proto.PastReply.State.valueOf(m.state().name()))
                .addAllRows(m.rows().stream().map(Generated::versioned).toList());
        stamp(m.place(), reply::setPlace);
        stamp(m.newest(), reply::setNewest);
        Key next = m.next();
        if (next != null) {
          reply.setNext(bytes(next));
        }
      }
      case Message.Seal m -> out.getSealBuilder().setTxn(txn(m)).setMap(map(m.map()));
      case Message.SealReply m ->
          out.getSealReplyBuilder().setTxn(txn(m)).setNumber(m.number()).setSealed(m.sealed());
      case Message.CheckPartition m ->
          out.getCheckPartitionBuilder().setTxn(txn(m)).setMap(map(m.map()));
      case Message.PartitionReply m ->
          out.getPartitionReplyBuilder()
              .setTxn(txn(m))
              .setNumber(m.number())
              .setFounded(m.founded())
              .setHolds(m.holds())
              .setKeys(m.keys())
              .setBytes(m.bytes())
              .setWatermarkMicros(m.watermarkMicros());
      case Message.AskMaps m ->
          stamp(m.txn(), out.getAskMapsBuilder().setLast(m.last()).setClosed(m.closed())::setTxn);
      case Message.Maps m ->
          stamp(
              m.txn(),
              out.getMapsBuilder()
                      .addAllMaps(m.maps().stream().map(Generated::map).toList())
                      .setClosed(m.closed())
                  ::setTxn);
      case Message.PushRow m ->
          out.getPushRowBuilder()
              .setTxn(txn(m))
              .setRequest(m.request())
              .setSequence(m.sequence())
              .setRow(versioned(m.row()));
    }
    return out.build();
  }

  static ByteString map(ClusterMap map) {
    ByteCursor bytes = new ByteCursor();
    map.write(bytes);
    return ByteString.copyFrom(bytes.bytes(), 0, bytes.at());
  }

  private static void stamp(TxnId stamp, Consumer<org.mortydb.wire.proto.TxnId> setter) {
    if (!stamp.equals(TxnId.INITIAL)) {
      setter.accept(GeneratedParts.txn(stamp));
    }
  }

  private static List<org.mortydb.wire.proto.Standing> standings(List<Message.Standing> standings) {
    return standings.stream()
        .map(
            standing -> {
              var made =
                  org.mortydb.wire.proto.Standing.newBuilder()
                      .setTxn(GeneratedParts.txn(standing.txn()));
              Outcome outcome = standing.outcome();
              return (outcome == null ? made : made.setOutcome(outcome(outcome))).build();
            })
        .toList();
  }

  private static void prepareReply(Envelope.Builder out, Message.PrepareReply m) {
    ExecutionId execution = m.execution();
    var reply = out.getPrepareReplyBuilder().setTxn(txn(m)).setExecution(execution.number());
    switch (m.answer()) {
      case PrepareAnswer.Voted(Vote.Commit(boolean onCondition)) -> {
        CommitVote commit = CommitVote.getDefaultInstance();
        if (onCondition) {
          reply.getVotedBuilder().setCommitOnCondition(commit);
        } else {
          reply.getVotedBuilder().setCommit(commit);
        }
      }
      case PrepareAnswer.Voted(Vote.Abandon(boolean isFinal, Vote.Reason reason, var fresh)) ->
          reply
              .getVotedBuilder()
              .setAbandon(
                  Abandon.newBuilder()
                      .setFinal(isFinal)
                      .setReason(Abandon.Reason.valueOf(reason.name()))
                      .addAllFresh(fresh(fresh)));
      case PrepareAnswer.Superseded(int by) -> reply.setSuperseded(by);
      case PrepareAnswer.Fenced(View view) -> reply.setFenced(view(view));
      case PrepareAnswer.Decided(Outcome outcome) -> reply.setDecided(outcome(outcome));
      case PrepareAnswer.Written _ -> reply.setWritten(Written.getDefaultInstance());
    }
  }

  private static void recoverReply(Envelope.Builder out, Message.RecoverReply m) {
    var reply = out.getRecoverReplyBuilder().setTxn(txn(m)).setView(view(m.view()));
    switch (m.answer()) {
      case RecoverAnswer.Promised promised -> {
        var answer =
            reply
                .getPromisedBuilder()
                .setVotedCommit(promised.votedCommit())
                .setVague(promised.vague())
                .addAllParticipants(promised.participants());
        RecoverAnswer.Accepted accepted = promised.accepted();
        if (accepted != null) {
          answer.setAcceptedView(view(accepted.view()));
          answer.setAcceptedValue(outcome(accepted.value()));
        }
        if (promised.execution() != RecoverAnswer.NO_EXECUTION) {
          answer.setExecution(promised.execution());
        }
      }
      case RecoverAnswer.Fenced(View view) -> reply.setFenced(view(view));
      case RecoverAnswer.Decided(Outcome outcome) -> reply.setDecided(outcome(outcome));
    }
  }

  private static void finalizeReply(Envelope.Builder out, Message.FinalizeReply m) {
    var reply = out.getFinalizeReplyBuilder().setTxn(txn(m)).setView(view(m.view()));
    switch (m.answer()) {
      case FinalizeAnswer.Accepted() -> reply.setAccepted(Accepted.getDefaultInstance());
      case FinalizeAnswer.Fenced(View view) -> reply.setFenced(view(view));
      case FinalizeAnswer.Decided(Outcome outcome) -> reply.setDecided(outcome(outcome));
    }
  }

  private static List<org.mortydb.wire.proto.VersionedValue> fresh(List<VersionedValue> fresh) {
    return fresh.stream().map(Generated::versioned).toList();
  }

  static int form(Value value) {
    return value.isAbsent() ? 0 : value.form();
  }

  private static org.mortydb.wire.proto.VersionedValue versioned(VersionedValue row) {
    var out =
        org.mortydb.wire.proto.VersionedValue.newBuilder()
            .setKey(bytes(row.key()))
            .setVersion(version(row.version()))
            .setSettled(row.settled())
            .setForm(form(row.value()))
            .addAllBelow(row.below().stream().map(GeneratedParts::version).toList());
    if (!row.value().isAbsent()) {
      out.setValue(bytes(row.value()));
    }
    return out.build();
  }

  static org.mortydb.wire.proto.KeyRange range(KeyRange range) {
    var out = org.mortydb.wire.proto.KeyRange.newBuilder().setFrom(bytes(range.from()));
    Key to = range.to();
    if (to != null) {
      out.setTo(bytes(to));
    }
    return out.build();
  }

  static org.mortydb.wire.proto.ReplicaId replica(ReplicaId replica) {
    return org.mortydb.wire.proto.ReplicaId.newBuilder()
        .setPartition(replica.partition())
        .setIndex(replica.index())
        .build();
  }

  private static org.mortydb.wire.proto.TxnId txn(Message message) {
    return GeneratedParts.txn(message.txn());
  }

  static org.mortydb.wire.proto.View view(View view) {
    return org.mortydb.wire.proto.View.newBuilder()
        .setRound(view.round())
        .setProposer(view.proposer())
        .build();
  }

  static org.mortydb.wire.proto.Outcome outcome(Outcome outcome) {
    var out = org.mortydb.wire.proto.Outcome.newBuilder();
    switch (outcome) {
      case Outcome.Commit commit ->
          out.setCommit(
              org.mortydb.wire.proto.CommitOutcome.newBuilder()
                  .setExecution(commit.execution())
                  .addAllParticipants(commit.participants()));
      case Outcome.Abort() -> out.setAbort(Abort.getDefaultInstance());
    }
    return out.build();
  }
}
