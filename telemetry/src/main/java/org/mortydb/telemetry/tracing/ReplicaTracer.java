package org.mortydb.telemetry.tracing;

import brave.Span;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;

/**
 * Creates the spans of replicas. A transaction that is not sampled costs a hash and a comparison.
 */
final class ReplicaTracer implements MachineObserver {
  /**
   * A replica that first sees a transaction after this time is catching up. Such late events are
   * left out, because all other spans would shrink to a point.
   */
  private static final long CATCHING_UP_MICROS = 2_000_000;

  private final TraceSampler sampler;
  private final Spans spans;

  /** Each value is used by its replica's thread only. */
  private final ConcurrentHashMap<Endpoint, OpenTraces<ReplicaTrace>> replicas =
      new ConcurrentHashMap<>();

  ReplicaTracer(TraceSampler sampler, Spans spans) {
    this.sampler = sampler;
    this.spans = spans;
  }

  private OpenTraces<ReplicaTrace> of(Endpoint replica) {
    OpenTraces<ReplicaTrace> traces = replicas.get(replica);
    return traces != null
        ? traces
        : replicas.computeIfAbsent(replica, any -> new OpenTraces<ReplicaTrace>());
  }

  private @Nullable ReplicaTrace find(Endpoint at, TxnId txn) {
    return sampler.isSampled(txn) ? of(at).get(txn) : null;
  }

  private @Nullable ReplicaTrace findOrOpen(Endpoint at, TxnId txn, long nowMicros) {
    if (!sampler.isSampled(txn) || !(at instanceof ReplicaId replica)) {
      return null;
    }
    OpenTraces<ReplicaTrace> traces = of(at);
    ReplicaTrace trace = traces.get(txn);
    if (trace == null && traces.hasRoom(nowMicros)) {
      trace = new ReplicaTrace(txn, replica, spans, sampler, nowMicros);
      traces.add(txn, trace);
    }
    return trace;
  }

  /** A span of a single moment, without state. */
  private @Nullable Span moment(Endpoint at, TxnId txn, String name, long nowMicros) {
    return sampler.isSampled(txn)
        ? spans.child(TraceIds.root(txn), name, nowMicros).tag(Tags.REPLICA, at.toString())
        : null;
  }

  // ---- received messages -------------------------------------------------------------------

  @Override
  public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
    if (message instanceof Message.Put put) {
      onPut(at, put, nowMicros);
      return;
    }
    ReplicaTrace trace =
        begins(message) ? findOrOpen(at, message.txn(), nowMicros) : find(at, message.txn());
    if (trace == null) {
      return;
    }
    switch (message) {
      case Message.Get m -> trace.asked(m.request(), m.key(), nowMicros);
      case Message.Scan m -> trace.askedToScan(m, nowMicros);
      case Message.Prepare m -> trace.prepare(m, nowMicros);
      case Message.Register m -> trace.prepare(m.asPrepare(), nowMicros);
      case Message.Drop m -> trace.dropped(m.execution().number(), nowMicros);
      case Message.Finalize m -> trace.askedToAccept(m.view(), m.value(), nowMicros);
      case Message.Recover m -> trace.askedToPromise(m.view(), nowMicros);
      case Message.TruncatePrepare m -> trace.askedToFence(nowMicros);
      case Message.TruncateCommit m -> trace.learns(m.commits().size(), nowMicros);
      default -> {}
    }
  }

  /** Whether the arrival of a message opens a trace. */
  private static boolean begins(Message message) {
    return switch (message) {
      case Message.Get _, Message.Scan _, Message.Prepare _, Message.Register _ -> true;
      case Message.Finalize _ -> true;
      case Message.Recover _, Message.TruncatePrepare _, Message.TruncateCommit _ -> true;
      default -> false;
    };
  }

  private void onPut(Endpoint at, Message.Put put, long nowMicros) {
    Span shown = moment(at, put.txn(), "show write", nowMicros);
    if (shown != null) {
      shown
          .tag(Tags.KEY, put.write().key().toString())
          .tag(Tags.EXECUTION, Integer.toString(put.execution()))
          .finish(nowMicros);
      ReplicaTrace trace = find(at, put.txn());
      if (trace != null) {
        trace.moveOn(put.execution(), nowMicros);
        trace.shown(put.write(), nowMicros);
      }
    }
  }

  // ---- probes ------------------------------------------------------------------------------

  @Override
  public void probed(Endpoint at, Probe probe, long nowMicros) {
    ReplicaTrace trace = find(at, probe.txn());
    switch (probe) {
      case Probe.RecoveryStarted p -> {
        ReplicaTrace opened = findOrOpen(at, p.txn(), nowMicros);
        if (opened != null) {
          opened.recovers(p.view(), nowMicros);
        }
      }
      case Probe.Joined p -> Spans.finish(moment(at, p.txn(), "joined", nowMicros), nowMicros);
      case Probe.Installed p -> onInstalled(at, trace, p, nowMicros);
      case Probe.ReadServed p -> {
        if (trace != null) {
          trace.chose(p.key(), p.version(), nowMicros);
        } else {
          Span served = moment(at, p.txn(), "serve read", nowMicros);
          if (served != null) {
            served
                .tag(Tags.KEY, p.key().toString())
                .tag(Tags.VERSION, p.version().toString())
                .finish(nowMicros);
          }
        }
      }
      case Probe.Voted p -> {
        if (trace != null) {
          trace.votes(p.execution().number(), p.vote(), nowMicros);
        } else if (sampler.isSampled(p.txn())) {
          Span vote =
              spans
                  .child(TraceIds.prepare(p.txn(), p.execution().number()), "validate", nowMicros)
                  .tag(Tags.REPLICA, at.toString());
          SpanTexts.tagVote(vote, p.vote());
          vote.finish(nowMicros);
        }
      }
      case Probe.Mark p -> {
        boolean belongs = trace != null && trace.marked(p.branch(), nowMicros);
        if (!belongs && !isCatchingUp(trace, p.txn(), nowMicros)) {
          Span rare = moment(at, p.txn(), SpanTexts.branch(p.branch()), nowMicros);
          Spans.finish(rare, nowMicros);
        }
      }
      default -> {
        if (trace != null) {
          trace.probed(probe, nowMicros);
        }
      }
    }
  }

  private void onInstalled(
      Endpoint at, @Nullable ReplicaTrace trace, Probe.Installed installed, long nowMicros) {
    TxnId txn = installed.txn();
    if (isCatchingUp(trace, txn, nowMicros)) {
      return;
    }
    Span install = moment(at, txn, "install", nowMicros);
    if (install != null) {
      install.tag(Tags.OUTCOME, SpanTexts.outcome(installed.outcome())).finish(nowMicros);
    }
    if (trace != null) {
      trace.installed(installed.outcome(), nowMicros);
      removeIfOver(at, trace);
    }
  }

  private static boolean isCatchingUp(@Nullable ReplicaTrace trace, TxnId txn, long nowMicros) {
    return trace == null && nowMicros - txn.timeMicros() > CATCHING_UP_MICROS;
  }

  // ---- sent messages -----------------------------------------------------------------------

  @Override
  public void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {
    switch (message) {
      case Message.Push m -> {
        Span push = pushed(at, m.txn(), m.request(), m.version(), m.settled(), nowMicros);
        Spans.finish(push, nowMicros);
      }
      case Message.PushRow m -> {
        VersionedValue row = m.row();
        Span push = pushed(at, m.txn(), m.request(), row.version(), row.settled(), nowMicros);
        if (push != null) {
          push.tag(Tags.KEY, row.key().toString()).finish(nowMicros);
        }
      }
      default -> answered(at, to, message, nowMicros);
    }
  }

  private @Nullable Span pushed(
      Endpoint at, TxnId txn, int request, WriteId version, boolean settled, long nowMicros) {
    return sampler.isSampled(txn)
        ? spans
            .child(TraceIds.readAsParent(txn, request), "push", nowMicros)
            .tag(Tags.REPLICA, at.toString())
            .tag(Tags.VERSION, version.toString())
            .tag(Tags.SETTLED, Boolean.toString(settled))
        : null;
  }

  private void answered(Endpoint at, Endpoint to, Message message, long nowMicros) {
    boolean begins = message instanceof Message.TruncatePrepare;
    ReplicaTrace trace =
        begins ? findOrOpen(at, message.txn(), nowMicros) : find(at, message.txn());
    if (trace == null) {
      return;
    }
    switch (message) {
      case Message.TruncatePrepare m -> trace.proposesWatermark(nowMicros);
      case Message.GetReply m -> trace.answered(m, nowMicros);
      case Message.ScanReply m -> trace.answered(m, nowMicros);
      case Message.PrepareReply m -> {
        trace.voted(m.execution().number(), m.answer(), nowMicros);
        if (m.answer() instanceof PrepareAnswer.Decided) {
          trace.over();
        }
        removeIfOver(at, trace);
      }
      case Message.FinalizeReply m -> {
        trace.accepted(m.view(), m.answer(), nowMicros);
        if (m.answer() instanceof FinalizeAnswer.Decided) {
          trace.over();
        }
      }
      case Message.RecoverReply m -> trace.promised(m.view(), m.answer(), nowMicros);
      case Message.TruncateReply m -> trace.fenced(m.standings().size(), nowMicros);
      case Message.TruncateAck m -> trace.reached(nowMicros);
      case Message.Refused m ->
          trace.refused(SpanTexts.lower(m.reason()), to instanceof ClientId, nowMicros);
      default -> {}
    }
    removeIfOver(at, trace);
  }

  @Override
  public void broadcast(Endpoint at, int partition, Message message, long nowMicros) {
    if (message instanceof Message.Watermark watermark) {
      ReplicaTrace trace = find(at, watermark.txn());
      if (trace != null) {
        trace.watermarkStands(nowMicros);
        removeIfOver(at, trace);
      }
    }
  }

  private void removeIfOver(Endpoint at, ReplicaTrace trace) {
    if (trace.isOver()) {
      of(at).remove(trace.txn());
    }
  }
}
