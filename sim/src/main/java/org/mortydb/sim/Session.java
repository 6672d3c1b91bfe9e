package org.mortydb.sim;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.Status;
import org.mortydb.client.Result;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Trace;
import org.mortydb.sim.workload.Program;

/** Runs random programs at one client, one after the other. */
final class Session {
  private final int index;
  private final Plan plan;
  private final Kernel kernel;
  private final Trace trace;
  private final ClientHost host;
  private final LastCompletion lastCompletion;
  private final RunHistory history;
  private final SplittableRandom random;
  private int left;
  private long beganMicros;
  private @Nullable Program running;

  /** How the attempt ended that the engine is about to report. */
  static final class LastCompletion {
    @Nullable Completion completion;
  }

  Session(
      int index,
      Plan plan,
      Kernel kernel,
      Trace trace,
      ClientHost host,
      LastCompletion lastCompletion,
      RunHistory history,
      SplittableRandom random) {
    this.index = index;
    this.plan = plan;
    this.kernel = kernel;
    this.trace = trace;
    this.host = host;
    this.lastCompletion = lastCompletion;
    this.history = history;
    this.random = random;
    this.left = plan.load().transactions();
  }

  /** The name of the program that runs at the moment, in words. */
  String running() {
    Program program = running;
    return program == null ? "nothing" : program.name();
  }

  /** Whether it has nothing to do any more. */
  boolean isDone() {
    return running == null && left == 0;
  }

  void start() {
    kernel.schedule(random.nextLong(plan.maxRoundTripMicros() + 1), this::begin);
  }

  /** The client's process has died: what runs ends with an outcome that nobody is told. */
  void clientDied() {
    left = 0;
    Program program = running;
    if (program != null) {
      running = null;
      history.programEnded(program, index, beganMicros, Status.UNKNOWN, null);
    }
  }

  private void begin() {
    if (left == 0 || kernel.nowMicros() >= plan.stopMicros()) {
      left = 0;
      return;
    }
    left--;
    String name = "s" + index + "t" + left;
    Program program =
        new Program(name, random.nextLong(), plan.load().profile(), plan.load().keys());
    running = program;
    long begin = kernel.nowMicros();
    beganMicros = begin;
    host.run(
        () ->
            host.engine()
                .execute(
                    Program.State.START,
                    plan.transaction(),
                    program,
                    new ResultHandler<>() {
                      @Override
                      public void completed(Result<Program.State> result) {
                        if (!host.isDead()) {
                          end(program, begin, result);
                        }
                      }

                      @Override
                      public void failed(Throwable cause) {
                        if (host.isDead()) {
                          return;
                        }
                        history.programEnded(program, index, begin, Status.ABORTED, null);
                        trace.write(() -> program.name() + " failed: " + cause);
                        pause();
                      }
                    }));
  }

  private void end(Program program, long begin, Result<Program.State> result) {
    trace.fold(index, result.info().txn().timeMicros());
    trace.write(
        () -> program.name() + " ends: " + result.getClass().getSimpleName() + " " + result.info());
    switch (result) {
      case Result.Committed<Program.State>(Program.State state, var info) -> {
        history.programEnded(program, index, begin, Status.COMMITTED, state);
        if (lastCompletion.completion instanceof Completion.Committed committed) {
          history.checkJournal(state.journal(), committed);
        }
      }
      case Result.AbortedByApplication<Program.State> aborted ->
          history.programEnded(program, index, begin, Status.ABORTED, null);
      case Result.AbortedByConflict<Program.State> aborted ->
          history.programEnded(program, index, begin, Status.ABORTED, null);
      case Result.OutcomeUnknown<Program.State> unknown ->
          history.programEnded(program, index, begin, Status.UNKNOWN, null);
    }
    pause();
  }

  private void pause() {
    running = null;
    kernel.schedule(random.nextLong(plan.load().thinkMicros()), this::begin);
  }
}
