package org.mortydb.experiments.chain;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.simulated.Handling;
import org.mortydb.bench.simulated.Handling.Kind;
import org.mortydb.experiments.chain.Members.Member;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;

/**
 * Follows a step backwards, from what its writer sent to what its predecessor sent.
 *
 * <p>The direct way is: the predecessor's {@code Prepare} to a replica, that replica's answer or
 * push to the reader's client, and the reader's own {@code Prepare} in the same turn. If the
 * replica showed the version only later, what it handled then says why; if the client sent its
 * {@code Prepare} in a later turn, what it handled then does. Such a wait is one part, and is
 * followed from cause to cause to find out what took its time.
 *
 * <p>If the client of both forwarded the version, the way is within that client: from the turn in
 * which the predecessor asked for votes to the turn in which the reader did.
 */
final class StepPath {
  private final Members members;
  private final Key key;
  private final Member before;
  private final Member member;
  private final long floor;
  private final List<Segment> reversed = new ArrayList<>();
  private long at;
  private Step.@Nullable Obstacle obstacle;
  private boolean forwarded;

  private StepPath(Members members, Key key, Member before, Member member, long from, long to) {
    this.members = members;
    this.key = key;
    this.before = before;
    this.member = member;
    this.floor = from;
    this.at = to;
  }

  /**
   * Follows a step.
   *
   * @param from its begin
   * @param to its end, not before the begin
   */
  static Step of(Members members, Key key, Member before, Member member, long from, long to) {
    StepPath path = new StepPath(members, key, before, member, from, to);
    path.follow();
    Collections.reverse(path.reversed);
    return new Step(
        before.txn,
        member.txn,
        before.region(),
        member.region(),
        from,
        to,
        path.forwarded,
        path.obstacle,
        path.reversed);
  }

  private void follow() {
    Handling prepare = Objects.requireNonNull(member.firstPrepare(), "a step without a Prepare");
    Handling sent = prepare.cause();
    Handling told = sent == null ? null : lastForwarded(sent);
    if (sent != null && told != null) {
      forwarded = true;
      followForwarded(prepare, sent, told);
      return;
    }
    Handling shown = sent == null ? null : lastShown(sent);
    if (sent == null || shown == null) {
      causes(prepare, floor, Part.REST);
      return;
    }
    fromClient(prepare, sent, shown);
    passage(shown, floor, null);
    Handling showing = shown.cause();
    Handling known = showing == null ? null : firstKnown(showing);
    if (showing == null || known == null) {
      causes(shown, floor, Part.REST);
      return;
    }
    back(showing.startNanos(), Medium.PROCESSOR, null, showing.region(), name(shown) + " leaves");
    if (!known.equals(showing)) {
      Part why = whyAtReplica(showing);
      obstacle = why == Part.LATE ? null : new Step.Obstacle(why, reason(why, showing, known));
      causes(showing, known.startNanos(), why);
    }
    passage(known, floor, null);
    back(floor, Medium.UNKNOWN, Part.REVOTE, known.fromRegion(), name(known) + " leaves");
  }

  /** The way within the reader's client, from what gave it the version to its Prepare. */
  private void fromClient(Handling prepare, Handling sent, Handling shown) {
    back(sent.startNanos(), Medium.PROCESSOR, null, sent.region(), name(prepare) + " leaves");
    if (shown.isInTurnOf(sent)) {
      back(shown.startNanos(), Medium.PROCESSOR, null, sent.region(), "the batch ends");
    } else {
      causes(sent, shown.startNanos(), whyAtClient(sent, shown));
    }
  }

  /** The way of a version that did not pass a replica. */
  private void followForwarded(Handling prepare, Handling sent, Handling told) {
    fromClient(prepare, sent, told);
    Handling asking = forwarding(told);
    if (asking == null) {
      // The reader followed the key only after the predecessor had asked for votes.
      causes(told, floor, Part.LATE);
      return;
    }
    if (!asking.equals(told)) {
      back(
          asking.startNanos(),
          Medium.PROCESSOR,
          null,
          told.region(),
          "another loop of the client is told of the version");
    }
    back(floor, Medium.UNKNOWN, Part.REVOTE, told.region(), "the client forwards the version");
  }

  /**
   * What the predecessor's client handled when it asked for votes and told the reader: the same, or
   * what has caused it on another loop; null if it had asked before.
   */
  private @Nullable Handling forwarding(Handling told) {
    Handling handsOver = told.kind() == Kind.BATCH_END ? told.cause() : null;
    Handling found = null;
    for (Handling arrival : before.prepares) {
      Handling asking = arrival.cause();
      if (told.equals(asking)) {
        return asking;
      }
      found = asking != null && asking.equals(handsOver) ? asking : found;
    }
    return found;
  }

  /**
   * The last time before the client sent its Prepare, or with it, that it forwarded the version.
   */
  private @Nullable Handling lastForwarded(Handling sent) {
    Handling last = null;
    for (Handling told : member.forwards) {
      if (told.startNanos() <= sent.startNanos()) {
        last = told;
      }
    }
    return last;
  }

  /** The last arrival of the version before the client sent its Prepare, or with it. */
  private @Nullable Handling lastShown(Handling sent) {
    Handling last = null;
    if (member.read != null) {
      for (Handling answer : member.answers) {
        if (answer.startNanos() <= sent.startNanos()
            && answer.message() != null
            && member.shows(answer.message(), key, member.read)) {
          last = answer;
        }
      }
    }
    return last;
  }

  /** The first arrival of the predecessor's Prepare at the replica that showed the version. */
  private @Nullable Handling firstKnown(Handling showing) {
    for (Handling arrival : before.prepares) {
      if (arrival.at().equals(showing.at()) && arrival.startNanos() <= showing.startNanos()) {
        return arrival;
      }
    }
    return null;
  }

  /** The end of the neighbour that is gone; otherwise the first vote on the predecessor. */
  private String reason(Part why, Handling showing, Handling known) {
    Message message = showing.message();
    if (why != Part.ABORTED || message == null) {
      return firstVote(known);
    }
    return members.aborted.getOrDefault(message.txn(), "withdrew its write");
  }

  /** What a replica answered to the predecessor's Prepare within the same step. */
  private String firstVote(Handling known) {
    for (Handling answer : before.answers) {
      if (known.equals(answer.cause()) && answer.message() instanceof Message.PrepareReply reply) {
        return answer(reply);
      }
    }
    return "none at once";
  }

  // ---- reasons for waits --------------------------------------------------------------------

  /** Why the replica that had the version showed it only when it handled something else. */
  private Part whyAtReplica(Handling showing) {
    return switch (showing.message()) {
      case Message.Get get when get.txn().equals(member.txn) -> Part.LATE;
      case Message.Scan scan when scan.txn().equals(member.txn) -> Part.LATE;
      case Message.Prepare prepare -> whyAfterWrites(prepare.txn());
      case Message.Put put -> whyAfterWrites(put.txn());
      case Message.Decide(TxnId txn, Outcome.Commit commit) -> Part.OUTCOME;
      case Message.Decide decide -> whyAfterEnd(decide.txn());
      case Message.Retract retract -> whyAfterEnd(retract.txn());
      case Message.Drop drop -> whyAfterEnd(drop.txn());
      case null, default -> Part.REST;
    };
  }

  private Part whyAfterWrites(TxnId writer) {
    if (writer.equals(member.txn) || writer.equals(before.txn)) {
      return Part.REVOTE;
    }
    return isBetween(writer) ? Part.ABORTED : Part.OLDER;
  }

  private Part whyAfterEnd(TxnId writer) {
    return isBetween(writer) ? Part.ABORTED : Part.OLDER;
  }

  /** Whether a transaction had written the key between predecessor and reader: it is gone. */
  private boolean isBetween(TxnId writer) {
    return members.writers.contains(writer)
        && writer.isAfter(before.txn)
        && writer.isBefore(member.txn);
  }

  /**
   * Why the client that had the version asked for votes only when it handled something else; null
   * if it read more because of the version.
   */
  private @Nullable Part whyAtClient(Handling sent, Handling shown) {
    Handling cause = sent.cause();
    Handling trigger = sent.kind() == Kind.BATCH_END && cause != null ? cause : sent;
    return switch (trigger.message()) {
      case Message.GetReply reply -> isReadAfter(trigger, shown) ? null : Part.LATE;
      case Message.ScanReply reply -> isReadAfter(trigger, shown) ? null : Part.LATE;
      case Message.Push push -> Part.OTHER_KEY;
      case Message.PushRow push -> Part.OTHER_KEY;
      case Message.PrepareReply(
              var execution,
              PrepareAnswer.Voted(Vote.Abandon(boolean isFinal, var reason, var fresh)))
          when !fresh.isEmpty() ->
          Part.OTHER_KEY;
      case Message.PrepareReply reply -> Part.REVOTE;
      case null -> trigger.kind() == Kind.BEGIN ? Part.LATE : Part.REST;
      default -> Part.REST;
    };
  }

  /** Whether a reply answers a read that the client sent once it had the version. */
  private static boolean isReadAfter(Handling reply, Handling shown) {
    Handling replica = reply.cause();
    Handling asked = replica == null ? null : replica.cause();
    return asked != null && (asked.startNanos() >= shown.startNanos() || asked.isInTurnOf(shown));
  }

  // ---- segments -----------------------------------------------------------------------------

  /**
   * Goes back from the begin of a handling, from cause to cause, down to a time.
   *
   * @param part the part of all segments; null for those of the direct way
   */
  private void causes(Handling last, long downTo, @Nullable Part part) {
    Handling next = last;
    while (at > Math.max(downTo, floor)) {
      passage(next, downTo, part);
      Handling cause = next.cause();
      if (cause == null) {
        back(downTo, Medium.UNKNOWN, part, next.fromRegion(), name(next) + " leaves");
        return;
      }
      back(
          Math.max(downTo, cause.startNanos()),
          Medium.PROCESSOR,
          part,
          cause.region(),
          name(next) + " leaves");
      next = cause;
    }
  }

  /** Goes back from the begin of a handling to the moment at which its message left. */
  private void passage(Handling handling, long downTo, @Nullable Part part) {
    String where = handling.at() instanceof ReplicaId replica ? "replica " + replica : "client";
    back(
        Math.max(downTo, handling.arrivedNanos()),
        Medium.PROCESSOR,
        part,
        handling.region(),
        where + " handles " + name(handling));
    Medium medium =
        handling.kind() != Kind.MESSAGE
            ? Medium.TIMER
            : handling.fromRegion() == handling.region() ? Medium.LOCAL : Medium.CROSSING;
    back(
        Math.max(downTo, handling.leftNanos()),
        medium,
        part,
        handling.region(),
        name(handling) + " arrives");
  }

  /** Goes back to a time, but not below the begin of the step. */
  private void back(long nanos, Medium medium, @Nullable Part part, int region, String event) {
    long to = Math.max(nanos, floor);
    if (to < at) {
      reversed.add(
          new Segment(part == null ? medium.direct() : part, medium, to, at, region, event));
      at = to;
    }
  }

  // ---- names --------------------------------------------------------------------------------

  private String name(Handling handling) {
    Message message = handling.message();
    if (message == null) {
      return handling.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
    String kind = message.getClass().getSimpleName();
    return switch (message) {
      case Message.Prepare prepare ->
          kind + "#" + prepare.execution().number() + " of " + whose(prepare.txn());
      case Message.PrepareReply reply ->
          kind
              + "#"
              + reply.execution().number()
              + " ("
              + answer(reply)
              + ") of "
              + whose(reply.txn());
      case Message.Decide decide ->
          kind
              + (decide.outcome() instanceof Outcome.Commit ? " commit" : " abort")
              + " of "
              + whose(decide.txn());
      case Message.Push push ->
          kind
              + (push.settled() ? " settled" : " unsettled")
              + (push.txn().equals(member.txn) && !member.isAnswerOfKey(push, key)
                  ? " of another key"
                  : "")
              + " to "
              + whose(push.txn());
      default -> kind + " of " + whose(message.txn());
    };
  }

  private static String answer(Message.PrepareReply reply) {
    return switch (reply.answer()) {
      case PrepareAnswer.Voted(Vote.Abandon abandon) -> Members.text(abandon);
      case PrepareAnswer.Voted(Vote.Commit commit) ->
          commit.onCondition() ? "COMMIT on condition" : "COMMIT";
      case PrepareAnswer.Superseded superseded -> "superseded";
      case PrepareAnswer.Fenced fenced -> "fenced";
      case PrepareAnswer.Decided decided -> "decided";
      case PrepareAnswer.Written written -> "written";
    };
  }

  private String whose(TxnId txn) {
    return txn.equals(member.txn) ? "writer" : txn.equals(before.txn) ? "predecessor" : "" + txn;
  }
}
