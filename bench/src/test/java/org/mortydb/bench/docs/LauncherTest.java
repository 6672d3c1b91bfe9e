package org.mortydb.bench.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/morty}, in a checkout that has been built and has next to nothing in it. */
final class LauncherTest {
  @TempDir Path checkout;

  @BeforeEach
  void copyIt() throws IOException {
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/env")), "this system has no /usr/bin/env");
    Path script = Documents.root().resolve("bin/morty");
    Files.copy(script, Files.createDirectory(checkout.resolve("bin")).resolve("morty"));
    assertThat(checkout.resolve("bin/morty").toFile().setExecutable(true)).isTrue();
    Files.createFile(checkout.resolve("pom.xml"));
    Files.createDirectories(checkout.resolve("bench/src/main"));
    Files.createFile(checkout.resolve("bench/pom.xml"));
    Path jars = Files.createDirectories(checkout.resolve("bench/target/dist/lib"));
    Files.createFile(jars.resolve("built-from"));
  }

  private String morty(String... args) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(checkout.resolve("bin/morty").toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out;
  }

  @Test
  void startsProgramsWithItsJdkAndClassPath() throws Exception {
    Path program =
        Files.writeString(
            checkout.resolve("Shown.java"),
            """
            void main(String[] args) {
              IO.println(String.join(",", args));
              IO.println(System.getProperty("java.class.path"));
              IO.println(System.getProperty("java.home"));
            }
            """);
    assertThat(morty("java", program.toString(), "one", "two words").lines())
        .containsExactly(
            "one,two words",
            checkout.toRealPath().resolve("bench/target/dist/lib") + "/*",
            System.getProperty("java.home"));
  }
}
