package org.mortydb.ycsb;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets a run fail. YCSB's client ends with exit code 0 whatever a binding or a workload reports; so
 * the code is changed on the way out, when the measurements are written.
 */
final class ExitCode {
  private static final int FAILED = 1;
  private static final AtomicReference<@Nullable String> REASON = new AtomicReference<>();

  private ExitCode() {}

  /** Has the process end with exit code 1 and this sentence; the first one counts. */
  static void fail(String reason) {
    if (REASON.compareAndSet(null, Objects.requireNonNull(reason))) {
      Runtime.getRuntime().addShutdownHook(new Thread(ExitCode::halt, "morty-exit-code"));
    }
  }

  private static void halt() {
    System.out.flush();
    System.err.println("morty: " + REASON.get());
    System.err.flush();
    Runtime.getRuntime().halt(FAILED);
  }
}
