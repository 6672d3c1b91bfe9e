package org.mortydb.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Refusal;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.message.RecoverAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
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

/** Seeded messages of every type, with the ends of every range well represented. */
final class RandomMessages {
  private final RandomGenerator random;

  RandomMessages(RandomGenerator random) {
    this.random = random;
  }

  /** One message of each type. */
  List<Message> oneOfEach() {
    return List.of(
        new Message.Get(txn(), number(), key()),
        new Message.Put(txn(), number(), write()),
        new Message.Retract(txn(), number(), list(this::key)),
        new Message.Prepare(
            execution(), list(this::read), ranges(), list(this::write), list(this::partition)),
        new Message.Drop(execution()),
        new Message.Finalize(txn(), view(), outcome()),
        new Message.Decide(txn(), outcome()),
        new Message.GetReply(txn(), number(), number(), version(), value(), random.nextBoolean()),
        new Message.Push(txn(), number(), number(), version(), value(), random.nextBoolean()),
        new Message.PrepareReply(execution(), prepareAnswer()),
        new Message.FinalizeReply(txn(), view(), finalizeAnswer()),
        new Message.Refused(txn(), any(Refusal.values()), random.nextLong()),
        new Message.Inquire(txn()),
        new Message.InquireReply(txn()),
        new Message.Fetch(execution()),
        new Message.NotHeld(execution()),
        new Message.FetchReply(
            execution(), list(this::read), ranges(), list(this::write), list(this::partition)),
        new Message.Recover(txn(), view()),
        new Message.RecoverReply(txn(), view(), recoverAnswer()),
        new Message.TruncatePrepare(stamp()),
        new Message.TruncateReply(stamp(), stamp(), list(this::standing)),
        new Message.TruncateCommit(stamp(), stamp(), list(this::standing)),
        new Message.TruncateAck(stamp()),
        new Message.Watermark(number(), stamp()),
        new Message.Behind(txn(), stamp()),
        new Message.Copy(number()),
        new Message.CopyReply(
            number(),
            random.nextBoolean() ? -1 : number(),
            stamp(),
            list(() -> new Message.CopiedVersion(key(), version(), value(), stamp()))),
        new Message.Found(list(this::wide), random.nextBoolean(), random.nextBoolean()),
        new Message.CopyOutcomes(stamp()),
        new Message.CopyOutcomesReply(stamp(), stamp(), stamp(), list(this::standing)),
        new Message.Scan(txn(), number(), range(), Math.max(1, number())),
        new Message.ScanReply(txn(), number(), rows(), random.nextBoolean() ? null : rangeBound()),
        new Message.PushRow(txn(), number(), number(), row(key())),
        new Message.ReadCut(txn(), range(), number()),
        new Message.CutReply(
            txn(),
            rangeBound(),
            any(Message.CutState.values()),
            stamp(),
            rows(),
            random.nextBoolean() ? null : rangeBound()));
  }

  Message message() {
    List<Message> all = oneOfEach();
    return all.get(random.nextInt(all.size()));
  }

  /** One record of a data directory of each type. */
  List<LogRecord> oneOfEachRecord() {
    return List.of(
        new LogRecord.Prepared(
            execution(),
            list(this::read),
            ranges(),
            list(this::write),
            list(this::partition),
            random.nextBoolean()),
        new LogRecord.Dropped(txn(), number()),
        new LogRecord.Promised(txn(), view()),
        new LogRecord.Accepted(txn(), view(), outcome()),
        new LogRecord.Decided(txn(), outcome()),
        new LogRecord.Executed(
            execution(), list(this::read), ranges(), list(this::write), list(this::partition)),
        new LogRecord.Fenced(bound()),
        new LogRecord.Truncated(bound(), bound()),
        new LogRecord.Version(key(), version(), value()),
        new LogRecord.Floor(key(), bound()),
        new LogRecord.Settled(txn(), outcome()),
        new LogRecord.Serving(random.nextBoolean()),
        new LogRecord.Locked(list(this::wide)));
  }

  ReplicaId replica() {
    return new ReplicaId(number(), random.nextInt(5));
  }

  private TxnId bound() {
    return random.nextInt(4) == 0 ? TxnId.INITIAL : txn();
  }

  Endpoint endpoint() {
    return random.nextBoolean() ? new ReplicaId(number(), random.nextInt(5)) : new ClientId(wide());
  }

  private PrepareAnswer prepareAnswer() {
    return switch (random.nextInt(5)) {
      case 0 -> new PrepareAnswer.Voted(new Vote.Commit(random.nextBoolean()));
      case 1 ->
          new PrepareAnswer.Voted(
              new Vote.Abandon(
                  random.nextBoolean(), any(Vote.Reason.values()), list(() -> row(key()))));
      case 2 -> new PrepareAnswer.Superseded(number());
      case 3 -> new PrepareAnswer.Fenced(view());
      default -> new PrepareAnswer.Decided(outcome());
    };
  }

  private RecoverAnswer recoverAnswer() {
    return switch (random.nextInt(3)) {
      case 0 ->
          new RecoverAnswer.Promised(
              random.nextBoolean() ? null : new RecoverAnswer.Accepted(view(), outcome()),
              random.nextBoolean() ? RecoverAnswer.NO_EXECUTION : number(),
              random.nextBoolean(),
              list(this::partition));
      case 1 -> new RecoverAnswer.Fenced(view());
      default -> new RecoverAnswer.Decided(outcome());
    };
  }

  private TxnId stamp() {
    return random.nextInt(4) == 0 ? TxnId.INITIAL : txn();
  }

  private Message.Standing standing() {
    return new Message.Standing(txn(), random.nextBoolean() ? null : outcome());
  }

  private FinalizeAnswer finalizeAnswer() {
    return switch (random.nextInt(3)) {
      case 0 -> new FinalizeAnswer.Accepted();
      case 1 -> new FinalizeAnswer.Fenced(view());
      default -> new FinalizeAnswer.Decided(outcome());
    };
  }

  private Outcome outcome() {
    return random.nextBoolean() ? Outcome.ABORT : Outcome.commit(number(), list(this::partition));
  }

  private View view() {
    return random.nextBoolean() ? View.CLIENT : new View(number(), wide());
  }

  private ExecutionId execution() {
    return new ExecutionId(txn(), number());
  }

  TxnId txn() {
    long timeMicros =
        switch (random.nextInt(4)) {
          case 0 -> 1;
          case 1 -> Limits.MAX_TIME_MICROS;
          default -> 1_700_000_000_000_000L + random.nextInt(1_000_000_000);
        };
    return new TxnId(timeMicros, wide(), partition());
  }

  private int partition() {
    return Math.min(number(), Limits.MAX_PARTITIONS - 1);
  }

  WriteId version() {
    return random.nextInt(4) == 0
        ? WriteId.INITIAL
        : new WriteId(txn(), 1 + random.nextInt(Limits.MAX_NUMBER));
  }

  Read read() {
    return new Read(key(), version());
  }

  Write write() {
    return new Write(key(), 1 + random.nextInt(Limits.MAX_NUMBER), value());
  }

  /** Half of all executions scan nothing. */
  private List<KeyRange> ranges() {
    if (random.nextBoolean()) {
      return List.of();
    }
    return random.nextInt(8) == 0
        ? Stream.generate(this::range).limit(Limits.MAX_SCANS).toList()
        : list(this::range);
  }

  private KeyRange range() {
    return new KeyRange(rangeBound(), random.nextBoolean() ? null : rangeBound());
  }

  /** A bound of a range, now and then the longest one. */
  private Key rangeBound() {
    return random.nextInt(8) == 0
        ? KeyRange.after(Key.wrap(Arrays.copyOf(bytes(), Limits.MAX_KEY_BYTES)))
        : key();
  }

  private List<VersionedValue> rows() {
    return list(this::key).stream().distinct().sorted().map(this::row).toList();
  }

  private VersionedValue row(Key key) {
    return new VersionedValue(key, version(), value(), random.nextBoolean());
  }

  Key key() {
    return Key.wrap(bytes());
  }

  Value value() {
    return random.nextInt(4) == 0 ? Value.ABSENT : Value.wrap(bytes());
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  int number() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(100);
      case 2 -> random.nextInt(Limits.MAX_NUMBER);
      default -> Limits.MAX_NUMBER;
    };
  }

  private long wide() {
    return random.nextInt(4) == 0 ? 0 : random.nextLong();
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  <T> List<T> list(Supplier<T> element) {
    List<T> list = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      list.add(element.get());
    }
    return list;
  }
}
