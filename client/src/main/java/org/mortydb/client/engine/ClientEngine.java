package org.mortydb.client.engine;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.TransactionSystem;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Row;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * All transactions of one client: gives out timestamps, hosts a coordinator for each attempt, runs
 * the application's continuations, and tries again what lost a conflict.
 *
 * <p>Single-threaded: every method is called by one thread at a time, and none from within another,
 * with one exception: applications begin transactions from within continuations and result handlers
 * as they like. A coordinator's wish to resume or to complete is queued while the coordinator is at
 * work and carried out after it, so a chain of reads that are all answered from memory grows no
 * stack.
 */
public final class ClientEngine {
  private final ClientId self;
  private final Topology topology;
  private final EngineOptions options;
  private final RandomGenerator random;
  private final EngineHost host;
  private final Effects effects = new Effects();

  /** By timestamp, until their coordinators retire. */
  private final Long2ObjectOpenHashMap<Attempt> live = new Long2ObjectOpenHashMap<>();

  private final FinishedOutcomes finished;
  private final ArrayDeque<RunningTransaction<?>> waiting = new ArrayDeque<>();
  private final LinkedHashSet<RunningTransaction<?>> backingOff = new LinkedHashSet<>();
  private final ArrayDeque<Attempt> ready = new ArrayDeque<>();
  private @Nullable CompletionListener listener;
  private long lastTimeMicros;
  private int inFlight;
  private boolean delivering;
  private boolean closed;

  /**
   * An engine without transactions.
   *
   * @param self the client, unique per incarnation
   * @param topology the cluster as this client sees it
   * @param random draws the waits between attempts
   */
  public ClientEngine(
      ClientId self,
      Topology topology,
      EngineOptions options,
      RandomGenerator random,
      EngineHost host) {
    this.self = Objects.requireNonNull(self, "self");
    this.topology = Objects.requireNonNull(topology, "topology");
    this.options = Objects.requireNonNull(options, "options");
    this.random = Objects.requireNonNull(random, "random");
    this.host = Objects.requireNonNull(host, "host");
    this.finished = new FinishedOutcomes(options.rememberedOutcomes());
  }

  /** Has every attempt's end reported to {@code listener}, instead of an earlier listener. */
  public void listen(CompletionListener listener) {
    this.listener = listener;
  }

  /** The system whose coordinators run the transactions. May be asked by any thread. */
  public TransactionSystem system() {
    return options.system();
  }

  /** Transactions under way, waits between attempts included. */
  public int inFlight() {
    return inFlight;
  }

  /** Transactions that wait to begin. */
  public int queued() {
    return waiting.size();
  }

  /** Coordinators that still have work, some of them after their transaction has ended. */
  public int coordinators() {
    return live.size();
  }

  // ---- transactions -------------------------------------------------------------------------

  /** Runs a transaction in the continuation-passing style with the engine's options. */
  public <S> void execute(S initialState, TransactionBody<S> body, ResultHandler<S> handler) {
    execute(initialState, options.transaction(), body, handler);
  }

  /**
   * Runs a transaction in the continuation-passing style.
   *
   * @param handler called once, possibly before this method returns; fails with what a turn threw,
   *     or as described at {@link #drive}
   */
  public <S> void execute(
      S initialState,
      TransactionOptions transactionOptions,
      TransactionBody<S> body,
      ResultHandler<S> handler) {
    drive(transactionOptions, new ContinuationDriver<>(initialState, body, handler));
  }

  /**
   * Runs a transaction in any style. Fails with {@link OverloadedException} when too many are in
   * flight and queued or when the deadline passed in the queue, with {@link
   * org.mortydb.client.TransactionRefusedException} and with {@link ClientClosedException}.
   */
  public <R extends @Nullable Object> void drive(
      TransactionOptions transactionOptions, Driver<R> driver) {
    RunningTransaction<R> transaction =
        new RunningTransaction<>(this, host, driver, transactionOptions, host.nowMicros());
    if (closed) {
      transaction.fail(new ClientClosedException("client " + self + " is closed"));
      return;
    }
    if (inFlight < options.maxInFlight()) {
      inFlight++;
      beginAttempt(transaction);
      deliverReady();
    } else if (waiting.size() < options.maxQueued()) {
      waiting.add(transaction);
    } else {
      transaction.fail(
          new OverloadedException(
              "client "
                  + self
                  + " has "
                  + inFlight
                  + " transactions in flight and "
                  + waiting.size()
                  + " queued, the most that its options allow"));
    }
  }

  private void beginAttempt(RunningTransaction<?> transaction) {
    long now = host.nowMicros();
    long time = Math.max(now, lastTimeMicros + 1);
    lastTimeMicros = time;
    CoordinatorOptions patience = patience(transaction, now);
    CoordinatorMachine coordinator =
        options.system().coordinator(spec(transaction, time), topology, patience, options.rules());
    Attempt attempt = new Attempt(this, transaction, coordinator, time, now);
    live.put(time, attempt);
    transaction.attempts++;
    transaction.driver.begin(attempt);
  }

  /** Every attempt keeps the age of the first. */
  private AttemptSpec spec(RunningTransaction<?> transaction, long timeMicros) {
    if (transaction.attempts == 0) {
      transaction.ageMicros = timeMicros;
    }
    return new AttemptSpec(
        timeMicros, self.id(), transaction.ageMicros, transaction.options.readOnly());
  }

  private CoordinatorOptions patience(RunningTransaction<?> transaction, long now) {
    CoordinatorOptions patience = options.coordinator();
    long remaining = Math.max(1, transaction.remainingMicros(now));
    return remaining == patience.deadlineMicros()
        ? patience
        : patience.withDeadlineMicros(remaining);
  }

  void retry(RunningTransaction<?> transaction) {
    backingOff.remove(transaction);
    beginAttempt(transaction);
  }

  // ---- events -------------------------------------------------------------------------------

  /** A message arrived. One that concerns no transaction of this client is dropped. */
  public void onMessage(Endpoint from, Message message) {
    TxnId txn = message.txn();
    if (closed || txn.clientId() != self.id()) {
      return;
    }
    Attempt attempt = live.get(txn.timeMicros());
    if (attempt != null) {
      step(attempt, new Event.Received(from, message));
      deliverReady();
    } else if (message instanceof Message.Inquire) {
      // Only who still works on a transaction may say that it is open: it will not be recovered.
      Outcome outcome = finished.of(txn.timeMicros());
      if (outcome != null) {
        host.send(from, new Message.Decide(txn, outcome));
      }
    }
  }

  /** A timer that was scheduled ran out. */
  public void onTimer(EngineTimer timer) {
    if (timer.scheduled) {
      timer.scheduled = false;
      timer.fire();
      deliverReady();
    }
  }

  /** Ends all transactions, as described at {@link org.mortydb.client.Client#close}. */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (RunningTransaction<?> transaction : waiting) {
      transaction.fail(closedBeforeCommit());
    }
    waiting.clear();
    for (RunningTransaction<?> transaction : backingOff) {
      cancel(transaction);
      inFlight--;
      transaction.fail(closedBeforeCommit());
    }
    backingOff.clear();
    List<Attempt> attempts = new ArrayList<>(live.values());
    attempts.sort(Comparator.comparingLong(attempt -> attempt.timeMicros));
    for (Attempt attempt : attempts) {
      close(attempt);
    }
    live.clear();
  }

  private void close(Attempt attempt) {
    if (!attempt.isOver() && attempt.commitMicros < 0) {
      // Tells the replicas. Whether that is certain yet is no matter: nobody can commit it now.
      attempt.abort();
    }
    if (!attempt.over) {
      attempt.over = true;
      inFlight--;
      Completion completion = attempt.completion;
      if (attempt.commitMicros < 0) {
        attempt.transaction.fail(closedBeforeCommit());
      } else if (completion != null) {
        attempt.transaction.end(attempt, completion, host.nowMicros());
      } else {
        attempt.transaction.endUnknown(attempt, host.nowMicros());
      }
    }
    attempt.retired = true;
    attempt.cancelTimers();
  }

  private ClientClosedException closedBeforeCommit() {
    return new ClientClosedException(
        "client " + self + " was closed before the transaction asked to commit");
  }

  // ---- steps --------------------------------------------------------------------------------

  long nowMicros() {
    return host.nowMicros();
  }

  void step(Attempt attempt, Event event) {
    effects.attempt = attempt;
    try {
      attempt.coordinator.step(host.nowMicros(), event, effects);
    } catch (RuntimeException | AssertionError e) {
      breakOff(attempt, e);
    } finally {
      effects.attempt = null;
    }
  }

  /** An invariant of coordinator or driver is broken: both are left alone, and others go on. */
  private void breakOff(Attempt attempt, Throwable error) {
    boolean over = attempt.isOver();
    attempt.over = true;
    attempt.retired = true;
    attempt.cancelTimers();
    live.remove(attempt.timeMicros);
    host.onError(error);
    if (!over) {
      inFlight--;
      attempt.transaction.endUnknown(attempt, host.nowMicros());
    }
  }

  /** Carries out what coordinators have asked for, until nothing is left. */
  void deliverReady() {
    if (delivering) {
      return;
    }
    delivering = true;
    try {
      while (true) {
        Attempt attempt = ready.poll();
        if (attempt != null) {
          deliver(attempt);
        } else if (inFlight < options.maxInFlight() && !waiting.isEmpty()) {
          beginWaiting();
        } else {
          return;
        }
      }
    } finally {
      delivering = false;
    }
  }

  private void beginWaiting() {
    RunningTransaction<?> transaction = waiting.remove();
    if (transaction.remainingMicros(host.nowMicros()) <= 0) {
      transaction.fail(
          new OverloadedException(
              "the transaction spent its deadline of "
                  + transaction.options.deadlineMicros()
                  + " microseconds in the queue of client "
                  + self));
      return;
    }
    inFlight++;
    beginAttempt(transaction);
  }

  private void deliver(Attempt attempt) {
    attempt.ready = false;
    if (attempt.over) {
      return;
    }
    Completion completion = attempt.completion;
    if (completion != null) {
      attempt.over = true;
      end(attempt, completion);
    } else {
      try {
        attempt.deliverResume();
      } catch (RuntimeException | AssertionError e) {
        breakOff(attempt, e);
      }
    }
  }

  private void makeReady(Attempt attempt) {
    if (!attempt.ready) {
      attempt.ready = true;
      ready.add(attempt);
    }
  }

  void cancel(EngineTimer timer) {
    if (timer.scheduled) {
      timer.scheduled = false;
      host.cancel(timer);
    }
  }

  private void schedule(long delayMicros, EngineTimer timer) {
    cancel(timer);
    timer.scheduled = true;
    host.schedule(delayMicros, timer);
  }

  // ---- ends ---------------------------------------------------------------------------------

  private void end(Attempt attempt, Completion completion) {
    RunningTransaction<?> transaction = attempt.transaction;
    long now = host.nowMicros();
    if (listener != null) {
      listener.completed(
          new CompletionListener.CompletedAttempt(
              completion,
              transaction.callMicros,
              attempt.beginMicros,
              attempt.commitMicros,
              now,
              transaction.attempts,
              attempt.coordinator.reexecutions()));
    }
    if (completion instanceof Completion.Aborted aborted
        && attempt.mayTryAgain(aborted.reason())
        && tryAgain(attempt, now)) {
      return;
    }
    inFlight--;
    transaction.end(attempt, completion, now);
  }

  private boolean tryAgain(Attempt attempt, long now) {
    RunningTransaction<?> transaction = attempt.transaction;
    RetryPolicy retry = transaction.options.retry();
    if (closed || transaction.attempts >= retry.maxAttempts()) {
      return false;
    }
    long wait = retry.backoffMicros(transaction.attempts, random);
    if (wait >= transaction.remainingMicros(now)) {
      return false;
    }
    transaction.earlierReexecutions += attempt.coordinator.reexecutions();
    backingOff.add(transaction);
    schedule(wait, transaction);
    return true;
  }

  /** The effects of the coordinator that is at work. */
  private final class Effects implements CoordinatorEffects {
    private @Nullable Attempt attempt;

    private Attempt current() {
      return Objects.requireNonNull(attempt, "an effect outside of a step");
    }

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
        finished.remember(current().timeMicros, decide.outcome());
      }
    }

    @Override
    public void armTimer(Timer timer, long delayMicros) {
      schedule(delayMicros, current().timer(timer));
    }

    @Override
    public void cancelTimer(Timer timer) {
      current().cancelTimer(timer);
    }

    @Override
    public void resume(int execution, int operation, List<Value> values) {
      current().queueResume(execution, operation, values);
      makeReady(current());
    }

    @Override
    public void resumeScan(int execution, int operation, List<Row> rows) {
      current().queueResumeScan(execution, operation, rows);
      makeReady(current());
    }

    @Override
    public void complete(Completion completion) {
      current().completion = completion;
      makeReady(current());
    }

    @Override
    public void retire() {
      Attempt retiring = current();
      retiring.retired = true;
      retiring.cancelTimers();
      live.remove(retiring.timeMicros);
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
}
