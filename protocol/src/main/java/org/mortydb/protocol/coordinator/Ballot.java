package org.mortydb.protocol.coordinator;

import org.mortydb.protocol.machine.CoordinatorEffects;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.quorum.VoteTally;

/** The vote on one prepared execution, and the timers that limit the wait for more votes. */
final class Ballot {
  private static final int NEVER = -1;

  final PreparedExecution execution;
  final VoteTally votes;

  /** When the Prepares left. */
  final long openedMicros;

  /** When f+1 replicas of every participant had voted, conditionally or not. */
  private long majorityMicros = NEVER;

  private boolean slowPathArmed;
  private boolean wide;
  private boolean revoteArmed;
  private boolean waitedOnceMore;
  private boolean notServing;

  /**
   * @param replicas the size of every replica group
   */
  Ballot(PreparedExecution execution, int replicas, long openedMicros) {
    this.execution = execution;
    this.votes = new VoteTally(execution.participants(), replicas);
    this.openedMicros = openedMicros;
  }

  /** The outcome that this ballot is about. */
  Outcome commit() {
    return execution.commit();
  }

  /** Notes the time if a quorum of every participant has voted for the first time. */
  void noteMajority(int quorum, long elapsedMicros) {
    if (majorityMicros == NEVER && votes.answersReach(quorum)) {
      majorityMicros = elapsedMicros;
    }
  }

  /**
   * How long f+1 replicas of every participant took to vote, or how long they have taken so far.
   * The time that conditions were open does not count.
   */
  long majorityTookMicros(long elapsedMicros) {
    return Math.max(0, (majorityMicros == NEVER ? elapsedMicros : majorityMicros) - openedMicros);
  }

  /**
   * Arms {@link Timer#SLOW_PATH}, unless it is armed: the last votes get half the time that the
   * majority took, and {@code leastMicros} more. The time that conditions were open does not count:
   * in a chain of dependencies the waits would add up.
   */
  void limitWait(long leastMicros, CoordinatorEffects out) {
    if (!slowPathArmed) {
      slowPathArmed = true;
      long tookMicros = Math.max(0, majorityMicros - openedMicros);
      out.armTimer(Timer.SLOW_PATH, leastMicros + tookMicros / 2);
    }
  }

  /** Returns true once: then a vote that would end in an abort waits for replicas that are late. */
  boolean waitsOnceMore() {
    boolean first = !waitedOnceMore;
    waitedOnceMore = true;
    return first;
  }

  /** All replicas are asked to register. Returns false if they were before. */
  boolean widen() {
    boolean news = !wide;
    wide = true;
    return news;
  }

  /** Whether all replicas are asked to register. */
  boolean isWide() {
    return wide;
  }

  /**
   * A replica does not serve yet, so requests are sent again before they are overdue. Returns false
   * if that was known.
   */
  boolean noteNotServing() {
    boolean news = !notServing;
    notServing = true;
    return news;
  }

  /** Whether a replica did not serve when it was asked; forgets it, as requests are sent again. */
  boolean takeNotServing() {
    boolean taken = notServing;
    notServing = false;
    return taken;
  }

  /** Arms {@link Timer#REVOTE}, unless it is armed. */
  void revoteAfter(long delayMicros, CoordinatorEffects out) {
    if (!revoteArmed) {
      revoteArmed = true;
      out.armTimer(Timer.REVOTE, delayMicros);
    }
  }

  /** {@link Timer#SLOW_PATH} has fired. Returns whether it was armed. */
  boolean slowPathFired() {
    boolean wasArmed = slowPathArmed;
    slowPathArmed = false;
    return wasArmed;
  }

  /** {@link Timer#REVOTE} has fired. Returns whether it was armed. */
  boolean revoteFired() {
    boolean wasArmed = revoteArmed;
    revoteArmed = false;
    return wasArmed;
  }

  /** Cancels both timers. */
  void stopWaiting(CoordinatorEffects out) {
    if (slowPathArmed) {
      slowPathArmed = false;
      out.cancelTimer(Timer.SLOW_PATH);
    }
    if (revoteArmed) {
      revoteArmed = false;
      out.cancelTimer(Timer.REVOTE);
    }
  }
}
