package org.mortydb.sim;

import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.kernel.Randomness;

/**
 * From the first proposal of a change on, some replicas hear of no map after the first one of their
 * partition while they hear all else. So their watermarks pass the cuts of changes that they do not
 * know (docs/protocol.md, section 15). At most one replica of a partition hears of no seal either:
 * changes can still be decided. Sometimes one replica alone hears of everything, and the others do
 * not hear what it says in rounds of truncation, so that these tell of changes by seals alone.
 *
 * <p>If the change takes all buckets of a partition and leaves another one alone, that one mostly
 * hears of no outcomes from elsewhere instead. So it needs outcomes below the cut for long.
 */
final class DeafReplicas implements Fabric.Loss {
  /** Counts the runs in which a partition without buckets is needed after its past is over. */
  static final String NEEDED = "outcome needed after the past";

  private final Run run;
  private final long salt;
  private final SplittableRandom random;

  /** Whether a change has been proposed. */
  private boolean begun;

  /** The partition that hears of no outcomes from elsewhere; -1 if replicas hear less of maps. */
  private int uninformed = -1;

  /** What the replicas of a partition hear. */
  private enum Hearing {
    ALL,
    SOME,
    ONE
  }

  DeafReplicas(Run run, SplittableRandom random) {
    this.run = run;
    salt = random.nextLong();
    this.random = random.split();
  }

  @Override
  public boolean loses(Endpoint from, Endpoint to, Message message) {
    if (!begun
        && message instanceof Message.CheckPartition(var _, ClusterMap next)
        && from instanceof ClientId client
        && Changes.isOfChange(client)) {
      onProposal(next);
    }
    if (!begun || !(to instanceof ReplicaId(int partition, int index))) {
      return false;
    }
    return switch (message) {
      case Message.Seal _ -> !isAll(partition) && index == deafest(partition);
      case Message.Maps maps -> isDeafToMaps(partition, index) && tellsOfLater(maps, partition);
      case Message.TruncatePrepare _, Message.TruncateReply _, Message.TruncateCommit _ ->
          hearing(partition) == Hearing.ONE
              && from instanceof ReplicaId(int _, int other)
              && other == listening(partition)
              && other != index;
      case Message.RecoverReply _ when isUninformed(from, partition) -> {
        noteIfOver(from);
        yield true;
      }
      case Message.Decide _, Message.Inquire _, Message.FinalizeReply _ ->
          isUninformed(from, partition);
      default -> false;
    };
  }

  // ---- outcomes -------------------------------------------------------------------------------

  private void onProposal(ClusterMap next) {
    ClusterMap last = run.watch().maps().numbered(next.before());
    if (last == null) {
      return;
    }
    begun = true;
    BitSet sources = next.sources(last);
    List<Integer> others =
        last.servers().keySet().stream().filter(partition -> !sources.get(partition)).toList();
    boolean empties = !next.servers().keySet().containsAll(last.servers().keySet());
    if (empties && !others.isEmpty() && random.nextInt(5) > 1) {
      uninformed = others.get(random.nextInt(others.size()));
    }
  }

  /** Whether a message about outcomes comes from elsewhere to the partition that hears of none. */
  private boolean isUninformed(Endpoint from, int partition) {
    return partition == uninformed && isElsewhere(from, partition);
  }

  private static boolean isElsewhere(Endpoint from, int partition) {
    return switch (from) {
      case ReplicaId(int other, int _) -> other != partition;
      case ClientId client -> !Changes.isOfChange(client);
    };
  }

  /** Notes that a partition is needed which would have ended otherwise. */
  private void noteIfOver(Endpoint from) {
    if (run.marks().count(NEEDED) > 0 || !(from instanceof ReplicaId(int home, int _))) {
      return;
    }
    MapHistory maps = run.watch().maps();
    @Nullable ClusterMap without = maps.firstWithout(home);
    if (without != null
        && without.number() <= maps.closed()
        && HostClock.EPOCH_MICROS + run.kernel().nowMicros()
            > without.cutMicros() + run.plan().replica().pruneMicros()) {
      run.marks().add(NEEDED);
    }
  }

  // ---- maps -----------------------------------------------------------------------------------

  /** Whether a message tells of a map after the first one that has a partition. */
  private boolean tellsOfLater(Message.Maps maps, int partition) {
    @Nullable ClusterMap own = run.watch().maps().firstWith(partition);
    if (own == null) {
      return false;
    }
    int number = own.number();
    return maps.maps().stream().anyMatch(map -> map.number() > number);
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
    if (uninformed >= 0) {
      return Hearing.ALL;
    }
    int dice = of(partition, "hearing").nextInt(8);
    return dice == 0 ? Hearing.ALL : dice < 4 ? Hearing.SOME : Hearing.ONE;
  }

  /** The replica that hears neither of seals nor of maps. */
  private int deafest(int partition) {
    return of(partition, "deafest").nextInt(replicas(partition));
  }

  /** The replica that hears of everything, if only one does. */
  private int listening(int partition) {
    int replicas = replicas(partition);
    return (deafest(partition) + 1 + of(partition, "listening").nextInt(replicas - 1)) % replicas;
  }

  private int replicas(int partition) {
    return 2 * run.watch().f(partition) + 1;
  }

  private SplittableRandom of(int partition, String what) {
    return new Randomness(salt).child("partition", partition).stream(what);
  }
}
