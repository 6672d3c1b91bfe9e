package org.mortydb.client.engine;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.TxnId;

/**
 * The attempts of one engine whose coordinators still have work, the outcomes of earlier ones, and
 * queues of attempts that have an answer for their driver, and of what they tell each other. The
 * attempts fill the queues; the engine empties them.
 */
final class Attempts {
  private final Long2ObjectOpenHashMap<Attempt> live = new Long2ObjectOpenHashMap<>();
  private final FinishedOutcomes finished;
  private final ArrayDeque<Attempt> ready = new ArrayDeque<>();
  private final ArrayDeque<Runnable> forwards = new ArrayDeque<>();
  private List<Attempt> awaitingBatchEnd = new ArrayList<>();

  Attempts(int rememberedOutcomes) {
    finished = new FinishedOutcomes(rememberedOutcomes);
  }

  /** How many attempts have a coordinator with work left. */
  int size() {
    return live.size();
  }

  /** The live attempt with a timestamp, or null. */
  @Nullable Attempt at(long timeMicros) {
    return live.get(timeMicros);
  }

  void add(Attempt attempt) {
    live.put(attempt.timeMicros, attempt);
  }

  /** Forgets an attempt whose coordinator has no work left. */
  void remove(Attempt attempt) {
    live.remove(attempt.timeMicros);
  }

  /** All live attempts, the oldest first. */
  List<Attempt> all() {
    List<Attempt> all = new ArrayList<>(live.values());
    all.sort(Comparator.comparingLong(attempt -> attempt.timeMicros));
    return all;
  }

  /** Forgets all live attempts, and returns them, the oldest first. */
  List<Attempt> removeAll() {
    List<Attempt> all = all();
    live.clear();
    return all;
  }

  /** Keeps a decision, to answer replicas that missed it. */
  void remember(Message.Decide decision) {
    finished.remember(decision);
  }

  /** The decision on an attempt's transaction; null if it is not known any more, or not yet. */
  Message.@Nullable Decide decisionOn(TxnId txn) {
    return finished.of(txn);
  }

  /** Puts an attempt into the queue. */
  void addReady(Attempt attempt) {
    ready.add(attempt);
  }

  /** Takes the next attempt out of the queue; null when it is empty. */
  @Nullable Attempt pollReady() {
    return ready.poll();
  }

  /** Keeps what an attempt has to tell another one, until its own call has returned. */
  void addForward(Runnable forward) {
    forwards.add(forward);
  }

  /** Takes the next such task; null if there is none. */
  @Nullable Runnable pollForward() {
    return forwards.poll();
  }

  /** Notes that an attempt waits for the end of the batch. Returns whether it is the first one. */
  boolean addAwaitingBatchEnd(Attempt attempt) {
    awaitingBatchEnd.add(attempt);
    return awaitingBatchEnd.size() == 1;
  }

  /** Takes those out that wait for the end of the batch and have work left, in their order. */
  List<Attempt> takeAwaitingBatchEnd() {
    List<Attempt> taken = awaitingBatchEnd;
    awaitingBatchEnd = new ArrayList<>();
    taken.removeIf(attempt -> !attempt.equals(at(attempt.timeMicros)));
    return taken;
  }
}
