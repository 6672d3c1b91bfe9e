package org.mortydb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class YcsbArgumentsTest {

  private static String mistake(String line) {
    return YcsbArguments.mistake(List.of(line.split(" ")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-P workloads/workloada",
        "-P workloads/economy -p table=bank -threads 16 -target 100 -s -l label",
        "-p workload=site.ycsb.workloads.CoreWorkload -p a=b=c",
        "-P workloads/workloada -p operationcount=5 -p operationcount=7"
      })
  void rightArgumentsAreAccepted(String line) {
    assertThat(mistake(line)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "-P workloads/workloadz, workloads/workloadz does not exist",
    "-P workloads, 'workloads does not exist'",
    "-P workloads/workloada -thread 16, '-thread'",
    "-P workloads/workloada -threads x, '-threads: ''x'''",
    "-P workloads/workloada -target 1.5, '-target: ''1.5'''",
    "-P workloads/workloada -threads, -threads needs a value",
    "-P workloads/workloada -p operationcount, NAME=VALUE",
    "-P workloads/workloada -p operationcount=1o, 'operationcount: ''1o'''",
    "-threads 2, 'no workload'"
  })
  void aMistakeIsNamed(String line, String named) {
    assertThat(mistake(line)).contains(named);
  }

  @Test
  void anAccountlessTableIsNotLoaded() {
    assertThat(EconomyCheck.verdict(new EconomyCheck.Count(0, 0, 1_000), 1_000_000, "banc"))
        .contains("'banc'", "has no accounts", "morty ycsb load", "-p table=NAME")
        .doesNotContain("lost");
    assertThat(EconomyCheck.verdict(new EconomyCheck.Count(3, 999, 3), 1_000, "bank"))
        .contains("999 instead of 1000", "lost");
    assertThat(EconomyCheck.verdict(new EconomyCheck.Count(3, 1_000, 3), 1_000, "bank")).isNull();
  }
}
