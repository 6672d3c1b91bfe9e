package org.mortydb.sim;

import java.util.SplittableRandom;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.sim.host.Fabric;

/**
 * Cuts the home replicas of some transactions off from each other, in another way in each view. One
 * quorum hears the Prepares, others the Recovers of each view, and often too few replicas hear a
 * proposal. So votes, promises and acceptances lie at different replicas, and several recoveries
 * propose different outcomes. Of all transactions, some other messages about outcomes are lost.
 */
final class SplitQuorums implements Fabric.Loss {
  private static final int PREPARE = 1;
  private static final int RECOVER = 2;
  private static final int FINALIZE = 3;

  private final int f;
  private final double share;
  private final SplittableRandom random;
  private final long salt;

  /**
   * @param share the share of messages that announce, propose or accept an outcome and are lost
   */
  SplitQuorums(int f, double share, SplittableRandom random) {
    this.f = f;
    this.share = share;
    this.random = random;
    this.salt = random.nextLong();
  }

  @Override
  public boolean loses(Endpoint from, Endpoint to, Message message) {
    TxnId txn = message.txn();
    if (isSplit(txn)) {
      switch (message) {
        case Message.Prepare _ when isHome(txn, to) -> {
          return !hears(txn, PREPARE, View.CLIENT, f + 1, to);
        }
        case Message.Recover(_, View view) when isHome(txn, to) -> {
          boolean voters = draws(txn, RECOVER, view).nextBoolean();
          return voters
              ? !hears(txn, PREPARE, View.CLIENT, f + 1, to)
              : !hears(txn, RECOVER, view, f + 1, to);
        }
        case Message.Finalize(_, View view, _) -> {
          SplittableRandom draws = draws(txn, FINALIZE, view);
          int heard = draws.nextInt(4) == 0 ? f + 1 : draws.nextInt(1, f + 1);
          return !hears(txn, FINALIZE, view, heard, to);
        }
        case Message.Inquire _ when to instanceof ClientId -> {
          return true;
        }
        default -> {}
      }
    }
    return FaultMix.isOfOutcome(message) && random.nextDouble() < share;
  }

  private boolean isSplit(TxnId txn) {
    return draws(txn, 0, View.CLIENT).nextInt(4) > 0;
  }

  private static boolean isHome(TxnId txn, Endpoint to) {
    return to instanceof ReplicaId replica && replica.partition() == txn.home();
  }

  /** Whether a replica is among a number of them that hear the messages of one kind and view. */
  private boolean hears(TxnId txn, int kind, View view, int number, Endpoint to) {
    if (!(to instanceof ReplicaId replica)) {
      return true;
    }
    SplittableRandom draws = draws(txn, kind << 2, view);
    int left = number;
    for (int i = 0; i < replica.index(); i++) {
      left -= draws.nextInt(2 * f + 1 - i) < left ? 1 : 0;
    }
    return draws.nextInt(2 * f + 1 - replica.index()) < left;
  }

  private SplittableRandom draws(TxnId txn, int kind, View view) {
    long seed = salt;
    for (long part :
        new long[] {txn.timeMicros(), txn.clientId(), kind, view.round(), view.proposer()}) {
      seed = new SplittableRandom(seed ^ part).nextLong();
    }
    return new SplittableRandom(seed);
  }
}
