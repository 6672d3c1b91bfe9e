package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.Message.ToCoordinator;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.quorum.VoteTally;

/**
 * The coordinator of one transaction, in its client: reads and writes on behalf of the application,
 * re-executes it in part when a read becomes stale, gathers votes, decides, and tells the outcome
 * (docs/protocol.md, sections 2 to 4; in the paper: the execution and commit protocols).
 *
 * <p>A pure machine: see {@link StateMachine} for its thread rule.
 */
public final class Coordinator implements CoordinatorMachine {

  private enum State {
    /** The application runs, or waits for a read. */
    EXECUTING,
    /**
     * The application has committed; what was read is still changing, so votes are not asked yet.
     */
    SETTLING,
    /** Votes are gathered; nothing was proposed, so a re-execution is still possible. */
    PREPARING,
    /** An outcome was proposed to the home partition in the client's view. */
    PROPOSING,
    /** A recovery has taken the decision over; its outcome is to be learnt. */
    LEARNING,
    /** The outcome is certain. */
    DECIDED
  }

  private static final int NOT_WAITING = -1;
  private static final int MAX_REVOTE_DOUBLINGS = 5;

  private final long timeMicros;
  private final long clientId;
  private final Topology topology;
  private final CoordinatorOptions options;
  private final CoordinatorRules rules;
  private final ExecutionLog log;

  private TxnId txn;
  private State state = State.EXECUTING;
  private boolean begun;
  private int execution;
  private int reexecutions;
  private int revotes;

  /** The read operation whose values have not all arrived, or NOT_WAITING. */
  private int waitingOperation = NOT_WAITING;

  /** What each request was made for. */
  private final ArrayList<Requested> requests = new ArrayList<>(8);

  /** Whether the application has not called since it was last resumed. */
  private boolean resumeIsNew;

  private boolean dirtyWrites;
  private boolean staleWrites;

  /** Partitions that know of the transaction and have to hear its outcome. */
  private final BitSet touched = new BitSet();

  private final ArrayList<PreparedExecution> prepared = new ArrayList<>(1);
  private @Nullable VoteTally tally;
  private long preparedMicros;

  /** When f+1 replicas of every participant had voted, on condition or not; -1 before. */
  private long majorityMicros = -1;

  private long settlingSinceMicros;

  /** Whether replicas may hold votes for the last prepared execution, which was given up. */
  private boolean abandonedVotes;

  /**
   * The earliest read that is known to be stale and is re-executed when the batch ends. Null unless
   * the transaction executes or settles.
   */
  private @Nullable ReadSlot stale;

  private boolean slowPathArmed;
  private boolean revoteArmed;

  private @Nullable Outcome proposed;
  private final BitSet accepted = new BitSet();
  private AbortReason abortReason = AbortReason.CONFLICT;

  private int expirations;
  private boolean completed;
  private @Nullable Completion delayedCompletion;
  private long nowMicros;

  /**
   * @param timeMicros the transaction's timestamp, strictly monotonic per client
   * @param clientId the client process
   */
  public Coordinator(
      long timeMicros,
      long clientId,
      Topology topology,
      CoordinatorOptions options,
      CoordinatorRules rules) {
    this.timeMicros = timeMicros;
    this.clientId = clientId;
    this.topology = topology;
    this.options = options;
    this.rules = rules;
    this.log = new ExecutionLog(topology);
    this.txn = new TxnId(timeMicros, clientId, 0);
  }

  @Override
  public TxnId txn() {
    return txn;
  }

  /** The current execution's number. */
  public int execution() {
    return execution;
  }

  @Override
  public int reexecutions() {
    return reexecutions;
  }

  @Override
  public void step(long now, Event event, CoordinatorEffects out) {
    nowMicros = now;
    switch (event) {
      case Event.Received(Endpoint from, Message message) -> {
        if (message instanceof ToCoordinator concerned) {
          onMessage(from, concerned, out);
        }
      }
      case Event.TimerFired(Timer timer) -> onTimer(timer, out);
      case Event.BatchEnded ignored -> onBatchEnd(out);
      case Event.Call call -> onCall(call, out);
    }
  }

  private void onCall(Event.Call call, CoordinatorEffects out) {
    if (!begun) {
      begun = true;
      out.armTimer(Timer.DEADLINE, options.deadlineMicros());
      out.armTimer(Timer.RESEND, options.resendMicros());
    }
    if (call.execution() != execution || state != State.EXECUTING) {
      return; // late code of a superseded execution, or of an ended transaction
    }
    resumeIsNew &= call instanceof Event.CallYield;
    switch (call) {
      case Event.CallGet(int ignored, List<Key> keys) -> get(keys, out);
      case Event.CallScan(int ignored, KeyRange range, int limit) -> scan(range, limit, out);
      case Event.CallPut(int ignored, Key key, Value value) -> put(key, value, out);
      case Event.CallYield ignored -> endTurn(out);
      case Event.CallCommit ignored -> commit(out);
      case Event.CallAbort ignored -> {
        // What is about to run again may decide otherwise.
        if (stale == null) {
          abort(AbortReason.APPLICATION, out);
        }
      }
    }
  }

  private void onMessage(Endpoint from, ToCoordinator message, CoordinatorEffects out) {
    switch (message) {
      case GetReply m ->
          onVersion(m.request(), m.sequence(), m.version(), m.value(), m.settled(), out);
      case Push m -> onVersion(m.request(), m.sequence(), m.version(), m.value(), m.settled(), out);
      case ScanReply reply -> onScanReply(reply, out);
      case PushRow push -> onPushRow(push, out);
      case PrepareReply reply -> onPrepareReply(from, reply, out);
      case FinalizeReply reply -> onFinalizeReply(from, reply, out);
      case Refused refused -> onRefused(from, refused, out);
      case Decide decide -> learn(decide.outcome(), out);
      case Inquire ignored -> onInquire(from, out);
      case InquireReply ignored -> {}
    }
  }

  private void onTimer(Timer timer, CoordinatorEffects out) {
    switch (timer) {
      case TICK, FLUSH -> {}
      case RESEND -> resend(out);
      case SLOW_PATH -> {
        VoteTally votes = tally;
        if (slowPathArmed && state == State.PREPARING && votes != null) {
          slowPathArmed = false;
          if (votes.commitsReach(rules.slowQuorum(topology.f()))) {
            propose(commitOfCurrent(), out);
          } else {
            mend(votes, out);
          }
        }
      }
      case REVOTE -> {
        if (revoteArmed && state == State.PREPARING) {
          revoteArmed = false;
          prepareAgain(out);
        }
      }
      case DEADLINE -> onDeadline(out);
      case COMMIT_WAIT -> {
        Completion completion = delayedCompletion;
        long remainingMicros = certainMicros() - nowMicros;
        if (completion != null && remainingMicros > 0) {
          out.armTimer(Timer.COMMIT_WAIT, remainingMicros); // the clock was set back
        } else if (completion != null) {
          delayedCompletion = null;
          complete(completion, out);
          out.retire();
        }
      }
    }
  }

  // ---- execution (section 2) ----------------------------------------------------------------

  /** The home partition is that of the first operation; all executions share it. */
  private void begin(Key first) {
    if (touched.isEmpty() && log.size() == 0) {
      txn = new TxnId(timeMicros, clientId, topology.partitionOf(first));
    }
  }

  private void get(List<Key> keys, CoordinatorEffects out) {
    begin(keys.getFirst());
    if (log.size() + keys.size() > Limits.MAX_OPERATIONS) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    int operation = log.size();
    ExecutionLog.ReadOperation read = log.read(keys);
    if (read.isAnswered()) {
      if (execution > 0) {
        mark(Branch.READ_REUSED, out);
      }
      resume(operation, read.values(), out);
      return;
    }
    waitingOperation = operation;
    // The application now waits for the network, so what it has done so far becomes visible.
    tellWrites(out);
    dropAbandonedVotes(out);
    for (ReadSlot slot : read.slots()) {
      if (slot != null && !slot.known && slot.attempts == 0) {
        slot.replica = topology.closest(slot.partition);
        ask(slot, out);
      }
    }
  }

  private void scan(KeyRange range, int limit, CoordinatorEffects out) {
    begin(range.from());
    if (log.size() >= Limits.MAX_OPERATIONS || log.scans().size() >= Limits.MAX_SCANS) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    int operation = log.size();
    log.scan(range, limit);
    if (log.answer(operation)) {
      if (execution > 0) {
        mark(Branch.READ_REUSED, out);
      }
      resumeAt(operation, out);
      return;
    }
    tellWrites(out);
    dropAbandonedVotes(out);
    askForMore(operation, out);
  }

  /** Asks those partitions that the scan cannot be answered without, and waits for them. */
  private void askForMore(int operation, CoordinatorEffects out) {
    waitingOperation = operation;
    if (log.at(operation) instanceof ScanOperation scan) {
      Key unknown = scan.unknownFrom();
      for (ScanSlot slot : scan.slots) {
        Key next = slot.next;
        boolean first = slot.attempts == 0 && !slot.asked;
        if (next != null && !slot.asked && (first || next.equals(unknown))) {
          if (first) {
            slot.replica = topology.closest(slot.partition);
          } else {
            mark(Branch.SCAN_CONTINUED, out);
          }
          ask(slot, scan.limit, out);
        }
      }
    }
  }

  private void ask(ScanSlot slot, int limit, CoordinatorEffects out) {
    Key from = slot.next;
    if (from == null) {
      throw new IllegalStateException("all of " + slot.range + " is known");
    }
    int request = requests.size();
    requests.add(new ScanRequest(slot, from));
    slot.asked = true;
    slot.attempts++;
    slot.askedMicros = nowMicros;
    touched.set(slot.partition);
    out.send(
        new ReplicaId(slot.partition, slot.replica),
        new Scan(txn, request, new KeyRange(from, slot.range.to()), limit));
  }

  /** Continues the application after a read or scan that is answered. */
  private void resumeAt(int operation, CoordinatorEffects out) {
    switch (log.at(operation)) {
      case ExecutionLog.ReadOperation read -> resume(operation, read.values(), out);
      case ScanOperation scan -> {
        resumeIsNew = true;
        out.resumeScan(execution, operation, scan.rows());
      }
      case ExecutionLog.WriteOperation write ->
          throw new IllegalStateException("operation " + operation + " is a write");
    }
  }

  private void endTurn(CoordinatorEffects out) {
    if (resumeIsNew) {
      return; // the turn has ended with a read that is answered: the next turn follows at once
    }
    tellWrites(out);
    dropAbandonedVotes(out);
  }

  private void resume(int operation, List<Value> values, CoordinatorEffects out) {
    resumeIsNew = true;
    out.resume(execution, operation, values);
  }

  private void ask(ReadSlot slot, CoordinatorEffects out) {
    slot.request = requests.size();
    slot.sequence = 0;
    slot.attempts++;
    slot.askedMicros = nowMicros;
    requests.add(slot);
    touched.set(slot.partition);
    out.send(new ReplicaId(slot.partition, slot.replica), new Get(txn, slot.request, slot.key));
  }

  private void put(Key key, Value value, CoordinatorEffects out) {
    begin(key);
    if (log.size() >= Limits.MAX_OPERATIONS) {
      abort(AbortReason.REFUSED, out);
      return;
    }
    WriteSlot slot = log.write(key, value);
    dirtyWrites |= slot.isDirty();
  }

  /** Shows the writes that replicas have not heard of. */
  private void tellWrites(CoordinatorEffects out) {
    if (!dirtyWrites || !options.eagerWrites()) {
      return;
    }
    dirtyWrites = false;
    for (WriteSlot slot : log.writes()) {
      if (slot.isDirty()) {
        touched.set(slot.partition);
        out.broadcast(slot.partition, new Put(txn, execution, slot.tell()));
      }
    }
  }

  /**
   * Takes back the writes of earlier executions that this one, which is complete, has not issued.
   * Until then they stand: most executions write the same keys again, and a later transaction that
   * read past such a write and committed meanwhile would leave this one nothing but to abort.
   */
  private void retractStaleWrites(CoordinatorEffects out) {
    if (!staleWrites) {
      return;
    }
    staleWrites = false;
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      ArrayList<Key> stale = new ArrayList<>();
      for (WriteSlot slot : log.writes()) {
        if (slot.partition == p && slot.isStale()) {
          slot.retracted();
          stale.add(slot.key);
        }
      }
      if (!stale.isEmpty()) {
        out.broadcast(p, new Retract(txn, execution, stale));
      }
    }
  }

  /** Frees others from the votes for an execution that was given up, ahead of the next Prepare. */
  private void dropAbandonedVotes(CoordinatorEffects out) {
    if (!abandonedVotes) {
      return;
    }
    abandonedVotes = false;
    PreparedExecution last = prepared.getLast();
    for (int partition : last.participants()) {
      out.broadcast(partition, new Drop(new ExecutionId(txn, last.number())));
    }
  }

  private void onScanReply(ScanReply reply, CoordinatorEffects out) {
    if (!(requested(reply.request()) instanceof ScanRequest request)) {
      return;
    }
    ScanSlot slot = request.slot;
    if (request.accepted || !request.from.equals(slot.next)) {
      return; // another replica was faster
    }
    request.accepted = true;
    slot.asked = false;
    slot.attempts = 1;
    slot.next = reply.next();
    for (VersionedValue row : reply.rows()) {
      onRow(reply.request(), 0, row, out);
    }
    for (PushRow push : request.takeEarly()) {
      onRow(push.request(), push.sequence(), push.row(), out);
    }
    resumeIfAnswered(out);
  }

  private void onPushRow(PushRow push, CoordinatorEffects out) {
    if (requested(push.request()) instanceof ScanRequest request) {
      if (request.accepted) {
        onRow(push.request(), push.sequence(), push.row(), out);
        resumeIfAnswered(out);
      } else if (request.from.equals(request.slot.next)) {
        request.keep(push);
      }
    }
  }

  /** A replica tells of one key of a range. */
  private void onRow(int request, int sequence, VersionedValue row, CoordinatorEffects out) {
    ReadSlot slot = log.slotFor(row.key());
    if (!slot.known) {
      slot.request = request;
      slot.sequence = sequence;
      slot.learn(row.version(), row.value(), row.settled());
      return;
    }
    boolean same = slot.version.equals(row.version());
    if (slot.request == ReadSlot.UNASKED) {
      slot.request = request;
      slot.sequence = -1;
      if (!same) {
        mark(Branch.PHANTOM_PUSHED, out);
      }
    }
    if (slot.request == request) {
      if (sequence <= slot.sequence) {
        return;
      }
      slot.sequence = sequence;
    } else if (!same && !isNewer(row.version(), slot.version)) {
      return; // whom the key itself was asked of knows better
    }
    if (!same) {
      refresh(slot, row.version(), row.value(), row.settled(), out);
    } else if (row.settled()) {
      slot.settled = true;
      prepareIfSettled(out);
    }
  }

  private @Nullable Requested requested(int request) {
    return request < 0 || request >= requests.size() ? null : requests.get(request);
  }

  private void onVersion(
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled,
      CoordinatorEffects out) {
    if (!(requested(request) instanceof ReadSlot slot)) {
      return;
    }
    if (!slot.known) {
      slot.request = request; // whichever replica answers first is the one that is listened to
      slot.sequence = sequence;
      slot.learn(version, value, settled);
      resumeIfAnswered(out);
      return;
    }
    if (slot.request != request || sequence <= slot.sequence) {
      return;
    }
    slot.sequence = sequence;
    if (!slot.version.equals(version)) {
      refresh(slot, version, value, settled, out);
    } else if (settled) {
      slot.settled = true;
      prepareIfSettled(out);
    }
  }

  private void resumeIfAnswered(CoordinatorEffects out) {
    if (waitingOperation == NOT_WAITING || state != State.EXECUTING) {
      return;
    }
    if (stale != null && stale.operation < waitingOperation) {
      return; // what follows is about to be dropped
    }
    int operation = waitingOperation;
    if (isAnswered(operation)) {
      waitingOperation = NOT_WAITING;
      resumeAt(operation, out);
    } else if (log.at(operation) instanceof ScanOperation) {
      askForMore(operation, out);
    }
  }

  private boolean isAnswered(int operation) {
    return log.at(operation) instanceof ExecutionLog.ReadOperation read
        ? read.isAnswered()
        : log.answer(operation);
  }

  /** A read should have seen another version. */
  private void refresh(
      ReadSlot slot, WriteId version, Value value, boolean settled, CoordinatorEffects out) {
    boolean sameValue = slot.value.equals(value);
    slot.learn(version, value, settled);
    boolean open = state == State.EXECUTING || state == State.SETTLING || state == State.PREPARING;
    if (!open || !slot.isLive() || slot.operation == waitingOperation) {
      return;
    }
    if (!sameValue && options.reexecution().gathers() && state != State.PREPARING) {
      gather(slot, out);
    } else if (!sameValue) {
      reexecute(slot, out);
    } else {
      if (state != State.EXECUTING) {
        mark(Branch.VALUE_UNCHANGED, out);
      }
      if (state == State.PREPARING) {
        prepareAgain(out);
      }
      prepareIfSettled(out);
    }
  }

  /** Leaves the re-execution for when everything that has arrived together is known. */
  private void gather(ReadSlot slot, CoordinatorEffects out) {
    if (stale == null) {
      stale = slot;
      out.awaitBatchEnd();
    } else if (slot.operation < stale.operation) {
      stale = slot;
    }
  }

  private void onBatchEnd(CoordinatorEffects out) {
    ReadSlot earliest = stale;
    if (earliest != null) {
      stale = null;
      reexecute(earliest, out);
    }
  }

  /** Read unrolling: starts the next execution at the checkpoint of a stale read. */
  private void reexecute(ReadSlot earliest, CoordinatorEffects out) {
    if (!options.reexecution().allows(reexecutions)) {
      abort(AbortReason.REEXECUTION_LIMIT, out);
      return;
    }
    giveUpExecution(out);
    reexecutions++;
    state = State.EXECUTING;
    waitingOperation = NOT_WAITING;
    int operation = earliest.operation;
    log.truncateAfter(operation);
    dirtyWrites = true;
    staleWrites = true;
    if (out.probing()) {
      out.probe(
          new Probe.Reexecuted(new ExecutionId(txn, execution), earliest.key, earliest.version));
    }
    if (isAnswered(operation)) {
      resumeAt(operation, out);
    } else {
      askForMore(operation, out); // a row has gone, and the limit reaches further now
    }
  }

  /** Moves on to the next execution number; the votes for the current one do not count any more. */
  private void giveUpExecution(CoordinatorEffects out) {
    execution++;
    if (state == State.PREPARING) {
      abandonedVotes = true;
    }
    tally = null;
    if (slowPathArmed) {
      slowPathArmed = false;
      out.cancelTimer(Timer.SLOW_PATH);
    }
    if (revoteArmed) {
      revoteArmed = false;
      out.cancelTimer(Timer.REVOTE);
    }
  }

  // ---- prepare (section 3) ------------------------------------------------------------------

  private void commit(CoordinatorEffects out) {
    if (waitingOperation != NOT_WAITING) {
      throw new IllegalStateException("commit while a read is outstanding");
    }
    if (log.size() == 0) {
      state = State.DECIDED;
      finish(new Completion.Committed(txn, txn, 0, Path.FAST, List.of(), List.of()), out);
      return;
    }
    prepareWhenSettled(out);
  }

  /**
   * Asks for votes, unless something was read that the replica has not voted to commit. Such a
   * version will probably change, and here a change costs no messages. The replicas would vote on
   * it no sooner: it has to settle there first.
   */
  private void prepareWhenSettled(CoordinatorEffects out) {
    if (stale != null || (options.reexecution().awaitsSettledReads() && !hasSettled())) {
      state = State.SETTLING;
      settlingSinceMicros = nowMicros;
      mark(Branch.SETTLING, out);
      tellWrites(out);
      retractStaleWrites(out);
      dropAbandonedVotes(out);
    } else {
      prepare(out);
    }
  }

  private void prepareIfSettled(CoordinatorEffects out) {
    if (state == State.SETTLING && stale == null && hasSettled()) {
      prepare(out);
    }
  }

  private boolean hasSettled() {
    List<ReadSlot> reads = log.reads();
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).isLive() && !reads.get(i).settled) {
        return false;
      }
    }
    return true;
  }

  /** The same operations once more under the next execution number. */
  private void prepareAgain(CoordinatorEffects out) {
    if (!options.reexecution().allows(reexecutions + revotes)) {
      abort(AbortReason.REEXECUTION_LIMIT, out);
      return;
    }
    revotes++;
    giveUpExecution(out);
    if (out.probing()) {
      out.probe(new Probe.Revoted(new ExecutionId(txn, execution)));
    }
    prepareWhenSettled(out);
  }

  private void prepare(CoordinatorEffects out) {
    PreparedExecution next = snapshot();
    if (next.reads().size() > Limits.MAX_OPERATIONS) {
      abort(AbortReason.REFUSED, out); // rows of scans are reads, and were not counted before
      return;
    }
    state = State.PREPARING;
    if (abandonedVotes) {
      abandonedVotes = false;
      PreparedExecution last = prepared.getLast();
      for (int partition : last.participants()) {
        if (!next.participants().contains(partition)) {
          mark(Branch.PARTICIPANT_LEFT, out);
          out.broadcast(partition, new Drop(new ExecutionId(txn, last.number())));
        }
      }
    }
    retractWhereNotPrepared(next.participants(), out);
    prepared.add(next);
    tally = next.votes();
    preparedMicros = nowMicros;
    majorityMicros = -1;
    for (int partition : next.participants()) {
      touched.set(partition);
      out.broadcast(partition, prepareFor(next, partition));
    }
    if (out.probing()) {
      out.probe(new Probe.Prepared(new ExecutionId(txn, execution)));
    }
  }

  private PreparedExecution snapshot() {
    BitSet partitions = new BitSet();
    partitions.set(txn.home());
    ArrayList<VersionedValue> reads = new ArrayList<>(log.reads().size());
    for (ReadSlot slot : log.reads()) {
      if (slot.isLive()) {
        reads.add(slot.versionedValue());
        partitions.set(slot.partition);
      }
    }
    ArrayList<KeyRange> ranges = new ArrayList<>(0);
    for (ScanOperation scan : log.scans()) {
      partitions.set(0, topology.partitions());
      if (!ranges.contains(scan.covered())) {
        ranges.add(scan.covered());
      }
    }
    ArrayList<Write> writes = new ArrayList<>(log.writes().size());
    for (WriteSlot slot : log.writes()) {
      if (slot.value != null) {
        writes.add(slot.tell());
        partitions.set(slot.partition);
      }
    }
    dirtyWrites = false;
    ArrayList<Integer> participants = new ArrayList<>(2);
    for (int p = partitions.nextSetBit(0); p >= 0; p = partitions.nextSetBit(p + 1)) {
      participants.add(p);
    }
    return new PreparedExecution(
        execution,
        participants,
        reads,
        ranges,
        writes,
        new VoteTally(participants, topology.replicas()));
  }

  /** Stale writes at participants are taken back by the Prepare itself, which has the whole set. */
  private void retractWhereNotPrepared(List<Integer> participants, CoordinatorEffects out) {
    if (!staleWrites) {
      return;
    }
    for (WriteSlot slot : log.writes()) {
      if (slot.isStale() && participants.contains(slot.partition)) {
        slot.retracted();
      }
    }
    retractStaleWrites(out);
  }

  private Prepare prepareFor(PreparedExecution next, int partition) {
    boolean all = next.participants().size() == 1;
    ArrayList<Read> reads = new ArrayList<>(all ? next.reads().size() : 4);
    for (VersionedValue read : next.reads()) {
      if (all || topology.partitionOf(read.key()) == partition) {
        reads.add(new Read(read.key(), read.version()));
      }
    }
    List<Write> writes = next.writes();
    if (!all) {
      writes = new ArrayList<>(4);
      for (Write write : next.writes()) {
        if (topology.partitionOf(write.key()) == partition) {
          writes.add(write);
        }
      }
    }
    return new Prepare(
        new ExecutionId(txn, next.number()), reads, next.ranges(), writes, next.participants());
  }

  // ---- votes and outcome (section 4) --------------------------------------------------------

  private void onPrepareReply(Endpoint from, PrepareReply reply, CoordinatorEffects out) {
    switch (reply.answer()) {
      case PrepareAnswer.Decided(Outcome outcome) -> learn(outcome, out);
      case PrepareAnswer.Fenced(View view) -> fenced(view, out);
      case PrepareAnswer.Superseded ignored -> {}
      case PrepareAnswer.Voted(Vote vote) -> {
        if (from instanceof ReplicaId replica) {
          onVote(replica, reply.execution().number(), vote, out);
        }
      }
    }
  }

  private void onVote(ReplicaId from, int number, Vote vote, CoordinatorEffects out) {
    if (number != execution) {
      if (!rules.ignoresVotesForOldExecutions()) {
        countOldVote(from, number, vote, out);
      }
      return;
    }
    VoteTally votes = tally;
    Vote counted = vote.isCommit() && !rules.mindsConditions() ? Vote.COMMIT : vote;
    if (votes == null || !votes.record(from.partition(), from.index(), counted)) {
      return;
    }
    if (state == State.PREPARING) {
      evaluate(votes, out);
    } else if (state == State.PROPOSING
        && proposed instanceof Outcome.Commit
        && options.fastPath()
        && votes.commitsReach(rules.fastQuorum(topology.f()))) {
      // The last votes overtook the acceptances; they are a record of the same outcome.
      decide(proposed, Path.FAST, out);
    }
  }

  /** Never reached under sound rules: commits an execution that was given up as well. */
  private void countOldVote(ReplicaId from, int number, Vote vote, CoordinatorEffects out) {
    for (int i = 0; i < prepared.size(); i++) {
      VoteTally votes = prepared.get(i).votes();
      if (prepared.get(i).number() == number
          && votes.record(from.partition(), from.index(), vote)
          && votes.commitsReach(rules.fastQuorum(topology.f()))) {
        for (int partition : prepared.get(i).participants()) {
          out.broadcast(partition, new Decide(txn, prepared.get(i).commit()));
        }
      }
    }
  }

  private Outcome commitOfCurrent() {
    return prepared.getLast().commit();
  }

  private void evaluate(VoteTally votes, CoordinatorEffects out) {
    int slow = rules.slowQuorum(topology.f());
    int fast = rules.fastQuorum(topology.f());
    if (majorityMicros < 0 && votes.answersReach(slow)) {
      majorityMicros = nowMicros;
    }
    boolean mayBeFast = options.fastPath() && votes.commitsCanReach(fast);
    if (mayBeFast && votes.commitsReach(fast)) {
      decide(commitOfCurrent(), Path.FAST, out);
    } else if (votes.finalAbandon() != null || !votes.commitsCanReach(slow)) {
      mend(votes, out);
    } else if (votes.commitsReach(slow) && !mayBeFast) {
      propose(commitOfCurrent(), out);
    } else if (votes.votesReach(slow) && !slowPathArmed) {
      // The last votes are on their way or lost: give them half the time the majority took. How
      // long conditions were open does not count: in a chain of dependencies waits would add up.
      slowPathArmed = true;
      long elapsedMicros = Math.max(0, majorityMicros - preparedMicros);
      out.armTimer(Timer.SLOW_PATH, options.slowPathMicros() + elapsedMicros / 2);
    }
  }

  /** The execution cannot commit: re-executes with what the abandons carried, or aborts. */
  private void mend(VoteTally votes, CoordinatorEffects out) {
    Vote.Abandon certain = votes.finalAbandon();
    if (certain != null && certain.reason() == Vote.Reason.WRITE_MISSED) {
      abort(AbortReason.CONFLICT, out); // a later reader has committed: only a later id can write
      return;
    }
    ArrayList<VersionedValue> fresh = new ArrayList<>();
    votes.forEachAbandon(abandon -> gatherFresh(abandon, fresh));
    ReadSlot earliest = null;
    boolean anyFresh = false;
    for (VersionedValue newer : fresh) {
      ReadSlot slot = log.slotFor(newer.key()); // new to a scan, perhaps
      if (!slot.isLive() || slot.version.equals(newer.version())) {
        continue;
      }
      anyFresh = true;
      if (slot.request == ReadSlot.UNASKED) {
        mark(Branch.PHANTOM_VOTED, out);
      }
      boolean sameValue = slot.value.equals(newer.value());
      slot.learn(newer.version(), newer.value(), newer.settled());
      if (!sameValue && (earliest == null || slot.operation < earliest.operation)) {
        earliest = slot;
      }
    }
    if (earliest != null) {
      reexecute(earliest, out);
    } else if (anyFresh) {
      mark(Branch.VALUE_UNCHANGED, out);
      prepareAgain(out);
    } else if (certain != null) {
      abort(AbortReason.CONFLICT, out);
    } else {
      retryVote(votes, out);
    }
  }

  /** Keeps, for each key, the newest version that any abandon carried. */
  private static void gatherFresh(Vote.Abandon abandon, ArrayList<VersionedValue> into) {
    for (VersionedValue candidate : abandon.fresh()) {
      boolean superseded = false;
      for (int i = 0; i < into.size(); i++) {
        VersionedValue kept = into.get(i);
        if (kept.key().equals(candidate.key())) {
          superseded = true;
          if (isNewer(candidate.version(), kept.version())) {
            into.set(i, candidate);
          }
        }
      }
      if (!superseded) {
        into.add(candidate);
      }
    }
  }

  private static boolean isNewer(WriteId a, WriteId b) {
    int byWriter = a.writer().compareTo(b.writer());
    return byWriter > 0 || (byWriter == 0 && a.valueId() > b.valueId());
  }

  /** Tentative abandons without newer versions: the conflict may vanish, so asks again later. */
  private void retryVote(VoteTally votes, CoordinatorEffects out) {
    AbortReason refusal = refusal(votes);
    if (refusal != null) {
      abort(refusal, out);
    } else if (!revoteArmed) {
      revoteArmed = true;
      long elapsedMicros = Math.max(options.slowPathMicros(), nowMicros - preparedMicros);
      long delayMicros = elapsedMicros << Math.min(revotes, MAX_REVOTE_DOUBLINGS);
      out.armTimer(Timer.REVOTE, jitter(Math.min(delayMicros, options.resendMicros())));
    }
  }

  private static @Nullable AbortReason refusal(VoteTally votes) {
    AbortReason[] refusal = new AbortReason[1];
    votes.forEachAbandon(
        abandon -> {
          if (abandon.reason() == Vote.Reason.TRUNCATED) {
            refusal[0] = AbortReason.TRUNCATED;
          } else if (abandon.reason() == Vote.Reason.CLOCK_AHEAD) {
            refusal[0] = AbortReason.CLOCK_AHEAD;
          }
        });
    return refusal[0];
  }

  /**
   * Between half and all of a delay, spread by the transaction's identity: a machine has no dice.
   */
  private long jitter(long delayMicros) {
    long mixed = (timeMicros ^ clientId) * 0x9E3779B97F4A7C15L + execution;
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    long half = Math.max(1, delayMicros / 2);
    return half + Math.floorMod(mixed ^ (mixed >>> 32), half);
  }

  private void abort(AbortReason reason, CoordinatorEffects out) {
    if (state != State.EXECUTING && state != State.SETTLING && state != State.PREPARING) {
      return;
    }
    abortReason = reason;
    VoteTally votes = tally;
    boolean doomed = state == State.PREPARING && votes != null && votes.finalAbandon() != null;
    if (prepared.isEmpty()) {
      decide(Outcome.ABORT, Path.FAST, out);
    } else if (doomed && rules.mayAbortAtOnce(prepared.size())) {
      mark(Branch.FAST_ABORT, out);
      decide(Outcome.ABORT, Path.FAST, out);
    } else {
      propose(Outcome.ABORT, out);
    }
  }

  /** The slow path: at most one value is ever proposed in the client's view. */
  private void propose(Outcome value, CoordinatorEffects out) {
    giveUpTimers(out);
    state = State.PROPOSING;
    proposed = value;
    accepted.clear();
    if (out.probing()) {
      out.probe(new Probe.Proposed(txn, value));
      boolean commits = value instanceof Outcome.Commit;
      out.probe(new Probe.Mark(txn, commits ? Branch.SLOW_COMMIT : Branch.SLOW_ABORT));
    }
    out.broadcast(txn.home(), new Finalize(txn, View.CLIENT, value));
  }

  private void onFinalizeReply(Endpoint from, FinalizeReply reply, CoordinatorEffects out) {
    switch (reply.answer()) {
      case FinalizeAnswer.Decided(Outcome outcome) -> learn(outcome, out);
      case FinalizeAnswer.Fenced(View view) -> fenced(view, out);
      case FinalizeAnswer.Accepted ignored -> {
        if (state == State.PROPOSING
            && reply.view().equals(View.CLIENT)
            && proposed != null
            && from instanceof ReplicaId(int partition, int index)
            && partition == txn.home()) {
          accepted.set(index);
          if (accepted.cardinality() >= rules.slowQuorum(topology.f())) {
            decide(proposed, Path.SLOW, out);
          }
        }
      }
    }
  }

  /** A recovery has taken over: stops, and asks what it decided (section 5). */
  private void fenced(View by, CoordinatorEffects out) {
    if (state == State.DECIDED || state == State.LEARNING || !by.isAbove(View.CLIENT)) {
      return; // a fence of view 0 is our own proposal, met by a late Prepare
    }
    mark(Branch.FENCED, out);
    giveUpTimers(out);
    state = State.LEARNING;
    out.broadcast(txn.home(), new Inquire(txn));
  }

  private void learn(Outcome outcome, CoordinatorEffects out) {
    if (state != State.DECIDED) {
      abortReason = AbortReason.LEARNT;
      decide(outcome, Path.LEARNT, out);
    }
  }

  private void decide(Outcome outcome, Path path, CoordinatorEffects out) {
    giveUpTimers(out);
    state = State.DECIDED;
    waitingOperation = NOT_WAITING;
    proposed = outcome;
    for (int p = touched.nextSetBit(0); p >= 0; p = touched.nextSetBit(p + 1)) {
      out.broadcast(p, new Decide(txn, outcome));
    }
    if (out.probing()) {
      out.probe(new Probe.Decided(txn, outcome, path));
    }
    finish(completionOf(outcome, path, out), out);
  }

  private Completion completionOf(Outcome outcome, Path path, CoordinatorEffects out) {
    return switch (outcome) {
      case Outcome.Abort() -> new Completion.Aborted(txn, abortReason);
      case Outcome.Commit(int number, List<Integer> ignored) -> {
        for (PreparedExecution candidate : prepared) {
          if (candidate.number() == number) {
            if (number != execution) {
              mark(Branch.OLDER_EXECUTION_COMMITTED, out);
            }
            yield new Completion.Committed(
                txn, txn, number, path, candidate.reads(), candidate.ranges(), candidate.writes());
          }
        }
        throw new IllegalStateException(
            txn + " committed execution " + number + ", which was never prepared");
      }
    };
  }

  /** Answers the application, after the commit wait if there is one. */
  private void finish(Completion completion, CoordinatorEffects out) {
    out.cancelTimer(Timer.RESEND);
    out.cancelTimer(Timer.DEADLINE);
    boolean wait =
        options.clockUncertaintyMicros() > 0
            && completion instanceof Completion.Committed
            && nowMicros < certainMicros()
            && !completed;
    if (wait) {
      delayedCompletion = completion;
      out.armTimer(Timer.COMMIT_WAIT, certainMicros() - nowMicros);
    } else {
      complete(completion, out);
      out.retire();
    }
  }

  /** When every clock has passed the transaction's timestamp, as far as this client can tell. */
  private long certainMicros() {
    return timeMicros + 2 * options.clockUncertaintyMicros();
  }

  private void complete(Completion completion, CoordinatorEffects out) {
    if (!completed) {
      completed = true;
      out.complete(completion);
    }
  }

  private void giveUpTimers(CoordinatorEffects out) {
    stale = null;
    if (slowPathArmed) {
      slowPathArmed = false;
      out.cancelTimer(Timer.SLOW_PATH);
    }
    if (revoteArmed) {
      revoteArmed = false;
      out.cancelTimer(Timer.REVOTE);
    }
  }

  // ---- refusals, loss and lateness ----------------------------------------------------------

  private void onRefused(Endpoint from, Refused refused, CoordinatorEffects out) {
    AbortReason reason =
        switch (refused.reason()) {
          case CLOCK_AHEAD -> AbortReason.CLOCK_AHEAD;
          case TRUNCATED -> AbortReason.TRUNCATED;
          case WRONG_PARTITION, OVERSIZED -> AbortReason.REFUSED;
          case NOT_AUTHORIZED -> AbortReason.NOT_AUTHORIZED;
          case NOT_SERVING -> AbortReason.NOT_SERVING;
        };
    if (reason == AbortReason.REFUSED || reason == AbortReason.NOT_AUTHORIZED) {
      abort(reason, out);
      return;
    }
    // One replica's clock or fence is not the cluster's: a read goes on to the next replica. Votes
    // tell of it by themselves, and an uncommitted write that was not shown is shown by its
    // Prepare.
    if (state != State.EXECUTING || waitingOperation == NOT_WAITING) {
      return;
    }
    if (log.at(waitingOperation) instanceof ScanOperation scan) {
      for (ScanSlot slot : scan.slots) {
        if (slot.asked && from.equals(new ReplicaId(slot.partition, slot.replica))) {
          if (slot.attempts >= topology.replicas()) {
            abort(reason, out);
            return;
          }
          slot.replica = (slot.replica + 1) % topology.replicas();
          ask(slot, scan.limit, out);
        }
      }
      return;
    }
    for (ReadSlot slot : log.readAt(waitingOperation).slots()) {
      if (slot != null && !slot.known && from.equals(new ReplicaId(slot.partition, slot.replica))) {
        if (slot.attempts >= topology.replicas()) {
          abort(reason, out);
          return;
        }
        slot.replica = (slot.replica + 1) % topology.replicas();
        ask(slot, out);
      }
    }
  }

  private void onInquire(Endpoint from, CoordinatorEffects out) {
    if (state == State.DECIDED && proposed != null) {
      out.send(from, new Decide(txn, proposed));
    } else if (state != State.LEARNING) {
      // Who waits for a recovery himself must not keep others from beginning one: the first may be
      // dead.
      out.send(from, new InquireReply(txn));
    }
  }

  private void resend(CoordinatorEffects out) {
    if (state == State.DECIDED) {
      return;
    }
    out.armTimer(Timer.RESEND, options.resendMicros());
    switch (state) {
      case EXECUTING -> resendGets(out);
      case SETTLING -> {
        // The writer is slow or dead, or the push was lost. Votes wait for it, and have it
        // recovered.
        if (stale == null && nowMicros - settlingSinceMicros >= options.resendMicros() / 2) {
          prepare(out);
        }
      }
      case PREPARING -> resendPrepares(out);
      case PROPOSING -> {
        for (int i = 0; i < topology.replicas(); i++) {
          if (!accepted.get(i) && proposed != null) {
            out.send(new ReplicaId(txn.home(), i), new Finalize(txn, View.CLIENT, proposed));
          }
        }
      }
      case LEARNING -> out.broadcast(txn.home(), new Inquire(txn));
      case DECIDED -> {}
    }
  }

  private void resendGets(CoordinatorEffects out) {
    if (waitingOperation == NOT_WAITING) {
      return;
    }
    if (log.at(waitingOperation) instanceof ScanOperation scan) {
      for (ScanSlot slot : scan.slots) {
        if (slot.asked && nowMicros - slot.askedMicros >= options.resendMicros() / 2) {
          slot.replica = (slot.replica + 1) % topology.replicas();
          ask(slot, scan.limit, out);
        }
      }
      return;
    }
    for (ReadSlot slot : log.readAt(waitingOperation).slots()) {
      if (slot != null
          && !slot.known
          && nowMicros - slot.askedMicros >= options.resendMicros() / 2) {
        slot.replica = (slot.replica + 1) % topology.replicas();
        ask(slot, out);
      }
    }
  }

  private void resendPrepares(CoordinatorEffects out) {
    VoteTally votes = tally;
    if (votes == null || nowMicros - preparedMicros < options.resendMicros() / 2) {
      return;
    }
    PreparedExecution last = prepared.getLast();
    for (int partition : last.participants()) {
      Prepare prepare = null;
      for (int i = 0; i < topology.replicas(); i++) {
        if (!votes.hasVoted(partition, i)) {
          if (prepare == null) {
            prepare = prepareFor(last, partition);
          }
          out.send(new ReplicaId(partition, i), prepare);
        }
      }
    }
  }

  private void onDeadline(CoordinatorEffects out) {
    expirations++;
    switch (state) {
      case EXECUTING, SETTLING, PREPARING -> {
        // Becomes certain at once if nothing was prepared; else the home partition has to accept.
        out.armTimer(Timer.DEADLINE, options.graceMicros());
        abort(AbortReason.DEADLINE, out);
      }
      case PROPOSING, LEARNING -> {
        switch (expirations) {
          case 1 -> out.armTimer(Timer.DEADLINE, options.graceMicros());
          case 2 -> {
            // The application is not kept waiting, but others may wait for the outcome.
            out.armTimer(Timer.DEADLINE, options.deadlineMicros());
            ArrayList<Write> writes = new ArrayList<>();
            for (PreparedExecution candidate : prepared) {
              writes.addAll(candidate.writes());
            }
            complete(new Completion.Unknown(txn, writes), out);
          }
          default -> {
            out.cancelTimer(Timer.RESEND);
            out.retire();
          }
        }
      }
      case DECIDED -> {}
    }
  }

  private void mark(Branch branch, CoordinatorEffects out) {
    if (out.probing()) {
      out.probe(new Probe.Mark(txn, branch));
    }
  }
}
