package org.mortydb.sim.host;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ValueHash;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClusterMap;
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
 * Hashes messages by their contents. {@code hashCode} does not serve, because it differs between
 * JVMs for records that contain enums.
 */
final class Fingerprint {
  private long hash;

  private Fingerprint() {}

  static long of(Message message) {
    return new Fingerprint().message(message).hash;
  }

  private Fingerprint message(Message message) {
    return switch (message) {
      case Message.Get m -> kind(1).txn(m.txn()).number(m.request()).key(m.key());
      case Message.Put m -> kind(2).txn(m.txn()).number(m.execution()).write(m.write());
      case Message.Retract m ->
          kind(3).txn(m.txn()).number(m.execution()).each(m.keys(), this::key);
      case Message.Prepare m ->
          kind(4)
              .execution(m.execution())
              .sets(m.reads(), m.writes(), m.participants())
              .each(m.ranges(), this::range);
      case Message.Drop m -> kind(5).execution(m.execution()).each(m.keys(), this::key);
      case Message.Finalize m -> kind(6).txn(m.txn()).view(m.view()).outcome(m.value());
      case Message.Decide m -> kind(7).txn(m.txn()).outcome(m.outcome());
      case Message.GetReply m ->
          kind(8)
              .answer(m.txn(), m.request(), m.sequence())
              .versionedValue(m.version(), m.value(), m.settled());
      case Message.Push m ->
          kind(9)
              .answer(m.txn(), m.request(), m.sequence())
              .versionedValue(m.version(), m.value(), m.settled());
      case Message.PrepareReply m -> kind(10).execution(m.execution()).answer(m.answer());
      case Message.FinalizeReply m -> kind(11).txn(m.txn()).view(m.view()).answer(m.answer());
      case Message.Refused(TxnId txn, Message.Refusal reason, long clock) ->
          kind(12).txn(txn).number(reason.name().hashCode()).number(clock);
      case Message.Inquire m -> kind(13).txn(m.txn());
      case Message.InquireReply m -> kind(14).txn(m.txn());
      case Message.Fetch m -> kind(15).execution(m.execution());
      case Message.NotHeld m -> kind(35).execution(m.execution());
      case Message.FetchReply m ->
          kind(16)
              .execution(m.execution())
              .sets(m.reads(), m.writes(), m.participants())
              .each(m.ranges(), this::range);
      case Message.Recover m -> kind(17).txn(m.txn()).view(m.view());
      case Message.RecoverReply m -> kind(18).txn(m.txn()).view(m.view()).answer(m.answer());
      case Message.TruncatePrepare m ->
          kind(19).txn(m.watermark()).txn(m.base()).number(m.joinerMicros());
      case Message.TruncateReply m ->
          kind(20)
              .txn(m.watermark())
              .txn(m.base())
              .txn(m.applied())
              .txn(m.upTo())
              .each(m.standings(), this::standing)
              .map(m.change());
      case Message.TruncateCommit m ->
          kind(21)
              .txn(m.watermark())
              .txn(m.base())
              .each(m.commits(), this::standing)
              .map(m.change());
      case Message.TruncateAck m -> kind(22).txn(m.watermark());
      case Message.Watermark m -> kind(23).txn(m.watermark()).number(m.partition());
      case Message.Behind m -> kind(24).txn(m.txn()).txn(m.watermark());
      case Message.Copy m -> kind(25).txn(m.since()).key(m.from()).txn(m.upTo());
      case Message.CopyReply m ->
          kind(26)
              .txn(m.since())
              .key(m.from())
              .bound(m.next())
              .txn(m.watermark())
              .txn(m.erased())
              .number(m.dropped())
              .each(m.versions(), this::copied);
      case Message.Seal m -> kind(38).txn(m.txn()).map(m.map());
      case Message.SealReply m -> kind(39).txn(m.txn()).number(m.number()).flag(m.sealed());
      case Message.CheckPartition m -> kind(40).txn(m.txn()).map(m.map());
      case Message.PartitionReply m ->
          kind(41)
              .txn(m.txn())
              .number(m.number())
              .flag(m.founded())
              .flag(m.holds())
              .number(m.keys())
              .number(m.bytes())
              .number(m.watermarkMicros());
      case Message.AskMaps m -> kind(42).txn(m.txn()).number(m.last()).number(m.closed());
      case Message.Maps m -> kind(43).txn(m.txn()).number(m.closed()).each(m.maps(), this::map);
      case Message.CopyOutcomes m -> kind(27).txn(m.after());
      case Message.CopyOutcomesReply m ->
          kind(28)
              .txn(m.after())
              .txn(m.next())
              .txn(m.watermark())
              .txn(m.forgotten())
              .each(m.outcomes(), this::standing);
      case Message.Found m -> kind(29).flag(m.locked()).flag(m.serving()).numbers(m.incarnations());
      case Message.Scan m ->
          kind(30)
              .txn(m.txn())
              .number(m.request())
              .range(m.range())
              .number(m.limit())
              .number(m.map());
      case Message.ScanReply m ->
          kind(31).txn(m.txn()).number(m.request()).bound(m.next()).each(m.rows(), this::row);
      case Message.PushRow m -> kind(32).answer(m.txn(), m.request(), m.sequence()).row(m.row());
      case Message.ReadCut m -> kind(33).txn(m.cut()).range(m.range()).number(m.limit());
      case Message.CutReply m ->
          kind(34)
              .txn(m.cut())
              .bound(m.from())
              .bound(m.next())
              .number(m.state().ordinal())
              .txn(m.watermark())
              .each(m.rows(), this::row)
              .map(m.map());
      case Message.Register m ->
          kind(36)
              .execution(m.execution())
              .sets(m.reads(), List.of(), List.of())
              .each(m.ranges(), this::range)
              .number(m.map());
      case Message.RegistrationLogged m -> kind(37).txn(m.upTo()).flag(m.written());
      case Message.ReadPast m ->
          kind(50)
              .txn(m.txn())
              .number(m.request())
              .number(m.level().ordinal())
              .txn(m.place())
              .each(m.keys(), this::key);
      case Message.ScanPast m ->
          kind(51)
              .txn(m.txn())
              .number(m.request())
              .number(m.level().ordinal())
              .txn(m.place())
              .range(m.range())
              .number(m.limit())
              .map(m.map());
      case Message.PastReply m ->
          kind(52)
              .txn(m.txn())
              .number(m.request())
              .number(m.state().ordinal())
              .txn(m.place())
              .txn(m.newest())
              .bound(m.next())
              .each(m.rows(), this::row);
      case Message.OfSystem m -> kind(64).numbers(m.toString().chars().boxed().toList());
    };
  }

  private Fingerprint kind(long kind) {
    hash = kind;
    return this;
  }

  private <T> Fingerprint each(Iterable<T> items, Consumer<T> add) {
    items.forEach(add);
    return this;
  }

  private Fingerprint answer(TxnId txn, int request, long sequence) {
    return txn(txn).number(request).number(sequence);
  }

  private Fingerprint standing(Message.Standing standing) {
    txn(standing.txn());
    return standing.outcome() == null ? this : outcome(standing.outcome());
  }

  private Fingerprint copied(Message.CopiedVersion copied) {
    return key(copied.key()).version(copied.version()).value(copied.value()).txn(copied.floor());
  }

  private Fingerprint map(ClusterMap map) {
    return number(map.toString().hashCode());
  }

  /** The number of a map; the first one leaves no trace. */
  private Fingerprint map(int number) {
    return number == 0 ? this : number(number);
  }

  private Fingerprint number(long number) {
    hash = ValueHash.combine(hash, number);
    return this;
  }

  private Fingerprint numbers(List<? extends Number> numbers) {
    return each(numbers, number -> number(number.longValue()));
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

  private Fingerprint versionedValue(WriteId version, Value value, boolean settled) {
    return version(version).value(value).flag(settled);
  }

  private Fingerprint row(VersionedValue row) {
    return key(row.key()).versionedValue(row.version(), row.value(), row.settled());
  }

  private Fingerprint range(KeyRange range) {
    return key(range.from()).bound(range.to());
  }

  private Fingerprint bound(@Nullable Key bound) {
    return bound == null ? flag(false) : flag(true).key(bound);
  }

  private Fingerprint write(Write write) {
    return key(write.key()).number(write.valueId()).value(write.value());
  }

  private Fingerprint view(View view) {
    return number(view.round()).number(view.proposer());
  }

  private Fingerprint sets(List<Read> reads, List<Write> writes, List<Integer> participants) {
    return number(reads.size())
        .each(reads, read -> key(read.key()).version(read.version()))
        .number(writes.size())
        .each(writes, this::write)
        .numbers(participants);
  }

  private Fingerprint outcome(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit(int execution, List<Integer> participants) ->
          number(1).number(execution).numbers(participants);
      case Outcome.Abort _ -> number(2);
    };
  }

  private Fingerprint answer(PrepareAnswer answer) {
    return switch (answer) {
      case PrepareAnswer.Voted(Vote vote) -> number(1).vote(vote);
      case PrepareAnswer.Superseded(int execution) -> number(2).number(execution);
      case PrepareAnswer.Fenced(View view) -> number(3).view(view);
      case PrepareAnswer.Decided(Outcome outcome) -> number(4).outcome(outcome);
      case PrepareAnswer.Written _ -> number(5);
    };
  }

  private Fingerprint vote(Vote vote) {
    return switch (vote) {
      case Vote.Commit(boolean onCondition) -> number(onCondition ? 3 : 1);
      case Vote.Abandon(boolean isFinal, Vote.Reason reason, List<VersionedValue> fresh) ->
          number(2).flag(isFinal).number(reason.name().hashCode()).each(fresh, this::row);
    };
  }

  private Fingerprint answer(FinalizeAnswer answer) {
    return switch (answer) {
      case FinalizeAnswer.Accepted _ -> number(1);
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
              List<Integer> participants,
              boolean vague) -> {
        number(1).number(execution).flag(votedCommit).numbers(participants).flag(vague);
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
