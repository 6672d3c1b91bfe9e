package org.mortydb.experiments.runs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.mortydb.experiments.plan.Definition.Step;

/** The steps that run one after another on one cluster. */
final class SharedClusters {
  private SharedClusters() {}

  /**
   * Adjacent steps of a round that differ only in their load, together; each of the others alone.
   *
   * @param shares whether a step may share its cluster
   */
  static List<List<Step>> of(List<Step> steps, Predicate<Step> shares) {
    List<List<Step>> together = new ArrayList<>();
    for (Step step : steps) {
      List<Step> last = together.isEmpty() ? List.of() : together.getLast();
      if (last.isEmpty() || !shares.test(step) || !isLike(last.getFirst(), step)) {
        together.add(new ArrayList<>());
      }
      together.getLast().add(step);
    }
    return together;
  }

  private static boolean isLike(Step one, Step other) {
    return one.round() == other.round()
        && one.point().clusterCoordinates().equals(other.point().clusterCoordinates());
  }
}
