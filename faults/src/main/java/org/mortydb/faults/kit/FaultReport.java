package org.mortydb.faults.kit;

/** The result of a run. Its record components are its form as JSON. */
public interface FaultReport {
  /** The exit code of the command, one of {@link org.mortydb.cli.ExitCode}. */
  int exitCode();

  /** The report for people, with a line break at its end. */
  String text();
}
