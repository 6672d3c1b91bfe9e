package org.mortydb.sim;

import java.util.SplittableRandom;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.sim.host.CutHost;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.host.SimTopology;

/**
 * Runs backups beside all other work (docs/protocol.md, section 11). The checkers treat a backup as
 * a transaction at the cut's timestamp that has read every key.
 */
final class Backups {
  private static final int MOST = 3;

  /** Below the auditor's id, and above all numbered clients. */
  private static final long FIRST_ID = Long.MAX_VALUE - 16;

  private final Run run;

  Backups(Run run) {
    this.run = run;
  }

  /**
   * Draws when backups begin and which cuts they read: some are too old, most are slightly ahead.
   */
  void schedule(SplittableRandom random) {
    for (int i = random.nextInt(MOST + 1); i > 0; i--) {
      long id = FIRST_ID + i;
      int region = random.nextInt(run.plan().cluster().replicas());
      long retention = run.plan().replica().retentionMicros();
      long aheadMicros =
          random.nextInt(3) == 0
              ? -random.nextLong(2 * retention)
              : random.nextLong(run.plan().replica().allowedSkewMicros() + 1);
      long begin = random.nextLong(run.plan().stopMicros());
      long patience = run.plan().maxRoundTripMicros() * random.nextInt(1, 6) + 1;
      run.kernel().schedule(begin, () -> begin(id, region, aheadMicros, patience));
    }
  }

  private void begin(long id, int region, long aheadMicros, long patienceMicros) {
    long nowMicros = HostClock.EPOCH_MICROS + run.kernel().nowMicros();
    TxnId cut = new TxnId(Math.max(1, nowMicros + aheadMicros), id, 0);
    long beginMicros = run.kernel().nowMicros();
    ClusterMap map = known().at(cut);
    run.trace().write(() -> "backup at " + cut);
    run.marks().add("backup");
    new CutHost(
            new HostSpec("backup", region, 1, 0, 0),
            run.kernel(),
            run.fabric(),
            cut,
            map.number() == 0
                ? run.plan().topology(region)
                : SimTopology.of(map, region, run.plan().cluster().replicas()),
            patienceMicros,
            run.plan().replica().holdMicros(),
            backup -> ended(backup, beginMicros))
        .start();
  }

  /** What some replica knows of the maps. */
  private MapHistory known() {
    return run.watch().replicas().stream()
        .skip(run.kernel().nowMicros() % Math.max(1, run.watch().replicas().size()))
        .findFirst()
        .map(Replica::maps)
        .orElseGet(() -> new MapHistory(run.plan().topology(0).map()));
  }

  private void ended(CutHost backup, long beginMicros) {
    if (backup.isOutdated()) {
      run.marks().add("backup/outdated");
      return;
    }
    if (backup.isLost()) {
      run.marks().add("backup/lost");
      return;
    }
    run.marks().add("backup/done");
    if (known().at(backup.cut()).number() > 0) {
      run.marks().add("backup/of a later map");
    }
    run.marks().add("backup/rows", backup.rows().size());
    run.history().backedUp(backup.cut(), backup.rows(), beginMicros);
  }
}
