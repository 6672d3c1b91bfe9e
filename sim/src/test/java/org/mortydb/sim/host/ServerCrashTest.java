package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.net.Network;

/** Servers that crash, pause and start again, with a machine that logs every outcome. */
class ServerCrashTest {
  private static final ReplicaId A = new ReplicaId(0, 0);
  private static final ReplicaId B = new ReplicaId(0, 1);

  private final Kernel kernel = new Kernel();
  private final SimTrace trace = SimTrace.digestOnly(kernel);
  private final List<String> seen = new ArrayList<>();
  private final Network network =
      new Network(kernel, DelayModel.constant(2, 100), new SplittableRandom(1), trace);
  private final Fabric fabric = new Fabric(network, trace, new Log(), 1, 2);
  private final ReplicaHost client = host(DiskSpec.FREE, 1);

  private ReplicaHost host(DiskSpec disk, int region) {
    HostSpec spec = new HostSpec("h" + region, region, 1, 0, 0);
    return new ReplicaHost(spec, kernel, fabric, CpuModel.FREE, disk, new SplittableRandom(3));
  }

  private ReplicaHost server(SimDurability durability, long forceMicros) {
    client.add(B, () -> (now, event, out) -> {});
    ReplicaHost server = host(new DiskSpec(durability, forceMicros, 0, 0, 1), 0);
    server.add(A, Remembering::new);
    return server;
  }

  private void tell(ReplicaHost server, int txn) {
    server.receive(B, A, new Message.Decide(new TxnId(txn, 1, 0), Outcome.ABORT));
  }

  @Test
  void answersLeaveWhenTheyAreDurable() {
    ReplicaHost server = server(SimDurability.SYNC, 1_000);
    tell(server, 1);
    assertThat(seen).contains("p0r0 took 1");
    assertThat(seen).doesNotContain("p0r0 answered 1");
    kernel.runUntil(1_001);
    assertThat(seen).contains("p0r0 answered 1");
  }

  @Test
  void aServerComesBackWithWhatWasForced() {
    ReplicaHost server = server(SimDurability.SYNC, 1_000);
    tell(server, 1);
    kernel.runUntil(1_001);
    server.crash();
    tell(server, 2);
    assertThat(server.isUp()).isFalse();
    assertThat(seen).contains("p0r0 crashed").doesNotContain("p0r0 took 2");
    server.restart();
    assertThat(server.isUp()).isTrue();
    assertThat(seen).contains("p0r0 remembers 1").doesNotContain("p0r0 joins as 2");
    tell(server, 3);
    assertThat(seen).contains("p0r0 took 3");
  }

  @Test
  void aServerThatKeepsNothingJoins() {
    ReplicaHost server = server(SimDurability.MEMORY, 0);
    tell(server, 1);
    assertThat(server.isServing()).isTrue();
    server.crash();
    assertThat(server.isServing()).isFalse();
    server.restart();
    assertThat(seen).contains("p0r0 joins as 2").doesNotContain("p0r0 remembers 1");
    assertThat(server.isUp()).isTrue();
    assertThat(server.isServing()).isFalse();
  }

  @Test
  void aServerWithoutItsDiskJoins() {
    ReplicaHost server = server(SimDurability.SYNC, 0);
    tell(server, 1);
    assertThatThrownBy(server::wipe)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("h0");
    server.crash();
    server.wipe();
    server.restart();
    assertThat(seen).contains("p0r0 joins as 2").doesNotContain("p0r0 remembers 1");
    server.crash();
    server.restart();
    assertThat(seen).contains("p0r0 joins as 3");
  }

  @Test
  void foundersJoinFromTheFirst() {
    ReplicaHost server = host(DiskSpec.FREE, 0);
    server.addFounder(A, Remembering::new);
    assertThat(seen).contains("p0r0 joins as 1");
    assertThat(server.isServing()).isFalse();
  }

  /** Otherwise the next server may lose its disk before this one has copied anything. */
  @Test
  void aReplicaOfANewPartitionThatHasLostItsDiskIsMissed() {
    ReplicaHost server = host(DiskSpec.FREE, 0);
    server.addFounder(
        A,
        () ->
            new Remembering() {
              @Override
              public boolean isNew() {
                return true;
              }
            });
    assertThat(server.isServing()).isTrue();
    server.crash();
    server.wipe();
    server.restart();
    assertThat(server.isServing()).isFalse();
    assertThat(server.isServingDurably()).isFalse();
  }

  @Test
  void aServerDiesBetweenTwoEffectsOfAStep() {
    ReplicaHost server = server(SimDurability.SYNC, 0);
    kernel.runUntil(0);
    server.crashAfter(2); // the append takes place, the answer does not
    tell(server, 1);
    kernel.runUntil(1_000);
    assertThat(server.isUp()).isFalse();
    assertThat(seen).contains("p0r0 took 1", "server crashed within a step: true");
    assertThat(seen).doesNotContain("p0r0 answered 1");
  }

  @Test
  void aServerThatIsSparedLivesOn() {
    ReplicaHost server = server(SimDurability.SYNC, 0);
    server.crashAfter(2);
    server.spare();
    tell(server, 1);
    assertThat(server.isUp()).isTrue();
  }

  @Test
  void whatHappensDuringAPauseHappensAfterIt() {
    ReplicaHost server = server(SimDurability.SYNC, 0);
    kernel.runUntil(10);
    server.pause();
    tell(server, 1);
    tell(server, 2);
    kernel.runUntil(500);
    assertThat(seen).doesNotContain("p0r0 took 1");
    server.resume();
    assertThat(seen).containsSubsequence("p0r0 took 1", "p0r0 took 2");
  }

  @Test
  void amnesiaIsARestartThatRemembersNothing() {
    ReplicaHost server = server(SimDurability.SYNC, 0);
    tell(server, 1);
    server.crash();
    server.restartWithoutMemory();
    assertThat(server.isServing()).isTrue();
    assertThat(seen).doesNotContain("p0r0 remembers 1", "p0r0 joins as 2");
    assertThat(Objects.requireNonNull(server.logOf(A)).size()).isZero();
  }

  private final class Log implements Observer {
    @Override
    public void onSend(Endpoint from, Endpoint to, Message message) {
      seen.add(from + " answered " + message.txn().timeMicros());
    }

    @Override
    public void onCrash(ReplicaId replica) {
      seen.add(replica + " crashed");
    }

    @Override
    public void onServerCrash(boolean withinStep, int lost) {
      seen.add("server crashed within a step: " + withinStep);
    }
  }

  /** Logs each outcome it receives, and answers once that is durable. */
  private class Remembering implements HostedMachine {
    private boolean whole;
    private boolean joins;

    @Override
    public boolean isWhole() {
      return whole;
    }

    @Override
    public void join(long incarnation, boolean doubtful) {
      joins = true;
      seen.add(A + " joins as " + incarnation);
    }

    @Override
    public boolean isServing() {
      return !joins;
    }

    @Override
    public void step(long nowMicros, Event event, Effects out) {
      if (event instanceof Event.Received(Endpoint from, Message.Decide decide)) {
        seen.add(A + " took " + decide.txn().timeMicros());
        out.append(new LogRecord.Decided(decide.txn(), decide.outcome()));
        out.holdUntilDurable();
        out.send(from, new Message.InquireReply(decide.txn()));
      }
    }

    @Override
    public void restore(long nowMicros, LogRecord logged) {
      if (logged instanceof LogRecord.Decided decided) {
        whole = true;
        seen.add(A + " remembers " + decided.txn().timeMicros());
      }
    }
  }

  @Test
  void messagesOfServersThatHaveAllStoppedDoNotArrive() {
    ReplicaHost server = server(SimDurability.SYNC, 0);
    fabric.send(client, B, A, new Message.Decide(new TxnId(1, 1, 0), Outcome.ABORT));
    fabric.send(client, new ClientId(7), A, new Message.Decide(new TxnId(2, 1, 0), Outcome.ABORT));
    fabric.serversStop();
    fabric.send(client, B, A, new Message.Decide(new TxnId(3, 1, 0), Outcome.ABORT));
    kernel.runUntil(1_000);
    assertThat(server.replicas()).containsExactly(A);
    assertThat(seen).contains("p0r0 took 2", "p0r0 took 3").doesNotContain("p0r0 took 1");
  }
}
