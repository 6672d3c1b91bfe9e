package org.mortydb.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Inspection;
import org.mortydb.protocol.replica.Inspection.Knowledge;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.sim.Violation.Rule;

/**
 * Checks what a replica holds when it begins to serve, after a restart, a join, or a copy of a peer
 * (docs/protocol.md, section 9): all that it has told others, and all that its watermark covers.
 */
final class MemoryCheck {
  private final Watch watch;
  private final IntUnaryOperator f;

  /** What each replica has told others in all of its lives. */
  private final Map<ReplicaId, Told> told = new HashMap<>();

  /** The committed writes of each key, by their writers. */
  private final Map<Key, NavigableMap<TxnId, Write>> writes = new TreeMap<>();

  /** The commits of each partition. */
  private final Map<Integer, NavigableMap<TxnId, Outcome.Commit>> commits = new HashMap<>();

  private static final class Told {
    final NavigableMap<TxnId, Word> words = new TreeMap<>();
    TxnId fence = TxnId.INITIAL;
    TxnId watermark = TxnId.INITIAL;

    /**
     * The executions that the replica has prepared and remembers. It registers the reads of others.
     */
    final Set<ExecutionId> prepared = new HashSet<>();

    /**
     * The executions that the replica has voted to commit in the current life without a record of
     * them: it has registered their reads. A client that lies may have them prepared, too. The
     * votes look alike, so all of them count as those of the registration.
     */
    final Set<ExecutionId> registering = new HashSet<>();

    /** In the current life, the replica has taken back its votes on executions below these. */
    final Map<TxnId, Integer> dropped = new HashMap<>();

    /** The latest reader that has heard that its reads are registered. */
    TxnId registered = TxnId.INITIAL;

    /** The part of a copy that the replica has asked for last; null if it has all parts. */
    Message.@Nullable Copy asked;

    /** What all the answers that it may get cover; null if there is none yet. */
    @Nullable Set<Copied> arriving;

    /**
     * Of each round of this replica in the current life, by its watermark: what each peer had
     * promised or accepted by its first answer.
     */
    final NavigableMap<TxnId, Map<ReplicaId, Set<TxnId>>> rounds = new TreeMap<>();

    /**
     * Versions that the replica has taken from a peer in the current life, and that the watermark
     * of the peer covered.
     */
    final List<Copied> copied = new ArrayList<>();

    Set<TxnId> promisedOrAccepted() {
      Set<TxnId> txns = new HashSet<>();
      words.forEach(
          (txn, word) -> {
            if (word.accepted != null || !word.promised.equals(View.CLIENT)) {
              txns.add(txn);
            }
          });
      return txns;
    }
  }

  private record Copied(Key key, TxnId writer) {}

  /** What a replica has told others of one transaction. */
  private static final class Word {
    /** The highest execution that it has voted to commit; -1 for none. */
    int execution = -1;

    boolean onCondition;
    View promised = View.CLIENT;
    @Nullable View accepted;

    /** Whether the replica has told nothing that still binds it. */
    boolean isVoid() {
      return execution < 0 && promised.equals(View.CLIENT) && accepted == null;
    }

    void votes(int number, boolean conditional) {
      if (number > execution) {
        execution = number;
        onCondition = conditional;
      } else if (number == execution) {
        onCondition &= conditional;
      }
    }

    void releasePromises() {
      promised = View.CLIENT;
      accepted = null;
    }

    void promises(View view) {
      promised = view.isAbove(promised) ? view : promised;
    }

    void accepts(View view) {
      accepted = accepted == null || view.isAbove(accepted) ? view : accepted;
    }
  }

  /**
   * @param f how many replicas of each partition may fail
   */
  MemoryCheck(Watch watch, IntUnaryOperator f) {
    this.watch = watch;
    this.f = f;
  }

  // ---- what replicas tell -----------------------------------------------------------------------

  /** A replica has decided to send a message, which may wait for the disk. */
  void onOutput(ReplicaId from, Message message) {
    if (message instanceof Message.PrepareReply(ExecutionId id, PrepareAnswer.Voted(Vote.Commit _))
        && !told(from).prepared.contains(id)) {
      told(from).registering.add(id);
    }
  }

  /** A replica has sent a message, so all that the message says is durable. */
  void onSend(ReplicaId from, Message message) {
    switch (message) {
      case Message.PrepareReply(
              ExecutionId id,
              PrepareAnswer.Voted(Vote.Commit(boolean onCondition))) ->
          voted(from, id, onCondition);
      case Message.RecoverReply(TxnId txn, View view, RecoverAnswer.Promised promise) -> {
        Word word = word(from, txn);
        word.promises(view);
        if (promise.votedCommit()) {
          word.votes(promise.execution(), promise.accepted() != null);
        }
        if (promise.accepted() != null) {
          word.accepts(promise.accepted().view());
        }
      }
      case Message.FinalizeReply(TxnId txn, View view, FinalizeAnswer.Accepted _) ->
          word(from, txn).accepts(view);
      case Message.TruncateReply(TxnId watermark, _, _, _, _, _, _, _) -> {
        Told by = told(from);
        by.fence = watermark.isAfter(by.fence) ? watermark : by.fence;
        Replica replica = watch.replica(from);
        if (replica != null && watermark.isAfter(replica.inspect().fence())) {
          violated(from + " answers a round at " + watermark + " without its fence");
        }
      }
      case Message.Copy copy -> asks(from, copy);
      case Message.CopyOutcomes _ -> asks(from, null);
      case Message.TruncateAck(TxnId watermark) -> {
        Told by = told(from);
        by.watermark = watermark.isAfter(by.watermark) ? watermark : by.watermark;
      }
      default -> {} // promises nothing
    }
  }

  private void voted(ReplicaId from, ExecutionId id, boolean onCondition) {
    Told by = told(from);
    if (!by.registering.contains(id)) {
      word(from, id.txn()).votes(id.number(), onCondition);
    } else if (id.txn().isAfter(by.registered)) {
      by.registered = id.txn();
    }
  }

  /** A replica has appended a record to its log. */
  void onAppend(ReplicaId id, LogRecord logged) {
    if (logged instanceof LogRecord.Prepared prepared) {
      told(id).prepared.add(prepared.execution());
    } else if (logged instanceof LogRecord.Dropped(TxnId txn, int execution)) {
      told(id).dropped.merge(txn, execution, Math::max);
    } else if (logged instanceof LogRecord.Version(Key key, WriteId version, _)) {
      takes(id, new Copied(key, version.writer()));
    }
  }

  /**
   * A peer sends a part of a copy. The receiver ignores a part that it has not asked for last. It
   * takes at most one of several that it has asked for, so only what all of them cover is certain
   * to have been covered.
   */
  void onCopy(ReplicaId to, Message.CopyReply part) {
    Told by = told(to);
    if (by.asked == null
        || !by.asked.from().equals(part.from())
        || !by.asked.since().equals(part.since())) {
      return;
    }
    Set<Copied> covered = new HashSet<>();
    for (Message.CopiedVersion copied : part.versions()) {
      TxnId writer = copied.version().writer();
      if (!writer.isAfter(part.watermark())) {
        covered.add(new Copied(copied.key(), writer));
      }
    }
    if (by.arriving == null) {
      by.arriving = covered;
    } else {
      by.arriving.retainAll(covered);
    }
  }

  /**
   * A replica asks for a part of a copy. It has taken the one before, or has given up that copy.
   */
  private void asks(ReplicaId id, Message.@Nullable Copy part) {
    Told by = told(id);
    if (!Objects.equals(by.asked, part)) {
      by.asked = part;
      by.arriving = null;
    }
  }

  /** A replica takes a version from the part of a copy that has arrived. */
  private void takes(ReplicaId id, Copied version) {
    Told by = told(id);
    if (by.arriving != null && by.arriving.contains(version)) {
      by.copied.add(version);
    }
  }

  /** A replica has answered a round of truncation of another one, which may be joining. */
  void onRoundAnswered(ReplicaId from, ReplicaId to, TxnId watermark) {
    told(to)
        .rounds
        .computeIfAbsent(watermark, _ -> new HashMap<>())
        .computeIfAbsent(from, _ -> told(from).promisedOrAccepted());
  }

  private Told told(ReplicaId id) {
    return told.computeIfAbsent(id, _ -> new Told());
  }

  private Word word(ReplicaId id, TxnId txn) {
    return told(id).words.computeIfAbsent(txn, _ -> new Word());
  }

  // ---- what has committed -----------------------------------------------------------------------

  void committed(TxnId txn, Outcome.Commit commit) {
    for (int partition : commit.participants()) {
      commits.computeIfAbsent(partition, _ -> new TreeMap<>()).put(txn, commit);
    }
    for (Write write : watch.prepared().writes(new ExecutionId(txn, commit.execution()))) {
      writes.computeIfAbsent(write.key(), _ -> new TreeMap<>()).put(txn, write);
    }
  }

  /**
   * The operator has undone what committed above the cut. Promises and accepted aborts may be
   * forgotten with it: docs/protocol.md, section 9, Going back.
   */
  void rolledBack() {
    for (Told each : told.values()) {
      each.words.values().forEach(Word::releasePromises);
      each.words.values().removeIf(Word::isVoid);
    }
    writes.values().forEach(each -> each.keySet().removeIf(watch::isLost));
    commits.values().forEach(each -> each.keySet().removeIf(watch::isLost));
  }

  // ---- checks -----------------------------------------------------------------------------------

  /**
   * A replica's process ends. It may forget the votes that it has taken back by then, even if it
   * has fetched the execution since: a client that lies may have such an execution committed. Votes
   * that have waited for the disk until now are never sent.
   */
  void crashed(ReplicaId id, Replica replica) {
    Told by = told(id);
    by.words.forEach(
        (txn, word) -> {
          if (word.execution >= 0
              && (word.execution < by.dropped.getOrDefault(txn, 0)
                  || !replica.holds(new ExecutionId(txn, word.execution)))) {
            word.execution = -1;
          }
        });
    by.words.values().removeIf(Word::isVoid);
    by.dropped.clear();
    by.registering.clear();
    by.rounds.clear();
  }

  /** A replica has started and serves with what it has restored. */
  void restarted(ReplicaId id, Replica replica) {
    Told by = told(id);
    by.copied.clear();
    by.arriving = null;
    by.prepared.removeIf(execution -> !replica.holds(execution));
    if (replica.isServing()) {
      checkWords(id, replica, "restarts", _ -> true);
      checkCovered(id, replica);
    }
  }

  /** A replica begins to serve because it has founded its partition, or has joined. */
  void joined(ReplicaId id, Replica replica) {
    checkWords(id, replica, "serves", txn -> isKnownToTheRound(txn, id, replica));
    caughtUp(id, replica);
  }

  /**
   * Whether any f+1 peers that can have answered the round by which a replica has joined include
   * one that knew of a promise or an accepted abort.
   */
  private boolean isKnownToTheRound(TxnId txn, ReplicaId joined, Replica replica) {
    var round = told(joined).rounds.floorEntry(replica.inspect().watermark());
    return round != null
        && round.getValue().values().stream().filter(known -> known.contains(txn)).count()
            >= f.applyAsInt(joined.partition());
  }

  /** A replica has copied a peer. */
  void caughtUp(ReplicaId id, Replica replica) {
    checkCovered(id, replica);
    checkCopied(id, replica.inspect());
    told(id).copied.clear();
  }

  /**
   * All that the replica has told others is here, or below its watermark.
   *
   * @param remembers whether a promise or an accepted abort must not be forgotten
   */
  private void checkWords(ReplicaId id, Replica replica, String event, Predicate<TxnId> remembers) {
    Told said = told(id);
    Inspection here = replica.inspect();
    if (said.fence.isAfter(here.fence()) || said.watermark.isAfter(here.watermark())) {
      violated(
          "%s %s with fence %s and watermark %s, but has told others %s and %s"
              .formatted(id, event, here.fence(), here.watermark(), said.fence, said.watermark));
    }
    if (said.registered.isAfter(here.fence())
        && said.registered.isAfter(here.registrationsForgotten())) {
      violated(
          "%s %s with fence %s, votes on writers above %s, and has forgotten the reads of %s"
              .formatted(id, event, here.fence(), here.registrationsForgotten(), said.registered));
    }
    said.words
        .tailMap(here.watermark(), false)
        .entrySet()
        .removeIf(
            entry -> {
              TxnId txn = entry.getKey();
              Word word = entry.getValue();
              @Nullable String lack = lack(id, replica, txn, word, here.of(txn));
              if (lack == null) {
                return false;
              }
              if (word.execution < 0 && !remembers.test(txn)) {
                return true; // an id far ahead that nobody else knows of: section 9, assumptions
              }
              violated(
                  "%s %s with watermark %s, and has forgotten %s of %s"
                      .formatted(id, event, here.watermark(), lack, txn));
              return false;
            });
  }

  private @Nullable String lack(
      ReplicaId id, Replica replica, TxnId txn, Word word, @Nullable Knowledge known) {
    int execution = word.execution;
    if (known == null) {
      return execution >= 0 ? "its vote" : "what it promised or accepted";
    }
    ExecutionId voted = new ExecutionId(txn, Math.max(execution, 0));
    if (known.outcome() != null) {
      boolean missing =
          known.outcome() instanceof Outcome.Commit(int number, List<Integer> participants)
              && number == execution
              && participants.contains(id.partition())
              && !replica.holds(voted);
      return missing ? "the execution that it voted to commit" : null;
    }
    if (word.promised.isAbove(known.promised())) {
      return "its promise of " + word.promised;
    }
    if (word.accepted != null
        && (known.accepted() == null || word.accepted.isAbove(known.accepted()))) {
      return "what it accepted in " + word.accepted;
    }
    if (execution >= 0
        && (execution > known.execution()
            || (execution == known.execution() && !known.commits()))) {
      return "its vote to commit execution " + execution;
    }
    boolean freed =
        execution >= 0
            && word.onCondition
            && execution == known.execution()
            && !known.onCondition();
    return freed && !isFulfilled(id, voted) ? "the condition of its vote" : null;
  }

  /** Whether all versions that an execution has read in a partition have committed. */
  private boolean isFulfilled(ReplicaId id, ExecutionId execution) {
    for (Read read : watch.prepared().reads(execution)) {
      if (!read.version().isInitial()
          && watch.partitionOf(read.key(), execution.txn().timeMicros()) == id.partition()
          && !(watch.outcomeOf(read.version().writer()).orElse(null) instanceof Outcome.Commit)) {
        return false;
      }
    }
    return true;
  }

  /** All that has committed at or below the replica's watermark is here. */
  void checkCovered(ReplicaId id, Replica replica) {
    Inspection here = replica.inspect();
    TxnId watermark = here.watermark();
    writes.forEach(
        (key, versions) -> {
          Map.@Nullable Entry<TxnId, Write> newest = versions.floorEntry(watermark);
          if (newest != null
              && !watch.isLeftBehind(key)
              && watch.partitionOf(key, watermark.timeMicros() + 1) == id.partition()
              && !here.floor(key).isAfter(watermark)
              && !isSame(newest, remaining(key, versions, newest), here.committed(key, watermark))
              && !isErased(key, versions, here)) {
            violated(
                "%s has reached %s, but holds %s of %s instead of %s by %s, which makes %s"
                    .formatted(
                        id,
                        watermark,
                        here.committed(key, watermark),
                        key,
                        newest.getValue(),
                        newest.getKey(),
                        remaining(key, versions, newest)));
          }
        });
    TxnId forgotten = here.forgotten();
    if (watermark.isAfter(forgotten)) {
      commits
          .getOrDefault(id.partition(), new TreeMap<>())
          .subMap(forgotten, false, watermark, true)
          .forEach(
              (txn, commit) -> {
                @Nullable Knowledge known = here.of(txn);
                if (known == null || !commit.equals(known.outcome())) {
                  violated(
                      "%s has reached %s, but does not know that %s has committed"
                          .formatted(id, watermark, txn));
                }
              });
    }
  }

  private Value remaining(
      Key key, NavigableMap<TxnId, Write> versions, Map.Entry<TxnId, Write> newest) {
    Value made = MergedValue.at(versions, newest.getKey());
    return watch.remaining(key, newest.getKey(), made);
  }

  private static boolean isSame(
      Map.Entry<TxnId, Write> newest, Value made, @Nullable VersionedValue held) {
    Write write = newest.getValue();
    return held == null || (held.value().isAbsent() && write.value().isAbsent())
        ? write.value().isAbsent()
        : held.version().equals(new WriteId(newest.getKey(), write.valueId()))
            && Objects.equals(held.value(), made);
  }

  /**
   * Whether a key shows nothing because of a deletion above the watermark. The end of a copy erases
   * what its peer has deleted, and then takes the peer's watermark. A crash may come in between. No
   * read of the past is answered from below such a deletion.
   */
  private static boolean isErased(Key key, NavigableMap<TxnId, Write> versions, Inspection here) {
    TxnId erased = here.erased();
    Map.@Nullable Entry<TxnId, Write> last = versions.floorEntry(erased);
    return erased.isAfter(here.watermark())
        && last != null
        && last.getValue().value().isAbsent()
        && here.committed(key, erased) == null;
  }

  /**
   * A later part of a copy lacks versions above the watermark of the copy that the peer did not
   * need any more. So does every part of a copy that was given up, if the next one ends at a lower
   * watermark. Readers that would miss one are below the fence, or below the floor of the key.
   */
  private void checkCopied(ReplicaId id, Inspection here) {
    for (Copied copied : told(id).copied) {
      @Nullable NavigableMap<TxnId, Write> versions = writes.get(copied.key);
      if (versions != null && copied.writer.isAfter(here.fence())) {
        versions
            .subMap(here.watermark(), false, copied.writer, false)
            .keySet()
            .forEach(
                missed -> {
                  if (!here.has(copied.key, missed) && !here.floor(copied.key).isAfter(missed)) {
                    violated(
                        "%s serves readers of %s above %s, whose version it lacks"
                            .formatted(id, copied.key, missed));
                  }
                });
      }
    }
  }

  private void violated(String explanation) {
    watch.violated(Rule.MEMORY, explanation);
  }
}
