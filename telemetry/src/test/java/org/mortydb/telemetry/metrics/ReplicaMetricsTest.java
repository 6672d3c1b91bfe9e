package org.mortydb.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.telemetry.metrics.WindowListener.KeyWindow;

/** Each probe and message counts, and windows have known lengths. */
class ReplicaMetricsTest {
  private static final ReplicaId AT = new ReplicaId(0, 1);
  private static final ClientId CLIENT = new ClientId(7);
  private static final TxnId TXN = new TxnId(1_000, 7, 0);
  private static final Key A = Key.of("a");
  private static final Key B = Key.of("b");
  private static final WriteId OLD = new WriteId(new TxnId(10, 3, 0), 1);
  private static final WriteId NEW = new WriteId(new TxnId(20, 4, 0), 1);

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final List<KeyWindow> closed = new ArrayList<>();
  private final ReplicaMetrics metrics =
      new ReplicaMetrics(
          registry,
          new WindowListener() {
            @Override
            public boolean isListening() {
              return true;
            }

            @Override
            public void closed(KeyWindow window) {
              closed.add(window);
            }
          });

  private double value(String series) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(text, registry.scrape());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return text.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + series + " in\n" + text));
  }

  private void probe(Probe probe, long nowMicros) {
    metrics.probed(AT, probe, nowMicros);
  }

  private void receive(Message message, long nowMicros) {
    metrics.received(AT, CLIENT, message, nowMicros);
  }

  private static Message.Prepare prepare(int execution, List<Read> reads, List<Write> writes) {
    return new Message.Prepare(new ExecutionId(TXN, execution), reads, writes, List.of(0));
  }

  private static Write write(Key key, int valueId) {
    return new Write(key, valueId, Value.of("v"));
  }

  @Test
  void readsVotesAndOutcomesAreCounted() {
    probe(new Probe.ReadServed(TXN, A, OLD, true), 2_000);
    probe(new Probe.ReadServed(TXN, B, OLD, false), 2_000);
    probe(new Probe.ReadServed(TXN, B, OLD, false), 2_001);
    probe(new Probe.Pushed(TXN, A, NEW), 2_002);
    ExecutionId first = new ExecutionId(TXN, 0);
    probe(new Probe.Voted(first, Vote.COMMIT), 2_003);
    probe(new Probe.Voted(first, new Vote.Abandon(false, Vote.Reason.MISSED_WRITE, List.of())), 3);
    probe(new Probe.Voted(first, new Vote.Abandon(true, Vote.Reason.MISSED_WRITE, List.of())), 3);
    probe(new Probe.Voted(first, new Vote.Abandon(true, Vote.Reason.TRUNCATED, List.of())), 3);
    probe(new Probe.Installed(TXN, Outcome.commit(2, List.of(0))), 2_010);
    probe(new Probe.Installed(new TxnId(9, 9, 5), Outcome.commit(0, List.of(0, 5))), 2_010);
    probe(new Probe.Installed(new TxnId(8, 9, 0), Outcome.ABORT), 2_010);
    probe(new Probe.RecoveryStarted(TXN, new View(1, 0)), 2_011);
    probe(new Probe.Truncated(TXN), 2_011);
    probe(new Probe.Joined(TXN), 2_011);
    probe(new Probe.Mark(TXN, Probe.Branch.FENCED), 2_011);
    assertThat(value("morty_replica_reads_total{version=\"settled\"}")).isEqualTo(1);
    assertThat(value("morty_replica_reads_total{version=\"unsettled\"}")).isEqualTo(2);
    assertThat(value("morty_replica_pushes_total")).isEqualTo(1);
    String votes = "morty_replica_votes_total{reason=\"%s\",vote=\"%s\"}";
    assertThat(value(votes.formatted("none", "commit"))).isEqualTo(1);
    assertThat(value(votes.formatted("missed_write", "abandon"))).isEqualTo(1);
    assertThat(value(votes.formatted("missed_write", "abandon_finally"))).isEqualTo(1);
    assertThat(value(votes.formatted("truncated", "abandon_finally"))).isEqualTo(1);
    assertThat(value(votes.formatted("dirty_read", "abandon"))).isZero();
    assertThat(value("morty_replica_outcomes_total{outcome=\"commit\"}")).isEqualTo(2);
    assertThat(value("morty_replica_outcomes_total{outcome=\"abort\"}")).isEqualTo(1);
    assertThat(value("morty_replica_home_commits_total")).isEqualTo(1);
    assertThat(value("morty_replica_commit_age_seconds_count")).isEqualTo(1);
    assertThat(value("morty_replica_commit_age_seconds_sum")).isEqualTo(0.00101, within(1e-9));
    assertThat(value("morty_replica_reexecutions_total")).isEqualTo(2);
    assertThat(value("morty_replica_recoveries_started_total")).isEqualTo(1);
    assertThat(value("morty_replica_truncations_total")).isEqualTo(1);
    assertThat(value("morty_replica_joins_total")).isEqualTo(1);
    assertThat(value("morty_replica_events_total{event=\"fenced\"}")).isEqualTo(1);
  }

  @Test
  void messagesAreCountedByTypeAndSlowPathsOnce() {
    Message slow = new Message.Finalize(TXN, new View(0, 0), Outcome.ABORT);
    receive(slow, 1);
    receive(slow, 2);
    receive(new Message.Finalize(new TxnId(5, 5, 0), new View(0, 0), Outcome.ABORT), 3);
    receive(new Message.Get(TXN, 0, A), 4);
    receive(new Message.Scan(TXN, 1, KeyRange.ALL, 10), 5);
    assertThat(value("morty_replica_messages_total{type=\"finalize\"}")).isEqualTo(3);
    assertThat(value("morty_replica_messages_total{type=\"get\"}")).isEqualTo(1);
    assertThat(value("morty_replica_messages_total{type=\"scan\"}")).isEqualTo(1);
    assertThat(value("morty_replica_slow_paths_total")).isEqualTo(2);
  }

  @Test
  void eachRowOfAScanHasAWindow() {
    List<Key> rows = IntStream.range(0, 1_000).mapToObj(i -> Key.of("row" + i)).toList();
    for (int i = 0; i < rows.size(); i++) {
      probe(new Probe.ReadServed(TXN, rows.get(i), OLD, true), 2_000 + i);
    }
    probe(new Probe.Pushed(TXN, rows.get(7), NEW), 3_500);
    List<Read> reads = rows.stream().map(row -> new Read(row, OLD)).toList();
    List<Write> writes = rows.stream().map(row -> write(row, 1)).toList();
    receive(prepare(0, reads, writes), 4_000);
    probe(new Probe.Installed(TXN, Outcome.commit(0, List.of(0))), 10_000);
    assertThat(value("morty_replica_reads_total{version=\"settled\"}")).isEqualTo(1_000);
    // The pushed version is not the prepared one.
    assertThat(closed).extracting(KeyWindow::key).hasSize(999).doesNotContain(rows.get(7));
    assertThat(closed.getLast().key()).isEqualTo(rows.getLast());
    assertThat(closed.getLast().readMicros()).isEqualTo(2_999);
    assertThat(closed.getLast().shownMicros()).isEqualTo(4_000);
  }

  @Test
  void windowsAreThoseOfTheCommittedExecution() {
    probe(new Probe.ReadServed(TXN, A, OLD, true), 2_000);
    probe(new Probe.ReadServed(TXN, B, OLD, true), 2_000);
    receive(new Message.Put(TXN, 0, write(A, 1)), 2_300);
    receive(prepare(0, List.of(new Read(A, OLD), new Read(B, OLD)), List.of(write(A, 1))), 2_400);
    // A newer version of A: the second execution reads it, writes another value, and does not write
    // B.
    probe(new Probe.Pushed(TXN, A, NEW), 5_000);
    probe(new Probe.ReadServed(TXN, A, NEW, true), 5_500); // asked again: chosen at 5,000 already
    receive(new Message.Put(TXN, 1, write(A, 2)), 7_000);
    receive(prepare(1, List.of(new Read(A, NEW)), List.of(write(A, 2))), 8_000);
    probe(new Probe.Installed(TXN, Outcome.commit(1, List.of(0))), 25_000);
    assertThat(value("morty_replica_serialization_window_seconds_count")).isEqualTo(1);
    assertThat(value("morty_replica_serialization_window_seconds_sum"))
        .isEqualTo(0.002, within(1e-9));
    assertThat(value("morty_replica_serialization_window_seconds_bucket{le=\"0.001\"}")).isZero();
    assertThat(value("morty_replica_serialization_window_seconds_bucket{le=\"0.002\"}"))
        .isEqualTo(1);
    assertThat(value("morty_replica_validity_window_seconds_count")).isEqualTo(1);
    assertThat(value("morty_replica_validity_window_seconds_sum")).isEqualTo(0.02, within(1e-9));
    assertThat(closed).containsExactly(new KeyWindow(AT, A, TXN, 5_000, 7_000, 25_000, true, 2));
  }

  @Test
  void aWriteThatDidNotChangeWasVisibleBeforeTheRead() {
    probe(new Probe.ReadServed(TXN, A, OLD, true), 2_000);
    receive(prepare(0, List.of(new Read(A, OLD)), List.of(write(A, 1))), 2_400);
    Vote stale =
        new Vote.Abandon(
            false,
            Vote.Reason.MISSED_WRITE,
            List.of(new VersionedValue(A, NEW, Value.of("n"), true)));
    probe(new Probe.Voted(new ExecutionId(TXN, 0), stale), 2_400);
    receive(prepare(1, List.of(new Read(A, NEW)), List.of(write(A, 1))), 9_000);
    probe(new Probe.Installed(TXN, Outcome.commit(1, List.of(0))), 12_400);
    assertThat(value("morty_replica_serialization_window_seconds_count")).isEqualTo(1);
    assertThat(value("morty_replica_serialization_window_seconds_sum")).isZero();
    assertThat(value("morty_replica_validity_window_seconds_sum")).isEqualTo(0.01, within(1e-9));
  }

  @Test
  void versionsThatAnotherReplicaChoseAndAbortsHaveNoWindows() {
    probe(new Probe.ReadServed(TXN, A, OLD, true), 2_000);
    receive(prepare(0, List.of(new Read(A, NEW)), List.of()), 2_400);
    probe(new Probe.Installed(TXN, Outcome.commit(0, List.of(0))), 3_000);
    TxnId aborted = new TxnId(1_001, 7, 0);
    probe(new Probe.ReadServed(aborted, A, OLD, true), 2_000);
    probe(new Probe.Installed(aborted, Outcome.ABORT), 3_000);
    probe(new Probe.Installed(new TxnId(1_002, 7, 0), Outcome.commit(0, List.of(0))), 3_000);
    assertThat(value("morty_replica_validity_window_seconds_count")).isZero();
    assertThat(value("morty_replica_serialization_window_seconds_count")).isZero();
    assertThat(closed).extracting(KeyWindow::txn).containsExactly(aborted);
  }

  @Test
  void waitsEndWithTheVote() {
    ExecutionId first = new ExecutionId(TXN, 0);
    probe(new Probe.Waiting(first, new TxnId(5, 5, 0)), 2_000);
    probe(new Probe.Voted(first, Vote.COMMIT_ON_CONDITION), 2_500);
    probe(new Probe.Waiting(first, new TxnId(6, 5, 0)), 3_000);
    probe(new Probe.Voted(first, Vote.COMMIT), 52_000);
    probe(new Probe.Voted(new ExecutionId(TXN, 1), Vote.COMMIT), 60_000);
    assertThat(value("morty_replica_waits_total")).isEqualTo(2);
    assertThat(value("morty_replica_votes_total{reason=\"none\",vote=\"commit_on_condition\"}"))
        .isEqualTo(1);
    assertThat(value("morty_replica_wait_seconds_count")).isEqualTo(1);
    assertThat(value("morty_replica_wait_seconds_sum")).isEqualTo(0.05, within(1e-9));
  }

  @Test
  void whatIsOpenIsBounded() {
    for (int i = 0; i < 20_000; i++) {
      probe(new Probe.ReadServed(new TxnId(1_000 + i, 7, 0), A, OLD, true), 2_000);
    }
    assertThat(value("morty_replica_windows_lost_total")).isEqualTo(20_000 - 16 * 1024);
  }
}
