package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.testing.OperatedCluster;

/** What commands write to standard error beside their own messages. */
@Timeout(60)
final class LoggingTest {
  @TempDir private Path folder;

  @Test
  void commandsWriteNoWarningsOfTheNetwork() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Main.class.getResource("/logback.xml"));
    assertThat(context.getLogger("io.netty.channel.AbstractChannel").getEffectiveLevel())
        .isEqualTo(Level.ERROR);
    assertThat(context.getLogger("org.mortydb.transport.LinkHandler").getEffectiveLevel())
        .isEqualTo(Level.ERROR);
    assertThat(context.getLogger("org.mortydb.server.PartitionHost").getEffectiveLevel())
        .isEqualTo(Level.WARN);
  }

  /** 'morty server' logs as 'morty-server' does. */
  @Test
  void aServerWritesItsLogInTheFormatThatIsAskedFor() throws Exception {
    String text = OperatedCluster.configuration(false, "server.durability = memory");
    Path config = Files.writeString(folder.resolve("cluster.conf"), text);
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "server",
            "--config",
            config.toString(),
            "--name",
            "us-1");
    builder.environment().put("MORTY_LOG_FORMAT", "json");
    Process process = builder.start();
    try (var errors = process.errorReader(StandardCharsets.UTF_8)) {
      assertThat(errors.readLine()).startsWith("{").contains("us-1");
    } finally {
      process.destroy();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
