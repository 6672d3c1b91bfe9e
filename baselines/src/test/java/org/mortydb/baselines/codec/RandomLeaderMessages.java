package org.mortydb.baselines.codec;

import java.util.List;
import java.util.random.RandomGenerator;
import org.mortydb.baselines.message.Conflicts;
import org.mortydb.baselines.message.LeaderMessage;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.wire.parts.RandomParts;

/** Seeded messages of the systems with leaders, of every type. */
final class RandomLeaderMessages {
  private final RandomGenerator random;
  private final RandomParts parts;

  RandomLeaderMessages(RandomGenerator random) {
    this.random = random;
    this.parts = new RandomParts(random);
  }

  /** One message of each type. */
  List<LeaderMessage> oneOfEach() {
    return List.of(
        new LeaderMessage.TransactionRead(parts.txn(), count(), parts.number(), parts.key()),
        new LeaderMessage.SnapshotRead(parts.txn(), parts.number(), parts.key(), count()),
        new LeaderMessage.PrepareCommit(
            parts.txn(),
            count(),
            parts.number(),
            random.nextBoolean(),
            parts.list(parts::read),
            parts.list(parts::write),
            parts.list(parts::partition),
            count()),
        new LeaderMessage.Rollback(parts.txn()),
        new LeaderMessage.KeepAlive(parts.txn()),
        new LeaderMessage.VersionReply(parts.txn(), parts.number(), parts.version(), parts.value()),
        new LeaderMessage.Ballot(parts.txn(), count(), conflicts()),
        new LeaderMessage.Verdict(parts.txn(), count(), conflicts()),
        new LeaderMessage.VerdictAck(parts.txn()),
        new LeaderMessage.Append(count(), parts.list(this::entry), count(), count()),
        new LeaderMessage.AppendReply(count(), count()),
        new LeaderMessage.SafeTimeQuery(count()),
        new LeaderMessage.Blocked(parts.txn()),
        new LeaderMessage.GiveWay(parts.txn()),
        new LeaderMessage.Update(parts.txn(), count(), parts.key(), count()));
  }

  private Conflicts conflicts() {
    return new Conflicts(random.nextBoolean(), random.nextBoolean());
  }

  private LogEntry entry() {
    return switch (random.nextInt(3)) {
      case 0 -> new LogEntry.Prepared(parts.txn(), count(), parts.list(parts::write));
      case 1 -> new LogEntry.Committed(parts.txn(), count(), parts.list(parts::write));
      default -> new LogEntry.Aborted(parts.txn());
    };
  }

  private long count() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> Long.MAX_VALUE;
      default -> random.nextLong(1L << 53);
    };
  }
}
