package org.mortydb.sim;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Vote;

/**
 * Tells which abandons say that f+1 replicas can never hold a vote to commit an execution. One
 * abandon because of a later reader says it of its own replica alone, and f+1 of a partition say it
 * together (docs/protocol.md, section 4).
 */
final class FinalAbandons {
  private final IntUnaryOperator f;
  private final Map<ExecutionId, Set<ReplicaId>> refusing = new HashMap<>();

  /**
   * @param f the failures that each partition tolerates
   */
  FinalAbandons(IntUnaryOperator f) {
    this.f = f;
  }

  /** Counts an abandon, and returns whether it is final, by itself or with those before it. */
  boolean isFinal(ReplicaId by, ExecutionId execution, Vote.Abandon vote) {
    boolean refuses =
        vote.reason() == Vote.Reason.REGISTERED_READ
            || (vote.isFinal() && vote.reason() == Vote.Reason.WRITE_MISSED);
    if (!refuses) {
      return vote.isFinal();
    }
    Set<ReplicaId> all = refusing.computeIfAbsent(execution, _ -> new LinkedHashSet<>());
    all.add(by);
    return all.stream().filter(one -> one.partition() == by.partition()).count()
        > f.applyAsInt(by.partition());
  }
}
