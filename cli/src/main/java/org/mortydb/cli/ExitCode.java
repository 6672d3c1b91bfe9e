package org.mortydb.cli;

/** The exit codes of commands. */
public final class ExitCode {
  /** All went well, and no check found a violation. */
  public static final int OK = 0;

  /** A check found a violation. */
  public static final int VIOLATION = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** Something could not be run or was cut short. */
  public static final int FAILED = 3;

  /** All replicas serve, but something should be mended. */
  public static final int WARNING = 4;

  private ExitCode() {}
}
