package org.mortydb.experiments.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Handling;
import org.mortydb.experiments.chain.ChainCollector.Observed;
import org.mortydb.experiments.chain.Members.Member;
import org.mortydb.protocol.model.Key;

/**
 * The committed writers of a key in the serial order, and the steps between those that read from
 * each other.
 *
 * @param key the key
 * @param seconds the length of the window
 * @param updates the committed writers whose {@code Prepare} left within the window
 * @param steps the steps within the window
 * @param separated the pairs of neighbours without a step: the second has not read the key
 * @param aborted the number of aborted attempts that had written the key, by reason
 * @param reexecutions the re-executions of the updates
 * @param prepares the requests for votes of the updates
 * @param offsetMicros the mean distance between the updates' ids and the clock at their begin
 */
record Chain(
    Key key,
    double seconds,
    int updates,
    List<Step> steps,
    int separated,
    Map<String, Integer> aborted,
    long reexecutions,
    long prepares,
    double offsetMicros) {

  /** The chain of a key, from what was seen of a run. */
  static Chain of(Observed observed, Key key) {
    Members members = Members.of(observed, key);
    List<Step> steps = new ArrayList<>();
    int updates = 0;
    int separated = 0;
    long reexecutions = 0;
    long prepares = 0;
    long offset = 0;
    long last = Long.MIN_VALUE;
    @Nullable Member before = null;
    for (Member member : members.committed) {
      Handling first = member.firstPrepare();
      if (first == null
          || first.leftNanos() < observed.fromNanos()
          || first.leftNanos() >= observed.toNanos()) {
        before = null;
        continue;
      }
      updates++;
      reexecutions += member.attempt.reexecutions();
      prepares += member.prepared.size();
      offset += Math.abs(member.txn.timeMicros() - member.attempt.beginMicros());
      long left = Math.max(last, first.leftNanos());
      if (before != null) {
        if (before.written.equals(member.read)) {
          steps.add(StepPath.of(members, key, before, member, last, left));
        } else {
          separated++;
        }
      }
      before = member;
      last = left;
    }
    return new Chain(
        key,
        observed.seconds(),
        updates,
        steps,
        separated,
        members.abortedByReason(),
        reexecutions,
        prepares,
        updates == 0 ? 0 : (double) offset / updates);
  }

  /** The time of all steps. */
  long nanos() {
    return steps.stream().mapToLong(Step::nanos).sum();
  }

  /** The steps without length: the reader's final value left before the predecessor's. */
  long empty() {
    return steps.stream().filter(step -> step.nanos() == 0).count();
  }

  /** The share of the steps between regions; 0 if there are no steps. */
  double crossingShare() {
    return steps.isEmpty()
        ? 0
        : (double) steps.stream().filter(Step::crosses).count() / steps.size();
  }

  double updatesPerSecond() {
    return updates / seconds;
  }
}
