package org.mortydb.experiments.chain;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.bench.simulated.ClusterObserver;
import org.mortydb.bench.simulated.Handling;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.WriteId;

/**
 * Keeps everything that was handled within the measured window, with its causes, and how attempts
 * ended. That is about 150 bytes for each message, some forty messages for each transaction.
 */
final class ChainCollector implements ClusterObserver {
  private final List<Handling> handlings = new ArrayList<>();
  private final List<Message.Get> earlier = new ArrayList<>();
  private final List<CompletedAttempt> attempts = new ArrayList<>();
  private final List<Forward> forwards = new ArrayList<>();
  private boolean follows;
  private long fromNanos;
  private long toNanos;

  @Override
  public boolean follows() {
    return follows;
  }

  @Override
  public void handled(Handling handling) {
    handlings.add(handling);
  }

  @Override
  public void received(ReplicaId at, Message message, long nanos) {
    if (!follows && message instanceof Message.Get get) {
      earlier.add(get);
    }
  }

  /** A client's probes belong to what it handles. */
  @Override
  public void probed(Endpoint at, Probe probe, long nanos) {
    if (follows
        && !handlings.isEmpty()
        && probe instanceof Probe.Forwarded(TxnId reader, Key key, WriteId version)) {
      forwards.add(new Forward(reader, key, version, handlings.getLast()));
    }
  }

  @Override
  public void ended(CompletedAttempt attempt, long nanos) {
    attempts.add(attempt);
  }

  @Override
  public void windowBegins(long nanos) {
    attempts.clear();
    fromNanos = nanos;
    follows = true;
  }

  @Override
  public void windowEnds(long nanos) {
    toNanos = nanos;
    follows = false;
  }

  /** Everything that was seen. */
  Observed observed() {
    return new Observed(handlings, earlier, attempts, forwards, fromNanos, toNanos);
  }

  /**
   * A transaction takes a version that another one of its client forwards.
   *
   * @param reader the transaction that takes the version
   * @param at what the client of both handled meanwhile
   */
  record Forward(TxnId reader, Key key, WriteId version, Handling at) {}

  /**
   * What was seen of a run.
   *
   * @param handlings in the order of the simulation
   * @param earlier the reads before the window, which transactions may still use
   * @param attempts those that ended since the begin of the window
   * @param forwards the versions that transactions took from others of their client, in order
   * @param fromNanos the begin of the window
   * @param toNanos its end
   */
  record Observed(
      List<Handling> handlings,
      List<Message.Get> earlier,
      List<CompletedAttempt> attempts,
      List<Forward> forwards,
      long fromNanos,
      long toNanos) {
    double seconds() {
      return (toNanos - fromNanos) / 1e9;
    }
  }
}
