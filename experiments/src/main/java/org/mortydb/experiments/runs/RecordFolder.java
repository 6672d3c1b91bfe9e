package org.mortydb.experiments.runs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mortydb.experiments.plan.Coordinates;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.Point;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A folder with a record file for each point and round. */
public final class RecordFolder {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final String ENDING = ".json";
  private static final String WAY_OUT = "; delete it to run its point again";
  private static final int HASH_DIGITS = 10;
  private static final int MOST_OF_NAME = 40;

  private final Path folder;

  /** A folder. The first record creates it. */
  public RecordFolder(Path folder) {
    this.folder = folder;
  }

  /** Its path. */
  public Path path() {
    return folder;
  }

  /** The file of a point and round. Its name does not depend on times. */
  public Path file(Step step) {
    Point point = step.point();
    String label = point.label();
    String name =
        (label == null ? point.workload().name() : label)
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9.]+", "-");
    return folder.resolve(
        "%s-%s-%s-r%d%s"
            .formatted(
                name.substring(0, Math.min(name.length(), MOST_OF_NAME)),
                point.system(),
                hash(point),
                step.round(),
                ENDING));
  }

  private static String hash(Point point) {
    TreeMap<String, String> coordinates = new TreeMap<>();
    point.coordinates().forEach((name, value) -> coordinates.put(name, Coordinates.text(value)));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(coordinates.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * The record of a point and round, if there is one.
   *
   * @throws UncheckedIOException if it cannot be read
   */
  public Optional<ObjectNode> find(Step step) {
    Path file = file(step);
    return Files.exists(file) ? Optional.of(read(file)) : Optional.empty();
  }

  /** Whether a point and round has the record of a measurement. */
  public boolean hasMeasured(Step step) {
    return find(step).filter(PointRecord::isMeasured).isPresent();
  }

  /**
   * How long the last measurement of a point took, in seconds: that of this round, or else that of
   * the first round.
   *
   * @return empty without a record that says so
   */
  public OptionalDouble took(Step step) {
    return IntStream.of(step.round(), 1)
        .mapToObj(round -> find(new Step(step.point(), round)))
        .flatMap(Optional::stream)
        .filter(PointRecord::isMeasured)
        .mapToDouble(record -> record.path(PointRecord.TOOK_SECONDS).asDouble(0))
        .filter(seconds -> seconds > 0)
        .findFirst();
  }

  /**
   * Writes or replaces the record of a point and round, atomically.
   *
   * @throws UncheckedIOException if it cannot be written
   */
  public void write(Step step, ObjectNode record) {
    Path file = file(step);
    try {
      WholeFile.write(file, MAPPER.writeValueAsString(record));
    } catch (JacksonException e) {
      throw cannot("write", file, e.getOriginalMessage(), e);
    }
  }

  /**
   * Deletes the record of a point and round, if there is one.
   *
   * @throws UncheckedIOException if that fails
   */
  public void delete(Step step) {
    WholeFile.delete(file(step));
  }

  /**
   * All records in a folder and its subfolders, in the order of their names. Files without the name
   * of an experiment are ignored.
   *
   * @throws UncheckedIOException if a file cannot be read
   */
  public static List<ObjectNode> readAll(Path folder) {
    List<ObjectNode> records = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(one -> one.toString().endsWith(ENDING)).sorted().toList()) {
        JsonNode node = readTree(file);
        if (node instanceof ObjectNode record && record.has(PointRecord.EXPERIMENT)) {
          records.add(record);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder + ": " + e, e);
    }
    return records;
  }

  private static ObjectNode read(Path file) {
    if (readTree(file) instanceof ObjectNode record) {
      return record;
    }
    throw new UncheckedIOException(file + " is not a record" + WAY_OUT, new IOException());
  }

  private static JsonNode readTree(Path file) {
    try {
      return MAPPER.readTree(file);
    } catch (JacksonException e) {
      throw cannot("read", file, e.getOriginalMessage() + WAY_OUT, e);
    }
  }

  private static UncheckedIOException cannot(
      String verb, Path file, String why, JacksonException e) {
    return new UncheckedIOException(
        "cannot %s %s: %s".formatted(verb, file, why), new IOException(e));
  }
}
