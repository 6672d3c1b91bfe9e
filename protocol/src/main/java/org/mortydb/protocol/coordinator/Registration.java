package org.mortydb.protocol.coordinator;

import java.util.List;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.FromClient;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Asks replicas to register the reads of a read-only execution, and to take them back when the
 * execution is given up (docs/protocol.md, section 3, Read-only transactions).
 */
final class Registration {
  private final CoordinatorState state;

  Registration(CoordinatorState state) {
    this.state = state;
  }

  /** Asks the f+1 closest replicas of every participant; the others if those are late. */
  void ask(Ballot ballot, CoordinatorEffects out) {
    ask(ballot, 0, quorum(), out);
    ballot.limitWait(state.options.slowPathMicros(), out);
    widenIfUnreachable(ballot, out);
  }

  /** Asks the others as well if one of the closest that has not voted cannot be reached. */
  void widenIfUnreachable(Ballot ballot, CoordinatorEffects out) {
    for (int partition : ballot.execution.participants()) {
      for (int rank = 0; rank < quorum(); rank++) {
        int index = state.topology.nearest(partition, rank);
        if (!state.reaches(partition, index) && !ballot.votes.hasVoted(partition, index)) {
          widen(ballot, out);
          return;
        }
      }
    }
  }

  /** Asks the replicas to register that were not asked before. */
  void widen(Ballot ballot, CoordinatorEffects out) {
    if (ballot.widen()) {
      state.mark(Branch.REGISTERS_WIDELY, out);
      ask(ballot, quorum(), state.topology.replicas(), out);
    }
  }

  private int quorum() {
    return state.rules.registerQuorum(state.topology.f());
  }

  /** Asks replicas of every participant, by their distance. */
  private void ask(Ballot ballot, int fromRank, int toRank, CoordinatorEffects out) {
    PreparedExecution execution = ballot.execution;
    for (int partition : execution.participants()) {
      FromClient register = execution.requestFor(partition, state.topology);
      for (int rank = fromRank; rank < toRank; rank++) {
        out.send(new ReplicaId(partition, state.topology.nearest(partition, rank)), register);
      }
    }
  }

  /**
   * The current execution is given up, if it has asked for registration: its votes do not count any
   * more. What replicas have registered would abandon writers until the fence passes it.
   */
  void takeBack(CoordinatorEffects out) {
    Ballot ballot = state.ballot;
    if (state.phase != Phase.PREPARING || ballot == null || !ballot.execution.registers()) {
      return;
    }
    PreparedExecution execution = ballot.execution;
    int asked = ballot.isWide() ? state.topology.replicas() : quorum();
    for (int partition : execution.participants()) {
      List<Key> keys = execution.keysOf(partition, state.topology);
      for (int rank = 0; rank < asked; rank++) {
        int index = state.topology.nearest(partition, rank);
        if (!ballot.votes.hasAbandoned(partition, index)) {
          out.send(new ReplicaId(partition, index), new Drop(execution.id(), keys));
        }
      }
    }
  }
}
