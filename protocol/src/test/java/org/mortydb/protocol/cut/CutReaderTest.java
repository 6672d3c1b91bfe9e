package org.mortydb.protocol.cut;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.CutReply;
import org.mortydb.protocol.message.Message.CutState;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;

/** Whom a reader of cuts asks, and where it goes on. */
class CutReaderTest {
  private static final TxnId CUT = new TxnId(1_000_000, 7, 0);
  private static final long PATIENCE = 1_000;
  private static final long HOLD = 20_000;

  private record Asked(int partition, int index, Key from, int limit) {}

  private final List<Asked> asked = new ArrayList<>();
  private final List<String> read = new ArrayList<>();
  private final List<Integer> lost = new ArrayList<>();
  private boolean outdated;
  private final CutReader reader = readerWith(HOLD);

  private long nowMicros = 5_000;

  private CutReader readerWith(long holdMicros) {
    return new CutReader(
        CUT,
        KeyRange.ALL,
        new Topology(1, 1, 2),
        PATIENCE,
        holdMicros,
        new CutReader.Host() {
          @Override
          public void send(ReplicaId to, Message message) {
            ReadCut ask = (ReadCut) message;
            asked.add(new Asked(to.partition(), to.index(), ask.range().from(), ask.limit()));
          }

          @Override
          public void rows(int partition, List<VersionedValue> rows, boolean last) {
            rows.forEach(row -> read.add(partition + ":" + row.key()));
          }

          @Override
          public void lost(int partition) {
            lost.add(partition);
          }

          @Override
          public void outdated() {
            outdated = true;
          }
        });
  }

  private void tickAfter(long micros) {
    nowMicros += micros;
    reader.onTick(nowMicros);
  }

  private void says(int partition, int index, CutState state) {
    answers(partition, index, "", state, null);
  }

  private void answers(
      int partition,
      int index,
      String from,
      CutState state,
      @Nullable String next,
      String... keys) {
    List<VersionedValue> rows = new ArrayList<>();
    for (String key : keys) {
      rows.add(
          new VersionedValue(
              Key.of(key), new WriteId(new TxnId(5, 1, 0), 1), Value.of("value"), true));
    }
    TxnId watermark = new TxnId(state == CutState.READ ? 1_000_001 : 400_000, 0, 0);
    reader.onMessage(
        nowMicros,
        new ReplicaId(partition, index),
        new CutReply(
            CUT, Key.of(from), state, watermark, rows, next == null ? null : Key.of(next)));
  }

  private List<Asked> forRows() {
    List<Asked> now = asked.stream().filter(ask -> ask.limit() > 0).toList();
    asked.clear();
    return now;
  }

  @Test
  void allReplicasAreAskedToHoldAgainAndAgain() {
    tickAfter(0);
    assertThat(asked).hasSize(6).allMatch(ask -> ask.limit() == 0);
    tickAfter(PATIENCE / 2);
    assertThat(asked).hasSize(6);
    tickAfter(PATIENCE);
    assertThat(asked).hasSize(12);
    assertThat(reader.unheard()).containsExactly(0, 1);
    says(0, 0, CutState.HELD);
    assertThat(reader.unheard()).containsExactly(1);
    assertThat(reader.lagMicros()).isEqualTo(600_000);
    assertThat(forRows()).isEmpty();
  }

  @Test
  void replicasWithAShortHoldAreAskedInTime() {
    CutReader shortHold = readerWith(PATIENCE);
    shortHold.onTick(nowMicros);
    assertThat(asked).hasSize(6);
    shortHold.onTick(nowMicros + PATIENCE / 4 - 1);
    assertThat(asked).hasSize(6);
    shortHold.onTick(nowMicros + PATIENCE / 4);
    assertThat(asked).as("long before the hold ends").hasSize(12);
  }

  @Test
  void whoCanTellIsReadFromPartByPartAsTheHostWants() {
    tickAfter(0);
    answers(0, 2, "", CutState.READ, "a");
    assertThat(forRows()).extracting(Asked::index).containsExactly(2);
    answers(0, 2, "", CutState.READ, "m", "a", "b");
    assertThat(read).containsExactly("0:a", "0:b");
    assertThat(forRows()).as("the host has not taken it").isEmpty();
    answers(0, 2, "", CutState.READ, "m", "a", "b");
    assertThat(read).as("nothing is read twice").hasSize(2);
    reader.more(nowMicros, 0);
    assertThat(forRows()).extracting(Asked::from).containsExactly(Key.of("m"));
    answers(0, 2, "m", CutState.READ, null, "z");
    assertThat(read).containsExactly("0:a", "0:b", "0:z");
    assertThat(reader.isDone()).isFalse();
    answers(1, 0, "", CutState.READ, null, "k");
    assertThat(read).hasSize(3);
    answers(1, 0, "", CutState.READ, null, "k");
    assertThat(reader.isDone()).isTrue();
  }

  @Test
  void aPartIsTakenOnceThoughTheNextOneIsAwaited() {
    tickAfter(0);
    answers(0, 2, "", CutState.READ, "a");
    answers(0, 2, "", CutState.READ, "m", "a", "b");
    reader.more(nowMicros, 0);
    answers(0, 2, "", CutState.READ, "m", "a", "b");
    answers(0, 2, "", CutState.READ, "b", "a");
    assertThat(read).containsExactly("0:a", "0:b");
  }

  @Test
  void anotherOneGoesOnWhereTheFirstHasStopped() {
    tickAfter(0);
    answers(0, 1, "", CutState.READ, "a");
    answers(0, 2, "", CutState.READ, "a");
    assertThat(forRows()).extracting(Asked::index).containsExactly(1);
    answers(0, 1, "", CutState.READ, "m", "a");
    reader.more(nowMicros, 0);
    assertThat(forRows()).extracting(Asked::index).containsExactly(1);
    tickAfter(PATIENCE);
    assertThat(forRows()).containsExactly(new Asked(0, 2, Key.of("m"), 1 << 20));
    answers(0, 1, "m", CutState.READ, null, "n");
    assertThat(read).as("whoever is late is not listened to").containsExactly("0:a");
    answers(0, 2, "m", CutState.READ, null, "n");
    assertThat(read).containsExactly("0:a", "0:n");
  }

  @Test
  void aReplicaThatHasLostTheCutIsNotAskedAgain() {
    tickAfter(0);
    answers(0, 1, "", CutState.READ, "a");
    says(0, 2, CutState.HELD);
    says(0, 1, CutState.GONE);
    says(0, 1, CutState.HELD);
    asked.clear();
    tickAfter(PATIENCE);
    assertThat(asked.stream().filter(ask -> ask.partition() == 0))
        .extracting(Asked::index)
        .containsExactly(0, 2);
    says(0, 2, CutState.GONE);
    assertThat(lost).isEmpty();
    says(0, 0, CutState.GONE);
    assertThat(lost).containsExactly(0);
    asked.clear();
    tickAfter(10 * PATIENCE);
    assertThat(asked).as("that was the end").isEmpty();
  }

  @Test
  void whatIsNoAnswerIsIgnored() {
    tickAfter(0);
    TxnId other = new TxnId(1_000_001, 7, 0);
    reader.onMessage(
        nowMicros,
        new ReplicaId(0, 0),
        new CutReply(other, Key.of(""), CutState.GONE, CUT, List.of(), null));
    reader.onMessage(
        nowMicros,
        new ReplicaId(9, 0),
        new CutReply(CUT, Key.of(""), CutState.GONE, CUT, List.of(), null));
    assertThat(reader.unheard()).containsExactly(0, 1);
    assertThat(lost).isEmpty();
  }

  @Test
  void aClockThatIsSetBackStopsNothing() {
    nowMicros = 1_000_000_000;
    tickAfter(0);
    answers(0, 1, "", CutState.READ, "a");
    asked.clear();
    tickAfter(-500_000_000);
    assertThat(asked).as("hold again").isNotEmpty();
    asked.clear();
    answers(0, 2, "", CutState.READ, "a");
    assertThat(forRows()).as("read from another one").extracting(Asked::index).containsExactly(2);
  }

  @Test
  void aLaterMapAtTheCutEndsTheReader() {
    tickAfter(0);
    reader.onMessage(
        nowMicros,
        new ReplicaId(0, 1),
        new CutReply(CUT, Key.of(""), CutState.READ, CUT, List.of(), null, 1));
    assertThat(outdated).isTrue();
    assertThat(read).isEmpty();
    asked.clear();
    tickAfter(PATIENCE);
    assertThat(asked).isEmpty();
  }
}
