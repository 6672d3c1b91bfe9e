package org.mortydb.bench.experiment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.mortydb.cli.Checkout;
import org.mortydb.cli.FailedException;

/**
 * The git repository of a checkout, read with the program {@code git}. Nothing is written. All
 * methods throw {@link FailedException} if git is missing or fails.
 */
public final class GitRepository {
  private static final long TIMEOUT_SECONDS = 60;

  /** Variables that would lead git to another repository, as within its hooks. */
  private static final List<String> MISLEADING =
      List.of("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX");

  private final Path root;

  private GitRepository(Path root) {
    this.root = root;
  }

  /**
   * The repository of the checkout that the program was started from.
   *
   * @throws FailedException if there is none
   */
  public static GitRepository ofCheckout() {
    Path experiments =
        Checkout.find("paper/experiments")
            .orElseThrow(() -> new FailedException("no checkout at " + Checkout.start()));
    return at(experiments.resolve("../..").normalize());
  }

  /**
   * The repository whose work tree is a folder. A repository around the folder does not count,
   * because an archive may be unpacked in one.
   *
   * @throws FailedException if the folder is none
   */
  public static GitRepository at(Path root) {
    if (!Files.exists(root.resolve(".git"))) {
      throw new FailedException(root + " is not a git repository, such as an unpacked archive");
    }
    return new GitRepository(root);
  }

  /** The folder of its checked-out files. */
  public Path root() {
    return root;
  }

  /** The commit that is checked out, in hexadecimal. */
  public String head() {
    return succeed("rev-parse", "--verify", "HEAD").strip();
  }

  /**
   * Whether files differ from the commit that is checked out, or are new.
   *
   * @param paths pathspecs of git
   */
  public boolean isDirty(List<String> paths) {
    return !succeed(with(List.of("status", "--porcelain", "--untracked-files=all"), paths))
        .isBlank();
  }

  /**
   * Whether the repository has a commit.
   *
   * @param commit in hexadecimal
   */
  public boolean has(String commit) {
    return run(List.of("cat-file", "-e", commit + "^{commit}")).code == 0;
  }

  /** Whether it lacks the older commits. */
  public boolean isShallow() {
    return succeed("rev-parse", "--is-shallow-repository").strip().equals("true");
  }

  /**
   * The number of commits that touch some files and belong to the history of only one of two
   * commits. If one is an ancestor of the other, these are the commits between them.
   *
   * @param commit in hexadecimal; the repository has it
   * @param other likewise
   * @param paths pathspecs of git
   */
  public int commitsBetween(String commit, String other, List<String> paths) {
    String count =
        succeed(with(List.of("rev-list", "--count", commit + "..." + other), paths)).strip();
    return Integer.parseInt(count);
  }

  private static String[] with(List<String> arguments, List<String> paths) {
    List<String> all = new ArrayList<>(arguments);
    all.add("--");
    all.addAll(paths);
    return all.toArray(String[]::new);
  }

  private record Result(int code, String out, String err) {}

  private String succeed(String... arguments) {
    Result result = run(List.of(arguments));
    if (result.code != 0) {
      throw new FailedException(
          "'git %s' in %s failed: %s".formatted(arguments[0], root, result.err.strip()));
    }
    return result.out;
  }

  private Result run(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("git", "--no-optional-locks"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
    Map<String, String> environment = builder.environment();
    MISLEADING.forEach(environment::remove);
    environment.put("LC_ALL", "C");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      CompletableFuture<String> out = read(process.getInputStream());
      CompletableFuture<String> err = read(process.getErrorStream());
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new FailedException(
            "'git %s' in %s took more than %d s"
                .formatted(arguments.getFirst(), root, TIMEOUT_SECONDS));
      }
      return new Result(process.exitValue(), out.join(), err.join());
    } catch (IOException e) {
      throw new FailedException("cannot run git: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted while git ran in " + root, e);
    }
  }

  private static CompletableFuture<String> read(InputStream stream) {
    CompletableFuture<String> text = new CompletableFuture<>();
    Thread.startVirtualThread(
        () -> {
          try (stream) {
            text.complete(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
          } catch (IOException e) {
            text.complete("");
          }
        });
    return text;
  }
}
