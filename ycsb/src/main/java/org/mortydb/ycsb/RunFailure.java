package org.mortydb.ycsb;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets a run fail. YCSB's client ends with exit code 0 regardless of failures, so a shutdown hook
 * changes the code after the measurements are written.
 */
final class RunFailure {
  private static final int FAILED = 1;
  private static final AtomicReference<@Nullable String> REASON = new AtomicReference<>();

  private RunFailure() {}

  /** Lets the process end with exit code 1 and a message; the first call counts. */
  static void fail(String reason) {
    if (REASON.compareAndSet(null, Objects.requireNonNull(reason))) {
      Runtime.getRuntime().addShutdownHook(new Thread(RunFailure::halt, "morty-exit-code"));
    }
  }

  private static void halt() {
    System.out.flush();
    System.err.println("morty: " + REASON.get());
    System.err.flush();
    Runtime.getRuntime().halt(FAILED);
  }
}
