package org.mortydb.sim.kernel;

import java.io.PrintWriter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ValueHash;

/**
 * What happened, folded into 64 bits, and on demand as text. Two runs with the same digest did the
 * same: everything that reaches the trace is folded by content, never by what differs from one JVM
 * to another.
 */
public final class Trace {
  private final Kernel kernel;
  private final @Nullable PrintWriter out;
  private long digest;

  /** Makes the trace of a run. */
  @FunctionalInterface
  public interface Factory {
    /** Makes it, with the run's time. */
    Trace create(Kernel kernel);
  }

  private Trace(Kernel kernel, @Nullable PrintWriter out) {
    this.kernel = kernel;
    this.out = out;
  }

  /** A trace that is only folded. */
  public static Trace digestOnly(Kernel kernel) {
    return new Trace(kernel, null);
  }

  /** A trace that is also written, one line for each entry. */
  public static Trace writing(Kernel kernel, PrintWriter out) {
    return new Trace(kernel, out);
  }

  /** Folds two numbers that say what happened now. */
  public void fold(long first, long second) {
    digest =
        ValueHash.combine(
            ValueHash.combine(ValueHash.combine(digest, kernel.nowMicros()), first), second);
  }

  /** Whether anybody reads the text. */
  public boolean isWriting() {
    return out != null;
  }

  /** Writes a line, if anybody reads it. */
  public void write(Supplier<String> text) {
    if (out != null) {
      out.printf("%12d  %s%n", kernel.nowMicros(), text.get());
    }
  }

  /** Everything folded so far. */
  public long digest() {
    return digest;
  }
}
