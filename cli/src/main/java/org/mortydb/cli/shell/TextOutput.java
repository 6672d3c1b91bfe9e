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
      get KEY... [as TYPE]       reads keys, as of one time
      scan [FROM [TO]] [limit N] [as TYPE]
      scan prefix KEY [limit N] [as TYPE]
                                 reads the keys from FROM up to, not including, TO that hold a
                                 value, in ascending order; at most N (default: 100)
      put KEY VALUE [as TYPE]    writes a key
      delete KEY...              deletes keys
      add KEY NUMBER [as int64]  adds to a number; a key without a value counts as 0
      merge add KEY NUMBER       adds to an int64 without reading it, so it conflicts with no
                                 other merge of the key
      merge max KEY NUMBER       raises an int64, if it is lower, without reading it
      merge putifabsent KEY VALUE [as TYPE]
                                 writes a key without a value; does not tell whether it did
      merge append KEY ITEM COUNT [as TYPE]
                                 appends to a list, which keeps its last COUNT items
      begin [sync|async]         begins a transaction of several statements; async: its commit
                                 does not wait for the disks
      begin read [LEVEL]         begins one that only reads: strict, serializable (default),
                                 snapshot, bounded:2s (at most 2 s old) or local
      commit, rollback           ends the transaction
      timing on|off              shows or hides the cost of statements
      help, quit

      Outside of begin and commit every statement is a transaction of its own. Words with blanks
      need quotes: "two words". 0x6b6579 is a key or value in hexadecimal. TYPE is %s.
      If another transaction changes what an open transaction has read, the shell runs its
      statements again, shows the reads that differ, and the next commit asks again.
      """
          .formatted(ValueType.names().replaceFirst(", (?=[^,]*$)", " or "));

  private final Consumer<String> out;
  private final Consumer<String> err;
  private boolean timing;

  /**
   * Creates an output.
   *
   * @param out receives the lines of results
   * @param err receives the lines of notices and errors
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
                + (mayHaveMore ? ", perhaps more after " + shown.getLast().name() : ""));
      }
      case Statement.Add add -> shown.forEach(item -> out.accept(text(item.name(), item.shown())));
      case Statement.Put put -> out.accept("ok");
      case Statement.Delete delete -> out.accept("ok");
      case Statement.Merge merge -> out.accept("ok");
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
              cost.path().replace('_', '-'),
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
    String done = "committed" + age(cost);
    if (timing) {
      cost(done + " ", cost);
    } else {
      out.accept(done);
    }
  }

  private static String age(Cost cost) {
    return cost.place() == null
        ? ""
        : String.format(
            Locale.ROOT,
            ", as of %.3f s before it began, place %s",
            cost.ageMicros() / 1_000_000.0,
            cost.place());
  }

  @Override
  public synchronized void rolledBack() {
    out.accept("rolled back");
  }

  @Override
  public synchronized void reexecuted(List<Change> changes) {
    err.accept("re-executed, because another transaction changed what this one has read:");
    for (Change change : changes) {
      err.accept("  " + text(change.key(), change.after()) + ", was " + shown(change.before()));
    }
    err.accept("all statements so far were repeated as typed");
  }

  private static String shown(@Nullable Object value) {
    return value == null ? "nothing" : value.toString();
  }

  @Override
  public synchronized void putOff(List<Change> changes) {
    err.accept(
        "not committed yet, because these reads changed during the commit."
            + " The transaction is still open: commit again, type more statements, or roll back");
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
          case REFUSED -> "refused: " + why;
          case ABORTED -> "rolled back: " + why;
          case UNKNOWN -> "outcome unknown: " + why;
        });
  }
}
