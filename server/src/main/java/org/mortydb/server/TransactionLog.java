package org.mortydb.server;

import java.util.Locale;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Vote;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs the steps of each transaction at the replicas of this process: unusual steps at level debug,
 * the others at level trace. Each line has the ids of the transaction and the replica as key-value
 * pairs, so that log collectors can index them.
 */
final class TransactionLog implements MachineObserver {
  /** The key for the id of a transaction. */
  static final String TXN = "txn";

  /** The key for the id of a replica. */
  static final String REPLICA = "replica";

  /** The name of the logger; see {@code docs/how-to/observe.md}. */
  static final String NAME = "org.mortydb.transactions";

  private static final Logger log = LoggerFactory.getLogger(NAME);

  /** Whether the logger is on. */
  static boolean isWanted() {
    return log.isDebugEnabled();
  }

  /** Adds the transaction of an event to a log line, if the event has one. */
  static LoggingEventBuilder concerning(LoggingEventBuilder line, Event event) {
    return event instanceof Event.Received(Endpoint from, Message message)
        ? line.addKeyValue(TXN, message.txn())
        : line;
  }

  @Override
  public void probed(Endpoint at, Probe probe, long nowMicros) {
    switch (probe) {
      case Probe.Voted(var execution, Vote.Abandon abandon) ->
          tell(
              Level.DEBUG,
              at,
              probe,
              "execution {} abandoned{}: {}",
              execution.number(),
              abandon.isFinal() ? " for good" : "",
              lower(abandon.reason()));
      case Probe.Voted(var execution, Vote.Commit commit) ->
          tell(
              Level.TRACE,
              at,
              probe,
              "vote to commit execution {}{}",
              execution.number(),
              commit.onCondition() ? " on condition" : "");
      case Probe.Waiting(var execution, var dependency) ->
          tell(
              Level.TRACE,
              at,
              probe,
              "execution {} waits for the outcome of {}",
              execution.number(),
              dependency);
      case Probe.Installed(var txn, Outcome.Commit commit) ->
          tell(Level.TRACE, at, probe, "committed with execution {}", commit.execution());
      case Probe.Installed(var txn, Outcome.Abort abort) -> tell(Level.DEBUG, at, probe, "aborted");
      case Probe.RecoveryStarted(var txn, var view) ->
          tell(Level.DEBUG, at, probe, "its coordinator is silent: recovered in {}", view);
      case Probe.Mark(var txn, Probe.Branch branch) ->
          tell(Level.TRACE, at, probe, "{}", lower(branch));
      default -> {} // probes for metrics and traces
    }
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static void tell(
      Level level, Endpoint at, Probe probe, String format, Object... arguments) {
    if (!log.isEnabledForLevel(level)) {
      return;
    }
    LoggingEventBuilder line =
        log.atLevel(level).addKeyValue(TXN, probe.txn()).addKeyValue(REPLICA, at);
    for (Object argument : arguments) {
      line = line.addArgument(argument);
    }
    line.log(format);
  }
}
