package org.mortydb.experiments.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.cli.SimulationOptions;
import org.mortydb.bench.figure.FigureFailedException;
import org.mortydb.bench.fleet.AgentsFile;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.experiments.figure.Figures;
import org.mortydb.experiments.figure.Measured;
import org.mortydb.experiments.figure.Picture;
import org.mortydb.experiments.figure.Results;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.DefinitionFile;
import org.mortydb.experiments.plan.FigureSpec;
import org.mortydb.experiments.plan.InvalidDefinitionException;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.DeployedPointRunner;
import org.mortydb.experiments.runs.ExperimentRunner.Outcome;
import org.mortydb.experiments.runs.PointRunner;
import org.mortydb.experiments.runs.RealPointRunner;
import org.mortydb.experiments.runs.SimulatedPointRunner;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The common parts of commands that run experiments. */
final class ExperimentFiles {
  private ExperimentFiles() {}

  /**
   * Reads a definition, and checks that its figures can be drawn.
   *
   * @throws ParameterException if it is wrong
   */
  static Definition read(Path file, CommandLine command) {
    try {
      Definition definition = DefinitionFile.read(file);
      Figures.check(definition);
      return definition;
    } catch (InvalidDefinitionException | IllegalArgumentException e) {
      throw new ParameterException(command, e.getMessage(), e);
    }
  }

  /** The runners of points on this machine. */
  static Map<Way, PointRunner> runners(Path disk) {
    return runners(disk, null);
  }

  /**
   * The runners of points.
   *
   * @param agents the agents of deployed points; null for none
   */
  static Map<Way, PointRunner> runners(Path disk, @Nullable AgentsFile agents) {
    Map<Way, PointRunner> runners = new EnumMap<>(Way.class);
    runners.put(Way.REAL, new RealPointRunner(disk));
    runners.put(Way.SIMULATED, new SimulatedPointRunner(new SimulationOptions()::calibration));
    if (agents != null) {
      runners.put(Way.DEPLOYED, new DeployedPointRunner(agents));
    }
    return runners;
  }

  /**
   * Draws the figures of an experiment as files.
   *
   * @return the files
   * @throws FailedException if that fails
   */
  static List<Path> draw(Definition definition, List<Measured> points, Path folder) {
    List<Path> files = new ArrayList<>();
    try {
      for (FigureSpec figure : definition.figures()) {
        for (Picture picture : Figures.draw(definition.name(), figure, points)) {
          Files.createDirectories(folder);
          Path file = folder.resolve(picture.name() + ".svg");
          Files.writeString(file, picture.svg());
          files.add(file);
        }
      }
    } catch (IOException e) {
      throw new FailedException("cannot write figures to " + folder + ": " + e.getMessage(), e);
    } catch (FigureFailedException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
    return files;
  }

  /** Reports failures and violations, and returns the exit code. */
  static int report(Outcome outcome, PrintWriter err) {
    outcome.failures().forEach(failure -> err.println("morty: a point failed: " + failure));
    outcome
        .violations()
        .forEach(point -> err.println("morty: a check found a violation: " + point));
    err.flush();
    return !outcome.violations().isEmpty()
        ? ExitCode.VIOLATION
        : outcome.failures().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** The records in a folder. */
  static Results results(Path folder) {
    return Files.isDirectory(folder) ? Results.in(List.of(folder)) : new Results(List.of());
  }
}
