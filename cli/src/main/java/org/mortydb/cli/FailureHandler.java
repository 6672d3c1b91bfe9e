package org.mortydb.cli;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.mortydb.client.ClusterUnreachableException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Prints a failure on the command's error stream: only its message if that is written for users,
 * else its stack trace. The exit code is {@link ExitCode#FAILED}.
 */
public final class FailureHandler implements IExecutionExceptionHandler {
  private final List<CommandPlugin> plugins;

  /**
   * Creates a handler for one command line.
   *
   * @param plugins say which failures of their commands have messages for users
   */
  public FailureHandler(List<CommandPlugin> plugins) {
    this.plugins = List.copyOf(plugins);
  }

  @Override
  public int handleExecutionException(
      Exception failure, CommandLine command, ParseResult arguments) {
    PrintWriter err = command.getErr();
    if (isExplained(failure)) {
      err.println("morty: " + failure.getMessage());
      if (failure instanceof ClusterUnreachableException
          && String.valueOf(failure.getMessage()).contains("\n")) {
        err.println("'morty status' shows which servers run, and why others cannot be reached.");
      }
    } else if (failure instanceof InterruptedException) {
      err.println("morty: interrupted");
    } else {
      failure.printStackTrace(err);
    }
    err.flush();
    return ExitCode.FAILED;
  }

  /** Whether the message of a failure is written for users. */
  private boolean isExplained(Exception failure) {
    return failure instanceof FailedException
        || failure instanceof ClusterUnreachableException
        || failure instanceof UncheckedIOException
        || plugins.stream().anyMatch(plugin -> plugin.explains(failure));
  }
}
