package org.mortydb.protocol.quorum;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Vote;

/**
 * The votes on one execution, one per replica of every participant. A replica's first vote stands.
 */
public final class VoteTally {
  private final List<Integer> participants;
  private final int replicas;
  private final @Nullable Vote[] votes; // participant by participant
  private final int[] commits;
  private final int[] abandons;
  private Vote.@Nullable Abandon finalAbandon;

  /**
   * @param participants the participants, each once
   * @param replicas the size of every replica group
   */
  public VoteTally(List<Integer> participants, int replicas) {
    this.participants = participants;
    this.replicas = replicas;
    this.votes = new Vote[participants.size() * replicas];
    this.commits = new int[participants.size()];
    this.abandons = new int[participants.size()];
  }

  /**
   * Counts a vote.
   *
   * @return false when it changes nothing: the replica has voted, or is of no participant
   */
  public boolean record(int partition, int replica, Vote vote) {
    int group = participants.indexOf(partition);
    if (group < 0 || replica < 0 || replica >= replicas) {
      return false;
    }
    int slot = group * replicas + replica;
    if (votes[slot] != null) {
      return false;
    }
    votes[slot] = vote;
    switch (vote) {
      case Vote.Commit() -> commits[group]++;
      case Vote.Abandon abandon -> {
        abandons[group]++;
        boolean mendable = abandon.reason() != Vote.Reason.WRITE_MISSED;
        if (abandon.isFinal() && (finalAbandon == null || !mendable)) {
          finalAbandon = abandon;
        }
      }
    }
    return true;
  }

  /** Whether a replica has voted. */
  public boolean hasVoted(int partition, int replica) {
    int group = participants.indexOf(partition);
    return group >= 0 && votes[group * replicas + replica] != null;
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

  /** Whether at least {@code quorum} replicas of every participant have voted, either way. */
  public boolean votesReach(int quorum) {
    for (int group = 0; group < commits.length; group++) {
      if (commits[group] + abandons[group] < quorum) {
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

  /** A final abandon, if there is one; one that no re-execution mends is preferred. */
  public Vote.@Nullable Abandon finalAbandon() {
    return finalAbandon;
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
