package org.mortydb.protocol.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.TransactionBuffer.ReadSlot;

class TransactionBufferTest {
  private static final Key X = Key.of("x");
  private static final Key Y = Key.of("y");
  private static final WriteId OLD = new WriteId(new TxnId(5, 1, 0), 1);
  private static final WriteId NEW = new WriteId(new TxnId(7, 1, 0), 1);

  private final TransactionBuffer buffer = new TransactionBuffer(new Topology(1, 0));

  /** A read is asked for again, and both answers come: the application has seen the first one. */
  @Test
  void theFirstAnswerStays() {
    ReadSlot slot = buffer.get(List.of(X)).getFirst();
    buffer.answered(slot.request, OLD, Value.of("old"));
    buffer.answered(slot.request, NEW, Value.of("new"));
    assertThat(buffer.readsAt(0)).containsExactly(new Read(X, OLD));
    assertThat(buffer.allReads().getFirst().value()).isEqualTo(Value.of("old"));
    assertThat(buffer.get(List.of(X))).as("a repeated read").isEmpty();
    buffer.answered(slot.request + 1, NEW, Value.of("of no read"));
    buffer.answered(-1, NEW, Value.of("of no read"));
    assertThat(buffer.allReads()).hasSize(1);
  }

  @Test
  void whatWasWrittenIsNotAskedForAndWhatWasMergedIs() {
    buffer.put(X, Value.of("own"));
    assertThat(buffer.get(List.of(X))).isEmpty();
    buffer.put(Y, Merge.add(1));
    assertThat(buffer.get(List.of(X, Y))).extracting(slot -> slot.key).containsExactly(Y);
  }

  /** A put and a sum in either order. */
  @Test
  void writesOfAKeyAreInTheirOrder() {
    Value five = Merge.apply(Value.ABSENT, Merge.add(5));
    buffer.put(X, Merge.add(2));
    buffer.put(X, five);
    buffer.put(Y, five);
    buffer.put(Y, Merge.add(2));
    assertThat(buffer.allWrites())
        .containsExactly(new Write(X, 1, five), new Write(Y, 1, Merge.apply(five, Merge.add(2))));
    assertThat(buffer.put(Y, Merge.append(new byte[1], 1))).as("it does not fit").isFalse();
  }
}
