package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientClosedException;
import org.mortydb.client.ClientSession;
import org.mortydb.client.OverloadedException;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.past.PastCoordinator;
import org.mortydb.protocol.past.Seen;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * All transactions of one client: admits them, gives out timestamps, begins an attempt for each,
 * delivers what the attempts' coordinators answer, and tries again after a lost conflict.
 *
 * <p>Calls go one way, from the engine to the driver, to the attempt, to the coordinator. Answers
 * come back through a queue, which the engine empties once the calls have returned. So a chain of
 * reads that are all answered from memory grows no stack.
 *
 * <pre>{@code
 * message, timer, transaction
 *        │
 *        ▼
 *   ClientEngine ◄────────── takes the next one ─────────── queue of attempts
 *    │       │                                                     ▲
 *    │       │ begin, answer of a read, result                     │
 *    │       ▼                                                     │
 *    │     Driver ──► code of the application                      │
 *    │       │                                                     │
 *    │       │ get, scan, put, commit, abort, endTurn              │
 *    │       ▼                                                     │
 *    └──► Attempt ─────────── has an answer for its driver ────────┘
 *   events   │ ▲
 *            │ │ answer of a read, outcome: compared with Operations, then noted
 *            ▼ │
 *        Coordinator
 *            │ messages, timers
 *            ▼
 *        EngineHost
 * }</pre>
 *
 * <p>Single-threaded: one thread at a time calls its methods, except {@link #system}. Application
 * code may begin transactions from within continuations and result handlers. No other method is
 * called from within another.
 */
public final class ClientEngine {
  private static final Event BATCH_ENDED = new Event.BatchEnded();
  private static final Event RENUMBER = new Event.Renumber();

  private final ClientId self;

  /** The maps that this client knows, ascending. */
  private final ArrayList<Topology> topologies = new ArrayList<>();

  private final EngineOptions options;
  private final RandomGenerator random;
  private final EngineHost host;
  private final Attempts attempts;
  private final AdmissionQueue waiting;
  private final LinkedHashSet<BackOff> backOffs = new LinkedHashSet<>();
  private @Nullable CompletionListener listener;
  private final Session session;
  private final Timestamps timestamps;
  private final SlotClock clock;
  private final AdmissionLimit limit;
  private final PastReads past;
  private final LostWrites lostWrites = new LostWrites();

  /** What the listener knows of admission. */
  private int toldLimit;

  private int toldWaiting;

  /** The replicas that the host cannot reach. */
  private Event.Unreachable unreachable = new Event.Unreachable(new LinkedHashSet<>());

  /** What the attempts in flight know of the length of slots. */
  private int lengthenings;

  private int inFlight;
  private boolean performing;
  private boolean closed;

  /** Makes an engine without transactions, which has a session of its own. */
  public ClientEngine(
      ClientId self,
      Topology topology,
      EngineOptions options,
      RandomGenerator random,
      EngineHost host) {
    this(self, topology, options, new Session(), random, host);
  }

  /**
   * Makes an engine without transactions.
   *
   * @param self the client, unique per incarnation
   * @param topology the first map of the cluster as this client sees it; see {@link #learn}
   * @param session of the application; the engines that it uses share it
   * @param random draws the waits between attempts
   */
  public ClientEngine(
      ClientId self,
      Topology topology,
      EngineOptions options,
      Session session,
      RandomGenerator random,
      EngineHost host) {
    this.self = Objects.requireNonNull(self, "self");
    this.topologies.add(Objects.requireNonNull(topology, "topology"));
    this.options = Objects.requireNonNull(options, "options");
    this.random = Objects.requireNonNull(random, "random");
    this.host = Objects.requireNonNull(host, "host");
    this.session = Objects.requireNonNull(session, "session");
    this.timestamps = new Timestamps(session);
    this.attempts = new Attempts(options.rememberedOutcomes());
    this.clock = session.clock(options.slots());
    this.limit = new AdmissionLimit(options.admission(), options.maxInFlight());
    this.waiting = new AdmissionQueue(host, this::failLate);
    this.past = new PastReads(topologies);
  }

  /**
   * Reports the end of every attempt, and admission, to {@code listener}, instead of to an earlier
   * listener.
   */
  public void listen(CompletionListener listener) {
    this.listener = listener;
    toldLimit = 0;
    toldWaiting = 0;
    tellAdmission();
  }

  /** The system whose coordinators run the transactions. Safe to call on any thread. */
  public TransactionSystem system() {
    return options.system();
  }

  /** Transactions that have begun and not ended, including those that wait for another attempt. */
  public int inFlight() {
    return inFlight;
  }

  /** Transactions that wait to be admitted. */
  public int queued() {
    return waiting.size();
  }

  /** How many transactions may be in flight now, at least 1. */
  public int admissionLimit() {
    return limit.inForce();
  }

  /** Whether the engine decides by the delays between regions, so that the host measures them. */
  public boolean needsDelays() {
    return options.slots().isAdaptive() || options.admission().adaptive();
  }

  /**
   * The length of the region slots that this client would use, in microseconds, for the host to
   * tell servers; 0 for none. Safe to call on any thread.
   */
  public long slotMicros() {
    return clock.wantedMicros();
  }

  /** Coordinators that still have work, some of them after their transaction has ended. */
  public int coordinators() {
    return attempts.size();
  }

  // ---- what happens to the engine -----------------------------------------------------------

  /** Runs a transaction in the continuation-passing style with the engine's options. */
  public <S> void execute(S initialState, TransactionBody<S> body, ResultHandler<S> handler) {
    execute(initialState, options.transaction(), body, handler);
  }

  /**
   * Runs a transaction in the continuation-passing style.
   *
   * @param handler called once, possibly before this method returns; fails with the exception that
   *     a turn threw, or as described at {@link #drive}
   */
  public <S> void execute(
      S initialState,
      TransactionOptions transactionOptions,
      TransactionBody<S> body,
      ResultHandler<S> handler) {
    drive(
        transactionOptions,
        new ContinuationDriver<>(options.system(), initialState, body, handler));
  }

  /**
   * Runs a transaction in the style of its driver. The driver fails with {@link
   * OverloadedException} when too many transactions are in flight and queued, or when the deadline
   * passed in the queue; with {@link org.mortydb.client.TransactionRefusedException}, with {@link
   * org.mortydb.client.NotAuthorizedException}, and with {@link ClientClosedException}. A level of
   * reads that the cluster cannot keep fails with {@link IllegalArgumentException} or {@link
   * UnsupportedOperationException}, before anything is sent.
   */
  public <R extends @Nullable Object> void drive(
      TransactionOptions transactionOptions, Driver<R> driver) {
    drive(
        new RunningTransaction<>(
            host, driver, transactionOptions, host.nowMicros(), RunningTransaction.BY_TIME));
  }

  /**
   * Runs a transaction on the record of a map (docs/protocol.md, section 15). It lives under that
   * map whatever its timestamp, and accesses no other key.
   *
   * @param map the number of the map
   * @throws IllegalArgumentException if this engine does not know the map
   */
  public <S> void executeUnder(
      int map, S initialState, TransactionBody<S> body, ResultHandler<S> handler) {
    if (topologies.stream().noneMatch(topology -> topology.map().number() == map)) {
      throw new IllegalArgumentException("client " + self + " does not know map " + map);
    }
    drive(
        new RunningTransaction<>(
            host,
            new ContinuationDriver<>(options.system(), initialState, body, handler),
            options.transaction(),
            host.nowMicros(),
            map));
  }

  private <R extends @Nullable Object> void drive(RunningTransaction<R> transaction) {
    RuntimeException refusal = refusal(transaction);
    if (closed) {
      transaction.fail(new ClientClosedException("client " + self + " is closed"));
    } else if (refusal != null) {
      transaction.fail(refusal);
    } else if (waiting.size() == 0 && inFlight < limit.inForce()) {
      inFlight++;
      perform(() -> beginAttempt(transaction));
    } else if (waiting.size() < options.maxQueued()) {
      waiting.add(transaction);
      tellAdmission();
    } else {
      transaction.fail(
          new OverloadedException(
              "client "
                  + self
                  + " has "
                  + inFlight
                  + " transactions in flight and "
                  + waiting.size()
                  + " queued for admission, the most that its options allow: begin fewer at a time,"
                  + " or raise EngineOptions."
                  + (limit.inForce() < options.maxInFlight()
                      ? "maxQueued"
                      : "maxInFlight or maxQueued"),
              false));
    }
  }

  /** Why a transaction asks for what the cluster does not have; null if it does not. */
  private @Nullable RuntimeException refusal(RunningTransaction<?> transaction) {
    try {
      options
          .past()
          .check(
              transaction.options,
              options.system(),
              options.coordinator().clockUncertaintyMicros(),
              transaction.callMicros);
      options.durability().check(transaction.options, options.system());
      return null;
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      return e;
    }
  }

  /** Takes a message. One that concerns no transaction of this client is dropped. */
  public void onMessage(Endpoint from, Message message) {
    TxnId txn = message.txn();
    if (closed || txn.clientId() != self.id()) {
      return;
    }
    if (message instanceof Message.Maps maps) {
      if (from instanceof ReplicaId replica) {
        learn(replica, maps);
      }
      return;
    }
    Attempt attempt = attempts.at(txn.timeMicros());
    if (attempt != null) {
      attempt.step(new Event.Received(from, message));
      deliverAnswers();
    } else if (message instanceof Message.Inquire) {
      // Only a coordinator that is at work may say that a transaction is open: a replica that
      // hears so does not recover it.
      Message.Decide decision = attempts.decisionOn(txn);
      if (decision != null) {
        host.send(from, decision);
      }
    }
  }

  /** Takes the end of a timer's delay. */
  public void onTimer(EngineTimer timer) {
    perform(timer::expire);
  }

  /**
   * Runs a task that calls attempts, and then delivers their answers. A driver whose calls come
   * later than the answer that they follow makes them within such a task.
   */
  public void perform(Runnable task) {
    if (performing) {
      task.run(); // within an application's turn or result handler: answers come after it
      return;
    }
    performing = true;
    try {
      task.run();
    } finally {
      performing = false;
    }
    deliverAnswers();
  }

  /**
   * Has attempts that wait for long begin again under other ids. The engine does so by itself when
   * slots get longer; a host may at any time.
   */
  public void renumber() {
    perform(this::renumberWaiting);
  }

  /**
   * Takes the replicas that the host cannot reach now: all of them, not only those that are new.
   * The host tells whenever they change. Transactions ask others, and do not wait for these; that
   * this is late, or wrong, costs time only.
   */
  public void onUnreachable(Set<ReplicaId> replicas) {
    if (!closed && !replicas.equals(unreachable.replicas())) {
      Event.Unreachable event = new Event.Unreachable(new LinkedHashSet<>(replicas));
      unreachable = event;
      perform(() -> attempts.all().forEach(attempt -> attempt.step(event)));
    }
  }

  /** Takes the end of the messages that have arrived together. */
  public void onBatchEnd() {
    attempts.takeAwaitingBatchEnd().forEach(attempt -> attempt.step(BATCH_ENDED));
    deliverAnswers();
  }

  /** Ends all transactions, as described at {@link org.mortydb.client.Client#close}. */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (RunningTransaction<?> transaction : waiting.removeAll()) {
      transaction.fail(closedBeforeCommit());
    }
    for (BackOff backOff : backOffs) {
      backOff.cancel(host);
      inFlight--;
      backOff.transaction.fail(closedBeforeCommit());
    }
    backOffs.clear();
    // A coordinator that is about to execute again ignores an abort of the stale execution.
    attempts.takeAwaitingBatchEnd().forEach(attempt -> attempt.step(BATCH_ENDED));
    attempts.removeAll().forEach(this::close);
    tellAdmission();
  }

  private void close(Attempt attempt) {
    if (!attempt.isOver() && attempt.commitMicros() < 0) {
      // Tells the replicas. Nobody can commit the transaction now, so no answer is awaited.
      attempt.abandon();
    }
    if (!attempt.hasEnded()) {
      attempt.end();
      if (mayContend(attempt)) {
        clock.contention().ended(attempt.contends, false, false, 0);
      }
      inFlight--;
      if (attempt.commitMicros() < 0) {
        attempt.transaction.fail(closedBeforeCommit());
      } else {
        attempt.transaction.end(attempt, attempt.completion());
      }
    }
    attempt.retire();
  }

  private ClientClosedException closedBeforeCommit() {
    return new ClientClosedException(
        "client " + self + " was closed before the transaction asked to commit");
  }

  // ---- maps ---------------------------------------------------------------------------------

  /**
   * The map of the cluster that follows the last one that this engine knows (docs/protocol.md,
   * section 15). Transactions above its cut that begin from now on live under it. One that is known
   * already, or that does not follow the last one, changes nothing.
   *
   * @return whether it is new
   */
  public boolean learn(Topology next) {
    boolean follows = next.map().whyNotAfter(map()) == null;
    if (follows) {
      topologies.add(next);
    }
    return follows;
  }

  /** A server says that this map follows; see {@link #learn(Topology)}. */
  public void learn(ClusterMap next) {
    if (next.whyNotAfter(map()) == null) {
      Topology topology = host.topology(next);
      if (topology != null) {
        learn(topology);
      }
    }
  }

  /** Takes the maps that a replica tells, and asks it for those that are missing. */
  private void learn(ReplicaId from, Message.Maps told) {
    int before = map().number();
    told.maps().forEach(this::learn);
    boolean learnt = map().number() > before;
    boolean missing = !told.maps().isEmpty() && told.maps().getFirst().before() > map().number();
    if (missing || (learnt && told.closed() == 0)) {
      host.send(from, new Message.AskMaps(told.txn(), map().number(), 0));
    }
  }

  /** All maps that this engine knows, ascending. */
  public List<ClusterMap> maps() {
    return topologies.stream().map(Topology::map).toList();
  }

  /** The last map that this engine knows. */
  public ClusterMap map() {
    return topologies.getLast().map();
  }

  private Topology topologyOf(RunningTransaction<?> transaction, long timeMicros) {
    if (transaction.map == RunningTransaction.BY_TIME) {
      return at(topologies, timeMicros);
    }
    int i = topologies.size() - 1;
    while (i > 0 && transaction.map != topologies.get(i).map().number()) {
      i--;
    }
    return topologies.get(i);
  }

  /** The one of some topologies, ascending by their maps, that holds at a time. */
  static Topology at(List<Topology> topologies, long timeMicros) {
    int i = topologies.size() - 1;
    while (i > 0 && timeMicros <= topologies.get(i).map().cutMicros()) {
      i--;
    }
    return topologies.get(i);
  }

  // ---- beginnings ---------------------------------------------------------------------------

  private void beginAttempt(RunningTransaction<?> transaction) {
    long nowMicros = host.nowMicros();
    ClientSession chosen = transaction.options.session();
    if (chosen != null) {
      TxnId seen = chosen.place(); // of other clients, perhaps
      try {
        options.past().checkSeen(seen, nowMicros); // it may have advanced since the call
      } catch (IllegalArgumentException e) {
        inFlight--;
        transaction.fail(e);
        return;
      }
      session.committed(seen.timeMicros());
    }
    long readMicros = clock.read(nowMicros, host.delayMicros(), host.longestSlotMicros());
    long timeMicros = timestamps.next(Math.max(readMicros, oldestMicros(transaction, nowMicros)));
    if (transaction.attempts == 0) {
      transaction.ageMicros = timeMicros;
    } else if (transaction.ageMicros >= timeMicros) {
      transaction.ageMicros = timeMicros - 1; // the clock was set back
    }
    CoordinatorMachine coordinator;
    try {
      coordinator = coordinator(transaction, timeMicros, nowMicros);
    } catch (RuntimeException | Error e) { // of a system that is a plug-in
      inFlight--;
      transaction.fail(e);
      return;
    }
    Attempt attempt =
        new Attempt(
            host, attempts, session.forwarding(), transaction, coordinator, timeMicros, nowMicros);
    attempts.add(attempt);
    if (mayContend(attempt)) {
      clock.contention().began();
    }
    transaction.attempts++;
    if (!unreachable.replicas().isEmpty()) {
      attempt.step(unreachable);
    }
    transaction.driver.begin(attempt);
  }

  /**
   * The lowest time of an id. Slots may be further before the clock than replicas still accept, and
   * the next attempt would take nearly the same id from them. A bounded read that asks for votes
   * sees the state at its id, and slots may be further before the clock than that state may be old.
   */
  private static long oldestMicros(RunningTransaction<?> transaction, long nowMicros) {
    if (transaction.wasTooOld) {
      return nowMicros;
    }
    TransactionOptions wanted = transaction.options;
    return wanted.readOnly() && wanted.readLevel() instanceof ReadLevel.Bounded(long micros)
        ? nowMicros - micros
        : 0;
  }

  /** Whether an attempt may wait for others: one that reads the past does not. */
  private static boolean mayContend(Attempt attempt) {
    return !(attempt.coordinator() instanceof PastCoordinator);
  }

  private CoordinatorMachine coordinator(
      RunningTransaction<?> transaction, long timeMicros, long nowMicros) {
    TransactionOptions wanted = transaction.options;
    CoordinatorOptions patience = patience(transaction);
    ClientSession chosen = wanted.session();
    ReadLevel level = wanted.readLevel();
    Seen seen = chosen == null ? Seen.NOTHING : chosen;
    if (wanted.readOnly()
        && level.isPast()
        && !transaction.foundAllBehind
        && (chosen == null || !options.past().needsVotes(level, chosen, nowMicros))
        && !options.past().isTooSoon(level, map().cutMicros(), nowMicros)) {
      CoordinatorMachine reader =
          past.coordinator(new TxnId(timeMicros, self.id(), 0), level, seen, patience, nowMicros);
      if (reader != null) {
        return reader;
      }
    }
    AttemptSpec spec =
        new AttemptSpec(
            timeMicros,
            self.id(),
            transaction.ageMicros,
            wanted.readOnly(),
            lostWrites::mayHave,
            options.durability().acknowledgesEarly(wanted),
            2 * Math.clamp(host.delayMicros(), 0, patience.resendMicros()));
    return options.system().coordinator(spec, topologyOf(transaction, timeMicros), patience);
  }

  private CoordinatorOptions patience(RunningTransaction<?> transaction) {
    CoordinatorOptions patience = options.coordinator();
    long remainingMicros = Math.max(1, transaction.remainingMicros());
    return remainingMicros == patience.deadlineMicros()
        ? patience
        : patience.withDeadlineMicros(remainingMicros);
  }

  private void admit(RunningTransaction<?> transaction) {
    if (transaction.remainingMicros() > 0) {
      inFlight++;
      beginAttempt(transaction);
    } else {
      failLate(transaction);
    }
  }

  private void failLate(RunningTransaction<?> transaction) {
    transaction.fail(
        new OverloadedException(
            "the transaction spent its deadline of "
                + transaction.options.deadlineMicros()
                + " microseconds in the queue of client "
                + self
                + ", which admits "
                + limit.inForce()
                + " at a time: begin fewer at a time, or give it a longer deadline",
            true));
  }

  private void tellAdmission() {
    int admitted = closed ? 0 : limit.inForce();
    int queued = waiting.size();
    if (listener != null && (admitted != toldLimit || queued != toldWaiting)) {
      int limitBy = admitted - toldLimit;
      int waitingBy = queued - toldWaiting;
      toldLimit = admitted;
      toldWaiting = queued;
      tell(to -> to.admissionChanged(limitBy, waitingBy));
    }
  }

  /** Tells the listener. That it throws is no reason to keep a result from the application. */
  private void tell(Consumer<CompletionListener> what) {
    CompletionListener to = listener;
    if (to != null) {
      try {
        what.accept(to);
      } catch (Throwable e) {
        host.onError(e);
      }
    }
  }

  // ---- answers ------------------------------------------------------------------------------

  /** Delivers answers, and begins transactions that wait, until nothing is left to do. */
  private void deliverAnswers() {
    if (performing) {
      return;
    }
    performing = true;
    try {
      if (clock.lengthenings() != lengthenings) {
        lengthenings = clock.lengthenings();
        renumberWaiting();
      }
      while (true) {
        Runnable forward = attempts.pollForward();
        if (forward != null) {
          forward.run();
          continue;
        }
        Attempt attempt = attempts.pollReady();
        if (attempt != null) {
          deliver(attempt);
          continue;
        }
        RunningTransaction<?> next = inFlight < limit.inForce() ? waiting.poll() : null;
        if (next == null) {
          break;
        }
        admit(next);
      }
    } finally {
      performing = false;
    }
    tellAdmission();
  }

  /**
   * The slots have become longer. Attempts that wait in the chains that have grown without them
   * would do so for as long as these chains take, and those with ids in the new slots behind them.
   * So they begin again, with such ids, if the application permits another attempt
   * (docs/protocol.md, section 12).
   */
  private void renumberWaiting() {
    long nowMicros = host.nowMicros();
    double chainedMicros = SlotClock.QUEUED * clock.waitMicros();
    for (Attempt attempt : attempts.all()) {
      boolean waits =
          !attempt.isOver()
              && attempt.commitMicros() >= 0
              && nowMicros - attempt.commitMicros() > chainedMicros;
      RunningTransaction<?> transaction = attempt.transaction;
      if (waits && transaction.attempts < transaction.options.retry().maxAttempts()) {
        attempt.step(RENUMBER);
      }
    }
  }

  private void deliver(Attempt attempt) {
    attempt.taken();
    Throwable defect = attempt.takeDefect();
    if (defect != null) {
      host.onError(defect);
    }
    if (attempt.hasEnded()) {
      return;
    }
    if (attempt.isOver()) {
      attempt.end();
      end(attempt, attempt.completion());
    } else {
      attempt.resume();
      if (!attempt.contends && attempt.coordinator().reexecutions() > 0) {
        attempt.contends = true;
        clock.contention().contends(host.nowMicros() - attempt.beginMicros);
      }
    }
  }

  /** An attempt has ended, with a broken invariant if there is no completion. */
  private void end(Attempt attempt, @Nullable Completion completion) {
    long nowMicros = host.nowMicros();
    boolean committedSome =
        completion instanceof Completion.Committed committed && !committed.isEmpty();
    measure(attempt, completion, committedSome, nowMicros);
    if (completion instanceof Completion.Committed committed && committedSome) {
      remember(attempt, committed);
    }
    if (listener != null && completion != null) {
      CompletionListener.CompletedAttempt completed =
          new CompletionListener.CompletedAttempt(
              completion,
              attempt.transaction.callMicros,
              attempt.beginMicros,
              attempt.commitMicros(),
              nowMicros,
              attempt.transaction.attempts,
              attempt.coordinator().reexecutions());
      tell(to -> to.completed(completed));
    }
    if (completion instanceof Completion.Aborted aborted
        && beginsAgain(attempt, aborted.reason())) {
      return;
    }
    inFlight--;
    attempt.transaction.end(attempt, completion);
  }

  /** Tells the parts that decide about early writes, slots and admission how an attempt ended. */
  private void measure(
      Attempt attempt, @Nullable Completion completion, boolean committedSome, long nowMicros) {
    boolean lost =
        completion instanceof Completion.Aborted aborted
            && aborted.reason() == AbortReason.CONFLICT;
    if (lost) {
      lostWrites.add(attempt.asked());
    }
    boolean reexecuted = attempt.coordinator().reexecutions() > 0;
    boolean contended = lost || reexecuted;
    long tookMicros = Math.max(0, nowMicros - attempt.beginMicros);
    if (mayContend(attempt)) {
      clock.contention().ended(attempt.contends, reexecuted, lost, tookMicros);
      if (!contended && completion instanceof Completion.Committed) {
        clock.contention().committedCalmly(tookMicros);
      }
    }
    long askedMicros = attempt.commitMicros() < 0 ? nowMicros : attempt.commitMicros();
    limit.ended(
        contended,
        committedSome,
        tookMicros,
        Math.max(0, nowMicros - askedMicros),
        inFlight,
        waiting.size(),
        host.delayMicros(),
        nowMicros);
  }

  /** Later transactions of this client, and of the session that the application chose, see it. */
  private void remember(Attempt attempt, Completion.Committed committed) {
    session.committed(Math.max(attempt.timeMicros, committed.position().timeMicros()));
    ClientSession chosen = attempt.transaction.options.session();
    if (chosen != null) {
      TxnId absentTo =
          attempt.coordinator() instanceof PastCoordinator reader
              ? reader.absentTo()
              : TxnId.INITIAL;
      chosen.committed(committed, absentTo);
    }
  }

  /** Whether the transaction of an attempt that has aborted goes on with another one. */
  private boolean beginsAgain(Attempt attempt, AbortReason reason) {
    RunningTransaction<?> transaction = attempt.transaction;
    if ((reason == AbortReason.BEHIND || reason == AbortReason.RENUMBERED)
        && !closed
        && transaction.remainingMicros() > 0) {
      transaction.foundAllBehind |= reason == AbortReason.BEHIND;
      transaction.earlierReexecutions += attempt.coordinator().reexecutions();
      beginAttempt(transaction); // no conflict, so neither a pause nor a retry
      return true;
    }
    transaction.wasTooOld |= reason == AbortReason.TRUNCATED;
    return attempt.mayTryAgain(reason) && tryAgain(attempt);
  }

  private boolean tryAgain(Attempt attempt) {
    RunningTransaction<?> transaction = attempt.transaction;
    RetryPolicy retry = transaction.options.retry();
    if (closed || transaction.attempts >= retry.maxAttempts()) {
      return false;
    }
    long waitMicros = retry.backoffMicros(transaction.attempts, random);
    if (waitMicros >= transaction.remainingMicros()) {
      return false;
    }
    transaction.earlierReexecutions += attempt.coordinator().reexecutions();
    BackOff backOff = new BackOff(transaction);
    backOffs.add(backOff);
    backOff.schedule(host, waitMicros);
    return true;
  }

  /** The wait of a transaction between two attempts. */
  private final class BackOff extends EngineTimer {
    private final RunningTransaction<?> transaction;

    BackOff(RunningTransaction<?> transaction) {
      this.transaction = transaction;
    }

    @Override
    void fire() {
      backOffs.remove(this);
      beginAttempt(transaction);
    }
  }
}
