package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.TxnId;

class RecordTableTest {
  private final RecordTable records = new RecordTable();

  private void add(long micros, int count) {
    for (int i = 0; i < count; i++) {
      records.add(new TxnRecord(new TxnId(micros, i, 0)));
    }
  }

  /** Goes through all records in parts, as a copy of the outcomes does. */
  private List<Integer> parts(int atLeast, TxnId end) {
    List<Integer> sizes = new ArrayList<>();
    for (TxnId from = TxnId.INITIAL; from.isBefore(end); ) {
      TxnId next = records.after(from, atLeast);
      assertThat(next).isGreaterThan(from);
      sizes.add(records.between(from, next).size());
      from = next;
    }
    return sizes;
  }

  @Test
  void partsWithAFullBucketEach() {
    add(1, 3);
    add(RecordTable.BUCKET_MICROS, 2);
    add(2 * RecordTable.BUCKET_MICROS, 1);
    assertThat(parts(2, new TxnId(1_000_000, 0, 0))).containsExactly(3, 2, 1);
  }

  @Test
  void partsOfSeveralBuckets() {
    for (int bucket = 0; bucket < 5; bucket++) {
      add(bucket * RecordTable.BUCKET_MICROS + 1, 2);
    }
    assertThat(parts(3, new TxnId(1_000_000, 0, 0))).containsExactly(4, 4, 2);
  }
}
