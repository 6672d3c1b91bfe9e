package org.mortydb.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Deadline, retries and promises of a transaction.
 *
 * @param deadlineMicros microseconds from the call until the client gives up a transaction that is
 *     not decided, over all attempts and with the time spent in the queue, by a clock that does not
 *     jump; from 1 to {@link #MAX_DEADLINE_MICROS}. An outcome that was asked for by then may still
 *     become certain for {@link org.mortydb.protocol.coordinator.CoordinatorOptions#graceMicros}
 * @param retry when the client tries again
 * @param readOnly whether the transaction promises to write nothing, which some systems run faster;
 *     a write then throws {@link IllegalStateException}
 * @param validatesAborts whether an abort by the application, or an exception of its code, is
 *     reported only when all that it has read was right; this costs a round trip. Without, an
 *     application may see values together that no serial order shows, and give up because of them
 * @param readLevel what transactions that are declared to write nothing promise about their reads;
 *     it does not concern others
 * @param session the session that the transaction belongs to; null if it belongs to none
 * @param durability what the commit of a transaction that writes has survived when the application
 *     hears of it
 */
public record TransactionOptions(
    long deadlineMicros,
    RetryPolicy retry,
    boolean readOnly,
    boolean validatesAborts,
    ReadLevel readLevel,
    @Nullable ClientSession session,
    WriteDurability durability) {

  /** The longest deadline, about 35 years: sums with the time of a clock do not overflow. */
  public static final long MAX_DEADLINE_MICROS = 1L << 50;

  /** A deadline of 10 s, {@link RetryPolicy#DEFAULTS}, may write, validated aborts. */
  public static final TransactionOptions DEFAULTS =
      new TransactionOptions(10_000_000, RetryPolicy.DEFAULTS);

  /**
   * @throws IllegalArgumentException when the deadline is out of its bounds
   * @throws NullPointerException when something other than the session is missing
   */
  public TransactionOptions {
    Objects.requireNonNull(retry, "retry");
    Objects.requireNonNull(readLevel, "readLevel");
    Objects.requireNonNull(durability, "durability");
    if (deadlineMicros <= 0 || deadlineMicros > MAX_DEADLINE_MICROS) {
      throw new IllegalArgumentException(
          "deadlineMicros must be from 1 to " + MAX_DEADLINE_MICROS + ", but is " + deadlineMicros);
    }
  }

  /** Options of transactions that may write, and whose aborts are validated. */
  public TransactionOptions(long deadlineMicros, RetryPolicy retry) {
    this(
        deadlineMicros,
        retry,
        false,
        true,
        ReadLevel.SERIALIZABLE,
        null,
        WriteDurability.AS_SERVERS);
  }

  /** The same with another deadline in microseconds. */
  public TransactionOptions withDeadlineMicros(long micros) {
    return new TransactionOptions(
        micros, retry, readOnly, validatesAborts, readLevel, session, durability);
  }

  /** The same with another retry policy. */
  public TransactionOptions withRetry(RetryPolicy policy) {
    return new TransactionOptions(
        deadlineMicros, policy, readOnly, validatesAborts, readLevel, session, durability);
  }

  /** The same for transactions that write nothing. */
  public TransactionOptions forReading() {
    return forReading(readLevel);
  }

  /** The same for transactions that write nothing, with a level of reads. */
  public TransactionOptions forReading(ReadLevel level) {
    return new TransactionOptions(
        deadlineMicros, retry, true, validatesAborts, level, session, durability);
  }

  /** The same with another level of reads for transactions that are declared to write nothing. */
  public TransactionOptions withReadLevel(ReadLevel level) {
    return new TransactionOptions(
        deadlineMicros, retry, readOnly, validatesAborts, level, session, durability);
  }

  /**
   * The same for transactions of a session: they see what its guarantees say of those that
   * committed before.
   */
  public TransactionOptions inSession(ClientSession of) {
    return new TransactionOptions(
        deadlineMicros, retry, readOnly, validatesAborts, readLevel, of, durability);
  }

  /** The same with aborts that are reported at once, without validation. */
  public TransactionOptions withoutValidatedAborts() {
    return new TransactionOptions(
        deadlineMicros, retry, readOnly, false, readLevel, session, durability);
  }

  /** The same with a durability of its own, for transactions that write. */
  public TransactionOptions withDurability(WriteDurability of) {
    return new TransactionOptions(
        deadlineMicros, retry, readOnly, validatesAborts, readLevel, session, of);
  }
}
