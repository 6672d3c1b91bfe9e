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
 * whose users are all alike.
 *
 * @param options what
 * @param settings what the report says of the settings
 */
public record DurabilityRun(DurabilityOptions options, Map<String, @Nullable Object> settings) {

  /**
   * Measures it.
   *
   * @throws org.mortydb.bench.cluster.ClusterFailedException when a server does not start, ends by
   *     itself, or does not come to what it should
   * @throws org.mortydb.workloads.load.LoadFailedException when a transaction cannot be run at all
   */
  public DurabilityReport execute(Progress shown) throws InterruptedException {
    LabelledProgress progress = new LabelledProgress(shown);
    Comparisons comparisons = new Comparisons(options, progress);
    ReturnParts returns = new ReturnParts(options, progress);
    try {
      List<ModePoint> modes = asked(DurabilityPart.MODES) ? comparisons.modes() : null;
      Deaths death = asked(DurabilityPart.DEATH) ? new DeathPart(options, progress).run() : null;
      List<Restart> restart = asked(DurabilityPart.RESTART) ? returns.restarts() : null;
      List<CatchUp> catchUp = asked(DurabilityPart.CATCH_UP) ? returns.catchUps() : null;
      Pauses pauses = asked(DurabilityPart.PAUSES) ? comparisons.pauses() : null;
      List<Arm> collectors = asked(DurabilityPart.COLLECTORS) ? comparisons.collectors() : null;
      List<Arm> tls = asked(DurabilityPart.TLS) ? comparisons.tls() : null;
      return new DurabilityReport(
          modes, death, restart, catchUp, pauses, collectors, tls, settings, Environment.facts());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot see what is stored: " + e.getMessage(), e);
    }
  }

  private boolean asked(DurabilityPart part) {
    return options.parts().contains(part);
  }
}
