package org.mortydb.cli.shell;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Result;

/** Shows what statements do. May be called by several threads, one at a time. */
interface ShellOutput {
  /**
   * An operation was done.
   *
   * @param cost what it cost as a transaction of its own; null within one of several statements
   */
  void done(Statement.Operation operation, Effect effect, @Nullable Cost cost);

  /** A transaction of several statements was begun. */
  void begun();

  /** A transaction of several statements has committed. */
  void committed(Cost cost);

  /** A transaction of several statements was rolled back as it was told to. */
  void rolledBack();

  /** The open transaction was executed again, and reads differ from what was shown. */
  void reexecuted(List<Change> changes);

  /** A commit was put off, because reads have changed since they were shown. */
  void putOff(List<Change> changes);

  /** Whether costs are shown. */
  void timing(boolean on);

  /** Which statements there are. */
  void help();

  /**
   * A statement was not done.
   *
   * @param what a word for the kind of trouble, for programs
   * @param why a sentence
   */
  void failed(Failure what, String why);

  /** Kinds of trouble. */
  enum Failure {
    /** The statement cannot be understood, or has no place here. */
    SYNTAX,
    /** The operation cannot be done with what is there. */
    REFUSED,
    /** The transaction was aborted; nothing of it remains. */
    ABORTED,
    /** The transaction has committed or not, and nobody can tell. */
    UNKNOWN
  }

  /**
   * What a transaction cost.
   *
   * @param micros from the call to the result
   * @param attempts how often it was tried under a new timestamp
   * @param reexecutions how often a part of it was executed again
   * @param path how the commit was decided
   */
  record Cost(long micros, int attempts, int reexecutions, String path) {
    static Cost of(Result<?> result) {
      return new Cost(
          result.info().latencyMicros(),
          result.info().attempts(),
          result.info().reexecutions(),
          String.valueOf(result.info().path()).toLowerCase(java.util.Locale.ROOT));
    }
  }
}
