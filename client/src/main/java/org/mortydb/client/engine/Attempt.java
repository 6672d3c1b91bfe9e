package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/**
 * One attempt at a transaction: the driver's side of a coordinator under one timestamp. The driver
 * calls the attempt, and the attempt steps the coordinator. An answer of the coordinator never
 * reaches the driver within the driver's own call: the attempt notes it, and the engine delivers it
 * when the call has returned.
 *
 * <p>Used on the engine's thread, within {@link ClientEngine#perform} or a call of the engine to
 * the driver. Calls after the attempt is over do nothing, and so do calls in the name of a
 * superseded execution.
 */
public final class Attempt {
  private static final int TIMERS = Timer.values().length;

  final RunningTransaction<?> transaction;
  final long timeMicros;
  final long beginMicros;
  private final EngineHost host;
  private final Attempts attempts;
  private final CoordinatorMachine coordinator;
  private final Effects effects = new Effects();
  private final Forwarding.Member member;
  private final @Nullable CoordinatorTimer[] timers = new CoordinatorTimer[TIMERS];

  /** The operations of the execution that the coordinator has answered last. */
  private final Operations operations = new Operations(this);

  /** The execution that the driver was last told of. */
  private int execution;

  /** The writes that replicas were asked to vote on last. */
  private List<Write> asked = List.of();

  private long commitMicros = -1;
  private Will will = Will.COMMIT;
  private @Nullable Throwable failure;

  /** The execution in which the application has given up, so that its reads commit alone. */
  private @Nullable Forgone forgone;

  /** Earlier such executions, which were superseded. A recovery may commit one; null if none. */
  private @Nullable ArrayList<Forgone> superseded;

  // What the coordinator has answered and the driver has not heard yet, and whether the engine
  // knows that there is something.
  private @Nullable Runnable resumption;
  private @Nullable Completion completion;
  private @Nullable Throwable defect;
  private boolean ready;

  /** Whether the engine knows that the attempt has re-executed. */
  boolean contends;

  private boolean ended;
  private boolean retired;

  /** The end of the attempt that the application wants. */
  enum Will {
    /** The application runs, and means to commit. */
    COMMIT,
    /** The application gave up, or its code threw. */
    ABORT,
    /** The application wants another attempt. */
    RESTART
  }

  Attempt(
      EngineHost host,
      Attempts attempts,
      Forwarding forwarding,
      RunningTransaction<?> transaction,
      CoordinatorMachine coordinator,
      long timeMicros,
      long beginMicros) {
    this.host = host;
    this.attempts = attempts;
    this.member = forwarding.member(host, attempts, this);
    this.transaction = transaction;
    this.coordinator = coordinator;
    this.timeMicros = timeMicros;
    this.beginMicros = beginMicros;
  }

  // ---- for the driver -----------------------------------------------------------------------

  /** The execution in whose name calls are made. */
  public int execution() {
    return execution;
  }

  /** Whether the transaction, or this attempt at it, has ended. */
  public boolean isOver() {
    return ended || completion != null || defect != null;
  }

  /** Whether a newer execution than {@link #execution} is about to be resumed. */
  public boolean isSuperseded() {
    return operations.execution() > execution;
  }

  /** How many operations the current execution has; the next one gets this place. */
  public int operations() {
    return operations.size();
  }

  /**
   * Compares the driver's own record of the current execution with this attempt's. A difference is
   * a defect of the driver: it breaks the attempt off, and is reported to the host.
   *
   * @param ofDriver how many operations the driver has recorded
   */
  public void checkOperations(int ofDriver) {
    if (admitsCalls()) {
      try {
        operations.checkSize(ofDriver);
      } catch (IllegalStateException e) {
        breakOff(e);
      }
    }
  }

  /**
   * Reads keys in parallel.
   *
   * @param then gets one value for each key, after this call has returned; and again in a higher
   *     execution when a value has become stale, whereupon the operations after this one are
   *     dropped
   */
  public void get(List<Key> keys, Consumer<List<Value>> then) {
    if (admitsCalls()) {
      operations.addRead(keys.size(), then);
      step(new Event.CallGet(execution, keys));
    }
  }

  /**
   * Scans a range.
   *
   * @param then gets the keys that hold a value, ascending, as {@link #get} describes
   */
  public void scan(KeyRange range, int limit, Consumer<List<Row>> then) {
    if (admitsCalls()) {
      operations.addScan(then);
      step(new Event.CallScan(execution, range, limit));
    }
  }

  /**
   * Writes a key; {@link Value#ABSENT} deletes it.
   *
   * @throws IllegalStateException when the transaction is declared to write nothing
   */
  public void put(Key key, Value value) {
    TransactionLimits.checkMayWrite(transaction.options, key);
    if (admitsCalls()) {
      operations.addWrite();
      step(new Event.CallPut(execution, key, value));
    }
  }

  /** Asks to commit. */
  public void commit() {
    if (commitMicros < 0) {
      commitMicros = host.nowMicros();
    }
    call(new Event.CallCommit(execution));
  }

  /** Gives up, because the application's code threw. */
  public void fail(Throwable cause) {
    failure = cause;
    abort();
  }

  /**
   * Gives up, because the application wants to. Unless its options say otherwise, what it has read
   * is validated first: values that no serial order shows lead to another execution.
   */
  public void abort() {
    will = Will.ABORT;
    if (transaction.options.validatesAborts()) {
      forgone = new Forgone(execution, Integer.MAX_VALUE, failure);
      call(new Event.CallCommitReads(execution));
    } else {
      cancel();
    }
  }

  /** Aborts without a look at what was read. */
  void cancel() {
    call(new Event.CallAbort(execution));
  }

  /** Aborts for the engine, which closes, whichever execution the driver has heard of. */
  void abandon() {
    step(new Event.CallAbort(operations.execution()));
  }

  /** Aborts, and tries again under a new id, within the bounds of the retry policy. */
  public void restart() {
    will = Will.RESTART;
    call(new Event.CallAbort(execution));
  }

  /** Ends a turn: the driver calls again only after the next answer, or after a while. */
  public void endTurn() {
    call(new Event.CallYield(execution));
  }

  private boolean admitsCalls() {
    return !isOver() && !isSuperseded();
  }

  private void call(Event.Call call) {
    if (admitsCalls()) {
      step(call);
    }
  }

  /** Names the transaction. */
  @Override
  public String toString() {
    return "the coordinator of transaction " + coordinator.txn();
  }

  // ---- for the engine -----------------------------------------------------------------------

  CoordinatorMachine coordinator() {
    return coordinator;
  }

  /** When the attempt first asked to commit; -1 if it never did. */
  long commitMicros() {
    return commitMicros;
  }

  /** The writes that replicas were asked to vote on last. */
  List<Write> asked() {
    return asked;
  }

  Will will() {
    return will;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  /**
   * An execution in which the application has given up.
   *
   * @param end the first execution that is another one of the application, exclusive: until then
   *     the same reads are prepared again under higher numbers
   * @param failure what the application's code threw, or null
   */
  record Forgone(int execution, int end, @Nullable Throwable failure) {
    private boolean has(int number) {
      return execution <= number && number < end;
    }
  }

  /** Whether the application gave up, and its reads are to be validated. */
  boolean isForgone() {
    return forgone != null;
  }

  /** The execution that has committed, if the application gave up in it; otherwise null. */
  @Nullable Forgone forgone(Completion.Committed committed) {
    int number = committed.execution();
    if (forgone != null && forgone.has(number)) {
      return forgone;
    }
    if (superseded != null) {
      for (Forgone earlier : superseded) {
        if (earlier.has(number)) {
          return earlier;
        }
      }
    }
    return null;
  }

  /** Only an abort that the coordinator made for the application is what the application wants. */
  boolean mayTryAgain(AbortReason reason) {
    return reason == AbortReason.APPLICATION ? will == Will.RESTART : reason.retryable();
  }

  /** Has the coordinator take an event. */
  void step(Event event) {
    try {
      coordinator.step(host.nowMicros(), event, effects);
    } catch (RuntimeException | AssertionError e) {
      breakOff(e);
    }
  }

  /** An invariant of coordinator or driver is broken: neither of them is called any more. */
  private void breakOff(Throwable error) {
    defect = error;
    announce();
  }

  private void announce() {
    if (!ready) {
      ready = true;
      attempts.addReady(this);
    }
  }

  /** The engine has taken the attempt out of the queue of those that are ready. */
  void taken() {
    ready = false;
  }

  /** How the coordinator has ended, or null. */
  @Nullable Completion completion() {
    return completion;
  }

  /** Takes the broken invariant that has to be reported, or null. */
  @Nullable Throwable takeDefect() {
    Throwable taken = defect;
    if (taken != null) {
      retire();
      attempts.remove(this);
    }
    return taken;
  }

  /** Resumes the driver if a read or scan was answered. */
  void resume() {
    Runnable next = resumption;
    resumption = null;
    if (next == null) {
      return;
    }
    if (isSuperseded()) {
      execution = operations.execution();
      // What the application wanted in the superseded execution was not carried out.
      if (forgone != null) {
        superseded = superseded == null ? new ArrayList<>(1) : superseded;
        superseded.add(new Forgone(forgone.execution(), execution, failure));
      }
      will = Will.COMMIT;
      failure = null;
      forgone = null;
    }
    try {
      next.run();
    } catch (RuntimeException | AssertionError e) {
      breakOff(e);
    }
  }

  /** Whether the application has heard the end. */
  boolean hasEnded() {
    return ended;
  }

  /** The application hears the end: nothing is delivered any more. */
  void end() {
    ended = true;
  }

  /** The coordinator is not stepped any more by its timers, nor by other transactions. */
  void retire() {
    retired = true;
    member.leave(coordinator.txn());
    for (CoordinatorTimer timer : timers) {
      if (timer != null) {
        timer.cancel(host);
      }
    }
  }

  /** What the coordinator asks for. */
  private final class Effects implements CoordinatorEffects {
    @Override
    public void send(Endpoint to, Message message) {
      rememberOutcome(message);
      host.send(to, message);
    }

    @Override
    public void broadcast(int partition, Message message) {
      rememberOutcome(message);
      host.broadcast(partition, message);
    }

    /** Whatever way the coordinator learns the outcome, it tells the replicas. */
    private void rememberOutcome(Message message) {
      if (message instanceof Message.Decide decide) {
        attempts.remember(decide);
      }
    }

    @Override
    public void armTimer(Timer name, long delayMicros) {
      CoordinatorTimer timer = timers[name.ordinal()];
      if (timer == null) {
        timer = new CoordinatorTimer(name);
        timers[name.ordinal()] = timer;
      }
      timer.schedule(host, delayMicros);
    }

    @Override
    public void cancelTimer(Timer name) {
      CoordinatorTimer timer = timers[name.ordinal()];
      if (timer != null) {
        timer.cancel(host);
      }
    }

    @Override
    public void resume(int inExecution, int operation, List<Value> values) {
      Consumer<List<Value>> then = operations.answerRead(inExecution, operation, values.size());
      resumption = () -> then.accept(values);
      announce();
    }

    @Override
    public void resumeScan(int inExecution, int operation, List<Row> rows) {
      Consumer<List<Row>> then = operations.answerScan(inExecution, operation);
      resumption = () -> then.accept(rows);
      announce();
    }

    @Override
    public void awaitBatchEnd() {
      if (attempts.addAwaitingBatchEnd(Attempt.this)) {
        host.awaitBatchEnd();
      }
    }

    @Override
    public void follow(Key key) {
      member.follow(coordinator.txn(), key);
    }

    @Override
    public void shown(List<Write> writes, boolean toBeVotedOn) {
      if (toBeVotedOn) {
        asked = writes;
      }
      member.shown(coordinator.txn(), writes, toBeVotedOn);
    }

    @Override
    public void withdrawn() {
      member.withdraw(coordinator.txn());
    }

    /**
     * No replica is told of a reader, but one that only an earlier execution has asked inquires.
     */
    private void rememberReader(Completion how) {
      if (how instanceof Completion.Committed c
          && c.path() == Completion.Path.READ_ONLY
          && c.execution() > 0) {
        attempts.remember(new Message.Decide(c.txn(), Outcome.commit(c.execution(), List.of())));
      }
    }

    @Override
    public void complete(Completion how) {
      if (!(how instanceof Completion.Committed)) {
        member.withdraw(coordinator.txn());
      }
      rememberReader(how);
      completion = how;
      announce();
    }

    @Override
    public void retire() {
      Attempt.this.retire();
      attempts.remove(Attempt.this);
    }

    @Override
    public boolean probing() {
      return host.probing();
    }

    @Override
    public void probe(Probe probe) {
      host.probe(probe);
    }
  }

  /** A timer of the coordinator. */
  private final class CoordinatorTimer extends EngineTimer {
    private final Event fired;

    CoordinatorTimer(Timer name) {
      fired = new Event.TimerFired(name);
    }

    @Override
    void fire() {
      if (!retired) {
        step(fired);
      }
    }
  }
}
