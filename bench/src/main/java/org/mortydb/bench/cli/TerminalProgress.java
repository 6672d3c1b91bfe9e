package org.mortydb.bench.cli;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.mortydb.cli.ProgressLine;
import org.mortydb.workloads.load.Progress;

/** Shows progress on standard error: a bar in a terminal, otherwise a line every few seconds. */
public final class TerminalProgress implements Progress {
  private static final int WIDTH = 110;
  private static final int NAME_WIDTH = 8;

  private final PrintStream out;
  private final boolean bars;

  private TerminalProgress(PrintStream out, boolean bars) {
    this.out = out;
    this.bars = bars;
  }

  /** Progress on standard error. */
  public static TerminalProgress onStandardError() {
    return new TerminalProgress(System.err, ProgressLine.isTerminal());
  }

  /** Progress in plain lines. */
  static TerminalProgress inLines(PrintStream out) {
    return new TerminalProgress(out, false);
  }

  @Override
  public Phase begin(String name, String unit, long total) {
    return bars ? new Bar(name, unit, total) : new Lines(name, unit, total);
  }

  private final class Bar implements Phase {
    private final ProgressBar bar;

    Bar(String name, String unit, long total) {
      bar =
          new ProgressBarBuilder()
              .setTaskName(name + " ".repeat(Math.max(0, NAME_WIDTH - name.length())))
              .setUnit(" " + unit, 1)
              .setInitialMax(total)
              .hideEta()
              .setStyle(ProgressBarStyle.ASCII)
              .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH))
              .setUpdateIntervalMillis(200)
              .build();
    }

    @Override
    public void update(long done, String message) {
      bar.stepTo(done);
      bar.setExtraMessage(" " + message);
    }

    @Override
    public void close() {
      bar.close();
    }
  }

  private final class Lines implements Phase {
    private final ProgressLine line;
    private final String unit;
    private final long total;

    Lines(String name, String unit, long total) {
      this.line = ProgressLine.inLines(out, name);
      this.unit = unit;
      this.total = total;
    }

    @Override
    public void update(long done, String message) {
      String of = unit.isEmpty() ? "" : " " + unit;
      line.show("%,d of %,d%s: %s".formatted(done, total, of, message));
    }

    @Override
    public void close() {
      line.showLast();
      line.close();
    }
  }
}
