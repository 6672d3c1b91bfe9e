package org.mortydb.wire;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Member;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.wire.parts.RandomParts;

/** Seeded messages of every type, with frequent extreme values. */
final class RandomMessages {
  /** Maps to choose from: making one takes as long as making thousands of messages. */
  private static final List<ClusterMap> MAPS = maps(new SplittableRandom(15));

  private final RandomGenerator random;
  private final RandomParts parts;

  RandomMessages(RandomGenerator random) {
    this.random = random;
    this.parts = new RandomParts(random);
  }

  /** One message of each type. */
  List<Message> oneOfEach() {
    return List.of(
        new Message.Get(parts.txn(), parts.number(), parts.key()),
        new Message.Put(parts.txn(), parts.number(), parts.write()),
        new Message.Retract(parts.txn(), parts.number(), parts.list(parts::key)),
        new Message.Prepare(
            execution(),
            parts.list(parts::read),
            ranges(),
            parts.list(parts::write),
            parts.list(parts::partition),
            random.nextBoolean()),
        new Message.Register(execution(), parts.list(parts::read), ranges(), parts.number()),
        new Message.RegistrationLogged(stamp(), random.nextBoolean()),
        new Message.Drop(execution(), parts.list(parts::key)),
        new Message.Finalize(parts.txn(), view(), outcome()),
        new Message.Decide(parts.txn(), outcome()),
        new Message.GetReply(
            parts.txn(),
            parts.number(),
            parts.number(),
            parts.version(),
            read(),
            random.nextBoolean(),
            parts.list(parts::version)),
        new Message.Push(
            parts.txn(),
            parts.number(),
            parts.number(),
            parts.version(),
            read(),
            random.nextBoolean(),
            parts.list(parts::version)),
        new Message.PrepareReply(execution(), prepareAnswer()),
        new Message.FinalizeReply(parts.txn(), view(), finalizeAnswer()),
        new Message.Refused(parts.txn(), any(Refusal.values()), random.nextLong()),
        new Message.Inquire(parts.txn()),
        new Message.InquireReply(parts.txn()),
        new Message.Fetch(execution()),
        new Message.NotHeld(execution()),
        new Message.FetchReply(
            execution(),
            parts.list(parts::read),
            ranges(),
            parts.list(parts::write),
            parts.list(parts::partition)),
        new Message.Recover(parts.txn(), view()),
        new Message.RecoverReply(parts.txn(), view(), recoverAnswer()),
        new Message.TruncatePrepare(stamp(), stamp(), random.nextBoolean() ? 0 : random.nextLong()),
        new Message.TruncateReply(
            stamp(),
            stamp(),
            stamp(),
            stamp(),
            parts.list(this::standing),
            random.nextBoolean() ? null : known(),
            stamp(),
            parts.number()),
        new Message.TruncateCommit(stamp(), stamp(), parts.list(this::standing), parts.number()),
        new Message.TruncateAck(stamp()),
        new Message.Watermark(parts.number(), stamp()),
        new Message.Behind(parts.txn(), stamp()),
        new Message.Copy(stamp(), parts.key(), stamp()),
        new Message.CopyReply(
            stamp(),
            parts.key(),
            random.nextBoolean() ? null : parts.key(),
            parts.number(),
            parts.number(),
            stamp(),
            stamp(),
            parts.number(),
            parts.list(
                () ->
                    new Message.CopiedVersion(
                        parts.key(), parts.version(), parts.value(), stamp()))),
        new Message.Found(parts.list(parts::wide), random.nextBoolean(), random.nextBoolean()),
        new Message.CopyOutcomes(stamp()),
        new Message.CopyOutcomesReply(
            stamp(), stamp(), stamp(), stamp(), parts.list(this::standing)),
        new Message.Scan(
            parts.txn(), parts.number(), range(), Math.max(1, parts.number()), parts.number()),
        new Message.Seal(parts.txn(), map()),
        new Message.SealReply(parts.txn(), parts.number(), random.nextBoolean()),
        new Message.CheckPartition(parts.txn(), map()),
        new Message.PartitionReply(
            parts.txn(),
            parts.number(),
            random.nextBoolean(),
            random.nextBoolean(),
            parts.number(),
            parts.number(),
            parts.number()),
        new Message.AskMaps(stamp(), parts.number(), parts.number()),
        new Message.Maps(stamp(), maps(), parts.number()),
        new Message.ScanReply(
            parts.txn(), parts.number(), rows(), random.nextBoolean() ? null : rangeBound()),
        new Message.PushRow(parts.txn(), parts.number(), parts.number(), row(parts.key())),
        new Message.ReadCut(parts.txn(), range(), parts.number()),
        new Message.CutReply(
            parts.txn(),
            rangeBound(),
            any(Message.CutState.values()),
            stamp(),
            rows(),
            random.nextBoolean() ? null : rangeBound(),
            parts.number()),
        new Message.ReadPast(
            parts.txn(),
            parts.number(),
            any(Message.PastLevel.values()),
            stamp(),
            parts.list(parts::key)),
        new Message.ScanPast(
            parts.txn(),
            parts.number(),
            any(Message.PastLevel.values()),
            stamp(),
            range(),
            Math.max(1, parts.number()),
            parts.number()),
        new Message.PastReply(
            parts.txn(),
            parts.number(),
            any(Message.PastState.values()),
            stamp(),
            stamp(),
            rows(),
            random.nextBoolean() ? null : rangeBound()));
  }

  Message message() {
    List<Message> all = oneOfEach();
    return all.get(random.nextInt(all.size()));
  }

  /** One log record of each type. */
  List<LogRecord> oneOfEachRecord() {
    return List.of(
        new LogRecord.Prepared(
            execution(),
            parts.list(parts::read),
            ranges(),
            parts.list(parts::write),
            parts.list(parts::partition),
            random.nextBoolean()),
        new LogRecord.Dropped(parts.txn(), parts.number()),
        new LogRecord.Promised(parts.txn(), view()),
        new LogRecord.Accepted(parts.txn(), view(), outcome()),
        new LogRecord.Decided(parts.txn(), outcome()),
        new LogRecord.Executed(
            execution(),
            parts.list(parts::read),
            ranges(),
            parts.list(parts::write),
            parts.list(parts::partition)),
        new LogRecord.Fenced(bound()),
        new LogRecord.Truncated(bound(), bound()),
        new LogRecord.Version(parts.key(), parts.version(), parts.value()),
        new LogRecord.Floor(parts.key(), bound()),
        new LogRecord.Settled(parts.txn(), outcome()),
        new LogRecord.Serving(random.nextBoolean()),
        new LogRecord.HistoryFrom(bound()),
        new LogRecord.Erased(bound(), parts.list(parts::key)),
        new LogRecord.Registering(bound(), random.nextBoolean()),
        new LogRecord.MapsKnown(maps(), parts.number(), parts.number()),
        new LogRecord.Sealed(map(), random.nextBoolean()),
        new LogRecord.Hosted(map()),
        new LogRecord.Locked(parts.list(parts::wide), random.nextBoolean()));
  }

  ReplicaId replica() {
    return new ReplicaId(parts.number(), random.nextInt(5));
  }

  private TxnId bound() {
    return random.nextInt(4) == 0 ? TxnId.INITIAL : parts.txn();
  }

  Endpoint endpoint() {
    return random.nextBoolean()
        ? new ReplicaId(parts.number(), random.nextInt(5))
        : new ClientId(parts.wide());
  }

  private PrepareAnswer prepareAnswer() {
    return switch (random.nextInt(6)) {
      case 0 -> new PrepareAnswer.Voted(new Vote.Commit(random.nextBoolean()));
      case 1 ->
          new PrepareAnswer.Voted(
              new Vote.Abandon(
                  random.nextBoolean(),
                  any(Vote.Reason.values()),
                  parts.list(() -> row(parts.key()))));
      case 2 -> new PrepareAnswer.Superseded(parts.number());
      case 3 -> new PrepareAnswer.Fenced(view());
      case 4 -> new PrepareAnswer.Written();
      default -> new PrepareAnswer.Decided(outcome());
    };
  }

  private RecoverAnswer recoverAnswer() {
    return switch (random.nextInt(3)) {
      case 0 ->
          new RecoverAnswer.Promised(
              random.nextBoolean() ? null : new RecoverAnswer.Accepted(view(), outcome()),
              random.nextBoolean() ? RecoverAnswer.NO_EXECUTION : parts.number(),
              random.nextBoolean(),
              parts.list(parts::partition),
              random.nextBoolean());
      case 1 -> new RecoverAnswer.Fenced(view());
      default -> new RecoverAnswer.Decided(outcome());
    };
  }

  private TxnId stamp() {
    return random.nextInt(4) == 0 ? TxnId.INITIAL : parts.txn();
  }

  private Message.Standing standing() {
    return new Message.Standing(parts.txn(), random.nextBoolean() ? null : outcome());
  }

  private FinalizeAnswer finalizeAnswer() {
    return switch (random.nextInt(3)) {
      case 0 -> new FinalizeAnswer.Accepted();
      case 1 -> new FinalizeAnswer.Fenced(view());
      default -> new FinalizeAnswer.Decided(outcome());
    };
  }

  private Outcome outcome() {
    return random.nextBoolean()
        ? Outcome.ABORT
        : Outcome.commit(parts.number(), parts.list(parts::partition));
  }

  private View view() {
    return random.nextBoolean() ? View.CLIENT : new View(parts.number(), parts.wide());
  }

  private ExecutionId execution() {
    return new ExecutionId(parts.txn(), parts.number());
  }

  /** Half of all executions scan nothing. */
  private List<KeyRange> ranges() {
    if (random.nextBoolean()) {
      return List.of();
    }
    return random.nextInt(8) == 0
        ? Stream.generate(this::range).limit(Limits.MAX_SCANS).toList()
        : parts.list(this::range);
  }

  private List<ClusterMap> maps() {
    return random.nextInt(8) > 0 ? List.of() : List.of(map(), map());
  }

  private Message.MapKnowledge known() {
    return new Message.MapKnowledge(maps(), parts.number(), random.nextBoolean() ? null : map());
  }

  private ClusterMap map() {
    return MAPS.get(random.nextInt(MAPS.size()));
  }

  private static List<ClusterMap> maps(RandomGenerator random) {
    return Stream.generate(() -> map(random)).limit(100).toList();
  }

  private static ClusterMap map(RandomGenerator random) {
    ClusterMap first = ClusterMap.first(random.nextInt(1, 3), random.nextInt(1, 9));
    if (random.nextBoolean()) {
      return first;
    }
    TreeMap<Integer, Integer> moved = new TreeMap<>();
    for (int i = random.nextInt(1, 20); i > 0; i--) {
      moved.put(random.nextInt(Bucket.COUNT), 100);
    }
    ClusterMap next =
        first.moved(
            random.nextInt(1, 1_000),
            random.nextLong(1, 1L << 50),
            first.f(),
            Map.of(100, first.servers().get(0)),
            moved);
    if (random.nextBoolean()) {
      return next;
    }
    Member member =
        new Member("eu", "eu-2:7000", "0.0.0.0:7000", random.nextBoolean() ? "" : "a:1");
    ClusterMap joined = next.withServer(next.number() + 1, next.cutMicros() + 1, "eu-2", member);
    return joined.withServer(joined.number() + 1, joined.cutMicros() + 1, "eu-9", null);
  }

  private KeyRange range() {
    return new KeyRange(rangeBound(), random.nextBoolean() ? null : rangeBound());
  }

  /** A bound of a range, sometimes the longest one. */
  private Key rangeBound() {
    return random.nextInt(8) == 0
        ? KeyRange.after(Key.wrap(Arrays.copyOf(parts.bytes(), Limits.MAX_KEY_BYTES)))
        : parts.key();
  }

  private List<VersionedValue> rows() {
    return parts.list(parts::key).stream().distinct().sorted().map(this::row).toList();
  }

  private VersionedValue row(Key key) {
    return new VersionedValue(
        key, parts.version(), read(), random.nextBoolean(), parts.list(parts::version));
  }

  /** A value that was read: it may have failed, and is no merge. */
  private Value read() {
    Value value = parts.value();
    return value.isMerge() || random.nextInt(8) == 0 ? Value.FAILED : value;
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }
}
