package org.mortydb.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.system.MalformedMessageException;
import org.mortydb.protocol.system.MessageCodec;

class RecordCodecTest {
  private static final TxnId TXN = new TxnId(1L << 50, -1, 7);
  private static final MessageCodec CODEC =
      new RecordCodec(300, MethodHandles.lookup(), Sample.class);

  private static final List<Sample> SAMPLES =
      List.of(
          new Scalars(TXN, Integer.MIN_VALUE, Long.MIN_VALUE, true, "ä", Color.BLUE),
          new Scalars(TxnId.INITIAL, Integer.MAX_VALUE, Long.MAX_VALUE, false, "", Color.RED),
          new Lists(TXN, List.of(), List.of(), List.of()),
          new Lists(
              TXN,
              List.of(
                  new Write(Key.of("a"), 1, Value.ABSENT),
                  new Write(Key.of(""), -1, Value.of("")),
                  new Write(Key.of("b"), 2, Value.of("v"))),
              List.of(new Entry.Ended(TXN, true), new Entry.Begun(TXN), new Entry.Begun(TXN)),
              List.of(List.of(1, 2), List.of(), List.of(3))),
          new Empty());

  enum Color {
    RED,
    BLUE
  }

  sealed interface Sample extends Message.OfSystem {}

  record Scalars(TxnId txn, int number, long big, boolean flag, String text, Color color)
      implements Sample {}

  sealed interface Composed extends Sample {}

  record Lists(TxnId txn, List<Write> writes, List<Entry> entries, List<List<Integer>> nested)
      implements Composed {}

  record Empty() implements Sample, Composed {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  sealed interface Entry {
    record Begun(TxnId txn) implements Entry {}

    record Ended(TxnId txn, boolean committed) implements Entry {}
  }

  @Test
  void decodesWhatItHasEncoded() throws MalformedMessageException {
    for (Sample sample : SAMPLES) {
      byte[] content = CODEC.encode(sample);
      assertThat(CODEC.decode(CODEC.kind(sample), content)).isEqualTo(sample);
    }
    assertThat(SAMPLES.stream().map(CODEC::kind).distinct()).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(CODEC.number()).isEqualTo(300);
  }

  @Test
  void refusesMessagesThatAreCutOffOrTooLong() {
    for (Sample sample : SAMPLES) {
      int kind = CODEC.kind(sample);
      byte[] content = CODEC.encode(sample);
      for (int length = 0; length < content.length; length++) {
        byte[] cut = Arrays.copyOf(content, length);
        assertThatThrownBy(() -> CODEC.decode(kind, cut))
            .isInstanceOf(MalformedMessageException.class);
      }
      assertThatThrownBy(() -> CODEC.decode(kind, Arrays.copyOf(content, content.length + 1)))
          .isInstanceOf(MalformedMessageException.class)
          .hasMessageContaining(sample.getClass().getSimpleName());
    }
    for (int kind : new int[] {-1, 0, 4}) {
      assertThatThrownBy(() -> CODEC.decode(kind, new byte[0]))
          .isInstanceOf(MalformedMessageException.class)
          .hasMessageContaining(" " + kind);
    }
  }

  /** Bytes of a hostile client are a message or malformed: nothing else is thrown. */
  @Test
  void refusesOtherBytes() {
    SplittableRandom random = new SplittableRandom(1);
    int malformed = 0;
    for (int round = 0; round < 20_000; round++) {
      Sample sample = SAMPLES.get(random.nextInt(SAMPLES.size()));
      byte[] content = CODEC.encode(sample);
      for (int i = random.nextInt(1, 4); i > 0 && content.length > 0; i--) {
        content[random.nextInt(content.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(CODEC.decode(CODEC.kind(sample), content)).isNotNull();
      } catch (MalformedMessageException e) {
        malformed++;
      }
    }
    assertThat(malformed).isBetween(2_000, 18_000);
  }

  @Test
  void refusesKeysAndValuesBeyondTheLimits() {
    for (Write write :
        List.of(
            new Write(Key.wrap(new byte[Limits.MAX_KEY_BYTES + 1]), 1, Value.ABSENT),
            new Write(Key.of("a"), 1, Value.wrap(new byte[Limits.MAX_VALUE_BYTES + 1])))) {
      Sample tooLarge = new Lists(TXN, List.of(write), List.of(), List.of());
      byte[] content = CODEC.encode(tooLarge);
      assertThatThrownBy(() -> CODEC.decode(CODEC.kind(tooLarge), content))
          .isInstanceOf(MalformedMessageException.class)
          .hasMessageContaining("bytes");
    }
  }

  /** The constructor of a record has the last word. */
  @Test
  void refusesValuesThatARecordRefuses() {
    Sample sample = new Scalars(TxnId.INITIAL, 0, 0, false, "", Color.RED);
    byte[] content = CODEC.encode(sample);
    content[0] = 1; // the time -1, in zigzag form
    assertThatThrownBy(() -> CODEC.decode(CODEC.kind(sample), content))
        .isInstanceOf(MalformedMessageException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void takesNoMoreMemoryThanTheBytesJustify() {
    // The id of no transaction, then a list of 2^31 - 1 elements.
    byte[] content = new byte[30];
    IntStream.range(3, 8).forEach(i -> content[i] = (byte) (i < 7 ? 0xFF : 7));
    int kind = CODEC.kind(SAMPLES.get(2));
    assertThatThrownBy(() -> CODEC.decode(kind, content))
        .isInstanceOf(MalformedMessageException.class)
        .hasMessageContaining("2147483647 elements");
  }

  @Test
  void namesTheComponentThatIsNull() {
    assertThatThrownBy(() -> CODEC.encode(new Scalars(TXN, 0, 0, false, null, Color.RED)))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("Scalars.text");
  }

  record Odd(TxnId txn, double number) implements Message.OfSystem {}

  record Endless(TxnId txn, List<Endless> more) implements Message.OfSystem {}

  private record Hidden(TxnId txn) implements Message.OfSystem {}

  @Test
  void namesTheTypeThatHasNoForm() {
    assertRefused(Odd.class, MethodHandles.lookup(), "double");
    assertRefused(Endless.class, MethodHandles.lookup(), Endless.class.getName());
    assertRefused(Hidden.class, MethodHandles.publicLookup(), Hidden.class.getName());
    assertRefused(Message.OfSystem.class, MethodHandles.lookup(), Message.OfSystem.class.getName());
  }

  private static void assertRefused(
      Class<? extends Message.OfSystem> type, MethodHandles.Lookup lookup, String name) {
    assertThatThrownBy(() -> new RecordCodec(300, lookup, type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }

  @Test
  void namesTheMessageOfAnotherSystem() {
    assertThatThrownBy(() -> CODEC.encode(new Hidden(TXN)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Hidden.class.getName());
  }
}
