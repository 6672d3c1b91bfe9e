package org.mortydb.protocol.coordinator;

/**
 * How patient a coordinator is. All times in microseconds.
 *
 * @param deadlineMicros from begin to the moment when an undecided transaction is given up;
 *     positive
 * @param graceMicros how much longer an abort or a proposed commit may take to become certain
 *     before the application is told that the outcome is unknown; positive
 * @param resendMicros how long a request stays unanswered before it is sent again; positive, and
 *     longer than the longest round trip
 * @param slowPathMicros the least time to wait for the last votes, once every participant has f+1,
 *     before the slow path is taken; 0 or more
 * @param clockUncertaintyMicros ε of the commit wait: the answer is delayed until the local clock
 *     has passed the transaction's timestamp by 2ε; 0 to answer at once
 * @param reexecution whether to re-execute or to abort on a stale read
 * @param fastPath whether an outcome may rest on the votes of all replicas alone; never to be
 *     turned off but to measure what it is worth
 * @param eagerWrites whether writes are shown to readers before the transaction prepares; never to
 *     be turned off but to measure what it is worth
 */
public record CoordinatorOptions(
    long deadlineMicros,
    long graceMicros,
    long resendMicros,
    long slowPathMicros,
    long clockUncertaintyMicros,
    ReexecutionPolicy reexecution,
    boolean fastPath,
    boolean eagerWrites) {

  /** 10 s deadline, 2 s grace, 1 s resend, 10 ms slow path, no commit wait, 100 re-executions. */
  public static final CoordinatorOptions DEFAULTS =
      new CoordinatorOptions(
          10_000_000, 2_000_000, 1_000_000, 10_000, 0, ReexecutionPolicy.upTo(100).gathering());

  /**
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

  /** Options with the fast path and eager writes. */
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
        true);
  }

  /** The same with another deadline, in microseconds from the begin. */
  public CoordinatorOptions withDeadlineMicros(long micros) {
    return new CoordinatorOptions(
        micros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        fastPath,
        eagerWrites);
  }

  /** The same with another policy of re-execution. */
  public CoordinatorOptions withReexecution(ReexecutionPolicy policy) {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        policy,
        fastPath,
        eagerWrites);
  }

  /** The same with another clock uncertainty, in microseconds. */
  public CoordinatorOptions withClockUncertaintyMicros(long micros) {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        micros,
        reexecution,
        fastPath,
        eagerWrites);
  }

  /** The same without the fast path. */
  public CoordinatorOptions withoutFastPath() {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        false,
        eagerWrites);
  }

  /** The same with writes that are shown with the Prepare alone. */
  public CoordinatorOptions withoutEagerWrites() {
    return new CoordinatorOptions(
        deadlineMicros,
        graceMicros,
        resendMicros,
        slowPathMicros,
        clockUncertaintyMicros,
        reexecution,
        fastPath,
        false);
  }
}
