package org.mortydb.experiments.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.chain.ChainRecord.EventRow;
import org.mortydb.experiments.chain.ChainRecord.Lengths;
import org.mortydb.experiments.chain.ChainRecord.ObstacleRow;
import org.mortydb.experiments.chain.ChainRecord.PartRow;
import org.mortydb.experiments.chain.ChainRecord.StepRow;
import org.mortydb.workloads.load.Rounded;

/** Sums up the steps of a chain. */
final class ChainSummary {
  private static final double NANOS_PER_MICRO = 1_000;

  private ChainSummary() {}

  /** The parts of the steps, in the order of {@link Part}; all of them, also those without time. */
  static List<PartRow> parts(Chain chain) {
    List<PartRow> rows = new ArrayList<>();
    long all = chain.nanos();
    for (Part part : Part.values()) {
      long nanos = chain.steps().stream().mapToLong(step -> step.nanos(part)).sum();
      Map<String, Double> media = new LinkedHashMap<>();
      for (Medium medium : Medium.values()) {
        long own = chain.steps().stream().mapToLong(step -> step.nanos(part, medium)).sum();
        if (own > 0) {
          media.put(medium.label(), micros((double) own / chain.steps().size()));
        }
      }
      rows.add(
          new PartRow(
              part.label(),
              all == 0 ? 0 : Rounded.to(4, (double) nanos / all),
              chain.steps().isEmpty() ? 0 : micros((double) nanos / chain.steps().size()),
              lengths(
                  chain.steps().stream().mapToLong(step -> step.nanos(part)).filter(n -> n > 0)),
              media));
    }
    return rows;
  }

  /** The obstacles at replicas, by the time that they took. */
  static List<ObstacleRow> obstacles(Chain chain) {
    Map<Step.Obstacle, List<Step>> byObstacle = new LinkedHashMap<>();
    for (Step step : chain.steps()) {
      if (step.obstacle() != null) {
        byObstacle.computeIfAbsent(step.obstacle(), any -> new ArrayList<>()).add(step);
      }
    }
    List<ObstacleRow> rows = new ArrayList<>();
    byObstacle.forEach(
        (obstacle, steps) -> {
          long nanos = steps.stream().mapToLong(step -> step.nanos(obstacle.part())).sum();
          rows.add(
              new ObstacleRow(
                  obstacle.part().label(),
                  obstacle.reason(),
                  Rounded.to(4, (double) nanos / Math.max(1, chain.nanos())),
                  lengths(steps, step -> step.nanos(obstacle.part()))));
        });
    rows.sort(Comparator.comparingDouble(ObstacleRow::share).reversed());
    return rows;
  }

  /** The lengths of steps. */
  static Lengths lengths(List<Step> steps, ToLongFunction<Step> nanos) {
    return lengths(steps.stream().mapToLong(nanos));
  }

  private static Lengths lengths(LongStream nanos) {
    long[] sorted = nanos.sorted().toArray();
    return new Lengths(
        sorted.length,
        micros(Arrays.stream(sorted).average().orElse(0)),
        percentile(sorted, 0.5),
        percentile(sorted, 0.9),
        percentile(sorted, 0.99));
  }

  private static double percentile(long[] sorted, double share) {
    return sorted.length == 0
        ? 0
        : micros(sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)]);
  }

  private static double micros(double nanos) {
    return Rounded.to(1, nanos / NANOS_PER_MICRO);
  }

  /**
   * All steps.
   *
   * @param detailed how many, from the middle, have their events
   */
  static List<StepRow> steps(Chain chain, int detailed) {
    List<StepRow> rows = new ArrayList<>();
    List<Step> steps = chain.steps();
    int first = Math.max(0, (steps.size() - detailed) / 2);
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      Map<String, Double> parts = new LinkedHashMap<>();
      for (Part part : Part.values()) {
        long nanos = step.nanos(part);
        if (nanos > 0) {
          parts.put(part.label(), micros(nanos));
        }
      }
      @Nullable List<EventRow> events =
          i < first || i >= first + detailed
              ? null
              : step.segments().stream().map(segment -> event(step, segment)).toList();
      rows.add(
          new StepRow(
              micros(step.fromNanos() - steps.getFirst().fromNanos()),
              micros(step.nanos()),
              step.fromRegion(),
              step.toRegion(),
              step.predecessor().toString(),
              step.writer().toString(),
              step.forwarded(),
              parts,
              events));
    }
    return rows;
  }

  private static EventRow event(Step step, Segment segment) {
    return new EventRow(
        micros(segment.toNanos() - step.fromNanos()),
        micros(segment.nanos()),
        segment.part().label(),
        segment.medium().label(),
        segment.region(),
        segment.event());
  }
}
