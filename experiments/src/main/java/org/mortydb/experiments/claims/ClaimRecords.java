package org.mortydb.experiments.claims;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.runs.RecordFolder;
import org.mortydb.experiments.runs.WholeFile;
import org.mortydb.experiments.windows.WindowsRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The folder with the records of all claims: a folder for each experiment. Claims share the records
 * of points that they have in common.
 */
public final class ClaimRecords {
  private static final String DAMAGED = ".damaged";
  private static final String SECONDS = "seconds";

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final Path folder;

  /** A folder, which need not exist. */
  public ClaimRecords(Path folder) {
    this.folder = folder;
  }

  /** Its path. */
  public Path path() {
    return folder;
  }

  RecordFolder of(Definition definition) {
    return new RecordFolder(folder.resolve(definition.name()));
  }

  /**
   * The records of the points of an experiment, without those of other points.
   *
   * @throws UncheckedIOException if one cannot be read
   */
  List<ObjectNode> records(Definition definition) {
    List<ObjectNode> records = new ArrayList<>();
    for (Step step : definition.steps()) {
      of(definition).find(step).ifPresent(records::add);
    }
    return records;
  }

  /**
   * Renames the files of a claim that are not JSON, such as those that a loss of power has cut
   * short, so that their points run again.
   *
   * @return the files, with their old names
   * @throws UncheckedIOException if one cannot be renamed
   */
  public List<Path> setAsideDamaged(Claim claim) {
    List<Path> damaged = new ArrayList<>();
    for (Path file : files(claim)) {
      if (Files.exists(file) && !isObject(file)) {
        try {
          Files.move(
              file,
              file.resolveSibling(file.getFileName() + DAMAGED),
              StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
          throw new UncheckedIOException("cannot rename " + file + ": " + e, e);
        }
        damaged.add(file);
      }
    }
    return damaged;
  }

  private static boolean isObject(Path file) {
    try {
      return MAPPER.readTree(file).isObject();
    } catch (JacksonException e) {
      return false;
    }
  }

  private List<Path> files(Claim claim) {
    return switch (claim.runs()) {
      case ClaimRuns.OfExperiment(Definition definition) ->
          definition.steps().stream().map(step -> of(definition).file(step)).toList();
      case ClaimRuns.OfWindows runs -> List.of(file(runs));
    };
  }

  private Path file(ClaimRuns.OfWindows runs) {
    return folder.resolve(runs.name()).resolve("windows.json");
  }

  /**
   * The record of windows.
   *
   * @return empty if there is none, or one of other systems or another length
   * @throws UncheckedIOException if it cannot be read
   */
  public Optional<WindowsRecord> windows(ClaimRuns.OfWindows runs) {
    Path file = file(runs);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    WindowsRecord record;
    try {
      record = MAPPER.readValue(file, WindowsRecord.class);
    } catch (JacksonException e) {
      throw new UncheckedIOException(
          "cannot read %s: %s; delete it to measure windows again"
              .formatted(file, e.getOriginalMessage()),
          new IOException(e));
    }
    @Nullable Object seconds = record.settings().get(SECONDS);
    boolean same =
        seconds instanceof Number number
            && number.doubleValue() == runs.seconds()
            && runs.systems().stream().allMatch(system -> record.system(system).isPresent());
    return same ? Optional.of(record) : Optional.empty();
  }

  /**
   * Writes a record of windows, atomically.
   *
   * @throws UncheckedIOException if that fails
   */
  public void write(ClaimRuns.OfWindows runs, WindowsRecord record) {
    WholeFile.write(file(runs), MAPPER.writeValueAsString(record));
  }
}
