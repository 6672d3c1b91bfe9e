package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  @ParameterizedTest
  @CsvSource({"3, 10, 4", "2, 8, 4", "1, 3, 4", "2, 0, 4", "2, 2147483647, 1000000000"})
  void batchesTogetherHaveEachItemOnce(int parts, int items, int perBatch) {
    TreeMap<Integer, Integer> ends = new TreeMap<>();
    for (int part = 0; part < parts; part++) {
      Source source =
          Source.batches(
              part,
              parts,
              items,
              perBatch,
              (first, end) -> {
                assertThat(ends.put(first, end)).isNull();
                return new Planned(0, (txn, ctx) -> {});
              });
      while (source.next() != null) {}
    }
    assertThat(ends).hasSize(Math.ceilDiv(items, perBatch));
    int next = 0;
    for (Map.Entry<Integer, Integer> batch : ends.entrySet()) {
      assertThat(batch.getKey()).isEqualTo(next);
      next = batch.getValue();
      assertThat(next - batch.getKey()).isBetween(1, perBatch);
    }
    assertThat(next).isEqualTo(items);
  }
}
