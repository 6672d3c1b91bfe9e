package org.mortydb.experiments.runs;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The mark that the runs of some claims or of an experiment are made again: a file with their names
 * and the time of the start. Records since then stand, and older ones are replaced. The mark stays
 * until {@link #end}, so that another start for the same names goes on where a kill has ended this
 * one.
 */
public final class Again {
  /** The name of the file. */
  public static final String FILE = "again.json";

  private static final String SINCE = "since";
  private static final String OF = "of";
  private static final JsonMapper MAPPER = new JsonMapper();

  private final Path file;
  private final Instant since;
  private final boolean continues;

  private Again(Path file, Instant since, boolean continues) {
    this.file = file;
    this.since = since;
    this.continues = continues;
  }

  /**
   * Goes on from the mark of the same names, or begins anew and replaces a mark of others.
   *
   * @param folder the folder of the records
   * @param of the names of the claims; or the name of the experiment, and what else tells its runs
   *     from others
   * @throws UncheckedIOException if the mark cannot be written
   */
  public static Again begin(Path folder, Collection<String> of, Clock clock) {
    Path file = folder.resolve(FILE);
    List<String> names = of.stream().sorted().distinct().toList();
    Optional<Instant> before = find(file, names);
    if (before.isPresent()) {
      return new Again(file, before.get(), true);
    }
    // Records tell the second in which they were made. Those of this second may be older.
    Instant since = clock.instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    ObjectNode mark = MAPPER.createObjectNode().put(SINCE, since.toString());
    names.forEach(mark.putArray(OF)::add);
    WholeFile.write(file, MAPPER.writeValueAsString(mark));
    return new Again(file, since, false);
  }

  private static Optional<Instant> find(Path file, List<String> wanted) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      JsonNode mark = MAPPER.readTree(file);
      List<String> names = new ArrayList<>();
      mark.path(OF).forEach(name -> names.add(name.asString("")));
      return names.equals(wanted)
          ? Optional.of(Instant.parse(mark.path(SINCE).asString("")))
          : Optional.empty();
    } catch (JacksonException | DateTimeException e) {
      return Optional.empty(); // cut short, or of somebody else: all runs are made again
    }
  }

  /** Its file. */
  public Path file() {
    return file;
  }

  /** The time since which records stand. Up to a second in the future, when it begins. */
  public Instant since() {
    return since;
  }

  /**
   * Waits until it begins, so that no run ends before: its record would count as old. Says so if it
   * goes on from an earlier start.
   *
   * @param err receives the message
   */
  public void await(PrintWriter err) throws InterruptedException {
    if (continues) {
      err.printf(
          "morty: goes on with --again: records since %s stand; delete %s to begin anew%n",
          since, file);
      err.flush();
    }
    long millis = Duration.between(Instant.now(), since).toMillis();
    if (millis >= 0) {
      Thread.sleep(millis + 1);
    }
  }

  /** Whether an earlier start has begun it. */
  public boolean continues() {
    return continues;
  }

  /** Whether a record was made since the start. */
  public boolean stands(JsonNode record) {
    String time = record.path(Provenance.ENVIRONMENT).path("time").asString("");
    try {
      return !Instant.parse(time).isBefore(since);
    } catch (DateTimeException e) {
      return false;
    }
  }

  /**
   * All runs are made: the next start makes them all once more.
   *
   * @throws UncheckedIOException if the mark cannot be deleted
   */
  public void end() {
    WholeFile.delete(file);
  }
}
