package org.mortydb.cli.shell;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Effect.Item;

/** Shows results to people. */
final class TextOutput implements ShellOutput {
  static final String HELP =
      """
      get KEY... [as TYPE]       reads keys, all of one moment
      scan [FROM [TO]] [limit N] [as TYPE]
      scan prefix KEY [limit N] [as TYPE]
                                 shows keys that hold something, in their order, from FROM to
                                 before TO; at most 100, or N
      put KEY VALUE [as TYPE]    writes a key
      delete KEY...              deletes keys
      add KEY NUMBER [as int64]  adds to a number; nothing counts as 0
      begin                      begins a transaction of several statements
      commit, rollback           ends it
      timing on|off              whether to show what statements cost
      help, quit

      Outside of begin and commit every statement is a transaction of its own. Words with blanks
      need quotes: "two words"; 0x6b6579 is a key or value in bytes. TYPE is one of %s.
      If others write what an open transaction has read, its statements are done again; what
      reads differently now is told, and the next commit asks again.
      """
          .formatted(ValueType.names());

  private final Consumer<String> out;
  private final Consumer<String> err;
  private boolean timing;

  /**
   * @param out takes results, line by line
   * @param err takes notices and trouble
   */
  TextOutput(Consumer<String> out, Consumer<String> err, boolean timing) {
    this.out = out;
    this.err = err;
    this.timing = timing;
  }

  @Override
  public synchronized void done(Statement.Operation operation, Effect effect, @Nullable Cost cost) {
    boolean isRead = operation instanceof Statement.Get || operation instanceof Statement.Scan;
    List<Item> shown = isRead ? effect.reads() : effect.writes();
    switch (operation) {
      case Statement.Get get -> shown.forEach(item -> out.accept(text(item.name(), item.shown())));
      case Statement.Scan scan -> {
        shown.forEach(item -> out.accept(text(item.name(), item.shown())));
        boolean mayHaveMore = shown.size() == scan.limit();
        out.accept(
            counted(shown.size())
                + (mayHaveMore ? ", and perhaps more after " + shown.getLast().name() : ""));
      }
      case Statement.Add add -> shown.forEach(item -> out.accept(text(item.name(), item.shown())));
      case Statement.Put put -> out.accept("ok");
      case Statement.Delete delete -> out.accept("ok");
    }
    if (cost != null) {
      cost("", cost);
    }
  }

  private static String counted(int keys) {
    return keys == 0 ? "no keys" : keys == 1 ? "1 key" : keys + " keys";
  }

  private static String text(String key, @Nullable Object value) {
    return value == null
        ? key + " holds nothing"
        : key + " = " + (value instanceof String text ? Notation.word(text) : value);
  }

  private void cost(String before, Cost cost) {
    if (timing) {
      out.accept(
          String.format(
              Locale.ROOT,
              "%s(%.1f ms, %s path%s%s)",
              before,
              cost.micros() / 1_000.0,
              cost.path(),
              counted(cost.attempts() - 1, "further attempt"),
              counted(cost.reexecutions(), "re-execution")));
    }
  }

  private static String counted(int count, String what) {
    return count == 0 ? "" : ", " + count + " " + what + (count == 1 ? "" : "s");
  }

  @Override
  public synchronized void begun() {
    out.accept("begun");
  }

  @Override
  public synchronized void committed(Cost cost) {
    if (timing) {
      cost("committed ", cost);
    } else {
      out.accept("committed");
    }
  }

  @Override
  public synchronized void rolledBack() {
    out.accept("rolled back");
  }

  @Override
  public synchronized void reexecuted(List<Change> changes) {
    err.accept("executed again, because others have written what this transaction has read:");
    for (Change change : changes) {
      err.accept("  " + text(change.key(), change.after()) + ", was " + shown(change.before()));
    }
    err.accept("all statements so far were done again, as they were typed");
  }

  private static String shown(@Nullable Object value) {
    return value == null ? "nothing" : value.toString();
  }

  @Override
  public synchronized void putOff(List<Change> changes) {
    err.accept(
        "not committed yet: that happened while it was being committed, and you have not seen it."
            + " The transaction is still open: commit again, type more, or roll back");
  }

  @Override
  public synchronized void timing(boolean on) {
    timing = on;
    out.accept("timing is " + (on ? "on" : "off"));
  }

  @Override
  public synchronized void help() {
    HELP.lines().forEach(out);
  }

  @Override
  public synchronized void failed(Failure what, String why) {
    err.accept(
        switch (what) {
          case SYNTAX -> why + "; 'help' lists the statements";
          case REFUSED -> "not done: " + why;
          case ABORTED -> "rolled back: " + why;
          case UNKNOWN -> "outcome unknown: " + why;
        });
  }
}
