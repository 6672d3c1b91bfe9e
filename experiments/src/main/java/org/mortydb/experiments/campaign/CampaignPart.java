package org.mortydb.experiments.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.Way;
import org.mortydb.experiments.runs.Again;
import org.mortydb.experiments.runs.PointRecord;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.runs.TimePlan;
import tools.jackson.databind.node.ObjectNode;

/**
 * An experiment of a campaign.
 *
 * @param definition the experiment
 * @param folder the folder with its records
 * @param open the runs without a record that stands, in their order
 * @param stray the files with records of points that the definition does not have
 * @param seconds the approximate duration of the open runs
 */
public record CampaignPart(
    Definition definition, RecordFolder folder, List<Step> open, List<Path> stray, double seconds) {

  /** Copies the lists. */
  public CampaignPart {
    open = List.copyOf(open);
    stray = List.copyOf(stray);
  }

  /**
   * What an experiment lacks.
   *
   * @param stands whether a record of a measurement may stand
   * @throws UncheckedIOException if a record cannot be read
   */
  public static CampaignPart of(
      Definition definition, RecordFolder folder, Predicate<ObjectNode> stands) {
    List<Step> open =
        definition.steps().stream()
            .filter(
                step -> folder.find(step).filter(PointRecord::isMeasured).filter(stands).isEmpty())
            .toList();
    double seconds = TimePlan.seconds(definition, Set.copyOf(open)::contains, folder::took);
    return new CampaignPart(definition, folder, open, stray(definition, folder), seconds);
  }

  private static List<Path> stray(Definition definition, RecordFolder folder) {
    if (!Files.isDirectory(folder.path())) {
      return List.of();
    }
    Set<Path> known = definition.steps().stream().map(folder::file).collect(Collectors.toSet());
    known.add(folder.path().resolve(Again.FILE));
    try (Stream<Path> files = Files.list(folder.path())) {
      return files
          .filter(file -> file.toString().endsWith(".json") && !known.contains(file))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder.path() + ": " + e, e);
    }
  }

  /** Whether an open run is of a way. */
  public boolean needs(Way way) {
    return open.stream().anyMatch(step -> step.point().way() == way);
  }
}
