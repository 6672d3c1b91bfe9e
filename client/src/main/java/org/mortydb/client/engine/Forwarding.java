package org.mortydb.client.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Tells the transactions of a client what others of them are about to write, on all of its event
 * loops (docs/protocol.md, section 14). Knows only the keys that transactions follow: those of
 * chains. Safe to use on any thread.
 */
final class Forwarding {
  private final ConcurrentHashMap<Key, Chain> chains = new ConcurrentHashMap<>();

  /** The part that one attempt has in forwarding. Used on the thread of its engine. */
  Member member(EngineHost host, Attempts attempts, Attempt attempt) {
    return new Member(host, attempts, attempt);
  }

  /** How many keys are followed. */
  int size() {
    return chains.size();
  }

  /** The followers of one key, and those of its writes that replicas were shown meanwhile. */
  private static final class Chain {
    private final TreeMap<TxnId, Member> followers = new TreeMap<>();
    private final TreeMap<TxnId, Shown> versions = new TreeMap<>();
  }

  /**
   * A write that replicas were shown.
   *
   * @param asked whether they were asked to vote on it; otherwise it is about to change
   */
  private record Shown(WriteId version, Value value, boolean asked) {}

  /** An attempt, as a follower of keys and as a writer. */
  final class Member {
    private final EngineHost host;
    private final Attempts attempts;
    private final Attempt attempt;
    private final ArrayList<Key> followed = new ArrayList<>(0);

    /** The keys of the writes that chains have of this attempt, in the order of the first write. */
    private final LinkedHashSet<Key> written = new LinkedHashSet<>(0);

    private Member(EngineHost host, Attempts attempts, Attempt attempt) {
      this.host = host;
      this.attempts = attempts;
      this.attempt = attempt;
    }

    /** Follows a key until {@link #leave}. */
    void follow(TxnId txn, Key key) {
      followed.add(key);
      chains.compute(
          key,
          (same, known) -> {
            Chain chain = known == null ? new Chain() : known;
            chain.followers.put(txn, this);
            var below = chain.versions.lowerEntry(txn);
            if (below != null && below.getValue().asked) {
              tell(this, key, below.getValue().version, below.getValue().value);
            }
            return chain;
          });
    }

    /** Shows writes, as {@link org.mortydb.protocol.machine.CoordinatorEffects#shown} says. */
    void shown(TxnId txn, List<Write> all, boolean asked) {
      // What a merge makes of the versions below is known to replicas alone.
      List<Write> writes = all.stream().filter(write -> !write.value().isMerge()).toList();
      if (asked && !written.isEmpty()) {
        List<Key> gone = new ArrayList<>(written);
        writes.forEach(write -> gone.remove(write.key()));
        gone.forEach(key -> withdraw(txn, key));
      }
      for (int i = 0; i < writes.size(); i++) {
        Write write = writes.get(i);
        chains.computeIfPresent(
            write.key(),
            (key, chain) -> {
              Shown version = new Shown(new WriteId(txn, write.valueId()), write.value(), asked);
              written.add(key);
              if (!asked) {
                chain.versions.putIfAbsent(txn, version); // followers may know an earlier one
              } else if (!version.equals(chain.versions.put(txn, version))) {
                tellNext(chain, key, version.version, version.value);
              }
              return chain;
            });
      }
    }

    /** The attempt has ended without a commit: its writes are gone. */
    void withdraw(TxnId txn) {
      List.copyOf(written).forEach(key -> withdraw(txn, key));
    }

    private void withdraw(TxnId txn, Key key) {
      written.remove(key);
      chains.computeIfPresent(
          key,
          (same, chain) -> {
            Shown gone = chain.versions.remove(txn);
            if (gone != null && gone.asked) {
              tellNext(chain, key, gone.version, null);
            }
            return chain;
          });
    }

    /** Ends the part. Replicas know by now what there is to know of the attempt's writes. */
    void leave(TxnId txn) {
      for (Key key : written) {
        chains.computeIfPresent(
            key,
            (same, chain) -> {
              chain.versions.remove(txn);
              return chain;
            });
      }
      written.clear();
      for (Key key : followed) {
        chains.computeIfPresent(
            key,
            (same, chain) -> {
              chain.followers.remove(txn);
              return chain.followers.isEmpty() ? null : chain;
            });
      }
      followed.clear();
    }

    /** Tells the readers between a writer and the next one, and the next one if it reads. */
    private void tellNext(Chain chain, Key key, WriteId version, @Nullable Value value) {
      TxnId writer = version.writer();
      TxnId next = chain.versions.higherKey(writer);
      var readers =
          next == null
              ? chain.followers.tailMap(writer, false)
              : chain.followers.subMap(writer, false, next, true);
      readers.values().forEach(reader -> tell(reader, key, version, value));
    }

    private void tell(Member reader, Key key, WriteId version, @Nullable Value value) {
      Runnable forward = () -> reader.take(new Event.Forwarded(key, version, value));
      if (reader.attempts.equals(attempts)) {
        attempts.addForward(forward);
      } else {
        reader.host.handOver(forward);
      }
    }

    /** Steps the coordinator if it still has work; on the thread of its engine. */
    private void take(Event.Forwarded event) {
      if (attempt.equals(attempts.at(attempt.timeMicros))) {
        attempt.step(event);
      }
    }
  }
}
