package org.mortydb.experiments.claims;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.claims.ClaimFigure.Best;
import org.mortydb.experiments.claims.ClaimFigure.Direction;
import org.mortydb.experiments.claims.Judgement.JudgedFigure;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.figure.RunMetric;
import org.mortydb.experiments.figure.Samples;
import org.mortydb.experiments.figure.Statistic;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Point;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.Provenance;
import org.mortydb.experiments.windows.WindowsRecord;
import org.mortydb.experiments.windows.WindowsRecord.SystemWindows;
import tools.jackson.databind.node.ObjectNode;

/** Judges claims by their records alone. */
public final class Judge {
  private final ClaimRecords records;
  private final Machine machine;

  /**
   * @param machine the machine that the runs are made on
   */
  public Judge(ClaimRecords records, Machine machine) {
    this.records = records;
    this.machine = machine;
  }

  /** The values of figures' metrics in complete records. */
  @FunctionalInterface
  private interface Values {
    /** The values of the points with some coordinates; null if a record lacks it. */
    @Nullable Samples of(String metric, Map<String, String> where, @Nullable Best best);
  }

  /**
   * Judges a claim. On a machine that lacks something it counts as not run, even if another claim
   * has left its records.
   *
   * @throws java.io.UncheckedIOException if a record cannot be read
   */
  public Judgement judge(Claim claim) {
    Optional<String> lacking = claim.needs().lacking(machine);
    if (lacking.isPresent()) {
      return notRun(claim, lacking.get());
    }
    Judgement judgement =
        switch (claim.runs()) {
          case ClaimRuns.OfExperiment(Definition definition) -> judge(claim, definition);
          case ClaimRuns.OfWindows runs -> judge(claim, records.windows(runs));
        };
    return judgement.figures().isEmpty() // without all runs
        ? claim.needs().lackingToRun(machine).map(judgement::because).orElse(judgement)
        : judgement;
  }

  private Judgement judge(Claim claim, Definition definition) {
    List<ObjectNode> found = records.records(definition);
    List<ObjectNode> measured = found.stream().filter(PointRecord::isMeasured).toList();
    List<String> violations =
        measured.stream().filter(PointRecord::isViolated).map(Judge::nameOf).toList();
    // A violation refutes the claim, whatever has become of the other runs.
    if (violations.isEmpty()) {
      for (ObjectNode record : found) {
        if (!PointRecord.isMeasured(record)) {
          String failure = record.path(PointRecord.FAILURE).asString("no reason given");
          return notRun(claim, "a run failed: " + ClaimTexts.firstLine(failure));
        }
      }
      int wanted = claim.runs().count();
      if (measured.size() < wanted) {
        return notRun(claim, missing(claim, measured.size(), wanted));
      }
    }
    Results results = new Results(measured);
    return judge(
        claim,
        (metric, where, best) -> value(results, definition, RunMetric.named(metric), where, best),
        violations,
        measured.size() + " runs; " + Provenance.of(measured).text());
  }

  private Judgement judge(Claim claim, Optional<WindowsRecord> found) {
    if (found.isEmpty()) {
      return notRun(claim, missing(claim, 0, claim.runs().count()));
    }
    WindowsRecord record = found.get();
    return judge(
        claim,
        (metric, where, best) ->
            record
                .system(where.getOrDefault(Point.SYSTEM, ""))
                .map(system -> WindowsMetric.named(metric).in(system))
                .map(Samples::of)
                .orElse(null),
        violations(record),
        "virtual time: " + record.settings() + "; " + Provenance.of(List.of(record.json())).code());
  }

  /** The systems whose history is not serializable. */
  static List<String> violations(WindowsRecord record) {
    return record.systems().stream()
        .filter(system -> Boolean.FALSE.equals(system.serializable()))
        .map(SystemWindows::system)
        .toList();
  }

  private static String missing(Claim claim, int found, int wanted) {
    return found == 0
        ? "no records yet; run morty reproduce --claim " + claim.name()
        : "%d of %d runs are recorded; run morty reproduce --claim %s to continue"
            .formatted(found, wanted, claim.name());
  }

  private static Judgement notRun(Claim claim, String reason) {
    return new Judgement(claim, Verdict.NOT_RUN, reason, List.of(), List.of(), "");
  }

  private static Judgement judge(
      Claim claim, Values values, List<String> violations, String environment) {
    List<JudgedFigure> figures = new ArrayList<>();
    for (ClaimFigure figure : claim.figures()) {
      Statistic here = here(figure, values);
      figures.add(
          new JudgedFigure(
              figure, here == null ? Verdict.NOT_RUN : figure.judge(here.mean()), here));
    }
    JudgedFigure worst =
        figures.stream()
            .max(Comparator.comparing(JudgedFigure::verdict, Verdict.BY_WEIGHT))
            .orElseThrow();
    if (!violations.isEmpty()) {
      return new Judgement(
          claim,
          Verdict.REFUTED,
          "a check found a violation, so the figures mean nothing: "
              + String.join("; ", violations),
          figures,
          violations,
          environment);
    }
    return new Judgement(
        claim, worst.verdict(), reason(claim, worst), figures, violations, environment);
  }

  private static @Nullable Statistic here(ClaimFigure figure, Values values) {
    Samples of = values.of(figure.metric(), figure.of(), figure.best());
    if (of == null) {
      return null;
    }
    Map<String, String> divisor = figure.to();
    if (divisor == null) {
      return of.statistic();
    }
    Samples to = values.of(figure.metric(), divisor, figure.best());
    return to == null ? null : of.over(to).orElse(null);
  }

  /**
   * The values of the only point with these coordinates, or of the best one; null if one of them
   * lacks a value in some round, because it could have been another one.
   */
  private static @Nullable Samples value(
      Results results,
      Definition definition,
      RunMetric metric,
      Map<String, String> where,
      @Nullable Best best) {
    long points =
        definition.points().stream()
            .filter(point -> Coordinates.match(point.coordinates(), where))
            .count();
    List<Samples> complete =
        results.of(definition, where).stream()
            .flatMap(point -> point.samples(metric).stream())
            .filter(samples -> samples.values().size() >= definition.rounds())
            .toList();
    if (complete.size() < points) {
      return null;
    }
    Comparator<Samples> order = Comparator.comparingDouble(one -> one.statistic().mean());
    return complete.stream().max(best == Best.MIN ? order.reversed() : order).orElse(null);
  }

  private static String reason(Claim claim, JudgedFigure worst) {
    ClaimFigure figure = worst.figure();
    Statistic here = worst.here();
    if (here == null) {
      return figure.name() + ": not every run has a value of " + figure.metric();
    }
    String compared =
        "%s: %s here, %s expected"
            .formatted(
                figure.name(), ClaimTexts.value(claim, figure, here.mean()), figure.expected());
    Direction direction = figure.direction();
    return switch (worst.verdict()) {
      case REPRODUCED ->
          claim.figures().size() == 1
              ? compared
              : "all " + claim.figures().size() + " figures are as expected";
      case DIRECTION_ONLY -> compared + "; but " + direction + ", as in the paper";
      case REFUTED, NOT_RUN ->
          direction == null ? compared : compared + ", and it is not " + direction;
    };
  }

  private static String nameOf(ObjectNode record) {
    return record.path(PointRecord.POINT) + ", round " + record.path(PointRecord.ROUND).asInt(0);
  }
}
