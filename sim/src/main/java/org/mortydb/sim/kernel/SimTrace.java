package org.mortydb.sim.kernel;

import java.io.PrintWriter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.history.ValueHash;

/**
 * The events of a run, hashed into 64 bits, and on demand as text. Equal digests mean equal runs:
 * the trace hashes contents, never values that differ between JVMs.
 */
public final class SimTrace {
  private final Kernel kernel;
  private final @Nullable PrintWriter out;
  private long digest;

  /** Creates the trace of a run. */
  @FunctionalInterface
  public interface Factory {
    /** Creates the trace. */
    SimTrace create(Kernel kernel);
  }

  private SimTrace(Kernel kernel, @Nullable PrintWriter out) {
    this.kernel = kernel;
    this.out = out;
  }

  /** A trace without text. */
  public static SimTrace digestOnly(Kernel kernel) {
    return new SimTrace(kernel, null);
  }

  /** A trace that also writes text, one line per entry. */
  public static SimTrace writing(Kernel kernel, PrintWriter out) {
    return new SimTrace(kernel, out);
  }

  /** Adds two numbers that describe an event at the current time. */
  public void fold(long first, long second) {
    digest =
        ValueHash.combine(
            ValueHash.combine(ValueHash.combine(digest, kernel.nowMicros()), first), second);
  }

  /** Whether the trace writes text. */
  public boolean isWriting() {
    return out != null;
  }

  /** Writes a line, if the trace writes text. */
  public void write(Supplier<String> text) {
    if (out != null) {
      out.printf("%12d  %s%n", kernel.nowMicros(), text.get());
    }
  }

  /** The hash of all events so far. */
  public long digest() {
    return digest;
  }
}
