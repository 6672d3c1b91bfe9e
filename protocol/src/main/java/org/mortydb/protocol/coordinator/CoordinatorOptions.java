package org.mortydb.protocol.coordinator;

/**
 * Timeouts of a coordinator, and parts of the protocol that measurements turn off. All times are in
 * microseconds.
 *
 * @param deadlineMicros from the begin until an undecided transaction is given up; positive
 * @param graceMicros the additional time for an abort or a proposed commit to become certain,
 *     before the application learns that the outcome is unknown; positive
 * @param resendMicros the time until an unanswered request is sent again; positive, and longer than
 *     the longest round trip
 * @param slowPathMicros the least time to wait for the last votes, once every participant has f+1,
 *     before the slow path is taken; 0 or more
 * @param clockUncertaintyMicros ε of the commit wait: the answer is delayed until the local clock
 *     has passed the transaction's timestamp by 2ε; 0 to answer at once
 * @param reexecution when to re-execute, and when to abort, after a stale read
 * @param fastPath whether an outcome may rest on the votes of all replicas alone; turned off only
 *     to measure its value
 * @param shownWrites which writes are shown to readers before the transaction prepares
 * @param registersReads whether a read-only execution commits with f+1 votes and without an outcome
 *     (section 3, Read-only transactions); turned off only to measure its value
 * @param forwards whether a transaction reads what others of the same client are about to write
 *     (section 14); turned off only to measure its value
 */
public record CoordinatorOptions(
    long deadlineMicros,
    long graceMicros,
    long resendMicros,
    long slowPathMicros,
    long clockUncertaintyMicros,
    ReexecutionPolicy reexecution,
    boolean fastPath,
    ShownWrites shownWrites,
    boolean registersReads,
    boolean forwards) {

  /** 10 s deadline, 2 s grace, 1 s resend, 10 ms slow path, no commit wait, 100 re-executions. */
  public static final CoordinatorOptions DEFAULTS =
      new CoordinatorOptions(
              10_000_000, 2_000_000, 1_000_000, 10_000, 0, ReexecutionPolicy.upTo(100).gathering())
          .withShownWrites(ShownWrites.OF_KEYS_READ);

  /**
   * Checks the times.
   *
   * @throws IllegalArgumentException when a time is out of its range
   */
  public CoordinatorOptions {
    if (deadlineMicros <= 0 || graceMicros <= 0 || resendMicros <= 0) {
      throw new IllegalArgumentException("deadline, grace and resend times must be positive");
    }
    if (slowPathMicros < 0 || clockUncertaintyMicros < 0) {
      throw new IllegalArgumentException("slow path and commit wait times must not be negative");
    }
  }

  /** Creates options with all parts of the protocol, which show all writes. */
  public CoordinatorOptions(
      long deadlineMicros,
      long graceMicros,
      long resendMicros,
      long slowPathMicros,
      long clockUncertaintyMicros,
      ReexecutionPolicy reexecution) {
    this(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        true,
        ShownWrites.ALL,
        true,
        true);
  }

  /** Returns the same options with another deadline, in microseconds from the begin. */
  public CoordinatorOptions withDeadlineMicros(long micros) {
    return new CoordinatorOptions(
        micros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        fastPath,
        shownWrites,
        registersReads,
        forwards);
  }

  /** Returns the same options with another policy of re-execution. */
  public CoordinatorOptions withReexecution(ReexecutionPolicy policy) {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        policy,
        fastPath,
        shownWrites,
        registersReads,
        forwards);
  }

  /** Returns the same options with another clock uncertainty, in microseconds. */
  public CoordinatorOptions withClockUncertaintyMicros(long micros) {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        micros,
        reexecution,
        fastPath,
        shownWrites,
        registersReads,
        forwards);
  }

  /** Returns the same options without the fast path. */
  public CoordinatorOptions withoutFastPath() {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        false,
        shownWrites,
        registersReads,
        forwards);
  }

  /** Returns the same options that show other writes. */
  public CoordinatorOptions withShownWrites(ShownWrites writes) {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        fastPath,
        writes,
        registersReads,
        forwards);
  }

  /** Returns the same options with read-only transactions that are decided like all others. */
  public CoordinatorOptions withDecidedReads() {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        fastPath,
        shownWrites,
        false,
        forwards);
  }

  /** Returns the same options without what other transactions of the client forward. */
  public CoordinatorOptions withoutForwarding() {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        fastPath,
        shownWrites,
        registersReads,
        false);
  }
}
