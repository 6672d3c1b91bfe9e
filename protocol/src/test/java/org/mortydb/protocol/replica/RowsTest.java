package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;

class RowsTest {
  private static final long[] CLIENTS = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE};

  private static ByteCursor row(TxnId txn) {
    ByteCursor row = new ByteCursor();
    Rows.writeTxn(txn, row);
    row.moveTo(0);
    return row;
  }

  @Test
  void idsInRowsHaveTheOrderOfIds() {
    List<TxnId> ids = new ArrayList<>();
    for (long micros = 1; micros < 3; micros++) {
      for (long client : CLIENTS) {
        for (int home = 0; home < 3; home++) {
          ids.add(new TxnId(micros, client, home));
        }
      }
    }
    for (TxnId one : ids) {
      assertThat(Rows.readTxn(row(one))).isEqualTo(one);
      for (TxnId other : ids) {
        assertThat(Rows.skipsTxnAfter(other, row(one))).isEqualTo(one.isAfter(other));
        assertThat(Rows.skipsTxnBefore(other, row(one))).isEqualTo(one.isBefore(other));
        assertThat(one.compareTo(other) < 0).isEqualTo(one.isBefore(other));
        assertThat(one.compareTo(other) == 0).isEqualTo(one.equals(other));
      }
    }
  }
}
