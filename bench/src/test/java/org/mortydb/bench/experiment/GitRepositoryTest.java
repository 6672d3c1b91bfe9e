package org.mortydb.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.cli.FailedException;

/** Versions of code in real repositories. */
@Timeout(60)
final class GitRepositoryTest {
  private static final List<String> SERVER = List.of("server/src/main");

  @TempDir Path folder;

  private Path root;

  @BeforeEach
  void create() throws Exception {
    root = Files.createDirectory(folder.resolve("repository"));
    git(root, "init", "-q", "-b", "main");
    commit("server/src/main/A.java", "1");
  }

  private static void git(Path in, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=T", "-c", "user.email=t@example.org"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(in.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  private void write(String file, String content) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content);
  }

  /** Commits a file, and returns the commit. */
  private String commit(String file, String content) throws Exception {
    write(file, content);
    git(root, "add", "-A");
    git(root, "commit", "-q", "-m", file + " " + content);
    return GitRepository.at(root).head();
  }

  @Test
  void onlyCommitsThatTouchTheCodeCount() throws Exception {
    GitRepository repository = GitRepository.at(root);
    String first = repository.head();
    assertThat(first).matches("[0-9a-f]{40}");
    commit("server/src/main/A.java", "2");
    commit("docs/page.md", "words");
    commit("server/src/test/ATest.java", "1");
    String last = commit("server/src/main/B.java", "1");
    assertThat(repository.commitsBetween(first, last, SERVER)).isEqualTo(2);
    assertThat(repository.commitsBetween(last, first, SERVER)).as("no direction").isEqualTo(2);
    assertThat(repository.commitsBetween(last, last, SERVER)).isZero();
    assertThat(repository.commitsBetween(first, last, List.of("no/such/folder"))).isZero();
  }

  @Test
  void commitsOfBothBranchesCount() throws Exception {
    GitRepository repository = GitRepository.at(root);
    git(root, "checkout", "-q", "-b", "other");
    String other = commit("server/src/main/A.java", "other");
    git(root, "checkout", "-q", "main");
    commit("server/src/main/A.java", "2");
    String main = commit("server/src/main/A.java", "3");
    assertThat(repository.commitsBetween(other, main, SERVER)).isEqualTo(3);
  }

  @Test
  void changedAndNewCodeIsDirtyButRecordsAreNot() throws Exception {
    GitRepository repository = GitRepository.at(root);
    assertThat(CodeVersion.of(repository)).isEqualTo(new CodeVersion(repository.head(), false));
    write("paper/records/x/a.json", "{}");
    write("server/src/test/ATest.java", "1");
    assertThat(CodeVersion.of(repository).dirty()).isFalse();
    write("server/src/main/New.java", "1");
    assertThat(CodeVersion.of(repository).dirty()).as("new").isTrue();
    Files.delete(root.resolve("server/src/main/New.java"));
    write("server/src/main/A.java", "changed");
    assertThat(CodeVersion.of(repository).dirty()).as("changed").isTrue();
    git(root, "add", "-A");
    assertThat(CodeVersion.of(repository).dirty()).as("staged").isTrue();
    git(root, "commit", "-q", "-m", "all");
    assertThat(CodeVersion.of(repository).dirty()).isFalse();
  }

  @Test
  void aShallowCloneLacksOlderCommits() throws Exception {
    String first = GitRepository.at(root).head();
    commit("server/src/main/A.java", "2");
    git(folder, "clone", "-q", "--depth", "1", root.toUri().toString(), "shallow");
    GitRepository shallow = GitRepository.at(folder.resolve("shallow"));
    assertThat(shallow.isShallow()).isTrue();
    assertThat(shallow.has(first)).isFalse();
    assertThat(GitRepository.at(root).isShallow()).isFalse();
    assertThat(GitRepository.at(root).has(first)).isTrue();
    assertThat(GitRepository.at(root).has("f".repeat(40))).isFalse();
  }

  @Test
  void anUnpackedArchiveWithinARepositoryHasNoCommit() throws Exception {
    Path archive = Files.createDirectories(root.resolve("morty-0.1.0"));
    assertThatThrownBy(() -> GitRepository.at(archive))
        .isInstanceOf(FailedException.class)
        .hasMessageContaining(archive.toString());
  }

  @Test
  void failuresOfGitAreExplained() throws Exception {
    Path broken = Files.createDirectory(folder.resolve("broken"));
    Files.writeString(broken.resolve(".git"), "nothing");
    GitRepository repository = GitRepository.at(broken);
    assertThatThrownBy(repository::head)
        .isInstanceOf(FailedException.class)
        .hasMessageContaining("'git rev-parse' in " + broken);
    git(folder, "init", "-q", "empty");
    GitRepository empty = GitRepository.at(folder.resolve("empty"));
    assertThatThrownBy(() -> CodeVersion.of(empty)).isInstanceOf(FailedException.class);
  }

  @Test
  void thisProcessNamesItsCommitInTheEnvironment() {
    assertThat(Environment.facts())
        .satisfies(
            facts ->
                assertThat(facts.get(Environment.COMMIT))
                    .isEqualTo(CodeVersion.ofThisProcess().map(CodeVersion::commit).orElse(null)));
  }
}
