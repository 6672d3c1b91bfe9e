package org.mortydb.experiments.runs;

import java.util.Locale;

/** Why runs failed, for readers. */
public final class FailureReason {
  private static final double GIB = 1L << 30;

  private FailureReason() {}

  /** The reason of a failure. If memory was lacking, it has the way out. */
  public static String of(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return String.format(
            Locale.ROOT,
            "out of memory (%s) with a heap of %.1f GiB; set MORTY_JAVA_OPTS=-Xmx... to more, or run"
                + " fewer points at a time",
            cause.getMessage(),
            Runtime.getRuntime().maxMemory() / GIB);
      }
    }
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }
}
