package org.mortydb.experiments.claims;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.claims.ClaimFigure.Best;
import org.mortydb.experiments.claims.ClaimFigure.Direction;
import org.mortydb.experiments.claims.ClaimFigure.Expectation;
import org.mortydb.experiments.figure.RunMetric;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.DefinitionSection;
import org.mortydb.experiments.plan.InvalidDefinitionException;
import org.mortydb.experiments.plan.Point;
import org.mortydb.protocol.system.TransactionSystems;

/**
 * Reads claims in YAML. {@code paper/claims/README.md} describes the format. Unknown and missing
 * keys are errors, which name file, key and line.
 */
public final class ClaimFile {
  private static final String HELP = "; paper/claims/README.md describes the keys";
  private static final double MOST = 1e12;
  private static final int MOST_MINUTES = 100_000;
  private static final int MOST_CORES = 1_024;
  private static final int MOST_GIB = 1_000_000;
  private static final double MOST_SECONDS = 3_600;

  private final Path file;
  private final Path experiments;
  private final DefinitionSection top;

  private ClaimFile(Path file, Path experiments, DefinitionSection top) {
    this.file = file;
    this.experiments = experiments;
    this.top = top;
  }

  /**
   * Reads a claim.
   *
   * @param experiments the folder with the experiments that claims name
   * @throws InvalidDefinitionException if the claim or its experiment is wrong
   */
  public static Claim read(Path file, Path experiments) {
    DefinitionSection top = DefinitionSection.read(file);
    try {
      return new ClaimFile(file, experiments, top).claim();
    } catch (InvalidDefinitionException e) {
      throw new InvalidDefinitionException(e.getMessage() + HELP, e);
    }
  }

  /**
   * All claims in a folder, in the order of their names.
   *
   * @throws InvalidDefinitionException if one of them is wrong
   */
  public static List<Claim> readAll(Path folder, Path experiments) {
    return DefinitionFile.in(folder).stream()
        .map(one -> read(one, experiments))
        .sorted(Comparator.comparing(Claim::name))
        .toList();
  }

  private Claim claim() {
    String name = top.text("name");
    if (!(name + ".yaml").equals(String.valueOf(file.getFileName()))) {
      throw top.wrong("name", "must be the name of the file without .yaml, not '" + name + "'");
    }
    String remarks = top.optionalText("remarks");
    String title = top.text("title");
    String statement = top.text("statement").strip();
    int minutes = (int) Math.ceil(top.number("minutes", 0, MOST_MINUTES));
    Needs needs = needs();
    Map<String, String> where = coordinates(top, "where");
    String experiment = top.optionalText("experiment");
    DefinitionSection windows = top.section("windows");
    if ((experiment == null) == (windows == null)) {
      throw top.wrong("experiment", "give either 'experiment' or 'windows'");
    }
    @Nullable Definition all = experiment == null ? null : definition(experiment);
    List<ClaimFigure> figures = new ArrayList<>();
    for (DefinitionSection section : top.sections("figures")) {
      figures.add(figure(section, where, all));
    }
    ClaimRuns runs =
        all != null
            ? new ClaimRuns.OfExperiment(
                all.withPoints(
                    all.points().stream()
                        .filter(point -> figures.stream().anyMatch(one -> uses(one, point)))
                        .toList()))
            : new ClaimRuns.OfWindows(systems(figures), windowSeconds(windows));
    top.refuseOthers();
    return new Claim(
        name,
        title,
        statement,
        remarks == null ? "" : remarks.strip(),
        minutes,
        needs,
        runs,
        figures);
  }

  private Needs needs() {
    DefinitionSection section = top.requiredSection("needs");
    Integer heapGib = section.optionalWhole("heapGib", 1, MOST_GIB);
    Needs needs =
        new Needs(
            (int) section.number("cores", 1, MOST_CORES),
            (int) section.number("memoryGib", 1, MOST_GIB),
            heapGib == null ? 0 : heapGib,
            section.texts("files"));
    section.refuseOthers();
    return needs;
  }

  private static double windowSeconds(@Nullable DefinitionSection windows) {
    if (windows == null) {
      throw new IllegalStateException("neither an experiment nor windows");
    }
    double seconds = windows.number("seconds", 0.1, MOST_SECONDS);
    windows.refuseOthers();
    return seconds;
  }

  private Definition definition(String experiment) {
    Path found =
        experiment.endsWith(".yaml")
            ? file.resolveSibling(experiment)
            : experiments.resolve(experiment + ".yaml");
    if (!Files.isRegularFile(found)) {
      throw top.wrong("experiment", "no file " + found.normalize());
    }
    return DefinitionFile.read(found);
  }

  private static ClaimFigure figure(
      DefinitionSection section, Map<String, String> where, @Nullable Definition experiment) {
    List<String> metrics =
        experiment == null
            ? WindowsMetric.names()
            : Arrays.stream(RunMetric.values()).map(RunMetric::key).toList();
    String best =
        section.keys().contains("best") ? section.oneOf("best", List.of("max", "min")) : null;
    ClaimFigure figure =
        new ClaimFigure(
            section.text("name"),
            section.number("paper", -MOST, MOST),
            expectation(section),
            section.number("tolerance", 0, MOST),
            direction(section),
            section.oneOf("metric", metrics),
            selection(section, "of", where, experiment, best),
            section.keys().contains("to")
                ? selection(section, "to", where, experiment, best)
                : null,
            best == null ? null : best.equals("max") ? Best.MAX : Best.MIN);
    section.refuseOthers();
    Direction direction = figure.direction();
    if (direction != null && !direction.holds(figure.paper())) {
      throw section.wrong(
          "direction", "the paper's figure must be " + direction + ", but is " + figure.paper());
    }
    return figure;
  }

  private static Expectation expectation(DefinitionSection figure) {
    List<String> names = Arrays.stream(Expectation.values()).map(Expectation::toString).toList();
    return Expectation.values()[names.indexOf(figure.oneOf("expect", names))];
  }

  private static @Nullable Direction direction(DefinitionSection figure) {
    DefinitionSection section = figure.section("direction");
    if (section == null) {
      return null;
    }
    Double above = section.optionalNumber("above", -MOST, MOST);
    Double below = section.optionalNumber("below", -MOST, MOST);
    section.refuseOthers();
    if (above != null && below == null) {
      return new Direction(true, above);
    } else if (below != null && above == null) {
      return new Direction(false, below);
    }
    throw figure.wrong("direction", "give either {above: NUMBER} or {below: NUMBER}");
  }

  private static Map<String, String> coordinates(DefinitionSection parent, String key) {
    DefinitionSection section = parent.section(key);
    Map<String, String> wanted = new LinkedHashMap<>();
    if (section != null) {
      section.keys().forEach(name -> wanted.put(name, section.text(name)));
    }
    return wanted;
  }

  /** The coordinates of one side of a figure. They must have one point, or several with best. */
  private static Map<String, String> selection(
      DefinitionSection figure,
      String key,
      Map<String, String> where,
      @Nullable Definition experiment,
      @Nullable String best) {
    Map<String, String> wanted = new LinkedHashMap<>(where);
    wanted.putAll(coordinates(figure, key));
    if (experiment == null) {
      if (!wanted.keySet().equals(Set.of(Point.SYSTEM))
          || !TransactionSystems.names().contains(wanted.get(Point.SYSTEM))) {
        throw figure.wrong(
            key, "must be {system: NAME}; the systems are " + TransactionSystems.names());
      }
      return wanted;
    }
    Set<String> known = new LinkedHashSet<>();
    experiment.points().forEach(point -> known.addAll(point.coordinates().keySet()));
    for (String name : wanted.keySet()) {
      if (!known.contains(name)) {
        throw figure.wrong(
            key,
            "'" + name + "' is not a coordinate of " + experiment.name() + ": it has " + known);
      }
    }
    long count =
        experiment.points().stream()
            .filter(point -> Coordinates.match(point.coordinates(), wanted))
            .count();
    if (count == 0) {
      throw figure.wrong(key, experiment.name() + " has no point with " + wanted);
    }
    if (count > 1 && best == null) {
      throw figure.wrong(
          key,
          "%s has %d points with %s: name more coordinates, or add best: max"
              .formatted(experiment.name(), count, wanted));
    }
    return wanted;
  }

  private static boolean uses(ClaimFigure figure, Point point) {
    Map<String, String> to = figure.to();
    return Coordinates.match(point.coordinates(), figure.of())
        || (to != null && Coordinates.match(point.coordinates(), to));
  }

  private static List<String> systems(List<ClaimFigure> figures) {
    Set<String> systems = new LinkedHashSet<>();
    for (ClaimFigure figure : figures) {
      systems.add(figure.of().getOrDefault(Point.SYSTEM, ""));
      Map<String, String> to = figure.to();
      if (to != null) {
        systems.add(to.getOrDefault(Point.SYSTEM, ""));
      }
    }
    return List.copyOf(systems);
  }
}
