package org.mortydb.protocol.unsound;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.quorum.VoteTally;

/**
 * Coordinators that break a rule in the messages that they receive or send. The checkers must
 * notice.
 */
public final class UnsoundCoordinators {
  private UnsoundCoordinators() {}

  /** Coordinators that count a vote on condition as one without a condition. */
  public static CoordinatorRules ignoringConditions() {
    return new CoordinatorRules() {
      @Override
      public CoordinatorMachine hosted(CoordinatorMachine coordinator, Topology topology) {
        return new IgnoresConditions(coordinator);
      }
    };
  }

  /**
   * Coordinators that count conditional votes of all partitions once a replica of one partition
   * knows that its condition holds, so that of half of what was read.
   */
  public static CoordinatorRules countingHalfOfTheConditions() {
    return new CoordinatorRules() {
      @Override
      public CoordinatorMachine hosted(CoordinatorMachine coordinator, Topology topology) {
        return new CountsHalfOfTheConditions(coordinator);
      }
    };
  }

  /** Coordinators that also commit an abandoned execution once all replicas have voted for it. */
  public static CoordinatorRules countingVotesForOldExecutions() {
    return new CoordinatorRules() {
      @Override
      public CoordinatorMachine hosted(CoordinatorMachine coordinator, Topology topology) {
        return new CountsOldVotes(coordinator, topology);
      }
    };
  }

  /** Stands between a host and a sound coordinator. */
  private abstract static class Wrapper implements CoordinatorMachine {
    final CoordinatorMachine sound;

    Wrapper(CoordinatorMachine sound) {
      this.sound = sound;
    }

    @Override
    public TxnId txn() {
      return sound.txn();
    }

    @Override
    public int reexecutions() {
      return sound.reexecutions();
    }
  }

  private static final class IgnoresConditions extends Wrapper {
    IgnoresConditions(CoordinatorMachine sound) {
      super(sound);
    }

    @Override
    public void step(long nowMicros, Event event, CoordinatorEffects out) {
      Event heard = event;
      if (event instanceof Event.Received(Endpoint from, PrepareReply reply)
          && reply.answer() instanceof PrepareAnswer.Voted(Vote vote)
          && vote.isCommit()) {
        PrepareAnswer unconditional = new PrepareAnswer.Voted(Vote.COMMIT);
        heard = new Event.Received(from, new PrepareReply(reply.execution(), unconditional));
      }
      sound.step(nowMicros, heard, out);
    }
  }

  private static final class CountsHalfOfTheConditions extends Wrapper {
    private final Map<ExecutionId, List<Event.Received>> conditional = new HashMap<>();
    private final Set<ExecutionId> held = new HashSet<>();

    CountsHalfOfTheConditions(CoordinatorMachine sound) {
      super(sound);
    }

    @Override
    public void step(long nowMicros, Event event, CoordinatorEffects out) {
      if (event instanceof Event.Received(Endpoint from, PrepareReply reply)
          && reply.answer() instanceof PrepareAnswer.Voted(Vote.Commit(boolean onCondition))) {
        ExecutionId execution = reply.execution();
        PrepareReply counted = new PrepareReply(execution, new PrepareAnswer.Voted(Vote.COMMIT));
        if (onCondition && !held.contains(execution)) {
          conditional
              .computeIfAbsent(execution, any -> new ArrayList<>())
              .add(new Event.Received(from, counted));
        } else {
          held.add(execution);
          sound.step(nowMicros, new Event.Received(from, counted), out);
          List<Event.Received> earlier = conditional.remove(execution);
          if (earlier != null) {
            earlier.forEach(vote -> sound.step(nowMicros, vote, out));
          }
          return;
        }
      }
      sound.step(nowMicros, event, out);
    }
  }

  private static final class CountsOldVotes extends Wrapper {
    private final Topology topology;
    private final Map<Integer, Ballot> ballots = new HashMap<>();
    private int current;

    private record Ballot(Outcome.Commit commit, VoteTally votes) {}

    CountsOldVotes(CoordinatorMachine sound, Topology topology) {
      super(sound);
      this.topology = topology;
    }

    @Override
    public void step(long nowMicros, Event event, CoordinatorEffects out) {
      sound.step(nowMicros, event, watched(out));
      if (event instanceof Event.Received(ReplicaId from, PrepareReply reply)
          && reply.answer() instanceof PrepareAnswer.Voted(Vote vote)) {
        Ballot ballot = ballots.get(reply.execution().number());
        if (ballot != null && ballot.votes.record(from.partition(), from.index(), vote)) {
          commitIfOld(ballot, out);
        }
      }
    }

    private void commitIfOld(Ballot ballot, CoordinatorEffects out) {
      if (ballot.commit.execution() < current && ballot.votes.commitsReach(topology.replicas())) {
        for (int partition : ballot.commit.participants()) {
          out.broadcast(partition, new Decide(txn(), ballot.commit));
        }
      }
    }

    /** The same effects. Notes the executions. */
    private CoordinatorEffects watched(CoordinatorEffects out) {
      return (CoordinatorEffects)
          Proxy.newProxyInstance(
              CoordinatorEffects.class.getClassLoader(),
              new Class<?>[] {CoordinatorEffects.class},
              (proxy, method, arguments) -> {
                if (method.getName().startsWith("resume")) {
                  current = (int) arguments[0];
                } else if (method.getName().equals("broadcast")
                    && arguments[1] instanceof Prepare prepare) {
                  noteExecution(prepare);
                }
                try {
                  return method.invoke(out, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    private void noteExecution(Prepare prepare) {
      current = prepare.execution().number();
      ballots.computeIfAbsent(
          current,
          number ->
              new Ballot(
                  Outcome.commit(number, prepare.participants()),
                  new VoteTally(prepare.participants(), topology.replicas())));
    }
  }
}
