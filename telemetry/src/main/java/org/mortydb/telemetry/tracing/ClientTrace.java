package org.mortydb.telemetry.tracing;

import brave.Span;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.WriteId;

/**
 * The client's spans of one attempt at a transaction. The root span has a span for each execution,
 * with the execution's reads and votes, and a span for the slow path. For the client's thread only.
 */
final class ClientTrace implements OpenTraces.Trace {
  private static final String SUPERSEDED = "superseded";
  private static final String NO_ANSWER = "no answer before the outcome";
  private static final int MOST_ANNOTATIONS = 100;

  private final TxnId txn;
  private final Spans spans;
  private final TraceSampler sampler;
  private final Layout layout;
  private final Span root;
  private Span execution;
  private int number;
  private int reexecutions;
  private int annotations;
  private boolean decided;

  /** Reads and scans, by request. */
  private final Map<Integer, Span> reads = new LinkedHashMap<>();

  private final Map<Integer, Key> requested = new HashMap<>();

  /** The version of each key that was received last, and the replica that sent it. */
  private final Map<Key, Seen> seen = new HashMap<>();

  private final Set<Integer> participants = new LinkedHashSet<>();
  private @Nullable Span settling;
  private @Nullable Span preparation;
  private final Map<ReplicaId, Span> votes = new LinkedHashMap<>();

  /** The replicas whose votes depend on a condition that the client does not know yet. */
  private final Set<ReplicaId> conditional = new HashSet<>();

  private @Nullable Span finalization;
  private final Map<ReplicaId, Span> acceptances = new LinkedHashMap<>();

  /** A version that a replica sent, and the version known before it. */
  private record Seen(WriteId version, @Nullable WriteId before, String from) {}

  ClientTrace(TxnId txn, Spans spans, TraceSampler sampler, Layout layout) {
    this.txn = txn;
    this.spans = spans;
    this.sampler = sampler;
    this.layout = layout;
    this.root =
        spans
            .open(TraceIds.root(txn), "transaction", txn.timeMicros())
            .tag(Tags.TXN, txn.toString());
    this.execution = openExecution("execution", txn.timeMicros());
  }

  @Override
  public long openedMicros() {
    return txn.timeMicros();
  }

  private Span openExecution(String name, long atMicros) {
    return spans
        .open(TraceIds.execution(txn, number), name, atMicros)
        .tag(Tags.EXECUTION, Integer.toString(number));
  }

  /**
   * Adds an annotation to the execution's span. A long transaction keeps only its first
   * annotations.
   */
  void annotate(String what, long nowMicros) {
    if (!decided && annotations++ < MOST_ANNOTATIONS) {
      execution.annotate(nowMicros, what);
    }
  }

  // ---- reads -------------------------------------------------------------------------------

  void asked(ReplicaId replica, int request, Key key, long nowMicros) {
    requested.put(request, key);
    reads.put(
        request,
        spans
            .open(TraceIds.read(txn, request, number), "read", nowMicros)
            .kind(Span.Kind.CLIENT)
            .remoteServiceName(layout.serviceOf(replica))
            .tag(Tags.KEY, key.toString())
            .tag(Tags.REPLICA, replica.toString()));
  }

  void readAnswered(
      ReplicaId replica, int request, WriteId version, boolean settled, long nowMicros) {
    Span read = reads.remove(request);
    if (read != null) {
      read.tag(Tags.VERSION, version.toString())
          .tag(Tags.SETTLED, Boolean.toString(settled))
          .finish(nowMicros);
    }
    saw(requested.get(request), version, "answer of " + named(replica));
  }

  void pushed(ReplicaId replica, int request, WriteId version, boolean settled, long nowMicros) {
    Key key = requested.get(request);
    if (key != null) {
      pushed(replica, key, version, settled, nowMicros);
    }
  }

  private void pushed(
      ReplicaId replica, Key key, WriteId version, boolean settled, long nowMicros) {
    String state = settled ? " has settled" : " is shown";
    annotate("push of " + replica + ": " + key + " = " + version + state, nowMicros);
    saw(key, version, "push of " + named(replica));
  }

  void askedToScan(ReplicaId replica, Scan scan, long nowMicros) {
    Span span =
        spans
            .open(TraceIds.read(txn, scan.request(), number), "scan", nowMicros)
            .kind(Span.Kind.CLIENT)
            .remoteServiceName(layout.serviceOf(replica))
            .tag(Tags.REPLICA, replica.toString());
    SpanTexts.tagScan(span, scan);
    reads.put(scan.request(), span);
  }

  void scanAnswered(ReplicaId replica, ScanReply reply, long nowMicros) {
    Span span = reads.remove(reply.request());
    if (span != null) {
      SpanTexts.tagScanReply(span, reply);
      span.finish(nowMicros);
    }
    String from = "answer of " + named(replica);
    for (VersionedValue row : reply.rows()) {
      saw(row.key(), row.version(), from);
    }
  }

  void pushedRow(ReplicaId replica, VersionedValue row, long nowMicros) {
    pushed(replica, row.key(), row.version(), row.settled(), nowMicros);
  }

  private void saw(@Nullable Key key, WriteId version, String from) {
    if (key != null) {
      Seen before = seen.get(key);
      if (before == null || !before.version.equals(version)) {
        seen.put(key, new Seen(version, before == null ? null : before.version, from));
      }
    }
  }

  private String named(ReplicaId replica) {
    return replica + " (" + layout.serverOf().apply(replica) + ")";
  }

  // ---- executions --------------------------------------------------------------------------

  void reexecuted(Probe.Reexecuted probe, long nowMicros) {
    Seen cause = seen.get(probe.key());
    nextExecution("re-execution", probe.execution().number(), nowMicros);
    reexecutions++;
    execution
        .tag(Tags.CAUSE, "stale read")
        .tag(Tags.CAUSE_KEY, probe.key().toString())
        .tag(Tags.CAUSE_VERSION, probe.version().toString());
    if (sampler.isSampled(probe.version().writer())) {
      execution.tag(Tags.CAUSE_TRACE, TraceIds.traceId(probe.version().writer()));
    }
    if (cause != null && cause.version.equals(probe.version())) {
      execution.tag(Tags.CAUSE_FROM, cause.from);
      if (cause.before != null) {
        execution.tag(Tags.CAUSE_READ, cause.before.toString());
      }
    }
  }

  void revoted(int next, long nowMicros) {
    nextExecution("vote again", next, nowMicros);
    execution.tag(Tags.CAUSE, "the same operations are voted on again");
  }

  private void nextExecution(String name, int next, long nowMicros) {
    endVotes(SUPERSEDED, nowMicros);
    Spans.giveUp(execution, SUPERSEDED, nowMicros);
    number = next;
    execution = openExecution(name, nowMicros);
  }

  void marked(Probe.Branch branch, long nowMicros) {
    if (branch == Probe.Branch.SETTLING) {
      settling = spans.child(execution.context(), "settle", nowMicros);
    } else {
      annotate(SpanTexts.branch(branch), nowMicros);
    }
  }

  // ---- votes -------------------------------------------------------------------------------

  /** The coordinator asks for votes. */
  void prepares(long nowMicros) {
    if (preparation == null && !decided) {
      endSettling(nowMicros);
      preparation =
          spans
              .open(TraceIds.prepare(txn, number), "prepare", nowMicros)
              .tag(Tags.EXECUTION, Integer.toString(number));
    }
  }

  /** A partition is asked to prepare. One step of the coordinator may ask several partitions. */
  void prepared(int partition, Prepare prepare, long nowMicros) {
    prepares(nowMicros);
    participants.addAll(prepare.participants());
    for (int index = 0; index < layout.replicas(); index++) {
      asksToVote(new ReplicaId(partition, index), index == 0 ? prepare : null, nowMicros);
    }
  }

  /** A replica is asked to register reads. */
  void registers(ReplicaId replica, Prepare sets, long nowMicros) {
    prepares(nowMicros);
    if (votes.containsKey(replica)) {
      annotate("Register sent to " + replica + " again", nowMicros);
      return;
    }
    participants.add(replica.partition());
    boolean first = votes.keySet().stream().noneMatch(v -> v.partition() == replica.partition());
    asksToVote(replica, first ? sets : null, nowMicros);
  }

  private void asksToVote(ReplicaId replica, @Nullable Prepare sets, long nowMicros) {
    Span vote =
        spans
            .open(TraceIds.vote(txn, number, replica), "vote", nowMicros)
            .kind(Span.Kind.CLIENT)
            .remoteServiceName(layout.serviceOf(replica))
            .tag(Tags.REPLICA, replica.toString());
    if (sets != null) {
      SpanTexts.tagSets(vote, sets);
    }
    votes.put(replica, vote);
  }

  void voted(ReplicaId replica, int execution, PrepareAnswer answer, long nowMicros) {
    if (execution != number) {
      return; // its span has ended with the execution
    }
    Span vote = votes.remove(replica);
    if (vote != null) {
      SpanTexts.tagAnswer(vote, answer);
      vote.finish(nowMicros);
    }
    if (answer instanceof PrepareAnswer.Voted(Vote given)) {
      if (given.isOnCondition()) {
        conditional.add(replica);
      } else if (conditional.remove(replica)) {
        String standing = given.isCommit() ? " holds" : " has failed";
        annotate("the condition of the vote of " + replica + standing, nowMicros);
      } else if (vote == null) {
        annotate("vote of " + replica + " again: " + SpanTexts.vote(given), nowMicros);
      }
    }
    if (answer instanceof PrepareAnswer.Voted(Vote.Abandon abandon)) {
      for (VersionedValue fresh : abandon.fresh()) {
        saw(fresh.key(), fresh.version(), "vote of " + named(replica));
      }
    }
  }

  private void endSettling(long nowMicros) {
    Spans.finish(settling, nowMicros);
    settling = null;
  }

  private void endVotes(String end, long nowMicros) {
    endSettling(nowMicros);
    votes.values().forEach(vote -> Spans.giveUp(vote, end, nowMicros));
    votes.clear();
    conditional.clear();
    Spans.finish(preparation, nowMicros);
    preparation = null;
  }

  // ---- outcome -----------------------------------------------------------------------------

  void proposed(Outcome value, long nowMicros) {
    Span proposal =
        spans
            .open(TraceIds.finalization(txn), "finalize", nowMicros)
            .tag(Tags.VALUE, SpanTexts.outcome(value));
    finalization = proposal;
    for (int index = 0; index < layout.replicas(); index++) {
      ReplicaId replica = new ReplicaId(txn.home(), index);
      acceptances.put(
          replica,
          spans
              .open(TraceIds.accept(txn, replica), "accept", nowMicros)
              .kind(Span.Kind.CLIENT)
              .remoteServiceName(layout.serviceOf(replica))
              .tag(Tags.REPLICA, replica.toString()));
    }
  }

  void accepted(ReplicaId replica, FinalizeAnswer answer, long nowMicros) {
    Span acceptance = acceptances.remove(replica);
    if (acceptance != null) {
      acceptance.tag(Tags.ANSWER, SpanTexts.answer(answer)).finish(nowMicros);
    }
  }

  void told(ReplicaId replica, Outcome outcome, long nowMicros) {
    annotate(
        "learned the outcome from " + named(replica) + ": " + SpanTexts.outcome(outcome),
        nowMicros);
  }

  void decided(Outcome outcome, Path path, long nowMicros) {
    root.tag(Tags.OUTCOME, SpanTexts.outcome(outcome)).tag(Tags.PATH, SpanTexts.lower(path));
    endAll(NO_ANSWER, nowMicros);
  }

  /** The result is delivered to the application, and the trace ends. */
  void completed(Completion completion, int attempt, long nowMicros) {
    root.tag(Tags.ATTEMPT, Integer.toString(attempt));
    switch (completion) {
      case Completion.Committed committed -> {}
      case Completion.Aborted aborted -> {
        String reason = SpanTexts.lower(aborted.reason());
        root.tag(Tags.ABORT_REASON, reason).tag("error", "aborted: " + reason);
      }
      case Completion.Unknown unknown ->
          root.tag(Tags.OUTCOME, "unknown").tag("error", "outcome unknown");
    }
    end(NO_ANSWER, nowMicros);
  }

  @Override
  public void giveUp(long nowMicros) {
    end("given up", nowMicros);
  }

  private void end(String openOnes, long nowMicros) {
    endAll(openOnes, nowMicros);
    if (!participants.isEmpty()) {
      root.tag(Tags.PARTICIPANTS, participants.toString());
    }
    root.tag(Tags.EXECUTIONS, Integer.toString(number + 1))
        .tag(Tags.REEXECUTIONS, Integer.toString(reexecutions))
        .finish(nowMicros);
  }

  private void endAll(String openOnes, long nowMicros) {
    if (decided) {
      return;
    }
    decided = true;
    reads.values().forEach(read -> Spans.giveUp(read, openOnes, nowMicros));
    reads.clear();
    endVotes(openOnes, nowMicros);
    acceptances.values().forEach(acceptance -> Spans.giveUp(acceptance, openOnes, nowMicros));
    acceptances.clear();
    Spans.finish(finalization, nowMicros);
    finalization = null;
    execution.finish(nowMicros);
  }
}
