package org.mortydb.sim;

import java.util.SplittableRandom;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.kernel.Randomness;

/**
 * Some replicas hear nothing of maps while they hear all else, so that their watermarks pass the
 * cuts of changes that they do not know (docs/protocol.md, section 15). At most one replica of a
 * partition hears of no seal either: changes can still be decided. Sometimes one replica alone
 * hears of everything, and the others do not hear what it says in rounds of truncation. In other
 * runs a partition hears of no outcomes from elsewhere, so that it stays below the cut.
 */
final class DeafReplicas implements Fabric.Loss {
  private final int partitions;
  private final int replicas;
  private final long salt;

  /** The partition that hears of no outcomes from elsewhere; -1 for none. */
  private final int uninformed;

  /** What the replicas of a partition hear. */
  private enum Hearing {
    ALL,
    SOME,
    ONE
  }

  /**
   * @param cluster its partitions are those that hear less; new ones hear all
   */
  DeafReplicas(SeedPlan.ClusterPlan cluster, SplittableRandom random) {
    partitions = cluster.partitions();
    replicas = cluster.replicas();
    salt = random.nextLong();
    uninformed = random.nextInt(3) == 0 ? random.nextInt(partitions) : -1;
  }

  @Override
  public boolean loses(Endpoint from, Endpoint to, Message message) {
    if (!(to instanceof ReplicaId(int partition, int index))) {
      return false;
    }
    return switch (message) {
      case Message.Seal _ -> !isAll(partition) && index == deafest(partition);
      case Message.Maps _ -> isDeafToMaps(partition, index);
      case Message.TruncatePrepare _, Message.TruncateReply _, Message.TruncateCommit _ ->
          hearing(partition) == Hearing.ONE
              && from instanceof ReplicaId(int _, int other)
              && other == listening(partition)
              && other != index;
      case Message.Decide _, Message.Inquire _, Message.RecoverReply _, Message.FinalizeReply _ ->
          partition == uninformed && isElsewhere(from, partition);
      default -> false;
    };
  }

  private static boolean isElsewhere(Endpoint from, int partition) {
    return switch (from) {
      case ReplicaId(int other, int _) -> other != partition;
      case ClientId client -> !Changes.isOfChange(client);
    };
  }

  private boolean isAll(int partition) {
    return hearing(partition) == Hearing.ALL;
  }

  private boolean isDeafToMaps(int partition, int index) {
    return switch (hearing(partition)) {
      case ALL -> false;
      case SOME -> index == deafest(partition) || of(partition, "maps" + index).nextInt(3) == 0;
      case ONE -> index != listening(partition);
    };
  }

  private Hearing hearing(int partition) {
    return uninformed >= 0 || partition >= partitions
        ? Hearing.ALL
        : Hearing.values()[of(partition, "hearing").nextInt(Hearing.values().length)];
  }

  /** The replica that hears neither of seals nor of maps. */
  private int deafest(int partition) {
    return of(partition, "deafest").nextInt(replicas);
  }

  /** The replica that hears of everything, if only one does. */
  private int listening(int partition) {
    return (deafest(partition) + 1 + of(partition, "listening").nextInt(replicas - 1)) % replicas;
  }

  private SplittableRandom of(int partition, String what) {
    return new Randomness(salt).child("partition", partition).stream(what);
  }
}
