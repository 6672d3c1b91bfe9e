package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.Client;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;

@MortyCluster
class VisitsTest {

  @Test
  void visitsAtTheSameTimeAllCount(Client client) throws InterruptedException {
    Visits visits = new Visits(client);
    List<Thread> visitors = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      visitors.add(Thread.ofVirtual().start(() -> visits.count("alice")));
    }
    for (Thread visitor : visitors) {
      visitor.join();
    }
    assertEquals(21, visits.count("alice"));
  }

  @Test
  void theProgramGreets(EmbeddedCluster cluster, @TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("cluster.conf"), cluster.configuration());
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      Hello.main(new String[] {file.toString(), "region-2"});
    } finally {
      System.setOut(console);
    }
    assertEquals("Hello, world, visit 1", printed.toString(StandardCharsets.UTF_8).strip());
  }
}
