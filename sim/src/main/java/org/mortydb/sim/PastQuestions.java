package org.mortydb.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.PastState;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.SingleMessages;
import org.mortydb.sim.workload.KeyUniverse;

/**
 * Asks single replicas for places just above and just below the cuts of maps, also by maps that
 * held long before (docs/protocol.md, section 15, The past). What a replica answers must be what
 * the serial order has there: it may not know that a key has moved. A place that is younger than
 * the history that replicas keep must not be gone.
 */
final class PastQuestions {
  /** Below the ids of readers, and above those of changes. */
  private static final long FIRST_ID = Long.MAX_VALUE - 256;

  /** So many versions of a key that no floor is ever needed. */
  private static final int UNLIMITED_VERSIONS = 4_096;

  /** How often a replica is asked that has just started and lacks a map. */
  private static final int QUESTIONS_AT_START = 4;

  /**
   * Counts the runs in which a replica that has heard nothing of a change was asked for what has
   * moved and was written since, and did not answer.
   */
  static final String MISSED = "question/of a missed change";

  /** Counts the runs in which such a replica had just started. */
  static final String MISSED_AT_START = "question/of a missed change/at a start";

  /** Clocks drift by less than this share of the time. */
  private static final int DRIFT_SHARE = 40;

  private final Run run;
  private final SplittableRandom random;
  private final List<Key> keys = new ArrayList<>();
  private final List<SingleMessages> hosts = new ArrayList<>();
  private final Map<Integer, Question> open = new HashMap<>();
  private final List<Answer> answers = new ArrayList<>();

  /** The questions by old maps that replicas have not answered, because they were behind. */
  private final List<Question> unanswered = new ArrayList<>();

  private int asked;

  /**
   * A question for all keys that a partition has under a map.
   *
   * @param heardOf the number of the last map that the replica knows, or has sealed for
   * @param starts whether the replica has just started
   * @param scans whether it is a scan; otherwise it names the keys
   */
  private record Question(
      ReplicaId replica,
      TxnId place,
      ClusterMap map,
      int heardOf,
      boolean starts,
      List<Key> keys,
      boolean scans) {}

  private record Answer(Question question, PastReply reply) {}

  PastQuestions(Run run, SplittableRandom random) {
    this.run = run;
    this.random = random;
    run.plan().load().keys().byKind().stream().map(TypedKey::key).forEach(keys::add);
    if (run.plan().load().profile().merges()) {
      KeyUniverse.COUNTERS.stream().map(TypedKey::key).forEach(keys::add);
    }
    keys.sort(null);
    for (int region = 0; region < run.plan().cluster().replicas(); region++) {
      ClientId id = new ClientId(FIRST_ID + region);
      hosts.add(
          new SingleMessages(
              "past" + region, region, run.kernel(), run.fabric(), id, this::received));
    }
    run.watch().whenStarted(id -> run.kernel().schedule(0, () -> askStarted(id)));
  }

  /** Asks from now on, until sessions begin no transactions any more. */
  void start() {
    if (run.kernel().nowMicros() < run.plan().stopMicros()) {
      ask();
      run.kernel().schedule(1 + random.nextLong(run.plan().maxRoundTripMicros()), this::start);
    }
  }

  private void ask() {
    List<ReplicaId> running =
        run.watch().members().stream().filter(id -> run.watch().replica(id) != null).toList();
    if (running.isEmpty()) {
      return;
    }
    List<ReplicaId> behind = running.stream().filter(this::lacksMaps).toList();
    List<ReplicaId> some = behind.isEmpty() || random.nextInt(4) == 0 ? running : behind;
    ask(some.get(random.nextInt(some.size())), false);
  }

  /** Asks a replica before it hears of a round. */
  private void askStarted(ReplicaId id) {
    for (int i = lacksMaps(id) ? QUESTIONS_AT_START : 1; i > 0; i--) {
      ask(id, true);
    }
  }

  /** Whether a replica has not heard of a map. */
  private boolean lacksMaps(ReplicaId id) {
    @Nullable Replica replica = run.watch().replica(id);
    return replica != null && replica.maps().last().number() < run.watch().maps().last().number();
  }

  private void ask(ReplicaId to, boolean starts) {
    MapHistory maps = run.watch().maps();
    if (!maps.knows(to.partition())) {
      return;
    }
    long micros = draw(to, maps, watermarkMicros(to));
    ClusterMap at = maps.at(micros);
    List<ClusterMap> known =
        maps.maps().stream()
            .filter(map -> map.number() <= at.number() && map.has(to.partition()))
            .toList();
    if (known.isEmpty()) {
      return;
    }
    ClusterMap map = known.get(random.nextInt(known.size()));
    List<Key> held = keys.stream().filter(key -> map.partitionOf(key) == to.partition()).toList();
    if (held.isEmpty()) {
      return;
    }
    TxnId place = new TxnId(Math.max(1, micros), random.nextLong(), 0);
    boolean scans = random.nextInt(4) == 0;
    TxnId reader = new TxnId(HostClock.EPOCH_MICROS + run.kernel().nowMicros(), FIRST_ID, 0);
    int request = asked++;
    int heardOf = run.watch().heardOf(to);
    open.put(request, new Question(to, place, map, heardOf, starts, held, scans));
    hosts
        .get(to.index() % hosts.size())
        .send(
            to,
            scans
                ? new Message.ScanPast(
                    reader,
                    request,
                    PastLevel.AT,
                    place,
                    KeyRange.ALL,
                    Limits.MAX_SCAN_ROWS,
                    map.number())
                : new Message.ReadPast(reader, request, PastLevel.AT, place, held));
  }

  /** A time that a replica has reached, mostly near the cut of a map that it does not know. */
  private long draw(ReplicaId to, MapHistory maps, long watermarkMicros) {
    @Nullable Replica replica = run.watch().replica(to);
    int known = replica == null ? 0 : replica.maps().last().number();
    ReplicaOptions options = run.plan().replica();
    List<ClusterMap> reached =
        maps.maps().stream()
            .filter(map -> map.number() > 0 && map.cutMicros() < watermarkMicros)
            .toList();
    if (reached.isEmpty() || random.nextInt(4) == 0) {
      return watermarkMicros - 1 - random.nextLong(options.retentionMicros());
    }
    List<ClusterMap> missed = reached.stream().filter(map -> map.number() > known).toList();
    List<ClusterMap> some = missed.isEmpty() || random.nextInt(8) == 0 ? reached : missed;
    long cut = some.get(random.nextInt(some.size())).cutMicros();
    if (!missed.isEmpty() && random.nextInt(4) > 0) {
      return watermarkMicros - 1; // has the most of what it may have missed
    }
    return random.nextBoolean()
        ? cut + 1 + random.nextLong(watermarkMicros - cut)
        : cut - 1 - random.nextLong(run.plan().maxRoundTripMicros());
  }

  private long watermarkMicros(ReplicaId id) {
    @Nullable Replica replica = run.watch().replica(id);
    return replica == null ? 0 : replica.census().watermarkMicros();
  }

  private void received(ReplicaId from, Message message) {
    if (!(message instanceof PastReply reply)) {
      return;
    }
    @Nullable Question question = open.remove(reply.request());
    if (question == null) {
      return; // the message came twice
    }
    boolean old = !question.map.equals(run.watch().maps().at(question.place));
    run.marks().add("question/" + reply.state() + (old ? "/by an old map" : ""));
    if (reply.state() == PastState.READ) {
      answers.add(new Answer(question, reply));
    } else if (reply.state() == PastState.GONE) {
      checkGone(question);
    } else if (old) {
      unanswered.add(question);
    }
  }

  /** A replica keeps history as long as its options say, unless it has copied a peer. */
  private void checkGone(Question question) {
    ReplicaOptions options = run.plan().replica();
    Set<SimFault> faults = run.plan().faults();
    // By a clock that is set ahead, history is older than it is.
    boolean isSet = faults.contains(SimFault.LEAP) || faults.contains(SimFault.JUMP);
    boolean hasGoneBack = run.watch().fenceMicros() > 0; // history begins with the state
    if (isSet
        || hasGoneBack
        || options.maxVersionsPerKey() < UNLIMITED_VERSIONS
        || question.place.timeMicros() <= run.watch().copiedToMicros(question.replica)) {
      return;
    }
    long history = options.historyMicros();
    long error = 2 * run.plan().maxSkewMicros() + run.kernel().nowMicros() / DRIFT_SHARE;
    long kept =
        Math.max(
            HostClock.EPOCH_MICROS + run.kernel().nowMicros() + error - history,
            watermarkMicros(question.replica) - (history - options.watermarkLagMicros()));
    if (question.place.timeMicros() > kept) {
      run.watch()
          .violated(
              Rule.KEPT,
              "%s says that %s is gone, although it keeps what is above %d us"
                  .formatted(question.replica, question.place, kept));
    }
  }

  /**
   * Judges all answers.
   *
   * @param written what has committed of each key
   */
  void check(Map<Key, NavigableMap<TxnId, Write>> written) {
    for (Answer answer : answers) {
      if (run.watch().isLost(answer.question.place)) {
        continue; // what it shows may have been undone since
      }
      Map<Key, VersionedValue> rows = new HashMap<>();
      answer.reply.rows().forEach(row -> rows.put(row.key(), row));
      @Nullable Key end = answer.reply.next();
      for (Key key : answer.question.keys) {
        if (end == null || key.compareTo(end) < 0) {
          check(answer.question, key, rows.get(key), written.getOrDefault(key, new TreeMap<>()));
        }
      }
    }
    run.marks().add("checked/" + Rule.PAST, answers.size());
    List<Question> missed = unanswered.stream().filter(one -> isOfMissed(one, written)).toList();
    if (!missed.isEmpty()) {
      run.marks().add(MISSED);
    }
    if (missed.stream().anyMatch(Question::starts)) {
      run.marks().add(MISSED_AT_START);
    }
  }

  /**
   * Whether a replica was asked for a key of which it lacks the newest version: that was committed
   * elsewhere, under a map that the replica had not heard of.
   */
  private boolean isOfMissed(Question question, Map<Key, NavigableMap<TxnId, Write>> written) {
    MapHistory maps = run.watch().maps();
    for (Key key : question.keys) {
      TxnId newest = written.getOrDefault(key, new TreeMap<>()).floorKey(question.place);
      ClusterMap map = newest == null ? question.map : maps.at(newest);
      boolean isElsewhere = map.partitionOf(key) != question.replica.partition();
      if (isElsewhere && map.number() > question.heardOf) {
        return true;
      }
    }
    return false;
  }

  private void check(
      Question question,
      Key key,
      @Nullable VersionedValue row,
      NavigableMap<TxnId, Write> versions) {
    Map.@Nullable Entry<TxnId, Write> newest = versions.floorEntry(question.place);
    Value expected = newest == null ? Value.ABSENT : MergedValue.at(versions, newest.getKey());
    boolean right =
        row == null || row.value().isAbsent()
            ? expected.isAbsent()
            : newest != null
                && row.version().equals(new WriteId(newest.getKey(), newest.getValue().valueId()))
                && row.value().equals(expected);
    if (!right) {
      run.watch()
          .violated(
              Rule.PAST,
              "%s was asked for %s at %s by map %d, and has answered %s instead of %s by %s"
                  .formatted(
                      question.replica,
                      key,
                      question.place,
                      question.map.number(),
                      row,
                      expected,
                      newest == null ? "nobody" : newest.getKey()));
    }
  }
}
