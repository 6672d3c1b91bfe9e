package org.mortydb.cli;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.mortydb.client.ClusterUnreachableException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Says in a sentence what a user can know and mend, on the command's error stream; shows the rest
 * to those who maintain it, with its stack trace. The exit code is {@link ExitCode#FAILED}.
 */
public final class FailureHandler implements IExecutionExceptionHandler {
  private final List<CommandPlugin> plugins;

  /**
   * A handler for one command line.
   *
   * @param plugins know which failures of their commands are written for users
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
    } else if (failure instanceof InterruptedException) {
      err.println("morty: interrupted");
    } else {
      failure.printStackTrace(err);
    }
    err.flush();
    return ExitCode.FAILED;
  }

  /** Whether its message is meant for users. */
  private boolean isExplained(Exception failure) {
    return failure instanceof FailedException
        || failure instanceof ClusterUnreachableException
        || failure instanceof UncheckedIOException
        || plugins.stream().anyMatch(plugin -> plugin.explains(failure));
  }
}
