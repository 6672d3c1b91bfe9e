package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Answers the application's reads and scans from memory where it can, asks replicas where it
 * cannot, and continues the application (docs/protocol.md, section 2, Get and Scan).
 */
final class Reading {
  private static final int NOT_WAITING = -1;

  private final CoordinatorState state;
  private final Decision decision;
  private final Writes writes;
  private final Preparation preparation;

  /** The read or scan that the application waits for, or NOT_WAITING. */
  private int waitingOperation = NOT_WAITING;

  /** What each request was made for, by its number. */
  private final ArrayList<Requested> requests = new ArrayList<>(8);

  /** Whether the application was resumed and has not called since. */
  private boolean resumed;

  Reading(CoordinatorState state, Decision decision, Writes writes, Preparation preparation) {
    this.state = state;
    this.decision = decision;
    this.writes = writes;
    this.preparation = preparation;
  }

  // ---- the application ----------------------------------------------------------------------

  void get(List<Key> keys, CoordinatorEffects out) {
    state.operate(keys.getFirst());
    if (state.log.size() + keys.size() > Limits.MAX_OPERATIONS) {
      decision.abort(AbortReason.REFUSED, out);
      return;
    }
    int operation = state.log.size();
    state.log.read(keys);
    begin(operation, out);
  }

  void scan(KeyRange range, int limit, CoordinatorEffects out) {
    state.operate(range.from());
    ExecutionLog log = state.log;
    if (log.size() >= Limits.MAX_OPERATIONS || log.scans().size() >= Limits.MAX_SCANS) {
      decision.abort(AbortReason.REFUSED, out);
      return;
    }
    int operation = log.size();
    log.scan(range, limit);
    begin(operation, out);
  }

  private void begin(int operation, CoordinatorEffects out) {
    if (answerFromMemory(operation)) {
      if (state.execution > 0) {
        state.mark(Branch.READ_REUSED, out);
      }
      resume(operation, out);
      return;
    }
    // The application waits for the network from here on, so what it has written becomes visible.
    writes.show(out);
    preparation.dropAbandonedVotes(out);
    waitingOperation = operation;
    ask(operation, out);
  }

  /** The application has called. */
  void onCall() {
    resumed = false;
  }

  /** Whether the application was resumed and has not called since. */
  boolean hasResumed() {
    return resumed;
  }

  /** Whether the application waits for a read or scan. */
  boolean isWaiting() {
    return waitingOperation != NOT_WAITING;
  }

  boolean isWaitingFor(int operation) {
    return waitingOperation == operation;
  }

  /** The application has thrown after it asked for a read: it has not seen the answer. */
  void forgo() {
    if (isWaiting()) {
      state.log.truncateAfter(waitingOperation - 1);
      waitingOperation = NOT_WAITING;
    }
  }

  // ---- answers ------------------------------------------------------------------------------

  /** Continues the application if its read is answered now. */
  void resumeIfAnswered(CoordinatorEffects out) {
    if (!isWaiting() || state.phase != Phase.EXECUTING) {
      return;
    }
    if (state.stale != null && state.stale.operation < waitingOperation) {
      return; // the read is about to be dropped
    }
    continueFrom(waitingOperation, out);
  }

  /** Continues the application after a read or scan, or asks for what its answer lacks. */
  void continueFrom(int operation, CoordinatorEffects out) {
    if (answerFromMemory(operation)) {
      waitingOperation = NOT_WAITING;
      resume(operation, out);
    } else {
      waitingOperation = operation;
      ask(operation, out);
    }
  }

  /** Answers a read or scan from memory. Returns false if a replica has to be asked. */
  private boolean answerFromMemory(int operation) {
    return state.log.at(operation) instanceof ExecutionLog.ReadOperation read
        ? read.isAnswered()
        : state.log.answerScan(operation);
  }

  private void resume(int operation, CoordinatorEffects out) {
    resumed = true;
    switch (state.log.at(operation)) {
      case ExecutionLog.ReadOperation read -> out.resume(state.execution, operation, read.values());
      case ScanOperation scan -> out.resumeScan(state.execution, operation, scan.rows());
      case ExecutionLog.WriteOperation _ -> throw noRead(operation);
    }
  }

  // ---- requests -----------------------------------------------------------------------------

  /** What a request was made for; null if there was no such request. */
  @Nullable Requested requested(int request) {
    return request < 0 || request >= requests.size() ? null : requests.get(request);
  }

  /** Asks the closest replicas for everything that an answer lacks and that was not asked for. */
  private void ask(int operation, CoordinatorEffects out) {
    if (state.log.at(operation) instanceof ScanOperation scan) {
      ask(scan, out);
    } else if (state.log.at(operation) instanceof ExecutionLog.ReadOperation read) {
      for (ReadSlot slot : read.slots()) {
        if (slot == null || !slot.isOpen()) {
          continue;
        }
        if (slot.attempts == 0) {
          askClosest(slot, out);
        } else if (!state.reaches(slot.partition, slot.replica)) {
          askNext(slot, out); // an earlier execution has asked
        }
      }
    }
  }

  /** Asks every partition once, and goes on where the lowest unknown key may be. */
  private void ask(ScanOperation scan, CoordinatorEffects out) {
    Key unknown = scan.unknownFrom();
    for (ScanSlot slot : scan.slots) {
      slot.limit = scan.limit;
      boolean reached = state.reaches(slot.partition, slot.replica);
      if (slot.next == null || (slot.asked && reached)) {
        continue;
      }
      if (slot.attempts == 0) {
        askClosest(slot, out);
      } else if (slot.asked) {
        askNext(slot, out); // an earlier execution has asked
      } else if (slot.next.equals(unknown)) {
        state.mark(Branch.SCAN_CONTINUED, out);
        if (reached) {
          send(slot, out);
        } else {
          askNext(slot, out);
        }
      }
    }
  }

  private void askClosest(Question question, CoordinatorEffects out) {
    question.replica = state.topology.closest(question.partition);
    for (int rank = 0; rank < state.topology.replicas(); rank++) {
      int index = state.topology.nearest(question.partition, rank);
      if (state.reaches(question.partition, index)) {
        question.replica = index;
        break;
      }
    }
    send(question, out);
  }

  /** Asks the next replica that can be reached; the next one of all if none can. */
  private void askNext(Question question, CoordinatorEffects out) {
    int replicas = state.topology.replicas();
    int last = question.replica;
    question.replica = (last + 1) % replicas;
    for (int i = 1; i < replicas; i++) {
      int index = (last + i) % replicas;
      if (state.reaches(question.partition, index)) {
        question.replica = index;
        break;
      }
    }
    send(question, out);
  }

  private void send(Question question, CoordinatorEffects out) {
    if (question.attempts == 0) {
      question.begunMicros = state.elapsedMicros;
    }
    question.attempts++;
    question.askedMicros = state.elapsedMicros;
    question.waits = false;
    state.touched.set(question.partition);
    Message request = question.request(state.txn, requests);
    out.send(new ReplicaId(question.partition, question.replica), request);
  }

  // ---- refusals and loss --------------------------------------------------------------------

  /**
   * A replica cannot serve: asks the next one what this one was asked, or aborts after the last.
   */
  void askElsewhere(Endpoint refusing, AbortReason reason, CoordinatorEffects out) {
    for (Question question : openQuestions()) {
      if (refusing.equals(new ReplicaId(question.partition, question.replica))) {
        if (question.attempts >= state.topology.replicas()) {
          decision.abort(reason, out);
          return;
        }
        askNext(question, out);
      }
    }
  }

  /**
   * A replica does not serve yet: asks the next one, and after the last one all of them once more,
   * in a while. A partition that a change of the map has made begins to serve soon
   * (docs/protocol.md, section 15). If it does not, the transaction aborts: another attempt has a
   * newer id.
   */
  void onNotServing(Endpoint refusing, CoordinatorEffects out) {
    for (Question question : openQuestions()) {
      if (question.waits || !refusing.equals(new ReplicaId(question.partition, question.replica))) {
        continue;
      }
      if (question.attempts % state.topology.replicas() != 0) {
        askNext(question, out);
      } else if (state.elapsedMicros - question.begunMicros < state.options.resendMicros()) {
        question.waits = true;
        out.armTimer(
            Timer.RESEND, Math.min(Preparation.LEAST_PAUSE_MICROS, state.options.resendMicros()));
      } else {
        decision.abort(AbortReason.NOT_SERVING, out);
        return;
      }
    }
  }

  /**
   * Replicas that cannot be reached answer nothing and push nothing: asks others what they were
   * asked, and does not wait for what they would push.
   */
  void onUnreachable(CoordinatorEffects out) {
    for (ReadSlot slot : state.log.reads()) {
      slot.subscribed &= state.reaches(slot.partition, state.pusherOf(slot));
    }
    for (Question question : openQuestions()) {
      if (!state.reaches(question.partition, question.replica)) {
        state.mark(Branch.READ_ELSEWHERE, out);
        askNext(question, out);
      }
    }
  }

  /** Asks the next replicas what was not answered. */
  void resend(CoordinatorEffects out) {
    for (Question question : openQuestions()) {
      if (question.waits || state.isOverdue(question.askedMicros)) {
        askNext(question, out);
      }
    }
  }

  /** What the application waits for. */
  private List<Question> openQuestions() {
    if (state.phase != Phase.EXECUTING || !isWaiting()) {
      return List.of();
    }
    ArrayList<Question> open = new ArrayList<>();
    switch (state.log.at(waitingOperation)) {
      case ExecutionLog.ReadOperation read -> {
        for (ReadSlot slot : read.slots()) {
          if (slot != null && slot.isOpen()) {
            open.add(slot);
          }
        }
      }
      case ScanOperation scan -> {
        for (ScanSlot slot : scan.slots) {
          if (slot.isOpen()) {
            open.add(slot);
          }
        }
      }
      case ExecutionLog.WriteOperation _ -> throw noRead(waitingOperation);
    }
    return open;
  }

  private static IllegalStateException noRead(int operation) {
    return new IllegalStateException("operation " + operation + " is a write");
  }
}
