package org.mortydb.experiments.claims;

import java.util.List;
import org.mortydb.experiments.figure.RunMetric;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.TimePlan;

/** The runs that a claim follows from. */
public sealed interface ClaimRuns {

  /** The name of the experiment, and of the folder with its records. */
  String name();

  /** The kind of runs, for readers. */
  String kind();

  /** The number of runs. */
  int count();

  /** The unit of a metric. */
  String unit(String metric);

  /** A value of a metric as text, without the unit. */
  String text(String metric, double value);

  /**
   * Points of an experiment.
   *
   * @param definition the experiment, with only the points that the claim needs
   */
  record OfExperiment(Definition definition) implements ClaimRuns {
    @Override
    public String name() {
      return definition.name();
    }

    @Override
    public String kind() {
      List<String> ways =
          definition.points().stream()
              .map(point -> point.way() == Way.SIMULATED ? "virtual time" : point.way().toString())
              .distinct()
              .toList();
      return String.join(" and ", ways);
    }

    @Override
    public int count() {
      return definition.points().size() * definition.rounds();
    }

    @Override
    public String unit(String metric) {
      return RunMetric.named(metric).unit();
    }

    @Override
    public String text(String metric, double value) {
      return RunMetric.named(metric).text(value);
    }

    /** The minutes of warm-ups, windows and starts. Virtual time may take far longer. */
    double plannedMinutes() {
      return TimePlan.seconds(definition) / 60;
    }
  }

  /**
   * A measurement of windows, as by {@code morty windows} with its default options.
   *
   * @param systems the systems
   * @param seconds the measured virtual seconds
   */
  record OfWindows(List<String> systems, double seconds) implements ClaimRuns {
    /** Copies the list. */
    public OfWindows {
      systems = List.copyOf(systems);
    }

    @Override
    public String name() {
      return "windows";
    }

    @Override
    public String kind() {
      return "windows";
    }

    @Override
    public int count() {
      return systems.size();
    }

    @Override
    public String unit(String metric) {
      return WindowsMetric.named(metric).unit();
    }

    @Override
    public String text(String metric, double value) {
      return ClaimFigure.number(value);
    }
  }
}
