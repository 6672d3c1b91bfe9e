package org.mortydb.experiments.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.experiments.plan.Definition;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.experiments.plan.DefinitionFile;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a folder of records has after a run that was cut short. */
final class RecordFolderTest {
  private static final Definition DEFINITION =
      DefinitionFile.parse(
          "x.yaml",
          """
          name: x
          title: X
          rounds: 3
          points: {system: morty, workload: retwis}
          """);

  @TempDir Path path;

  private static Step round(int number) {
    return DEFINITION.steps().stream()
        .filter(step -> step.round() == number)
        .findFirst()
        .orElseThrow();
  }

  private static ObjectNode measured(double tookSeconds) {
    return new ObjectMapper()
        .createObjectNode()
        .put(PointRecord.EXPERIMENT, "x")
        .put(PointRecord.STATUS, PointRecord.MEASURED)
        .put(PointRecord.TOOK_SECONDS, tookSeconds);
  }

  /** Fails while it is written. */
  public static final class Unwritable {
    public String getText() {
      throw new IllegalStateException("the disk is full");
    }
  }

  @Test
  void aRecordThatIsNotWrittenToItsEndReplacesNothing() {
    RecordFolder records = new RecordFolder(path);
    records.write(round(1), measured(7));
    ObjectNode broken = measured(8).putPOJO("broken", new Unwritable());
    assertThatThrownBy(() -> records.write(round(1), broken))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(records.find(round(1))).contains(measured(7));
    assertThatThrownBy(() -> records.write(round(2), broken))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(records.find(round(2))).isEmpty();
    assertThat(RecordFolder.readAll(path)).containsExactly(measured(7));
  }

  @Test
  void aRecordThatWasCutShortIsNamedWithTheWayOut() throws IOException {
    RecordFolder records = new RecordFolder(path);
    records.write(round(1), measured(7));
    Path file = records.file(round(1));
    Files.writeString(file, Files.readString(file).substring(0, 30));
    assertThatThrownBy(() -> records.find(round(1)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContainingAll("cannot read " + file, "delete it to run its point again");
    assertThatThrownBy(() -> RecordFolder.readAll(path))
        .hasMessageContainingAll("cannot read " + file, "delete it to run its point again");
  }

  @Test
  void aRoundTakesAsLongAsBeforeOrAsTheFirst() {
    RecordFolder records = new RecordFolder(path);
    assertThat(records.took(round(2))).isEmpty();
    records.write(round(1), measured(7));
    records.write(round(2), measured(9));
    assertThat(records.took(round(1))).hasValue(7);
    assertThat(records.took(round(2))).hasValue(9);
    assertThat(records.took(round(3))).hasValue(7);
  }
}
