package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.cli.CommandLines.morty;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code morty completion}, as bash uses it. */
final class CompletionCommandTest {
  @TempDir Path folder;

  @BeforeEach
  void bashIsThere() {
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/bin/bash")), "there is no /bin/bash on this machine");
  }

  /** What bash offers for a line whose last word is being typed. */
  private List<String> offered(String... words) throws IOException, InterruptedException {
    Path script = Files.writeString(folder.resolve("morty"), morty("completion", "bash").out());
    String test =
        "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_morty; printf '%%s\\n' ${COMPREPLY[@]}"
            .formatted(script, String.join(" ", words), words.length - 1);
    Process bash = new ProcessBuilder("/bin/bash", "--norc", "-c", test).start();
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).isZero();
    return out.lines().map(String::strip).toList();
  }

  @Test
  void commandsOptionsAndTheirValuesAreOffered() throws Exception {
    assertThat(offered("bin/morty", "sta")).containsExactly("status");
    assertThat(offered("morty", "''")).contains("shell", "status", "verify", "server");
    assertThat(offered("morty", "status", "--o")).containsExactly("--output");
    assertThat(offered("morty", "shell", "--output", "''")).containsExactly("text", "json");
    assertThat(offered("morty", "verify", "run")).containsExactly("running");
  }

  @Test
  void bothWaysToCallItAreKnown() throws Exception {
    Path script = Files.writeString(folder.resolve("morty"), morty("completion").out());
    Process bash =
        new ProcessBuilder(
                "/bin/bash", "--norc", "-c", "source " + script + "; complete -p morty bin/morty")
            .start();
    assertThat(bash.waitFor()).isZero();
  }

  @Test
  void zshTakesTheSameScript() throws Exception {
    Assumptions.assumeTrue(
        Stream.of("/bin/zsh", "/usr/bin/zsh").map(Path::of).anyMatch(Files::isExecutable),
        "there is no zsh on this machine");
    Path script = Files.writeString(folder.resolve("morty"), morty("completion", "zsh").out());
    Process zsh =
        new ProcessBuilder(
                "zsh",
                "-f",
                "-c",
                "source " + script + "; print ${_comps[morty]} ${_comps[bin/morty]}")
            .redirectErrorStream(true)
            .start();
    String out = new String(zsh.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(zsh.waitFor()).as(out).isZero();
    assertThat(out.split("_complete_morty", -1)).as(out).hasSize(3);
  }
}
