package org.mortydb.protocol.testing;

import java.util.List;
import java.util.stream.Collectors;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder.Appended;
import org.mortydb.protocol.testing.EffectRecorder.Armed;
import org.mortydb.protocol.testing.EffectRecorder.BatchEndAwaited;
import org.mortydb.protocol.testing.EffectRecorder.Broadcast;
import org.mortydb.protocol.testing.EffectRecorder.Cancelled;
import org.mortydb.protocol.testing.EffectRecorder.Completed;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilDurable;
import org.mortydb.protocol.testing.EffectRecorder.HeldUntilWritten;
import org.mortydb.protocol.testing.EffectRecorder.Resumed;
import org.mortydb.protocol.testing.EffectRecorder.ResumedScan;
import org.mortydb.protocol.testing.EffectRecorder.Retired;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/**
 * Effects in one line each, for tests that read as transcripts. Transactions are named by their
 * timestamp alone, executions as {@code #1}, versions as {@code 30/1}.
 */
public final class Show {
  private Show() {}

  public static List<String> effects(List<Effect> effects) {
    return effects.stream().map(Show::effect).toList();
  }

  private static String effect(Effect effect) {
    return switch (effect) {
      case Sent(Endpoint to, Message message) -> to + " <- " + message(message);
      case Broadcast(int partition, Message message) -> "p" + partition + " <- " + message(message);
      case Armed armed -> "arm " + armed.timer() + " " + armed.delayMicros();
      case Cancelled cancelled -> "cancel " + cancelled.timer();
      case Resumed resumed ->
          "resume #" + resumed.execution() + " at " + resumed.operation() + " " + resumed.values();
      case ResumedScan resumed ->
          "resume #"
              + resumed.execution()
              + " at "
              + resumed.operation()
              + " rows "
              + resumed.rows().stream().map(row -> row.key() + "=" + row.value()).toList();
      case BatchEndAwaited() -> "await batch end";
      case Completed(Completion completion) -> completion(completion);
      case Retired() -> "retire";
      case Appended appended -> "append " + appended.logged();
      case HeldUntilDurable() -> "hold";
      case HeldUntilWritten() -> "hold until written";
    };
  }

  private static String completion(Completion completion) {
    return switch (completion) {
      case Completion.Committed c ->
          "committed #" + c.execution() + " " + c.path() + read(c.reads()) + writes(c.writes());
      case Completion.Aborted aborted -> "aborted " + aborted.reason();
      case Completion.Unknown ignored -> "unknown";
    };
  }

  private static String read(List<VersionedValue> reads) {
    return " read "
        + reads.stream()
            .map(read -> read.key() + "=" + version(read.version()) + ":" + read.value())
            .toList();
  }

  private static String message(Message message) {
    return switch (message) {
      case Message.Get get -> "Get " + get.request() + " " + get.key();
      case Message.Scan scan ->
          "Scan " + scan.request() + " " + scan.range() + " limit " + scan.limit();
      case Message.Put put -> "Put #" + put.execution() + " " + write(put.write());
      case Message.Retract retract -> "Retract #" + retract.execution() + " " + retract.keys();
      case Message.Prepare prepare ->
          "Prepare #"
              + prepare.execution().number()
              + " read "
              + prepare.reads().stream().map(Show::read).toList()
              + (prepare.ranges().isEmpty() ? "" : " scanned " + prepare.ranges())
              + writes(prepare.writes())
              + " at "
              + prepare.participants();
      case Message.Register register ->
          "Register #"
              + register.execution().number()
              + " read "
              + register.reads().stream().map(Show::read).toList()
              + (register.ranges().isEmpty() ? "" : " scanned " + register.ranges());
      case Message.RegistrationLogged m -> m.toString();
      case Message.Drop drop ->
          "Drop #" + drop.execution().number() + (drop.keys().isEmpty() ? "" : " " + drop.keys());
      case Message.Finalize finalize ->
          "Finalize "
              + (finalize.view().equals(View.CLIENT) ? "" : finalize.view() + " ")
              + outcome(finalize.value());
      case Message.Decide decide -> "Decide " + outcome(decide.outcome());
      case Message.GetReply m -> "GetReply " + m.request() + " " + version(m.version());
      case Message.Push m -> "Push " + m.request() + " " + version(m.version());
      case Message.ScanReply m ->
          "ScanReply "
              + m.request()
              + " "
              + m.rows().stream().map(Show::row).toList()
              + (m.next() == null ? "" : " before " + m.next());
      case Message.PushRow m -> "PushRow " + m.request() + " " + row(m.row());
      case Message.PrepareReply m ->
          "PrepareReply #" + m.execution().number() + " " + answer(m.answer());
      case Message.FinalizeReply m -> "FinalizeReply " + answer(m.answer());
      case Message.Refused m -> "Refused " + m.reason();
      case Message.Inquire ignored -> "Inquire";
      case Message.InquireReply ignored -> "InquireReply";
      case Message.Fetch fetch -> "Fetch #" + fetch.execution().number();
      case Message.NotHeld lack -> "NotHeld #" + lack.execution().number();
      case Message.FetchReply reply -> "FetchReply #" + reply.execution().number();
      case Message.TruncatePrepare m -> m.toString();
      case Message.TruncateReply m -> m.toString();
      case Message.TruncateCommit m -> m.toString();
      case Message.TruncateAck m -> m.toString();
      case Message.Watermark m -> m.toString();
      case Message.Behind m -> m.toString();
      case Message.Copy m -> m.toString();
      case Message.CopyReply m -> m.toString();
      case Message.CopyOutcomes m -> m.toString();
      case Message.ReadCut m -> m.toString();
      case Message.CutReply m -> m.toString();
      case Message.ReadPast m -> m.toString();
      case Message.ScanPast m -> m.toString();
      case Message.PastReply m -> m.toString();
      case Message.CopyOutcomesReply m -> m.toString();
      case Message.Found m -> m.toString();
      case Message.OfSystem m -> m.toString();
      case Message.Seal m -> "Seal " + m.map().number();
      case Message.SealReply m -> "SealReply " + m.number() + (m.sealed() ? "" : " refused");
      case Message.CheckPartition m -> "CheckPartition " + m.map().number();
      case Message.PartitionReply m ->
          "PartitionReply "
              + m.number()
              + (m.founded() ? " founded" : "")
              + (m.holds() ? " holds" : "");
      case Message.AskMaps m -> "AskMaps " + m.last() + " " + m.closed();
      case Message.Maps m ->
          "Maps " + m.maps().stream().map(ClusterMap::number).toList() + " " + m.closed();
      case Message.Recover recover -> "Recover " + recover.view();
      case Message.RecoverReply reply -> "RecoverReply " + reply.view() + " " + reply.answer();
    };
  }

  private static String answer(PrepareAnswer answer) {
    return switch (answer) {
      case PrepareAnswer.Voted(Vote vote) -> vote.toString();
      case PrepareAnswer.Superseded(int execution) -> "superseded by #" + execution;
      case PrepareAnswer.Fenced(View view) -> "fenced by " + view;
      case PrepareAnswer.Decided(Outcome outcome) -> "decided " + outcome(outcome);
      case PrepareAnswer.Written _ -> "written";
    };
  }

  private static String answer(FinalizeAnswer answer) {
    return switch (answer) {
      case FinalizeAnswer.Accepted() -> "accepted";
      case FinalizeAnswer.Fenced(View view) -> "fenced by " + view;
      case FinalizeAnswer.Decided(Outcome outcome) -> "decided " + outcome(outcome);
    };
  }

  private static String outcome(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Abort() -> "abort";
      case Outcome.Commit(int execution, List<Integer> participants) ->
          "commit #" + execution + " at " + participants;
    };
  }

  private static String writes(List<Write> writes) {
    return writes.stream().map(Show::write).collect(Collectors.joining(", ", " write [", "]"));
  }

  private static String write(Write write) {
    return write.key() + "/" + write.valueId() + "=" + write.value();
  }

  private static String read(Read read) {
    return read.key() + "=" + version(read.version());
  }

  private static String row(VersionedValue row) {
    return row.key() + "=" + version(row.version());
  }

  private static String version(WriteId version) {
    return version.isInitial()
        ? "initial"
        : version.writer().timeMicros() + "/" + version.valueId();
  }
}
