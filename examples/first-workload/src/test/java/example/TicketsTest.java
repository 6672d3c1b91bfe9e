package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Main;

class TicketsTest {
  @TempDir Path folder;

  /** The exit code says that the history is serializable and that the condition holds. */
  @Test
  void aRunIsSerializableAndSellsEverySeatOnce() throws Exception {
    Path json = folder.resolve("run.json");
    int code =
        Main.execute(
            ("bench tickets --events 20 --seats 30 --clients 8 --warmup 0.5 --seconds 1 --json "
                    + json)
                .split(" "));
    assertEquals(ExitCode.OK, code);
    String record = Files.readString(json);
    assertTrue(record.contains("free seats + sold seats = seats of the event"), record);
    assertTrue(record.contains("\"checked\" : 20"), record);
  }

  @Test
  void aValueOutOfRangeIsRefused() {
    assertEquals(ExitCode.USAGE, Main.execute("bench", "tickets", "--events", "0"));
  }
}
