package org.mortydb.protocol.quorum;

import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Vote;

/**
 * The votes on one execution, one for each replica of every participant (docs/protocol.md, sections
 * 3 and 4). The first vote of a replica stands; only a conditional vote may be replaced, by its
 * decision.
 *
 * <p>A conditional vote counts as a vote to commit as soon as any replica of its partition has
 * voted to commit without condition. That replica knows that the versions read there have
 * committed, and this is the condition of all votes of the partition.
 */
public final class VoteTally {
  private final List<Integer> participants;
  private final int replicas;
  private final @Nullable Vote[] votes; // participant by participant
  private final int[] commits;
  private final int[] conditional; // conditional votes that do not count yet
  private final boolean[] holds; // whether the partition's condition is known to hold
  private final int[] abandons;
  private final int[] missedWrites; // the abandons of which a majority is final (rule 6)
  private final int[] finals; // these, and all others that are final by themselves
  private final BitSet written = new BitSet(); // votes to commit that may not be durable yet
  private Vote.@Nullable Abandon finalAbandon;
  private boolean hopeless;

  /**
   * A tally without votes.
   *
   * @param participants the participants, each once
   * @param replicas how many replicas each partition has
   */
  public VoteTally(List<Integer> participants, int replicas) {
    this.participants = participants;
    this.replicas = replicas;
    this.votes = new Vote[participants.size() * replicas];
    this.commits = new int[participants.size()];
    this.conditional = new int[participants.size()];
    this.holds = new boolean[participants.size()];
    this.abandons = new int[participants.size()];
    this.missedWrites = new int[participants.size()];
    this.finals = new int[participants.size()];
  }

  /**
   * Counts a vote.
   *
   * @return false if it changes nothing: the replica has voted, or belongs to no participant
   */
  public boolean record(int partition, int replica, Vote vote) {
    int group = participants.indexOf(partition);
    if (group < 0 || replica < 0 || replica >= replicas) {
      return false;
    }
    int slot = group * replicas + replica;
    Vote earlier = votes[slot];
    if (earlier != null && (!earlier.isOnCondition() || vote.isOnCondition())) {
      return false;
    }
    votes[slot] = vote;
    if (earlier != null) {
      (holds[group] ? commits : conditional)[group]--;
    }
    switch (vote) {
      case Vote.Commit(boolean onCondition) -> {
        if (!onCondition && !holds[group]) {
          holds[group] = true;
          commits[group] += conditional[group];
          conditional[group] = 0;
        }
        (holds[group] ? commits : conditional)[group]++;
      }
      case Vote.Abandon abandon -> {
        abandons[group]++;
        if (abandon.isFinal() || missesWrite(abandon)) {
          hopeless |= ++finals[group] > replicas / 2;
        }
        if (!missesWrite(abandon)) {
          if (abandon.isFinal() && finalAbandon == null) {
            finalAbandon = abandon;
          }
        } else if (++missedWrites[group] == replicas / 2 + 1) {
          finalAbandon = new Vote.Abandon(true, Vote.Reason.WRITE_MISSED, abandon.fresh());
        }
      }
    }
    return true;
  }

  /**
   * Whether the replica will never vote to commit, because of a reader that has committed there, or
   * whose reads it has registered. One such replica proves nothing: the client of the reader may
   * have told only this one that it has committed. A majority of them leaves no quorum.
   */
  private static boolean missesWrite(Vote.Abandon abandon) {
    return abandon.reason() == Vote.Reason.REGISTERED_READ
        || (abandon.reason() == Vote.Reason.WRITE_MISSED && abandon.isFinal());
  }

  /**
   * Counts a vote to commit that is written, and that the replica may still lose.
   *
   * @return false if it changes nothing
   */
  public boolean recordWritten(int partition, int replica) {
    int group = participants.indexOf(partition);
    if (group < 0
        || replica < 0
        || replica >= replicas
        || written.get(group * replicas + replica)) {
      return false;
    }
    written.set(group * replicas + replica);
    return true;
  }

  /**
   * Whether at least {@code quorum} replicas of every participant have written a vote to commit, or
   * have given one. A conditional vote counts if any replica of its partition knows that the
   * condition holds.
   */
  public boolean writtenReach(int quorum) {
    for (int group = 0; group < commits.length; group++) {
      int first = group * replicas;
      int next = written.nextSetBit(first);
      boolean known = holds[group] || (next >= 0 && next < first + replicas);
      int count = 0;
      for (int slot = first; slot < first + replicas; slot++) {
        boolean committed =
            switch (votes[slot]) {
              case null -> written.get(slot);
              case Vote.Commit commit -> written.get(slot) || known || !commit.onCondition();
              case Vote.Abandon _ -> false;
            };
        count += committed ? 1 : 0;
      }
      if (count < quorum) {
        return false;
      }
    }
    return true;
  }

  /** Whether a replica has voted, and its vote is on no open condition. */
  public boolean hasVoted(int partition, int replica) {
    int group = participants.indexOf(partition);
    Vote vote = group < 0 ? null : votes[group * replicas + replica];
    return vote != null && (holds[group] || !vote.isOnCondition());
  }

  /** Whether a replica has voted to abandon. */
  public boolean hasAbandoned(int partition, int replica) {
    int group = participants.indexOf(partition);
    return group >= 0 && votes[group * replicas + replica] instanceof Vote.Abandon;
  }

  /**
   * Whether a replica will never vote to commit, because of a reader that has committed there, or
   * whose reads it has registered. Most such readers commit, and a majority then says the same;
   * unless {@code quorum} replicas of the partition have voted to commit, which keeps the reader
   * from it.
   */
  public boolean isProbablyHopeless(int quorum) {
    for (int group = 0; group < missedWrites.length; group++) {
      if (missedWrites[group] > 0 && commits[group] + conditional[group] < quorum) {
        return true;
      }
    }
    return false;
  }

  /** Whether every participant has at least {@code quorum} votes to commit. */
  public boolean commitsReach(int quorum) {
    for (int count : commits) {
      if (count < quorum) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether at least {@code quorum} replicas of every participant have voted, to commit or to
   * abandon, on no open condition.
   */
  public boolean votesReach(int quorum) {
    for (int group = 0; group < commits.length; group++) {
      if (commits[group] + abandons[group] < quorum) {
        return false;
      }
    }
    return true;
  }

  /** Whether at least {@code quorum} replicas of every participant have voted in any way. */
  public boolean answersReach(int quorum) {
    for (int group = 0; group < commits.length; group++) {
      if (commits[group] + conditional[group] + abandons[group] < quorum) {
        return false;
      }
    }
    return true;
  }

  /** Whether every participant has, or can still get, {@code quorum} votes to commit. */
  public boolean commitsCanReach(int quorum) {
    for (int count : abandons) {
      if (replicas - count < quorum) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether every participant has, or can still get, {@code quorum} votes to commit if some
   * replicas vote no more.
   */
  public boolean commitsCanReach(int quorum, Set<ReplicaId> silent) {
    if (silent.isEmpty()) {
      return commitsCanReach(quorum);
    }
    for (int group = 0; group < abandons.length; group++) {
      int possible = replicas - abandons[group];
      for (ReplicaId replica : silent) {
        boolean missing =
            replica.partition() == participants.get(group)
                && replica.index() < replicas
                && !hasVoted(replica.partition(), replica.index());
        possible -= missing ? 1 : 0;
      }
      if (possible < quorum) {
        return false;
      }
    }
    return true;
  }

  /** Whether any replica has voted to abandon. */
  public boolean hasAbandon() {
    for (int count : abandons) {
      if (count > 0) {
        return true;
      }
    }
    return false;
  }

  /** A final abandon, or null; preferably one that no re-execution can avoid. */
  public Vote.@Nullable Abandon finalAbandon() {
    return finalAbandon;
  }

  /**
   * Whether a majority of a participant will never vote to commit, each replica by its own word.
   * One final abandon claims it of the others as well, but a client may have told only this replica
   * the outcome on which it rests.
   */
  public boolean isHopeless() {
    return hopeless;
  }

  /** Calls {@code action} with every abandon, in the order of participants and replicas. */
  public void forEachAbandon(Consumer<Vote.Abandon> action) {
    for (Vote vote : votes) {
      if (vote instanceof Vote.Abandon abandon) {
        action.accept(abandon);
      }
    }
  }
}
