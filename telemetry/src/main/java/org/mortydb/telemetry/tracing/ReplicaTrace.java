package org.mortydb.telemetry.tracing;

import brave.Span;
import brave.propagation.TraceContext;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * One replica's spans of one transaction, or of one round of truncation. For the replica's thread
 * only.
 */
final class ReplicaTrace implements OpenTraces.Trace {
  private static final String VALIDATION = "validate";
  private static final String CONDITION = "condition";
  private static final String WAIT = "wait";
  private static final String RECOVERY = "recover";
  private static final String ROUND = "truncate";
  private static final String FENCE = "fence";
  private static final String LEARN = "learn outcomes";

  private final TxnId txn;
  private final ReplicaId self;
  private final Spans spans;
  private final TraceSampler sampler;
  private final long openedMicros;
  private boolean over;

  /** The open spans, by purpose. */
  private final Map<String, Span> open = new LinkedHashMap<>();

  /** The execution that is being validated. */
  private int validated = -1;

  /** The view of the recovery that asked last. */
  private View asked = View.CLIENT;

  /** The view of a promise that is withheld until the condition of the vote is decided. */
  private @Nullable View withheld;

  private List<Read> reads = List.of();

  /** For each key read at this replica, when each version was first chosen. */
  private final Map<Key, Map<WriteId, Long>> chosenMicros = new HashMap<>();

  /** For each written key, the last visible value and since when it is visible. */
  private final Map<Key, Shown> shown = new HashMap<>();

  private record Shown(int valueId, long micros) {}

  ReplicaTrace(TxnId txn, ReplicaId self, Spans spans, TraceSampler sampler, long openedMicros) {
    this.txn = txn;
    this.self = self;
    this.spans = spans;
    this.sampler = sampler;
    this.openedMicros = openedMicros;
  }

  TxnId txn() {
    return txn;
  }

  @Override
  public long openedMicros() {
    return openedMicros;
  }

  /** The transaction is over at this replica, except for open spans. */
  void over() {
    over = true;
  }

  boolean isOver() {
    return over && open.isEmpty();
  }

  private @Nullable Span begin(String slot, TraceContext parent, String name, long nowMicros) {
    if (open.containsKey(slot)) {
      return null; // the request came twice
    }
    Span span = spans.child(parent, name, nowMicros).tag(Tags.REPLICA, self.toString());
    open.put(slot, span);
    return span;
  }

  /** Adds an annotation to the newest open span; returns false when none is open. */
  boolean annotate(String what, long nowMicros) {
    Span latest = null;
    for (Span span : open.values()) {
      latest = span;
    }
    if (latest != null) {
      latest.annotate(nowMicros, what);
    }
    return latest != null;
  }

  @Override
  public void giveUp(long nowMicros) {
    open.values().forEach(span -> Spans.giveUp(span, "given up", nowMicros));
    open.clear();
  }

  // ---- reads and writes --------------------------------------------------------------------

  void asked(int request, Key key, long nowMicros) {
    Span read =
        begin("read " + request, TraceIds.readAsParent(txn, request), "serve read", nowMicros);
    if (read != null) {
      read.kind(Span.Kind.SERVER).tag(Tags.KEY, key.toString());
    }
  }

  void answered(GetReply reply, long nowMicros) {
    Span read = open.remove("read " + reply.request());
    if (read != null) {
      read.tag(Tags.VERSION, reply.version().toString())
          .tag(Tags.SETTLED, Boolean.toString(reply.settled()))
          .finish(nowMicros);
    }
  }

  void askedToScan(Scan scan, long nowMicros) {
    TraceContext parent = TraceIds.readAsParent(txn, scan.request());
    Span serving = begin("scan " + scan.request(), parent, "serve scan", nowMicros);
    if (serving != null) {
      SpanTexts.tagScan(serving.kind(Span.Kind.SERVER), scan);
    }
  }

  void answered(ScanReply reply, long nowMicros) {
    Span scan = open.remove("scan " + reply.request());
    if (scan != null) {
      SpanTexts.tagScanReply(scan, reply);
      scan.finish(nowMicros);
    }
  }

  void chose(Key key, WriteId version, long nowMicros) {
    chosenMicros.computeIfAbsent(key, any -> new HashMap<>()).putIfAbsent(version, nowMicros);
  }

  void shown(Write write, long nowMicros) {
    Shown before = shown.get(write.key());
    if (before == null || before.valueId < write.valueId()) {
      shown.put(write.key(), new Shown(write.valueId(), nowMicros));
    }
  }

  // ---- votes -------------------------------------------------------------------------------

  void prepare(Prepare prepare, long nowMicros) {
    int number = prepare.execution().number();
    moveOn(number, nowMicros);
    Span validation = begin(VALIDATION, TraceIds.vote(txn, number, self), "validate", nowMicros);
    if (validation == null) {
      annotate("asked again", nowMicros);
      return;
    }
    validated = number;
    reads = prepare.reads();
    validation.kind(Span.Kind.SERVER).tag(Tags.EXECUTION, Integer.toString(number));
    SpanTexts.tagSets(validation, prepare);
    for (Write write : prepare.writes()) {
      shown(write, nowMicros);
    }
  }

  /** Ends the validation of a lower execution once a message of a higher one arrives. */
  void moveOn(int execution, long nowMicros) {
    if (execution > validated) {
      endValidation("superseded", nowMicros);
    }
  }

  void dropped(int execution, long nowMicros) {
    moveOn(execution + 1, nowMicros);
  }

  private void endValidation(String end, long nowMicros) {
    Spans.giveUp(open.remove(WAIT), end, nowMicros);
    Spans.giveUp(open.remove(CONDITION), end, nowMicros);
    Spans.giveUp(open.remove(VALIDATION), end, nowMicros);
  }

  void voted(int execution, PrepareAnswer answer, long nowMicros) {
    Span validation = execution == validated ? open.remove(VALIDATION) : null;
    if (validation != null) {
      SpanTexts.tagAnswer(validation, answer);
      validation.finish(nowMicros);
    }
  }

  void probed(Probe probe, long nowMicros) {
    switch (probe) {
      case Probe.Pushed p -> chose(p.key(), p.version(), nowMicros);
      case Probe.Waiting p -> waits(p.dependency(), nowMicros);
      case Probe.Proposed p -> {
        Span recovery = open.get(RECOVERY);
        if (recovery != null) {
          recovery
              .tag(Tags.VALUE, SpanTexts.outcome(p.outcome()))
              .annotate(nowMicros, "proposes to " + SpanTexts.outcome(p.outcome()));
        }
      }
      case Probe.Truncated p -> annotate("watermark reached", nowMicros);
      // Covered by messages, or emitted by coordinators only.
      default -> {}
    }
  }

  /** A vote on condition is followed by a second vote once the condition is decided. */
  void votes(int execution, Vote vote, long nowMicros) {
    Spans.finish(open.remove(WAIT), nowMicros);
    if (open.get(VALIDATION) instanceof Span validation) {
      validation.annotate(nowMicros, "voted: " + SpanTexts.vote(vote));
    }
    if (vote.isOnCondition()) {
      begin(CONDITION, TraceIds.vote(txn, execution, self), CONDITION, nowMicros);
    }
    if (vote instanceof Vote.Abandon abandon) {
      for (VersionedValue fresh : abandon.fresh()) {
        chose(fresh.key(), fresh.version(), nowMicros);
      }
    }
  }

  /** Annotates a rare branch; returns false when no span is open for it. */
  boolean marked(Probe.Branch branch, long nowMicros) {
    if (branch == Probe.Branch.VOTED_ON_CONDITION && open.containsKey(CONDITION)) {
      return true; // the span says so
    }
    if (branch == Probe.Branch.REGISTERED) {
      over(); // no outcome follows
    }
    if (branch == Probe.Branch.CONDITION_HELD && open.containsKey(CONDITION)) {
      endCondition("held", nowMicros);
      return true;
    }
    if (branch == Probe.Branch.CONDITION_FAILED && open.containsKey(CONDITION)) {
      endCondition("failed", nowMicros);
      return true;
    }
    if (branch == Probe.Branch.PROMISE_AWAITS_CONDITION
        && open.get(slot(asked)) instanceof Span promise) {
      withheld = asked;
      promise
          .tag(Tags.WITHHELD, "until the condition of the vote is decided")
          .annotate(nowMicros, SpanTexts.branch(branch));
      return true;
    }
    return annotate(SpanTexts.branch(branch), nowMicros);
  }

  /**
   * Ends a vote on condition. Once its transaction is recovered, the coordinator gets no second
   * vote.
   */
  private void endCondition(String standing, long nowMicros) {
    Spans.finish(open.remove(WAIT), nowMicros);
    if (open.remove(CONDITION) instanceof Span condition) {
      condition.tag(Tags.CONDITION, standing).finish(nowMicros);
    }
  }

  private void waits(TxnId dependency, long nowMicros) {
    Spans.finish(open.remove(WAIT), nowMicros);
    Span condition = open.get(CONDITION);
    Span waiting = condition != null ? condition : open.get(VALIDATION);
    if (waiting == null) {
      return;
    }
    Span wait = begin(WAIT, waiting.context(), "wait for dependency", nowMicros);
    if (wait != null) {
      wait.tag(Tags.DEPENDENCY, dependency.toString());
      if (sampler.isSampled(dependency)) {
        wait.tag(Tags.DEPENDENCY_TRACE, TraceIds.traceId(dependency));
      }
    }
  }

  void refused(String reason, boolean toClient, long nowMicros) {
    if (toClient) {
      open.values().forEach(span -> Spans.giveUp(span, "refused: " + reason, nowMicros));
      open.clear();
      over();
    }
  }

  // ---- outcomes ----------------------------------------------------------------------------

  void askedToAccept(View view, Outcome value, long nowMicros) {
    TraceContext parent =
        view.equals(View.CLIENT) ? TraceIds.accept(txn, self) : TraceIds.recovery(txn, view);
    Span acceptance = begin("accept " + SpanTexts.view(view), parent, "accept", nowMicros);
    if (acceptance != null) {
      acceptance
          .kind(Span.Kind.SERVER)
          .tag(Tags.VALUE, SpanTexts.outcome(value))
          .tag(Tags.VIEW, SpanTexts.view(view));
    }
  }

  void accepted(View view, FinalizeAnswer answer, long nowMicros) {
    Span acceptance = open.remove("accept " + SpanTexts.view(view));
    if (acceptance != null) {
      acceptance.tag(Tags.ANSWER, SpanTexts.answer(answer)).finish(nowMicros);
    }
  }

  void installed(Outcome outcome, long nowMicros) {
    over();
    endValidation("decided: " + SpanTexts.outcome(outcome), nowMicros);
    endWithheld("decided: " + SpanTexts.outcome(outcome), nowMicros);
    Span recovery = open.remove(RECOVERY);
    if (recovery != null) {
      recovery.tag(Tags.OUTCOME, SpanTexts.outcome(outcome)).finish(nowMicros);
    }
    if (outcome instanceof Outcome.Commit(int execution, var participants)
        && execution == validated) {
      reads.forEach(this::reportWindow);
    }
  }

  /**
   * Reports the window from the choice of the version that the commit has read until its own write
   * is visible.
   */
  private void reportWindow(Read read) {
    Shown written = shown.get(read.key());
    Long readMicros = chosenMicros.getOrDefault(read.key(), Map.of()).get(read.version());
    if (written != null && readMicros != null) {
      // The value may have been visible before its writer read the last version.
      long end = Math.max(readMicros, written.micros);
      spans
          .child(TraceIds.root(txn), "serialization window", readMicros)
          .tag(Tags.REPLICA, self.toString())
          .tag(Tags.KEY, read.key().toString())
          .tag(Tags.VERSION, read.version().toString())
          .tag(Tags.WINDOW_MICROS, Long.toString(end - readMicros))
          .finish(end);
    }
  }

  // ---- recovery ----------------------------------------------------------------------------

  /** A new attempt at recovery ends the previous one. */
  void recovers(View view, long nowMicros) {
    Spans.giveUp(open.remove(RECOVERY), "repeated", nowMicros);
    open.put(
        RECOVERY,
        spans
            .open(TraceIds.recovery(txn, view), "recover", nowMicros)
            .tag(Tags.REPLICA, self.toString())
            .tag(Tags.TXN, txn.toString())
            .tag(Tags.VIEW, SpanTexts.view(view)));
  }

  void askedToPromise(View view, long nowMicros) {
    if (withheld != null && view.isAbove(withheld)) {
      endWithheld("fenced by " + SpanTexts.view(view), nowMicros);
    }
    asked = view;
    Span promise = begin(slot(view), TraceIds.recovery(txn, view), "promise", nowMicros);
    if (promise != null) {
      promise.kind(Span.Kind.SERVER).tag(Tags.VIEW, SpanTexts.view(view));
    }
  }

  void promised(View view, RecoverAnswer answer, long nowMicros) {
    if (view.equals(withheld)) {
      withheld = null;
    }
    Span promise = open.remove(slot(view));
    if (promise != null) {
      promise.tag(Tags.ANSWER, SpanTexts.answer(answer)).finish(nowMicros);
    }
  }

  private static String slot(View view) {
    return "promise " + SpanTexts.view(view);
  }

  /** Ends a promise that is never sent, because something else came first. */
  private void endWithheld(String end, long nowMicros) {
    if (withheld != null) {
      Spans.giveUp(open.remove(slot(withheld)), end, nowMicros);
      withheld = null;
    }
  }

  // ---- truncation --------------------------------------------------------------------------

  void proposesWatermark(long nowMicros) {
    if (!open.containsKey(ROUND)) {
      open.put(
          ROUND,
          spans
              .open(TraceIds.round(txn, self.partition()), "truncate", nowMicros)
              .tag(Tags.REPLICA, self.toString())
              .tag(Tags.PARTITION, Integer.toString(self.partition()))
              .tag(Tags.WATERMARK, Long.toString(txn.timeMicros())));
    }
  }

  void askedToFence(long nowMicros) {
    Span fence = begin(FENCE, TraceIds.round(txn, self.partition()), "fence", nowMicros);
    if (fence != null) {
      fence.kind(Span.Kind.SERVER);
    }
  }

  void fenced(int told, long nowMicros) {
    Span fence = open.remove(FENCE);
    if (fence != null) {
      fence.tag("morty.told", Integer.toString(told)).finish(nowMicros);
    }
  }

  void learns(int commits, long nowMicros) {
    Span learning = begin(LEARN, TraceIds.round(txn, self.partition()), LEARN, nowMicros);
    if (learning != null) {
      learning.kind(Span.Kind.SERVER).tag("morty.commits", Integer.toString(commits));
    }
  }

  void reached(long nowMicros) {
    Spans.finish(open.remove(LEARN), nowMicros);
    over();
  }

  /** A majority has reached the watermark. */
  void watermarkStands(long nowMicros) {
    Spans.finish(open.remove(ROUND), nowMicros);
    over();
  }
}
