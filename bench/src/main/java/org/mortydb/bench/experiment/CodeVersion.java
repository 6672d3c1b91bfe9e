package org.mortydb.bench.experiment;

import java.util.List;
import java.util.Optional;
import org.mortydb.cli.FailedException;

/**
 * The version of the code that runs.
 *
 * @param commit the commit that is checked out, in hexadecimal
 * @param dirty whether the code differs from that commit
 */
public record CodeVersion(String commit, boolean dirty) {
  /**
   * All that {@code bin/morty} builds, the options of servers, and the processor costs of virtual
   * time. Records are no code.
   */
  private static final List<String> CODE =
      List.of(
          ":(glob)pom.xml",
          ":(glob)*/pom.xml",
          ":(glob)*/src/main/**",
          "support/server.jvm",
          "paper/calibration");

  /** The version of this process, determined once. */
  private static final class Own {
    private static final Optional<CodeVersion> VERSION = find();

    private Own() {}

    private static Optional<CodeVersion> find() {
      try {
        return Optional.of(of(GitRepository.ofCheckout()));
      } catch (FailedException e) {
        return Optional.empty();
      }
    }
  }

  /** The version that a repository has checked out. */
  public static CodeVersion of(GitRepository repository) {
    return new CodeVersion(repository.head(), repository.isDirty(CODE));
  }

  /**
   * The version that this process was started from. The first call determines it, so it belongs at
   * the beginning of a run: the checkout may change meanwhile.
   *
   * @return empty outside of a git repository
   */
  public static Optional<CodeVersion> ofThisProcess() {
    return Own.VERSION;
  }
}
