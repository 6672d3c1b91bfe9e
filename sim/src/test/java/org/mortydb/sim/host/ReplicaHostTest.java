package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.net.Network;

/** Hosts and fabric, with a small machine that answers every inquiry. */
class ReplicaHostTest {
  private static final ReplicaId A = new ReplicaId(0, 0);
  private static final ReplicaId B = new ReplicaId(0, 1);

  private final Kernel kernel = new Kernel();
  private final SimTrace trace = SimTrace.digestOnly(kernel);
  private final List<String> log = new ArrayList<>();
  private final Network network =
      new Network(kernel, DelayModel.constant(3, 100), new SplittableRandom(1), trace);
  private final Fabric fabric = new Fabric(network, trace, new Log(), 1, 3);

  @Test
  void carriesMessagesBetweenMachinesByTheirHostsClocks() {
    host("a", 0, 0).add(A, () -> new Inquirer(1));
    host("b", 1, 500).add(B, () -> new Inquirer(0));
    kernel.runUntil(1_000);
    assertThat(log).containsExactly("p0r0 tick at 0", "p0r1 tick at 500", "p0r0 got Decide at 200");
  }

  @Test
  void chargesTheCpu() {
    ReplicaHost slow = host("a", 0, 0, CpuModel.constant(40_000));
    slow.add(A, () -> new Inquirer(1));
    host("b", 1, 0).add(B, () -> new Inquirer(0));
    kernel.runUntil(1_000);
    assertThat(log).containsExactly("p0r1 tick at 0", "p0r0 tick at 40", "p0r0 got Decide at 280");
  }

  @Test
  void timersRunAtTheRateOfTheClockAndAreReplacedAndCancelled() {
    ReplicaHost host =
        new ReplicaHost(new HostSpec("fast", 0, 1, 0, 250_000), kernel, fabric, CpuModel.FREE);
    host.add(
        A,
        () ->
            (now, event, out) -> {
              if (event instanceof Event.TimerFired(Timer timer)) {
                log.add(timer + " at " + kernel.nowMicros());
                if (timer == Timer.TICK) {
                  out.armTimer(Timer.RESEND, 5_000);
                  out.armTimer(Timer.RESEND, 1_000);
                  out.armTimer(Timer.DEADLINE, 500);
                  out.cancelTimer(Timer.DEADLINE);
                }
              }
            });
    kernel.runUntil(10_000);
    assertThat(log).containsExactly("TICK at 0", "RESEND at 800");
  }

  @Test
  void stopsAMachineThatThrowsAndTellsTheObserver() {
    host("a", 0, 0)
        .add(
            A,
            () ->
                (now, event, out) -> {
                  throw new IllegalStateException("broken");
                });
    host("b", 1, 0).add(B, () -> new Inquirer(0));
    kernel.runUntil(1_000);
    assertThat(log).containsExactly("p0r0 failed: broken", "p0r1 tick at 0");
  }

  @Test
  void sameMessagesGiveTheSameDigest() {
    assertThat(digest(100)).isEqualTo(digest(100)).isNotEqualTo(digest(101));
  }

  private static long digest(long txn) {
    Kernel kernel = new Kernel();
    SimTrace trace = SimTrace.digestOnly(kernel);
    Network network =
        new Network(kernel, DelayModel.constant(1, 1), new SplittableRandom(1), trace);
    Fabric fabric = new Fabric(network, trace, Observer.NONE, 1, 1);
    ReplicaHost host =
        new ReplicaHost(new HostSpec("x", 0, 1, 0, 0), kernel, fabric, CpuModel.FREE);
    host.add(A, () -> (now, event, out) -> out.send(B, new Message.Inquire(new TxnId(txn, 1, 0))));
    kernel.runUntil(0);
    return trace.digest();
  }

  private ReplicaHost host(String name, int region, long offset) {
    return host(name, region, offset, CpuModel.FREE);
  }

  private ReplicaHost host(String name, int region, long offset, CpuModel model) {
    return new ReplicaHost(new HostSpec(name, region, 1, offset, 0), kernel, fabric, model);
  }

  private final class Log implements Observer {
    @Override
    public void onFailure(Endpoint self, Throwable failure) {
      log.add(self + " failed: " + failure.getMessage());
    }
  }

  /** Inquires of another replica with each tick, and answers who inquires of it. */
  private final class Inquirer implements HostedMachine {
    private final int other;

    Inquirer(int other) {
      this.other = other;
    }

    @Override
    public void step(long nowMicros, Event event, Effects out) {
      ReplicaId self = new ReplicaId(0, 1 - other);
      long since = nowMicros - HostClock.EPOCH_MICROS;
      switch (event) {
        case Event.TimerFired fired -> {
          log.add(self + " tick at " + since);
          if (other == 1) {
            out.send(B, new Message.Inquire(new TxnId(1, 1, 0)));
          }
        }
        case Event.Received(Endpoint from, Message.Inquire(TxnId txn)) ->
            out.send(from, new Message.Decide(txn, org.mortydb.protocol.model.Outcome.ABORT));
        case Event.Received(Endpoint from, Message message) ->
            log.add(self + " got " + message.getClass().getSimpleName() + " at " + since);
        case Event.Forwarded forwarded -> throw new IllegalArgumentException("no forwarding");
        case Event.Renumber renumber -> throw new IllegalArgumentException("no other ids");
        case Event.Unreachable unreachable -> throw new IllegalArgumentException("no client");
        case Event.BatchEnded ended -> throw new IllegalArgumentException("no batches");
        case Event.Call call -> throw new IllegalArgumentException("no calls");
      }
    }
  }
}
