package org.mortydb.telemetry.tracing;

import brave.Span;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;

/** The texts and tags of spans for votes, answers and sets. */
final class SpanTexts {
  /** The most elements that a tag lists. */
  private static final int MOST_LISTED = 16;

  private SpanTexts() {}

  static void tagAnswer(Span span, PrepareAnswer answer) {
    switch (answer) {
      case PrepareAnswer.Voted(Vote vote) -> tagVote(span, vote);
      case PrepareAnswer.Superseded(int execution) ->
          span.tag(Tags.VOTE, "superseded").tag(Tags.EXECUTION, Integer.toString(execution));
      case PrepareAnswer.Fenced(View view) ->
          span.tag(Tags.VOTE, "fenced").tag(Tags.VIEW, view(view));
      case PrepareAnswer.Decided(Outcome outcome) ->
          span.tag(Tags.VOTE, "decided").tag(Tags.OUTCOME, outcome(outcome));
      case PrepareAnswer.Written _ -> span.tag(Tags.VOTE, "written");
    }
  }

  static void tagVote(Span span, Vote vote) {
    span.tag(Tags.VOTE, vote(vote));
    if (vote instanceof Vote.Abandon(boolean isFinal, Vote.Reason reason, var fresh)) {
      span.tag(Tags.VOTE_REASON, lower(reason)).tag(Tags.VOTE_FINAL, Boolean.toString(isFinal));
      if (!fresh.isEmpty()) {
        span.tag(Tags.VOTE_FRESH, list(fresh, SpanTexts::read));
      }
    }
  }

  static String vote(Vote vote) {
    return switch (vote) {
      case Vote.Commit(boolean onCondition) -> onCondition ? "commit on condition" : "commit";
      case Vote.Abandon abandon -> "abandon";
    };
  }

  static String answer(FinalizeAnswer answer) {
    return switch (answer) {
      case FinalizeAnswer.Accepted() -> "accepted";
      case FinalizeAnswer.Fenced(View view) -> "fenced by " + view(view);
      case FinalizeAnswer.Decided(Outcome outcome) -> "decided: " + outcome(outcome);
    };
  }

  static String answer(RecoverAnswer answer) {
    return switch (answer) {
      case RecoverAnswer.Promised promised -> promise(promised);
      case RecoverAnswer.Fenced(View view) -> "fenced by " + view(view);
      case RecoverAnswer.Decided(Outcome outcome) -> "decided: " + outcome(outcome);
    };
  }

  private static String promise(RecoverAnswer.Promised promised) {
    RecoverAnswer.Accepted accepted = promised.accepted();
    String held =
        promised.execution() == RecoverAnswer.NO_EXECUTION
            ? "knows no execution"
            : "holds execution "
                + promised.execution()
                + (promised.votedCommit() ? ", voted to commit it" : ", no vote to commit");
    return "promised: "
        + held
        + (accepted == null
            ? ""
            : ", accepted " + outcome(accepted.value()) + " in " + view(accepted.view()));
  }

  static String outcome(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit(int execution, var participants) -> "commit";
      case Outcome.Abort() -> "abort";
    };
  }

  static String view(View view) {
    return view.round() + "." + Long.toHexString(view.proposer());
  }

  /** Tags the reads and writes of an execution at one partition, and its scans. */
  static void tagSets(Span span, Prepare prepare) {
    span.tag(Tags.READS, list(prepare.reads(), read -> read.key() + " = " + read.version()))
        .tag(Tags.WRITES, list(prepare.writes(), write -> write.key().toString()));
    if (!prepare.ranges().isEmpty()) {
      span.tag(Tags.RANGES, list(prepare.ranges(), KeyRange::toString));
    }
  }

  static void tagScan(Span span, Scan scan) {
    span.tag(Tags.RANGE, scan.range().toString()).tag(Tags.LIMIT, Integer.toString(scan.limit()));
  }

  static void tagScanReply(Span span, ScanReply reply) {
    span.tag(Tags.ROWS, Integer.toString(reply.rows().size()));
    Key next = reply.next();
    if (next != null) {
      span.tag(Tags.NEXT, next.toString());
    }
  }

  private static String read(VersionedValue read) {
    return read.key() + " = " + read.version();
  }

  private static <T> String list(List<T> elements, Function<T, String> text) {
    StringBuilder joined = new StringBuilder();
    for (int i = 0; i < elements.size() && i < MOST_LISTED; i++) {
      joined.append(i == 0 ? "" : ", ").append(text.apply(elements.get(i)));
    }
    if (elements.size() > MOST_LISTED) {
      joined.append(" and ").append(elements.size() - MOST_LISTED).append(" more");
    }
    return joined.toString();
  }

  static String branch(Probe.Branch branch) {
    return lower(branch).replace('_', ' ');
  }

  static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
