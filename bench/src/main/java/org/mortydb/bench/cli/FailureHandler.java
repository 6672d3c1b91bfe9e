package org.mortydb.bench.cli;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import org.mortydb.bench.audit.AuditFailedException;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.load.LoadFailedException;
import org.mortydb.bench.operations.MalformedHistoryException;
import org.mortydb.bench.simulated.InvalidCalibrationException;
import org.mortydb.bench.tracing.TracingFailedException;
import org.mortydb.client.ClusterUnreachableException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Says in a sentence what a user can know and mend, on the command's error stream; shows the rest
 * to those who maintain it, with its stack trace. The exit code is {@link ExitCode#FAILED}.
 */
public final class FailureHandler implements IExecutionExceptionHandler {
  /** One for any command line; it has no state. */
  public FailureHandler() {}

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine command, ParseResult arguments) {
    PrintWriter err = command.getErr();
    if (isExplained(failure)) {
      err.println("morty: " + failure.getMessage());
    } else if (failure instanceof InterruptedException) {
      err.println("morty: interrupted");
    } else {
      failure.printStackTrace(err);
    }
    err.flush();
    return ExitCode.FAILED;
  }

  /** Whether its message is meant for users. */
  private static boolean isExplained(Exception failure) {
    return failure instanceof FailedException
        || failure instanceof ClusterFailedException
        || failure instanceof ClusterUnreachableException
        || failure instanceof LoadFailedException
        || failure instanceof MalformedHistoryException
        || failure instanceof AuditFailedException
        || failure instanceof InvalidCalibrationException
        || failure instanceof TracingFailedException
        || failure instanceof UncheckedIOException;
  }
}
