package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.workloads.load.Workload.Planned;
import org.mortydb.workloads.load.Workload.Source;

final class SourceTest {
  private final List<Integer> numbers = new ArrayList<>();

  private Source share(int part, int parts, int total) {
    return Source.share(
        part,
        parts,
        total,
        number -> {
          numbers.add(number);
          return new Planned(number, (txn, ctx) -> {});
        });
  }

  @ParameterizedTest
  @CsvSource({"3, 10", "1, 4", "4, 4", "5, 3", "2, 0"})
  void sharesTogetherHaveEachTransactionOnce(int parts, int total) {
    for (int part = 0; part < parts; part++) {
      Source source = share(part, parts, total);
      for (int number = part; number < total; number += parts) {
        int before = numbers.size();
        Planned planned = source.next();
        assertThat(planned).isNotNull();
        assertThat(planned.type()).isEqualTo(number);
        assertThat(numbers).as("drawn when it is asked for").hasSize(before + 1);
      }
      assertThat(source.next()).isNull();
      assertThat(source.next()).as("for ever").isNull();
    }
    assertThat(numbers).hasSize(total).doesNotHaveDuplicates();
  }
}
