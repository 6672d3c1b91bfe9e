package example;

import example.PrimaryCopyMessage.Abort;
import example.PrimaryCopyMessage.Commit;
import example.PrimaryCopyMessage.Denied;
import example.PrimaryCopyMessage.Ended;
import example.PrimaryCopyMessage.Get;
import example.PrimaryCopyMessage.Got;
import example.PrimaryCopyMessage.Prepare;
import example.PrimaryCopyMessage.Promised;
import example.PrimaryCopyMessage.ToClient;
import java.util.BitSet;
import java.util.List;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.system.TransactionBuffer;
import org.mortydb.protocol.system.TransactionBuffer.ReadSlot;

/** The client's half of one attempt: reads, buffers writes, and decides the outcome. */
final class PrimaryCopyCoordinator implements CoordinatorMachine {
  private enum State {
    /** The application runs, or waits for a read. */
    EXECUTING,
    /** The primaries were asked for promises. */
    PREPARING,
    /** The transaction has committed; primaries still have to acknowledge it. */
    COMMITTED,
    /** The transaction has aborted; primaries still have to acknowledge it. */
    ABORTED
  }

  private final Topology topology;
  private final CoordinatorOptions options;
  private final TransactionBuffer buffer;
  private final TxnId txn;

  /** The partitions that were read or written. */
  private final BitSet participants = new BitSet();

  /** The participants that have not answered the current request. */
  private final BitSet missing = new BitSet();

  private State state = State.EXECUTING;
  private long commitMicros;

  PrimaryCopyCoordinator(AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
    this.topology = topology;
    this.options = options;
    this.buffer = new TransactionBuffer(topology);
    this.txn = new TxnId(attempt.timeMicros(), attempt.clientId(), 0);
    this.commitMicros = attempt.timeMicros();
  }

  @Override
  public TxnId txn() {
    return txn;
  }

  @Override
  public void step(long nowMicros, Event event, CoordinatorEffects out) {
    switch (event) {
      case Event.Call call when state == State.EXECUTING -> onCall(call, out);
      case Event.Received(ReplicaId from, ToClient message) ->
          onMessage(from.partition(), message, out);
      case Event.Received(ReplicaId from, Refused refused) ->
          abort(AbortReason.of(refused.reason()), out);
      case Event.TimerFired(Timer timer) when timer == Timer.DEADLINE ->
          abort(AbortReason.DEADLINE, out);
      case Event.TimerFired(Timer timer) when timer == Timer.RESEND -> {
        out.armTimer(Timer.RESEND, options.resendMicros());
        resend(out);
      }
      default -> {}
    }
  }

  // ---- the application ----------------------------------------------------------------------

  private void onCall(Event.Call call, CoordinatorEffects out) {
    if (buffer.isEmpty()) {
      out.armTimer(Timer.DEADLINE, options.deadlineMicros());
      out.armTimer(Timer.RESEND, options.resendMicros());
    }
    switch (call) {
      case Event.CallGet(int execution, List<Key> keys) -> {
        keys.forEach(key -> participants.set(topology.partitionOf(key)));
        buffer.get(keys).forEach(slot -> ask(slot, out));
        buffer.resumeIfAnswered(out);
      }
      case Event.CallPut(int execution, Key key, Value value) -> {
        participants.set(topology.partitionOf(key));
        buffer.put(key, value);
      }
      case Event.CallCommit commit -> commit(out);
      case Event.CallCommitReads commit when buffer.forgoWrites() -> commit(out);
      case Event.CallCommitReads commit -> abort(AbortReason.APPLICATION, out);
      case Event.CallAbort abort -> abort(AbortReason.APPLICATION, out);
      case Event.CallScan scan -> abort(AbortReason.REFUSED, out);
      case Event.CallYield yield -> {}
    }
  }

  private void ask(ReadSlot slot, CoordinatorEffects out) {
    out.send(PrimaryCopy.primary(slot.partition, topology), new Get(txn, slot.request, slot.key));
  }

  // ---- the outcome --------------------------------------------------------------------------

  private void commit(CoordinatorEffects out) {
    request(State.PREPARING, out);
    commitIfPromised(out);
  }

  private void commitIfPromised(CoordinatorEffects out) {
    if (missing.isEmpty()) {
      TxnId position = txn.at(commitMicros);
      out.complete(
          new Completion.Committed(
              txn, position, 0, Path.FAST, buffer.allReads(), buffer.allWrites()));
      end(State.COMMITTED, Outcome.commit(0, List.of()), out);
    }
  }

  /** The client alone decides, so it may abort until it has decided. */
  private void abort(AbortReason reason, CoordinatorEffects out) {
    if (state == State.EXECUTING || state == State.PREPARING) {
      out.complete(new Completion.Aborted(txn, reason));
      end(State.ABORTED, Outcome.ABORT, out);
    }
  }

  private void end(State end, Outcome outcome, CoordinatorEffects out) {
    out.cancelTimer(Timer.DEADLINE);
    if (out.probing()) {
      out.probe(new Probe.Decided(txn, outcome, Path.FAST));
    }
    request(end, out);
    retireIfAcknowledged(out);
  }

  private void retireIfAcknowledged(CoordinatorEffects out) {
    if (missing.isEmpty()) {
      out.retire();
    }
  }

  private void onMessage(int from, ToClient message, CoordinatorEffects out) {
    switch (message) {
      case Got got when state == State.EXECUTING -> {
        buffer.answered(got.request(), got.version(), got.value());
        buffer.resumeIfAnswered(out);
      }
      case Promised promised when state == State.PREPARING -> {
        missing.clear(from);
        commitMicros = Math.max(commitMicros, promised.leastMicros());
        commitIfPromised(out);
      }
      case Denied denied -> abort(AbortReason.CONFLICT, out);
      case Ended ended when state == State.COMMITTED || state == State.ABORTED -> {
        missing.clear(from);
        retireIfAcknowledged(out);
      }
      default -> {} // answers an earlier request
    }
  }

  // ---- requests to all participants ---------------------------------------------------------

  private void resend(CoordinatorEffects out) {
    if (state == State.EXECUTING) {
      buffer.reads().stream().filter(slot -> !slot.known).forEach(slot -> ask(slot, out));
    } else {
      sendToMissing(out);
    }
  }

  private void request(State next, CoordinatorEffects out) {
    state = next;
    missing.or(participants);
    sendToMissing(out);
  }

  private void sendToMissing(CoordinatorEffects out) {
    missing.stream().forEach(to -> out.send(PrimaryCopy.primary(to, topology), requestTo(to)));
  }

  private PrimaryCopyMessage requestTo(int partition) {
    return switch (state) {
      case PREPARING -> new Prepare(txn, buffer.writesAt(partition));
      case COMMITTED -> new Commit(txn, commitMicros);
      case EXECUTING, ABORTED -> new Abort(txn);
    };
  }
}
