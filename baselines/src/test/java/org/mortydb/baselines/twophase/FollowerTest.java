package org.mortydb.baselines.twophase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.baselines.machine.Recorder;
import org.mortydb.baselines.message.LeaderMessage.Append;
import org.mortydb.baselines.message.LeaderMessage.SnapshotRead;
import org.mortydb.baselines.message.LeaderMessage.VersionReply;
import org.mortydb.baselines.message.LogEntry;
import org.mortydb.baselines.spanner.Locking;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;

/** Snapshots at a follower, message by message. */
class FollowerTest {
  private static final Topology TOPOLOGY = new Topology(1, 0);
  private static final ReplicaId LEADER = new ReplicaId(0, 0);
  private static final ClientId CLIENT = new ClientId(7);
  private static final Key X = Key.of("x");
  private static final long START = 1_000_000_000;
  private static final TxnId WRITER = new TxnId(START, 8, 0);
  private static final List<Write> WRITES = List.of(new Write(X, 1, Value.of("new")));

  private final Recorder out = new Recorder(TOPOLOGY);
  private final GroupReplica follower =
      new GroupReplica(
          new ReplicaId(0, 1),
          TOPOLOGY,
          new ReplicaOptions(500_000, 15_000_000, 50_000, 1_000_000, 16),
          BaselineRules.SOUND,
          Locking.FACTORY);

  private void receive(Endpoint from, Message message) {
    follower.step(START, new Event.Received(from, message), out);
    follower.checkInvariants();
  }

  private void append(long index, long safeMicros, LogEntry... entries) {
    receive(LEADER, new Append(index, List.of(entries), index, safeMicros));
  }

  private void read(int request, long atMicros) {
    receive(CLIENT, new SnapshotRead(new TxnId(START + request, 7, 0), request, X, atMicros));
  }

  private List<WriteId> served() {
    return out.take(VersionReply.class).stream().map(VersionReply::version).toList();
  }

  @Test
  void aSnapshotIsServedWhenThePreparedWriterBelowItHasEnded() {
    append(1, START + 1_000, new LogEntry.Prepared(WRITER, START + 10, WRITES));
    read(1, START + 5);
    assertThat(served()).containsExactly(WriteId.INITIAL);
    read(2, START + 21);
    assertThat(served()).isEmpty();
    append(2, 0, new LogEntry.Committed(WRITER, START + 20, List.of()));
    assertThat(served()).containsExactly(new WriteId(WRITER, 1));
  }

  @Test
  void aSnapshotIsServedWhenThePreparedWriterBelowItHasAborted() {
    append(1, START + 1_000, new LogEntry.Prepared(WRITER, START + 10, WRITES));
    read(1, START + 21);
    assertThat(served()).isEmpty();
    append(2, 0, new LogEntry.Aborted(WRITER));
    assertThat(served()).containsExactly(WriteId.INITIAL);
  }

  @Test
  void aSnapshotIsServedWhenNothingCanCommitBelowItAnyMore() {
    append(1, START + 100, new LogEntry.Committed(WRITER, START + 20, WRITES));
    read(1, START + 201);
    assertThat(served()).isEmpty();
    append(2, START + 198);
    assertThat(served()).isEmpty();
    append(2, START + 200);
    assertThat(served()).containsExactly(new WriteId(WRITER, 1));
  }
}
