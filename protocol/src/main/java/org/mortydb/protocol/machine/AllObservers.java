package org.mortydb.protocol.machine;

import java.util.List;
import java.util.function.Consumer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;

/** Calls several observers in order. An exception of one does not keep the others from the call. */
final class AllObservers implements MachineObserver {
  private final MachineObserver[] observers;
  private final Consumer<RuntimeException> onFailure;

  AllObservers(List<? extends MachineObserver> observers, Consumer<RuntimeException> onFailure) {
    this.observers = observers.toArray(MachineObserver[]::new);
    this.onFailure = onFailure;
  }

  @Override
  public void probed(Endpoint at, Probe probe, long nowMicros) {
    for (MachineObserver observer : observers) {
      try {
        observer.probed(at, probe, nowMicros);
      } catch (RuntimeException e) {
        onFailure.accept(e);
      }
    }
  }

  @Override
  public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
    for (MachineObserver observer : observers) {
      try {
        observer.received(at, from, message, nowMicros);
      } catch (RuntimeException e) {
        onFailure.accept(e);
      }
    }
  }

  @Override
  public void sent(Endpoint at, Endpoint to, Message message, long nowMicros) {
    for (MachineObserver observer : observers) {
      try {
        observer.sent(at, to, message, nowMicros);
      } catch (RuntimeException e) {
        onFailure.accept(e);
      }
    }
  }

  @Override
  public void broadcast(Endpoint at, int partition, Message message, long nowMicros) {
    for (MachineObserver observer : observers) {
      try {
        observer.broadcast(at, partition, message, nowMicros);
      } catch (RuntimeException e) {
        onFailure.accept(e);
      }
    }
  }

  @Override
  public void completed(Endpoint at, Completion completion, int attempt, long nowMicros) {
    for (MachineObserver observer : observers) {
      try {
        observer.completed(at, completion, attempt, nowMicros);
      } catch (RuntimeException e) {
        onFailure.accept(e);
      }
    }
  }
}
