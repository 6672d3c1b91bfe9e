package org.mortydb.cli.status;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server, as it was found.
 *
 * @param name its name
 * @param region where it runs
 * @param address where it listens
 * @param condition in a word
 * @param problems sentences for the operator, in the order of importance; none if all is well
 * @param roundTripMicros from a question over the connection of a client to its answer; null if
 *     nothing answered
 * @param clockOffsetMicros by how much its clock is ahead of the one here; null if not known. Half
 *     of the round trip is uncertain
 * @param upMicros how long ago it started; this and what follows is null without an answer at its
 *     admin address
 * @param clients connected clients
 * @param keys keys that its replicas hold together
 * @param transactions transactions that its replicas have records of, together
 * @param watermarkAgeMicros how far the oldest watermark of its replicas is behind its clock
 * @param replicas its replicas, by partition
 */
public record ServerState(
    String name,
    String region,
    String address,
    Condition condition,
    List<String> problems,
    @Nullable Long roundTripMicros,
    @Nullable Long clockOffsetMicros,
    @Nullable Long upMicros,
    @Nullable Long clients,
    @Nullable Long keys,
    @Nullable Long transactions,
    @Nullable Long watermarkAgeMicros,
    List<ReplicaState> replicas) {

  /** How a server is. */
  public enum Condition {
    /** All its replicas serve. */
    SERVING,
    /** It answers, and some of its replicas do not serve: they join, or have stopped. */
    NOT_READY,
    /** It accepts clients, and how its replicas are cannot be told. */
    REACHABLE,
    /** It does not accept this client. */
    DOWN;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }

  /**
   * A replica.
   *
   * @param partition of which partition
   * @param index its place in the partition's group
   * @param condition in a word
   */
  public record ReplicaState(int partition, int index, ReplicaCondition condition) {}

  /** How a replica is. */
  public enum ReplicaCondition {
    /** It answers transactions. */
    SERVING,
    /** It does not answer transactions yet: it joins its partition. */
    JOINING,
    /** It has stopped, for a broken invariant or because storing failed. */
    STOPPED,
    /** Its server accepts clients; how it is cannot be told. */
    UNKNOWN,
    /** Its server does not accept this client. */
    DOWN;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }
}
