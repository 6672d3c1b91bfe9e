package org.mortydb.cli.status;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a server.
 *
 * @param name the name of the server
 * @param region the region in which it runs
 * @param address the address at which it listens
 * @param condition its condition
 * @param problems sentences for the operator, in the order of importance; none if all is well
 * @param warnings what to mend although its replicas may serve
 * @param roundTripMicros the time from a question over a client's connection to the answer; null
 *     without an answer
 * @param clockOffsetMicros how far its clock is ahead of the local one, with an error of half the
 *     round trip; null if unknown
 * @param upMicros how long ago it started; this and the next five are null without an answer at its
 *     admin address
 * @param clients how many clients are connected
 * @param keys how many keys its replicas hold in total
 * @param transactions how many transactions its replicas have records of, in total
 * @param watermarkAgeMicros how far the oldest watermark of its replicas is behind its clock
 * @param longestPauseMicros the longest time for which it stood still within the last minute
 * @param replicas its replicas, by partition
 */
public record ServerState(
    String name,
    String region,
    String address,
    Condition condition,
    List<String> problems,
    List<Warning> warnings,
    @Nullable Long roundTripMicros,
    @Nullable Long clockOffsetMicros,
    @Nullable Long upMicros,
    @Nullable Long clients,
    @Nullable Long keys,
    @Nullable Long transactions,
    @Nullable Long watermarkAgeMicros,
    @Nullable Long longestPauseMicros,
    List<ReplicaState> replicas) {

  /**
   * Something to mend although the server serves.
   *
   * @param code {@code watermark}, {@code link} or {@code clock}
   * @param about another server that it is about; null if it is about none or several
   * @param text a sentence for the operator
   */
  public record Warning(String code, @Nullable String about, String text) {}

  /** The condition of a server. */
  public enum Condition {
    /** All its replicas serve. */
    SERVING,
    /** It answers, and some of its replicas do not serve: they join, or have stopped. */
    NOT_READY,
    /** It accepts clients; the state of its replicas is unknown. */
    REACHABLE,
    /** It does not accept this client. */
    DOWN;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }

  /**
   * The state of a replica.
   *
   * @param partition the number of its partition
   * @param index its place in the partition's group
   * @param condition its condition
   * @param bytesLeft about how many bytes it still has to copy; null if it copies nothing, or its
   *     server does not say
   */
  public record ReplicaState(
      int partition, int index, ReplicaCondition condition, @Nullable Long bytesLeft) {}

  /** The condition of a replica. */
  public enum ReplicaCondition {
    /** It answers transactions. */
    SERVING,
    /** It does not answer transactions yet: it joins its partition. */
    JOINING,
    /** It has stopped because an invariant broke or its storage failed. */
    STOPPED,
    /** Its server accepts clients; the state of the replica is unknown. */
    UNKNOWN,
    /** Its server does not accept this client. */
    DOWN;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }

  /** Returns the state with other warnings. */
  ServerState withWarnings(List<Warning> others) {
    return new ServerState(
        name,
        region,
        address,
        condition,
        problems,
        others,
        roundTripMicros,
        clockOffsetMicros,
        upMicros,
        clients,
        keys,
        transactions,
        watermarkAgeMicros,
        longestPauseMicros,
        replicas);
  }
}
