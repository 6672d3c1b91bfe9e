package org.mortydb.baselines.codec;

import java.util.List;
import java.util.random.RandomGenerator;
import org.mortydb.baselines.tapir.PrepareResult;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.wire.parts.RandomParts;

/** Seeded messages of TAPIR, of every type. */
final class RandomTapirMessages {
  private final RandomGenerator random;
  private final RandomParts parts;

  RandomTapirMessages(RandomGenerator random) {
    this.random = random;
    this.parts = new RandomParts(random);
  }

  /** One message of each type. */
  List<TapirMessage> oneOfEach() {
    return List.of(
        new TapirMessage.Get(parts.txn(), parts.number(), parts.key()),
        new TapirMessage.GetReply(parts.txn(), parts.number(), parts.version(), parts.value()),
        new TapirMessage.Prepare(
            parts.txn(), parts.txn(), parts.list(parts::read), parts.list(parts::write)),
        new TapirMessage.PrepareReply(parts.txn(), parts.txn(), prepareResult()),
        new TapirMessage.Finalize(parts.txn(), parts.txn()),
        new TapirMessage.FinalizeReply(parts.txn(), parts.txn()),
        new TapirMessage.Commit(parts.txn(), parts.txn()),
        new TapirMessage.Abort(parts.txn()),
        new TapirMessage.OutcomeReply(parts.txn(), random.nextBoolean()),
        new TapirMessage.Install(
            parts.txn(), parts.txn(), parts.list(parts::read), parts.list(parts::write)),
        new TapirMessage.Inquire(parts.txn()));
  }

  private PrepareResult prepareResult() {
    return switch (random.nextInt(4)) {
      case 0 -> PrepareResult.OK;
      case 1 -> PrepareResult.ABORT;
      case 2 -> PrepareResult.ABSTAIN;
      default -> new PrepareResult.Retry(parts.txn().timeMicros());
    };
  }
}
