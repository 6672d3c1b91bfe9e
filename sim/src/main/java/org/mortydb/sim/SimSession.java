package org.mortydb.sim;

import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.Status;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.direct.DirectRun;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.workload.Program;
import org.mortydb.sim.workload.RestlessTransaction.Pauses;

/** Runs random programs at one client, one after another. */
final class SimSession {
  private final int index;
  private final Run run;
  private final ClientHost host;
  private final LastCompletion lastCompletion;
  private final SplittableRandom random;
  private int left;
  private long beganMicros;
  private @Nullable Program running;

  /** The completion of the client's last attempt, and the latest commit that it has heard of. */
  static final class LastCompletion {
    @Nullable Completion completion;
    TxnId latest = TxnId.INITIAL;

    void heardOf(TxnId commit) {
      latest = commit.isAfter(latest) ? commit : latest;
    }
  }

  SimSession(
      int index, Run run, ClientHost host, LastCompletion lastCompletion, SplittableRandom random) {
    this.index = index;
    this.run = run;
    this.host = host;
    this.lastCompletion = lastCompletion;
    this.random = random;
    this.left = run.plan().load().transactions();
  }

  /** The name of the running program, for messages. */
  String running() {
    Program program = running;
    return program == null ? "nothing" : program.name();
  }

  /** Whether all its programs have ended. */
  boolean isDone() {
    return running == null && left == 0;
  }

  void start() {
    run.kernel().schedule(random.nextLong(run.plan().maxRoundTripMicros() + 1), this::begin);
  }

  /** Ends the session because the client's process has died. The running program stays unknown. */
  void clientDied() {
    left = 0;
    Program program = running;
    if (program != null) {
      running = null;
      run.history().programEnded(program, index, beganMicros, Status.UNKNOWN, null, null);
    }
  }

  private void begin() {
    if (left == 0 || run.kernel().nowMicros() >= run.plan().stopMicros()) {
      left = 0;
      return;
    }
    left--;
    String name = "s" + index + "t" + left;
    Program program =
        new Program(name, random.nextLong(), run.plan().load().profile(), run.plan().load().keys());
    TransactionOptions drawn = run.plan().transaction();
    TransactionOptions options =
        run.plan().besides().acknowledgesEarly() ? run.plan().mix().options(drawn, random) : drawn;
    running = program;
    beganMicros = run.kernel().nowMicros();
    if (program.isDirect()) {
      runDirectly(program, options);
    } else {
      Ending ending = new Ending(program, () -> lastCompletion.completion);
      host.run(() -> host.engine().execute(Program.State.START, options, program, ending));
    }
  }

  private void runDirectly(Program program, TransactionOptions options) {
    // Other programs of the client may end before the body's thread wakes.
    LastCompletion own = new LastCompletion();
    Ending ending = new Ending(program, () -> own.completion);
    SplittableRandom delays = random.split();
    host.startThread(
        delays,
        run.plan().maxRoundTripMicros(),
        () -> own.completion = lastCompletion.completion,
        thread -> {
          Pauses pauses =
              oneOf -> {
                if (delays.nextInt(oneOf) == 0) {
                  thread.pause();
                }
              };
          Result<Program.State> result;
          try {
            result = DirectRun.run(host.engine(), thread, options, txn -> program.run(txn, pauses));
          } catch (RuntimeException e) {
            ending.failed(e);
            return;
          }
          ending.completed(result);
        });
  }

  /** Takes the end of a program. */
  private final class Ending implements ResultHandler<Program.State> {
    private final Program program;
    private final long beginMicros = run.kernel().nowMicros();

    /** What the client had heard of when the program began. */
    private final TxnId before = lastCompletion.latest;

    private final Supplier<@Nullable Completion> completion;

    /**
     * @param completion the completion of the program's last attempt
     */
    Ending(Program program, Supplier<@Nullable Completion> completion) {
      this.program = program;
      this.completion = completion;
    }

    @Override
    public void completed(Result<Program.State> result) {
      if (!host.isDead()) {
        checkSession(completion.get());
        end(program, beginMicros, result, completion.get());
      }
    }

    /** With Morty, the place of a transaction in the serial order is its id. */
    private void checkSession(@Nullable Completion ended) {
      if (ended instanceof Completion.Committed committed
          && !committed.isEmpty()
          && committed.position().equals(committed.txn())
          && !committed.txn().isAfter(before)) {
        run.watch()
            .violated(
                Violation.Rule.SESSION,
                committed.txn() + " began when its client had heard of " + before);
      }
    }

    @Override
    public void failed(Throwable cause) {
      if (host.isDead()) {
        return;
      }
      mark("failed", program);
      if (cause instanceof Program.Thrown) {
        checkForgone(program, completion.get());
      }
      run.history().programEnded(program, index, beginMicros, Status.ABORTED, null, null);
      run.trace().write(() -> program.name() + " failed: " + cause);
      pause();
    }
  }

  private void mark(String how, Program program) {
    run.marks().add((program.isDirect() ? "direct/" : "continuations/") + how);
  }

  /** Checks what a program that gave up had seen, if its reads were validated. */
  private void checkForgone(Program program, @Nullable Completion completion) {
    if (completion instanceof Completion.Committed committed) {
      mark("validated", program);
      run.history().checkForgone(program, committed);
    }
  }

  private void end(
      Program program, long begin, Result<Program.State> result, @Nullable Completion completion) {
    mark(result.getClass().getSimpleName(), program);
    if (result.info().reexecutions() > 0) {
      mark("reexecuted", program);
    }
    run.trace().fold(index, result.info().txn().timeMicros());
    run.trace()
        .write(
            () ->
                program.name()
                    + " ends: "
                    + result.getClass().getSimpleName()
                    + " "
                    + result.info());
    switch (result) {
      case Result.Committed<Program.State>(Program.State state, var info) -> {
        run.history().programEnded(program, index, begin, Status.COMMITTED, info.txn(), state);
        if (completion instanceof Completion.Committed committed) {
          run.history().checkJournal(program, state.journal(), committed);
        }
      }
      case Result.AbortedByApplication<Program.State> _ -> {
        checkForgone(program, completion);
        run.history().programEnded(program, index, begin, Status.ABORTED, null, null);
      }
      case Result.AbortedByConflict<Program.State> _ ->
          run.history().programEnded(program, index, begin, Status.ABORTED, null, null);
      case Result.OutcomeUnknown<Program.State> _ ->
          run.history().programEnded(program, index, begin, Status.UNKNOWN, null, null);
    }
    pause();
  }

  private void pause() {
    running = null;
    run.kernel().schedule(random.nextLong(run.plan().load().thinkMicros()), this::begin);
  }
}
