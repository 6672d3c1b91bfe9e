package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.cli.CommandLines;
import org.mortydb.cli.CommandLines.Ran;
import org.mortydb.cli.ExitCode;

final class BenchCommandTest {
  /** The jar of a plug-in may be in the wrong folder. */
  @Test
  void anUnknownWorkloadNamesTheFolderOfPlugIns() {
    Ran ran = CommandLines.morty("bench", "auction");
    assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    assertThat(ran.err()).contains("no command 'auction'", "'plugins'", "MORTY_PLUGINS");
    Ran misspelt = CommandLines.morty("bench", "retwsi");
    assertThat(misspelt.code()).isEqualTo(ExitCode.USAGE);
    assertThat(misspelt.err()).contains("did you mean 'morty bench retwis'?");
  }
}
