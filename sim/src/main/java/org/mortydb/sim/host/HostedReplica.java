package org.mortydb.sim.host;

import java.util.function.Consumer;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.replica.Replica;

/** The production replica on a simulated server. */
public record HostedReplica(Replica replica) implements HostedMachine {
  @Override
  public void step(long nowMicros, Event event, Effects out) {
    replica.step(nowMicros, event, out);
  }

  @Override
  public void restore(long nowMicros, LogRecord logged) {
    replica.restore(nowMicros, logged);
  }

  @Override
  public boolean isWhole() {
    return replica.isWhole();
  }

  @Override
  public void join(long incarnation, boolean doubtful) {
    replica.join(incarnation, doubtful);
  }

  @Override
  public boolean isServing() {
    return replica.isServing() || replica.hasEnded();
  }

  @Override
  public boolean hasEnded() {
    return replica.hasEnded();
  }

  @Override
  public boolean isNew() {
    return replica.isNew();
  }

  @Override
  public int copyVersions(int slot, int limit, Consumer<LogRecord> to) {
    return replica.copyVersions(slot, limit, to);
  }

  @Override
  public void mark(int number) {
    replica.mark(number);
  }

  @Override
  public void copyRecords(int mark, Consumer<LogRecord> to) {
    replica.copyRecords(mark, to);
  }
}
