package org.mortydb.faults.durability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.experiment.Environment;
import org.mortydb.faults.durability.DurabilityReport.Arm;
import org.mortydb.faults.durability.DurabilityReport.CatchUp;
import org.mortydb.faults.durability.DurabilityReport.Deaths;
import org.mortydb.faults.durability.DurabilityReport.ModePoint;
import org.mortydb.faults.durability.DurabilityReport.Pauses;
import org.mortydb.faults.durability.DurabilityReport.Restart;
import org.mortydb.workloads.load.Progress;

/**
 * Measures what durability costs and how long recoveries take, on server processes under Retwis
 * with uniform users.
 *
 * @param options the parts and their sizes
 * @param settings the options as the report lists them
 */
public record DurabilityRun(DurabilityOptions options, Map<String, @Nullable Object> settings) {

  /**
   * Runs the parts.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException when a server does not start, ends by
   *     itself, or takes too long
   * @throws org.mortydb.workloads.load.LoadFailedException when a transaction cannot be run
   */
  public DurabilityReport execute(Progress shown) throws InterruptedException {
    LabelledProgress progress = new LabelledProgress(shown);
    Comparisons comparisons = new Comparisons(options, progress);
    ReturnParts returns = new ReturnParts(options, progress);
    try {
      List<ModePoint> modes = runs(DurabilityPart.MODES) ? comparisons.modes() : null;
      Deaths death = runs(DurabilityPart.DEATH) ? new DeathPart(options, progress).run() : null;
      List<Restart> restart = runs(DurabilityPart.RESTART) ? returns.restarts() : null;
      List<CatchUp> catchUp = runs(DurabilityPart.CATCH_UP) ? returns.catchUps() : null;
      Pauses pauses = runs(DurabilityPart.PAUSES) ? comparisons.pauses() : null;
      List<Arm> collectors = runs(DurabilityPart.COLLECTORS) ? comparisons.collectors() : null;
      List<Arm> tls = runs(DurabilityPart.TLS) ? comparisons.tls() : null;
      return new DurabilityReport(
          modes, death, restart, catchUp, pauses, collectors, tls, settings, Environment.facts());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read the data directories of the servers: " + e.getMessage(), e);
    }
  }

  private boolean runs(DurabilityPart part) {
    return options.parts().contains(part);
  }
}
