package org.mortydb.protocol.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;

class MachineObserverTest {
  private static final TxnId TXN = new TxnId(5, 7, 0);
  private static final ReplicaId AT = new ReplicaId(0, 2);
  private static final Probe PROBE = new Probe.Installed(TXN, Outcome.ABORT);
  private static final Message MESSAGE = new Message.Inquire(TXN);

  private final List<String> told = new ArrayList<>();
  private final List<RuntimeException> failures = new ArrayList<>();

  private MachineObserver noting(String name) {
    return new MachineObserver() {
      @Override
      public void probed(Endpoint at, Probe probe, long nowMicros) {
        told.add(name + " probed " + at + " " + probe.txn() + " " + nowMicros);
      }

      @Override
      public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
        told.add(name + " received " + at + " " + from + " " + message.txn() + " " + nowMicros);
      }
    };
  }

  @Test
  void nobodyListensWhenThereIsNoObserver() {
    assertThat(MachineObserver.all(List.of(), failures::add)).isNull();
  }

  @Test
  void allAreToldInTheirOrderWhateverOneOfThemThrows() {
    MachineObserver broken =
        new MachineObserver() {
          @Override
          public void probed(Endpoint at, Probe probe, long nowMicros) {
            throw new IllegalStateException("probed");
          }

          @Override
          public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
            throw new IllegalStateException("received");
          }
        };
    MachineObserver all =
        MachineObserver.all(List.of(noting("a"), broken, noting("b")), failures::add);
    all.probed(AT, PROBE, 11);
    all.received(AT, new ClientId(7), MESSAGE, 12);
    assertThat(told)
        .containsExactly(
            "a probed " + AT + " " + TXN + " 11",
            "b probed " + AT + " " + TXN + " 11",
            "a received " + AT + " " + new ClientId(7) + " " + TXN + " 12",
            "b received " + AT + " " + new ClientId(7) + " " + TXN + " 12");
    assertThat(failures).extracting(Throwable::getMessage).containsExactly("probed", "received");
  }

  @Test
  void messagesNeedNotBeOfInterest() {
    List<Probe> probes = new ArrayList<>();
    MachineObserver observer = (at, probe, nowMicros) -> probes.add(probe);
    observer.received(AT, new ClientId(7), MESSAGE, 12);
    observer.probed(AT, PROBE, 11);
    assertThat(probes).containsExactly(PROBE);
  }
}
