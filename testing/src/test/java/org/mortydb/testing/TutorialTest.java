package org.mortydb.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial shows code that exists, and its commands print what it says. */
class TutorialTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PROGRAMS = ROOT.resolve("examples/tutorial");
  private static final long LIMIT_SECONDS = 120;

  private static final Pattern CODE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern COMMAND =
      Pattern.compile(
          "```sh\nbin/morty java (examples/tutorial/\\w+\\.java)([ \\w]*)\n```\n+It prints:\n+"
              + "```text\n(.*?)```",
          Pattern.DOTALL);

  private static String tutorial() throws IOException {
    return Files.readString(ROOT.resolve("docs/tutorial.md"));
  }

  @Test
  void showsCodeThatExists() throws IOException {
    List<String> programs = new ArrayList<>();
    try (var files = Files.list(PROGRAMS)) {
      for (Path file : files.toList()) {
        programs.add(Files.readString(file));
      }
    }
    Matcher code = CODE.matcher(tutorial());
    int blocks = 0;
    for (; code.find(); blocks++) {
      String shown = code.group(1);
      assertThat(programs).as(shown).anyMatch(program -> program.contains(shown));
    }
    assertThat(blocks).isEqualTo(5);
  }

  @Test
  void itsProgramsPrintWhatItSays(@TempDir Path folder) throws IOException, InterruptedException {
    Matcher command = COMMAND.matcher(tutorial());
    int commands = 0;
    for (; command.find(); commands++) {
      List<String> arguments = List.of(command.group(2).strip().split(" "));
      assertThat(output(folder, command.group(1), arguments))
          .as(command.group(1) + " " + arguments)
          .isEqualTo(command.group(3));
    }
    assertThat(commands).isEqualTo(3);
  }

  private static String output(Path folder, String program, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program));
    arguments.stream().filter(argument -> !argument.isEmpty()).forEach(command::add);
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new AssertionError(program + " does not end:\n" + Files.readString(output));
    }
    return Files.readString(output);
  }
}
