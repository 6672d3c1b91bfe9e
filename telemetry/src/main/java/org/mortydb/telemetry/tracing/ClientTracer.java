package org.mortydb.telemetry.tracing;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

/**
 * Creates the spans of coordinators. A transaction that is not sampled costs a hash and a
 * comparison.
 */
final class ClientTracer implements MachineObserver {
  private final TraceSampler sampler;
  private final Spans spans;
  private final Layout layout;

  /** Each value is used by its client's thread only. */
  private final ConcurrentHashMap<Endpoint, OpenTraces<ClientTrace>> clients =
      new ConcurrentHashMap<>();

  ClientTracer(TraceSampler sampler, Spans spans, Layout layout) {
    this.sampler = sampler;
    this.spans = spans;
    this.layout = layout;
  }

  private OpenTraces<ClientTrace> of(Endpoint client) {
    OpenTraces<ClientTrace> traces = clients.get(client);
    return traces != null
        ? traces
        : clients.computeIfAbsent(client, any -> new OpenTraces<ClientTrace>());
  }

  private @Nullable ClientTrace find(Endpoint at, TxnId txn) {
    return sampler.isSampled(txn) ? of(at).get(txn) : null;
  }

  /** Only an action of the coordinator itself opens a trace. Late answers find it closed. */
  private @Nullable ClientTrace findOrOpen(Endpoint at, TxnId txn, long nowMicros) {
    if (!sampler.isSampled(txn) || !(at instanceof ClientId client)) {
      return null;
    }
    OpenTraces<ClientTrace> traces = of(client);
    ClientTrace trace = traces.get(txn);
    if (trace == null && traces.hasRoom(nowMicros)) {
      trace = new ClientTrace(txn, spans, sampler, layout);
      traces.add(txn, trace);
    }
    return trace;
  }

  @Override
  public void probed(Endpoint at, Probe probe, long nowMicros) {
    // Systems with messages of their own emit this probe first.
    boolean begins = probe instanceof Probe.Prepared;
    ClientTrace trace = begins ? findOrOpen(at, probe.txn(), nowMicros) : find(at, probe.txn());
    if (trace == null) {
      return;
    }
    switch (probe) {
      case Probe.Prepared p -> trace.prepares(nowMicros);
      case Probe.Reexecuted p -> trace.reexecuted(p, nowMicros);
      case Probe.Revoted p -> trace.revoted(p.execution().number(), nowMicros);
      case Probe.Proposed p -> trace.proposed(p.outcome(), nowMicros);
      case Probe.Decided p -> trace.decided(p.outcome(), p.path(), nowMicros);
      case Probe.Mark p -> trace.marked(p.branch(), nowMicros);
      // Covered by messages, or emitted by replicas only.
      default -> {}
    }
  }

  @Override
  public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
    ClientTrace trace = find(at, message.txn());
    if (trace == null || !(from instanceof ReplicaId replica)) {
      return;
    }
    switch (message) {
      case Message.GetReply m ->
          trace.readAnswered(replica, m.request(), m.version(), m.settled(), nowMicros);
      case Message.Push m ->
          trace.pushed(replica, m.request(), m.version(), m.settled(), nowMicros);
      case Message.ScanReply m -> trace.scanAnswered(replica, m, nowMicros);
      case Message.PushRow m -> trace.pushedRow(replica, m.row(), nowMicros);
      case Message.PrepareReply m ->
          trace.voted(replica, m.execution().number(), m.answer(), nowMicros);
      case Message.FinalizeReply m -> trace.accepted(replica, m.answer(), nowMicros);
      case Message.Decide m -> trace.told(replica, m.outcome(), nowMicros);
      case Message.Refused m ->
          trace.annotate("refused by " + replica + ": " + SpanTexts.lower(m.reason()), nowMicros);
      default -> {}
    }
  }

  @Override
  public void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {
    boolean begins = message instanceof Message.Get || message instanceof Message.Scan;
    ClientTrace trace = begins ? findOrOpen(at, message.txn(), nowMicros) : find(at, message.txn());
    if (trace == null || !(to instanceof ReplicaId replica)) {
      return;
    }
    switch (message) {
      case Message.Get m -> trace.asked(replica, m.request(), m.key(), nowMicros);
      case Message.Scan m -> trace.askedToScan(replica, m, nowMicros);
      case Message.Register m -> trace.registers(replica, m.asPrepare(), nowMicros);
      case Message.Prepare _, Message.Finalize _ -> {
        String name = message.getClass().getSimpleName();
        trace.annotate(name + " sent to " + to + " again", nowMicros);
      }
      default -> {}
    }
  }

  @Override
  public void broadcast(Endpoint at, int partition, Message message, long nowMicros) {
    boolean begins = message instanceof Message.Put || message instanceof Message.Prepare;
    ClientTrace trace = begins ? findOrOpen(at, message.txn(), nowMicros) : find(at, message.txn());
    if (trace == null) {
      return;
    }
    switch (message) {
      case Message.Put m -> trace.annotate("write of " + m.write().key() + " shown", nowMicros);
      case Message.Prepare m -> trace.prepared(partition, m, nowMicros);
      case Message.Retract m -> trace.annotate(m.keys().size() + " writes retracted", nowMicros);
      case Message.Inquire _ ->
          trace.annotate("asks the home partition for the outcome", nowMicros);
      default -> {}
    }
  }

  @Override
  public void completed(Endpoint at, Completion completion, int attempt, long nowMicros) {
    ClientTrace trace = find(at, completion.txn());
    if (trace != null) {
      trace.completed(completion, attempt, nowMicros);
      of(at).remove(completion.txn());
    }
  }
}
