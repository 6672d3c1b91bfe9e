package org.mortydb.sim.host;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ValueHash;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Folds messages into 64 bits by their content: unlike {@code hashCode}, which for records with
 * enums in them differs from JVM to JVM.
 */
final class Fingerprint {
  private long hash;

  private Fingerprint(long kind) {
    hash = kind;
  }

  static long of(Message message) {
    return switch (message) {
      case Message.Get(TxnId txn, int request, Key key) ->
          new Fingerprint(1).txn(txn).number(request).key(key).hash;
      case Message.Put(TxnId txn, int execution, Write write) ->
          new Fingerprint(2).txn(txn).number(execution).write(write).hash;
      case Message.Retract(TxnId txn, int execution, List<Key> keys) -> {
        Fingerprint print = new Fingerprint(3).txn(txn).number(execution);
        keys.forEach(print::key);
        yield print.hash;
      }
      case Message.Prepare prepare ->
          new Fingerprint(4)
              .execution(prepare.execution())
              .sets(prepare.reads(), prepare.writes(), prepare.participants())
              .ranges(prepare.ranges())
              .hash;
      case Message.Drop(ExecutionId execution) -> new Fingerprint(5).execution(execution).hash;
      case Message.Finalize(TxnId txn, View view, Outcome value) ->
          new Fingerprint(6).txn(txn).view(view).outcome(value).hash;
      case Message.Decide(TxnId txn, Outcome outcome) ->
          new Fingerprint(7).txn(txn).outcome(outcome).hash;
      case Message.GetReply m ->
          new Fingerprint(8)
              .txn(m.txn())
              .number(m.request())
              .number(m.sequence())
              .version(m.version())
              .value(m.value())
              .flag(m.settled())
              .hash;
      case Message.Push m ->
          new Fingerprint(9)
              .txn(m.txn())
              .number(m.request())
              .number(m.sequence())
              .version(m.version())
              .value(m.value())
              .flag(m.settled())
              .hash;
      case Message.PrepareReply(ExecutionId execution, PrepareAnswer answer) ->
          new Fingerprint(10).execution(execution).answer(answer).hash;
      case Message.FinalizeReply(TxnId txn, View view, FinalizeAnswer answer) ->
          new Fingerprint(11).txn(txn).view(view).answer(answer).hash;
      case Message.Refused(TxnId txn, Message.Refusal reason, long clock) ->
          new Fingerprint(12).txn(txn).number(reason.name().hashCode()).number(clock).hash;
      case Message.Inquire(TxnId txn) -> new Fingerprint(13).txn(txn).hash;
      case Message.InquireReply(TxnId txn) -> new Fingerprint(14).txn(txn).hash;
      case Message.Fetch(ExecutionId execution) -> new Fingerprint(15).execution(execution).hash;
      case Message.FetchReply reply ->
          new Fingerprint(16)
              .execution(reply.execution())
              .sets(reply.reads(), reply.writes(), reply.participants())
              .ranges(reply.ranges())
              .hash;
      case Message.Recover(TxnId txn, View view) -> new Fingerprint(17).txn(txn).view(view).hash;
      case Message.RecoverReply(TxnId txn, View view, RecoverAnswer answer) ->
          new Fingerprint(18).txn(txn).view(view).answer(answer).hash;
      case Message.TruncatePrepare m -> new Fingerprint(19).txn(m.watermark()).hash;
      case Message.TruncateReply m ->
          new Fingerprint(20).txn(m.watermark()).txn(m.applied()).standings(m.standings()).hash;
      case Message.TruncateCommit m ->
          new Fingerprint(21).txn(m.watermark()).txn(m.base()).standings(m.commits()).hash;
      case Message.TruncateAck m -> new Fingerprint(22).txn(m.watermark()).hash;
      case Message.Watermark m -> new Fingerprint(23).txn(m.watermark()).number(m.partition()).hash;
      case Message.Behind m -> new Fingerprint(24).txn(m.txn()).txn(m.watermark()).hash;
      case Message.Copy m -> new Fingerprint(25).number(m.slot()).hash;
      case Message.CopyReply m -> {
        Fingerprint print =
            new Fingerprint(26).number(m.slot()).number(m.next()).txn(m.watermark());
        for (Message.CopiedVersion copied : m.versions()) {
          print.key(copied.key()).version(copied.version()).value(copied.value());
          print.txn(copied.floor());
        }
        yield print.hash;
      }
      case Message.CopyOutcomes m -> new Fingerprint(27).txn(m.after()).hash;
      case Message.CopyOutcomesReply m ->
          new Fingerprint(28)
              .txn(m.after())
              .txn(m.next())
              .txn(m.forgotten())
              .standings(m.outcomes())
              .hash;
      case Message.OfSystem m -> {
        Fingerprint print = new Fingerprint(64);
        m.toString().chars().forEach(print::number);
        yield print.hash;
      }
      case Message.Found m -> {
        Fingerprint print = new Fingerprint(29).flag(m.locked()).flag(m.serving());
        m.incarnations().forEach(print::number);
        yield print.hash;
      }
      case Message.Scan(TxnId txn, int request, KeyRange range, int limit) ->
          new Fingerprint(30).txn(txn).number(request).range(range).number(limit).hash;
      case Message.ScanReply m -> {
        Fingerprint print = new Fingerprint(31).txn(m.txn()).number(m.request()).bound(m.next());
        m.rows().forEach(print::row);
        yield print.hash;
      }
      case Message.ReadCut(TxnId cut, KeyRange range, int limit) ->
          new Fingerprint(33).txn(cut).range(range).number(limit).hash;
      case Message.CutReply m -> {
        Fingerprint print = new Fingerprint(34).txn(m.cut()).bound(m.from()).bound(m.next());
        print.number(m.state().ordinal()).txn(m.watermark());
        m.rows().forEach(print::row);
        yield print.hash;
      }
      case Message.PushRow m ->
          new Fingerprint(32)
              .txn(m.txn())
              .number(m.request())
              .number(m.sequence())
              .row(m.row())
              .hash;
    };
  }

  private Fingerprint standings(List<Message.Standing> standings) {
    for (Message.Standing standing : standings) {
      txn(standing.txn());
      Outcome outcome = standing.outcome();
      if (outcome != null) {
        outcome(outcome);
      }
    }
    return this;
  }

  private Fingerprint number(long number) {
    hash = ValueHash.combine(hash, number);
    return this;
  }

  private Fingerprint flag(boolean flag) {
    return number(flag ? 1 : 0);
  }

  private Fingerprint txn(TxnId txn) {
    return number(txn.timeMicros()).number(txn.clientId()).number(txn.home());
  }

  private Fingerprint execution(ExecutionId execution) {
    return txn(execution.txn()).number(execution.number());
  }

  private Fingerprint key(Key key) {
    return number(key.hashCode());
  }

  private Fingerprint value(Value value) {
    return number(ValueHash.of(value));
  }

  private Fingerprint version(WriteId version) {
    return txn(version.writer()).number(version.valueId());
  }

  private Fingerprint row(VersionedValue row) {
    return key(row.key()).version(row.version()).value(row.value()).flag(row.settled());
  }

  private Fingerprint range(KeyRange range) {
    return key(range.from()).bound(range.to());
  }

  private Fingerprint bound(@Nullable Key bound) {
    return bound == null ? flag(false) : flag(true).key(bound);
  }

  /** Those of an execution that has scanned nothing leave no trace. */
  private Fingerprint ranges(List<KeyRange> ranges) {
    ranges.forEach(this::range);
    return this;
  }

  private Fingerprint write(Write write) {
    return key(write.key()).number(write.valueId()).value(write.value());
  }

  private Fingerprint view(View view) {
    return number(view.round()).number(view.proposer());
  }

  private Fingerprint sets(List<Read> reads, List<Write> writes, List<Integer> participants) {
    number(reads.size());
    for (Read read : reads) {
      key(read.key()).version(read.version());
    }
    number(writes.size());
    for (Write write : writes) {
      write(write);
    }
    return partitions(participants);
  }

  private Fingerprint partitions(List<Integer> partitions) {
    for (int partition : partitions) {
      number(partition);
    }
    return this;
  }

  private Fingerprint outcome(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit(int execution, List<Integer> participants) ->
          number(1).number(execution).partitions(participants);
      case Outcome.Abort abort -> number(2);
    };
  }

  private Fingerprint answer(PrepareAnswer answer) {
    return switch (answer) {
      case PrepareAnswer.Voted(Vote vote) -> number(1).vote(vote);
      case PrepareAnswer.Superseded(int execution) -> number(2).number(execution);
      case PrepareAnswer.Fenced(View view) -> number(3).view(view);
      case PrepareAnswer.Decided(Outcome outcome) -> number(4).outcome(outcome);
    };
  }

  private Fingerprint vote(Vote vote) {
    return switch (vote) {
      case Vote.Commit(boolean onCondition) -> number(onCondition ? 3 : 1);
      case Vote.Abandon(boolean isFinal, Vote.Reason reason, List<VersionedValue> fresh) -> {
        number(2).flag(isFinal).number(reason.name().hashCode());
        fresh.forEach(this::row);
        yield this;
      }
    };
  }

  private Fingerprint answer(FinalizeAnswer answer) {
    return switch (answer) {
      case FinalizeAnswer.Accepted accepted -> number(1);
      case FinalizeAnswer.Fenced(View view) -> number(2).view(view);
      case FinalizeAnswer.Decided(Outcome outcome) -> number(3).outcome(outcome);
    };
  }

  private Fingerprint answer(RecoverAnswer answer) {
    return switch (answer) {
      case RecoverAnswer.Promised(
              RecoverAnswer.@Nullable Accepted accepted,
              int execution,
              boolean votedCommit,
              List<Integer> participants) -> {
        number(1).number(execution).flag(votedCommit);
        participants.forEach(this::number);
        if (accepted != null) {
          view(accepted.view()).outcome(accepted.value());
        }
        yield this;
      }
      case RecoverAnswer.Fenced(View view) -> number(2).view(view);
      case RecoverAnswer.Decided(Outcome outcome) -> number(3).outcome(outcome);
    };
  }
}
