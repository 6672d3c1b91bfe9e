package org.mortydb.experiments.chain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Handling;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.experiments.chain.ChainCollector.Forward;
import org.mortydb.experiments.chain.ChainCollector.Observed;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The transactions that wrote a key, with the messages that concern the key. */
final class Members {

  /** A committed writer of the key. */
  static final class Member {
    final CompletedAttempt attempt;
    final TxnId txn;
    final TxnId position;

    /** The version that it wrote. */
    final WriteId written;

    /** The version that it read; null if it did not read the key. */
    final @Nullable WriteId read;

    /** The arrivals at replicas of a {@code Prepare} with the final value, in order. */
    final List<Handling> prepares = new ArrayList<>();

    /** The arrivals at the client of answers to reads and to requests for votes, in order. */
    final List<Handling> answers = new ArrayList<>();

    /** What its client handled when another transaction forwarded the version read, in order. */
    final List<Handling> forwards = new ArrayList<>();

    /** The request numbers of its reads of the key. */
    final Set<Integer> requests = new HashSet<>();

    /** The numbers of the executions for which it asked for votes. */
    final Set<Integer> prepared = new HashSet<>();

    Member(CompletedAttempt attempt, TxnId position, WriteId written, @Nullable WriteId read) {
      this.attempt = attempt;
      this.txn = attempt.completion().txn();
      this.position = position;
      this.written = written;
      this.read = read;
    }

    /** The first arrival of a {@code Prepare} with the final value; null if none was seen. */
    @Nullable Handling firstPrepare() {
      return prepares.stream().min(Comparator.comparingLong(Handling::leftNanos)).orElse(null);
    }

    /** The region of its client, as far as it is known. */
    int region() {
      Handling first = firstPrepare();
      return first == null ? 0 : first.fromRegion();
    }

    /** Whether an answer at its client is about its read of the key. */
    boolean isAnswerOfKey(Message message, Key key) {
      return switch (message) {
        case Message.GetReply reply -> requests.contains(reply.request());
        case Message.Push push -> requests.contains(push.request());
        case Message.PushRow push -> push.row().key().equals(key);
        default -> false;
      };
    }

    /** Whether an answer at its client contains a version of the key. */
    boolean shows(Message message, Key key, WriteId version) {
      return switch (message) {
        case Message.GetReply reply ->
            requests.contains(reply.request()) && reply.version().equals(version);
        case Message.Push push ->
            requests.contains(push.request()) && push.version().equals(version);
        case Message.PushRow push -> is(push.row(), key, version);
        case Message.ScanReply reply ->
            reply.rows().stream().anyMatch(row -> is(row, key, version));
        case Message.PrepareReply(
                var execution,
                PrepareAnswer.Voted(Vote.Abandon(boolean isFinal, var reason, var fresh))) ->
            fresh.stream().anyMatch(row -> is(row, key, version));
        default -> false;
      };
    }

    private static boolean is(VersionedValue row, Key key, WriteId version) {
      return row.key().equals(key) && row.version().equals(version);
    }
  }

  /** Committed writers in the serial order. */
  final List<Member> committed = new ArrayList<>();

  final Map<TxnId, Member> byTxn = new HashMap<>();

  /** All transactions that showed a write of the key to a replica. */
  final Set<TxnId> writers = new HashSet<>();

  /** Why attempts aborted that had written the key. */
  final Map<TxnId, String> aborted = new HashMap<>();

  private final Key key;

  private Members(Key key) {
    this.key = key;
  }

  /** The key with the most committed writers; null if nothing was written. */
  static @Nullable Key hottest(Observed observed) {
    Map<Key, Integer> counts = new TreeMap<>();
    for (CompletedAttempt attempt : observed.attempts()) {
      if (attempt.completion() instanceof Completion.Committed committed) {
        committed.writes().forEach(write -> counts.merge(write.key(), 1, Integer::sum));
      }
    }
    return counts.entrySet().stream()
        .max(
            Map.Entry.<Key, Integer>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  /** The writers of a key. */
  static Members of(Observed observed, Key key) {
    Members members = new Members(key);
    observed.attempts().forEach(members::addCommitted);
    members.committed.sort(Comparator.comparing(member -> member.position));
    observed.earlier().forEach(members::addRead);
    observed.handlings().forEach(members::addHandling);
    observed.forwards().forEach(members::addForward);
    members.findAborted(observed);
    return members;
  }

  private void addCommitted(CompletedAttempt attempt) {
    if (!(attempt.completion() instanceof Completion.Committed done)) {
      return;
    }
    for (Write write : done.writes()) {
      if (write.key().equals(key)) {
        @Nullable WriteId read =
            done.reads().stream()
                .filter(one -> one.key().equals(key))
                .map(VersionedValue::version)
                .findFirst()
                .orElse(null);
        Member member =
            new Member(attempt, done.position(), new WriteId(done.txn(), write.valueId()), read);
        committed.add(member);
        byTxn.put(member.txn, member);
      }
    }
  }

  private void addHandling(Handling handling) {
    Message message = handling.message();
    if (message == null) {
      return;
    }
    if (handling.at() instanceof ReplicaId) {
      switch (message) {
        case Message.Put put when put.write().key().equals(key) -> writers.add(put.txn());
        case Message.Prepare prepare -> addPrepare(handling, prepare);
        case Message.Get get -> addRead(get);
        default -> {}
      }
    } else if (handling.at() instanceof ClientId) {
      Member member = byTxn.get(message.txn());
      if (member != null) {
        member.answers.add(handling);
      }
    }
  }

  private void addRead(Message.Get get) {
    Member member = get.key().equals(key) ? byTxn.get(get.txn()) : null;
    if (member != null) {
      member.requests.add(get.request());
    }
  }

  private void addForward(Forward forward) {
    Member member = forward.key().equals(key) ? byTxn.get(forward.reader()) : null;
    if (member != null && forward.version().equals(member.read)) {
      member.forwards.add(forward.at());
    }
  }

  private void addPrepare(Handling handling, Message.Prepare prepare) {
    for (Write write : prepare.writes()) {
      if (write.key().equals(key)) {
        writers.add(prepare.txn());
        Member member = byTxn.get(prepare.txn());
        if (member != null) {
          member.prepared.add(prepare.execution().number());
          if (member.written.valueId() == write.valueId()) {
            member.prepares.add(handling);
          }
        }
      }
    }
  }

  // ---- aborted writers ----------------------------------------------------------------------

  /** How many attempts aborted for each reason. */
  Map<String, Integer> abortedByReason() {
    Map<String, Integer> counts = new TreeMap<>();
    aborted.values().forEach(why -> counts.merge(why, 1, Integer::sum));
    return counts;
  }

  /** An abandoned vote on an execution. */
  private record Refusal(int execution, Vote.Abandon abandon) {
    /** The vote on the later execution; of the same one the last final vote, or else the last. */
    Refusal orLater(Refusal next) {
      boolean moreFinal = next.abandon.isFinal() || !abandon.isFinal();
      return next.execution > execution || (next.execution == execution && moreFinal) ? next : this;
    }
  }

  /** A vote in words. */
  static String text(Vote.Abandon abandon) {
    return abandon.reason() + (abandon.isFinal() ? " final" : " tentative");
  }

  private void findAborted(Observed observed) {
    Map<TxnId, Completion.Aborted> ended = new HashMap<>();
    for (CompletedAttempt attempt : observed.attempts()) {
      if (attempt.completion() instanceof Completion.Aborted done && writers.contains(done.txn())) {
        ended.put(done.txn(), done);
      }
    }
    Map<TxnId, Refusal> reasons = new HashMap<>();
    for (Handling handling : observed.handlings()) {
      if (handling.message()
              instanceof
              Message.PrepareReply(var execution, PrepareAnswer.Voted(Vote.Abandon abandon))
          && ended.containsKey(execution.txn())) {
        reasons.merge(execution.txn(), new Refusal(execution.number(), abandon), Refusal::orLater);
      }
    }
    ended.forEach(
        (txn, done) -> {
          Refusal refusal = reasons.get(txn);
          String why = done.reason().name();
          aborted.put(txn, refusal == null ? why : why + ", " + text(refusal.abandon));
        });
  }
}
