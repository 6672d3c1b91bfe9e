package org.mortydb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.client.ClusterUnreachableException;
import picocli.CommandLine;

final class FailureHandlerTest {
  @Test
  void aClusterThatCannotBeReachedNamesTheCommandThatShowsWhy() {
    StringWriter err = new StringWriter();
    CommandLine command = Main.commandLine(List.of()).setErr(new PrintWriter(err));
    int code =
        new FailureHandler(List.of())
            .handleExecutionException(
                new ClusterUnreachableException(
                    "cannot connect to cluster 'shop'\n  server 'us-1': refused"),
                command,
                command.parseArgs());
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString().lines())
        .containsExactly(
            "morty: cannot connect to cluster 'shop'",
            "  server 'us-1': refused",
            "'morty status' shows which servers run, and why others cannot be reached.");
  }
}
