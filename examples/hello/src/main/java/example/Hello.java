package example;

import java.nio.file.Path;
import org.mortydb.client.Client;
import org.mortydb.client.net.MortyClient;

/** Greets the world and counts the greetings in a cluster. */
public final class Hello {
  private Hello() {}

  /** Takes the configuration file and the region of this client. */
  public static void main(String[] args) throws Exception {
    try (Client client = MortyClient.connect(Path.of(args[0]), args[1])) {
      System.out.println("Hello, world, visit " + new Visits(client).count("world"));
    }
  }
}
