package org.mortydb.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.testing.EmbeddedCluster;
import org.mortydb.testing.MortyCluster;

/** What a person sees who types at a terminal. */
@Timeout(60)
@MortyCluster
final class ConversationTest {
  private static final String CTRL_D = "\u0004";

  @TempDir Path folder;

  /** Types keys at a terminal; returns what it shows, without colours and the like. */
  private static String converse(EmbeddedCluster cluster, String keys, Path history)
      throws IOException {
    ByteArrayOutputStream screen = new ByteArrayOutputStream();
    ByteArrayInputStream keyboard = new ByteArrayInputStream(keys.getBytes(StandardCharsets.UTF_8));
    try (Terminal terminal =
        new ExternalTerminal("test", "xterm", keyboard, screen, StandardCharsets.UTF_8)) {
      ShellOptions options = ShellOptions.of(cluster.config(), Duration.ofSeconds(30), true);
      new Shell(cluster.client(), options, false, false).converse(terminal, "shop", history);
    }
    return screen
        .toString(StandardCharsets.UTF_8)
        .replaceAll("\u001b\\[[0-9;?=>]*[A-Za-z]|\u001b[=>]", "");
  }

  @Test
  void statementsAreCompletedAndRemembered(EmbeddedCluster cluster) throws IOException {
    Path history = folder.resolve("history");
    String screen =
        converse(
            cluster,
            "put greeting hello\rge\tgree\t\r put secret x\rbegin\rrollback\rquit\r",
            history);
    assertThat(screen)
        .contains("shop> ", "get greeting", "greeting = hello", "shop*> ", "rolled back");
    assertThat(Files.readString(history))
        .contains("put greeting hello", "get greeting")
        .doesNotContain("secret");
  }

  @Test
  void quotationsGoOverLinesAndControlDEnds(EmbeddedCluster cluster) throws IOException {
    String screen =
        converse(
            cluster, "put c/a 'one\rtwo'\rget c/a\r" + CTRL_D + "put c/a 2\r", folder.resolve("h"));
    assertThat(screen).contains("c/a = \"one\\ntwo\"").doesNotContain("shop> put c/a 2");
  }
}
