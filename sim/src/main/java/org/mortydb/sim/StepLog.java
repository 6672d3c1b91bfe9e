package org.mortydb.sim;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.sim.host.Observer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the steps by which coordinators and replicas decide transactions, one JSON object a line,
 * so that the specification in {@code paper/spec} can be checked against them.
 *
 * <p>A replica's steps are written when the replica takes them, not when its messages leave.
 *
 * <table>
 * <caption>Steps, in addition to {@code txn} and {@code home}</caption>
 * <tr><td>{@code execution}</td><td>execution: a message of it has left its coordinator</td></tr>
 * <tr><td>{@code prepare}</td><td>execution, participants</td></tr>
 * <tr><td>{@code commit}</td><td>at, execution, conditional: a vote to commit</td></tr>
 * <tr><td>{@code conditionHeld}</td><td>at: the conditional vote has become unconditional</td></tr>
 * <tr><td>{@code final}</td><td>at, execution: a final abandon</td></tr>
 * <tr><td>{@code takeBack}</td><td>at, execution: the higher one that has ended a vote</td></tr>
 * <tr><td>{@code promise}</td><td>at, view, execution (-1 without a vote to commit), accepted view
 * and outcome, if any</td></tr>
 * <tr><td>{@code finalize}</td><td>view, outcome: an execution, or -1 for abort</td></tr>
 * <tr><td>{@code accept}</td><td>at, view</td></tr>
 * <tr><td>{@code decide}</td><td>outcome: the coordinator sends it</td></tr>
 * <tr><td>{@code know}</td><td>outcome: a replica has learnt it, or sends it</td></tr>
 * <tr><td>{@code truncate}</td><td>the transaction is a watermark that some replica has
 * reached</td></tr>
 * </table>
 */
final class StepLog implements Observer, AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final PrintWriter out;

  /** What is written once: an execution, its Prepare, a view's proposal, an outcome. */
  private final Set<Once> written = new HashSet<>();

  /** Read-only executions: their votes decide no outcome. */
  private final Set<ExecutionId> registered = new HashSet<>();

  private record Once(TxnId txn, String step, Object what) {}

  private final FinalAbandons finalAbandons;

  private StepLog(PrintWriter out, int f) {
    this.out = out;
    this.finalAbandons = new FinalAbandons(_ -> f);
  }

  /**
   * Opens a file.
   *
   * @param f the failures that the simulated cluster tolerates, for the first line
   */
  static StepLog open(Path file, long seed, int f) {
    try {
      StepLog log = new StepLog(new PrintWriter(Files.newBufferedWriter(file)), f);
      log.out.println(JSON.createObjectNode().put("seed", seed).put("f", f));
      return log;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the steps to " + file, e);
    }
  }

  @Override
  public void close() {
    out.close();
  }

  @Override
  public void onSend(Endpoint from, Endpoint to, Message message) {
    if (from instanceof ClientId) {
      switch (message) {
        case Message.Put put -> began(put.txn(), put.execution());
        case Message.Retract retract -> began(retract.txn(), retract.execution());
        case Message.Drop drop -> began(drop.txn(), drop.execution().number() + 1);
        case Message.Prepare(ExecutionId execution, _, _, _, List<Integer> participants, _) -> {
          began(execution.txn(), execution.number());
          if (isNew(execution.txn(), "prepare", execution.number())) {
            ObjectNode step = step(execution.txn(), "prepare").put("execution", execution.number());
            participants.forEach(step.putArray("participants")::add);
            out.println(step);
          }
        }
        case Message.Register(ExecutionId execution, _, _, _) -> {
          began(execution.txn(), execution.number());
          registered.add(execution);
        }
        case Message.Finalize finalize -> proposed(finalize);
        case Message.Decide(TxnId txn, Outcome outcome) -> learnt(txn, "decide", outcome);
        default -> {} // decides nothing
      }
    }
  }

  private void began(TxnId txn, int execution) {
    if (isNew(txn, "execution", execution)) {
      out.println(step(txn, "execution").put("execution", execution));
    }
  }

  @Override
  public void onOutput(ReplicaId from, Message message) {
    switch (message) {
      case Message.PrepareReply(ExecutionId execution, PrepareAnswer.Voted(Vote vote)) -> {
        if (vote instanceof Vote.Abandon abandon
            && !registered.contains(execution)
            && finalAbandons.isFinal(from, execution, abandon)) {
          out.println(step(execution.txn(), "final", from).put("execution", execution.number()));
        }
      }
      case Message.RecoverReply(TxnId txn, View view, RecoverAnswer.Promised promised) ->
          promised(from, txn, view, promised);
      case Message.FinalizeReply(TxnId txn, View view, FinalizeAnswer.Accepted _) -> {
        ObjectNode step = step(txn, "accept", from);
        put(step, view);
        out.println(step);
      }
      case Message.Finalize finalize -> proposed(finalize);
      case Message.Decide(TxnId txn, Outcome outcome) -> learnt(txn, "know", outcome);
      default -> {} // decides nothing
    }
  }

  private void promised(ReplicaId at, TxnId txn, View view, RecoverAnswer.Promised promised) {
    ObjectNode step = step(txn, "promise", at);
    put(step, view);
    step.put("execution", promised.votedCommit() ? promised.execution() : -1);
    if (promised.accepted() != null) {
      put(step.putObject("accepted"), promised.accepted().view())
          .put("outcome", number(promised.accepted().value()));
    }
    out.println(step);
  }

  private void proposed(Message.Finalize finalize) {
    if (isNew(finalize.txn(), "finalize", finalize.view())) {
      ObjectNode step = step(finalize.txn(), "finalize");
      out.println(put(step, finalize.view()).put("outcome", number(finalize.value())));
    }
  }

  private void learnt(TxnId txn, String step, Outcome outcome) {
    if (isNew(txn, step, outcome)) {
      out.println(step(txn, step).put("outcome", number(outcome)));
    }
  }

  @Override
  public void onAppend(ReplicaId replica, LogRecord logged) {
    switch (logged) {
      case LogRecord.Prepared p ->
          out.println(
              step(p.execution().txn(), "commit", replica)
                  .put("execution", p.execution().number())
                  .put("conditional", p.onCondition()));
      case LogRecord.Dropped(TxnId txn, int execution) ->
          out.println(step(txn, "takeBack", replica).put("execution", execution));
      default -> {} // messages and probes report it
    }
  }

  @Override
  public void onProbe(Endpoint self, Probe probe) {
    switch (probe) {
      case Probe.Installed(TxnId txn, Outcome outcome) -> learnt(txn, "know", outcome);
      case Probe.Truncated(TxnId watermark) -> out.println(step(watermark, "truncate"));
      case Probe.Mark(TxnId txn, Probe.Branch branch) -> {
        if (branch == Probe.Branch.CONDITION_HELD && self instanceof ReplicaId at) {
          out.println(step(txn, "conditionHeld", at));
        }
      }
      default -> {} // decides nothing
    }
  }

  private boolean isNew(TxnId txn, String step, Object what) {
    return written.add(new Once(txn, step, what));
  }

  private static ObjectNode step(TxnId txn, String step) {
    ObjectNode node = JSON.createObjectNode().put("step", step);
    node.putArray("txn").add(txn.timeMicros()).add(txn.clientId());
    return node.put("home", txn.home());
  }

  private static ObjectNode step(TxnId txn, String step, ReplicaId at) {
    ObjectNode node = step(txn, step);
    node.putArray("at").add(at.partition()).add(at.index());
    return node;
  }

  private static ObjectNode put(ObjectNode step, View view) {
    step.putArray("view").add(view.round()).add(view.proposer());
    return step;
  }

  private static int number(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Commit(int execution, _) -> execution;
      case Outcome.Abort _ -> -1;
    };
  }
}
