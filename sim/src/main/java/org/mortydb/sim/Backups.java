package org.mortydb.sim;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.sim.host.CutHost;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.HostClock;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.Trace;

/**
 * Backups amid everything else (docs/protocol.md, section 11). What one has read is checked like
 * the reads of a transaction with the place of the cut, which has read every key that there is.
 */
final class Backups {
  private static final int MOST = 3;

  /** Below the auditor's, above any client's that is numbered. */
  private static final long FIRST_ID = Long.MAX_VALUE - 16;

  private final Plan plan;
  private final Kernel kernel;
  private final Fabric fabric;
  private final Trace trace;
  private final RunHistory history;
  private final Marks marks;

  Backups(Plan plan, Kernel kernel, Fabric fabric, Trace trace, RunHistory history, Marks marks) {
    this.plan = plan;
    this.kernel = kernel;
    this.fabric = fabric;
    this.trace = trace;
    this.history = history;
    this.marks = marks;
  }

  /**
   * Draws when backups begin, and which cuts they read: some that are too old, most a bit ahead.
   */
  void schedule(SplittableRandom random) {
    for (int i = random.nextInt(MOST + 1); i > 0; i--) {
      long id = FIRST_ID + i;
      int region = random.nextInt(plan.cluster().replicas());
      long retention = plan.replica().retentionMicros();
      long aheadMicros =
          random.nextInt(3) == 0
              ? -random.nextLong(2 * retention)
              : random.nextLong(plan.replica().allowedSkewMicros() + 1);
      // Half of them on the way to somewhere that the clients' whole time would not suffice for.
      long begin = random.nextLong(plan.stopMicros());
      long patience = plan.maxRoundTripMicros() * random.nextInt(1, 6) + 1;
      kernel.schedule(begin, () -> begin(id, region, aheadMicros, patience));
    }
  }

  private void begin(long id, int region, long aheadMicros, long patienceMicros) {
    long nowMicros = HostClock.EPOCH_MICROS + kernel.nowMicros();
    TxnId cut = new TxnId(Math.max(1, nowMicros + aheadMicros), id, 0);
    int[] closest = new int[plan.cluster().partitions()];
    Arrays.fill(closest, region);
    long beginMicros = kernel.nowMicros();
    trace.write(() -> "backup at " + cut);
    marks.add("backup");
    new CutHost(
            new HostSpec("backup", region, 1, 0, 0),
            kernel,
            fabric,
            cut,
            new Topology(plan.cluster().f(), closest),
            patienceMicros,
            backup -> ended(backup, beginMicros))
        .start();
  }

  private void ended(CutHost backup, long beginMicros) {
    if (backup.isLost()) {
      marks.add("backup/lost");
      return;
    }
    marks.add("backup/done");
    marks.add("backup/rows", backup.rows().size());
    history.backedUp(backup.cut(), backup.rows(), beginMicros);
  }
}
