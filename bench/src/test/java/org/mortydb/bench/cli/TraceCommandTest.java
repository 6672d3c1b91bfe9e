package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.ExitCode;

/** What does without a Zipkin server; TraceDemoTest has one. */
final class TraceCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String args) {
    return CommandLines.run(out, err, ("trace " + args).split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rate 0 | --rate",
        "--rate 2 | --rate",
        "--clients 0 | --clients",
        "--accounts 1 | --accounts",
        "--delay 0 | --delay",
        "--seconds 0 | --seconds",
        "--zipkin zipkin:9411 | --zipkin must be the URL of a Zipkin server",
        "--zipkin 127.0.0.1:9411 | such as http://127.0.0.1:9411, not '127.0.0.1:9411'",
        "--zipkin http:// | --zipkin must be",
        "--zipkin http://127.0.0.1:99999 | --zipkin must be",
        "--json /no/such/folder/x.json | /no/such/folder",
      })
  void aWrongCommandLineIsExplainedInASentence(String args, String message) {
    assertThat(run(args)).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).startsWith("morty: ").contains(message).doesNotContain("\tat ");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aZipkinThatIsNotThereIsNamed() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    assertThat(run("--exit --zipkin http://127.0.0.1:" + port)).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .startsWith("morty: ")
        .contains("http://127.0.0.1:" + port, "--zipkin")
        .doesNotContain("\tat ");
  }
}
