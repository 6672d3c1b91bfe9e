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
 * Writes to the log what becomes of each transaction at the replicas here: what is unusual at level
 * debug, the rest at level trace. Each line has the transaction's id, and the replica, as key-value
 * pairs, by which a collector of logs finds them.
 */
final class TransactionLog implements MachineObserver {
  /** The key of a transaction's id. */
  static final String TXN = "txn";

  /** The key of a replica's id. */
  static final String REPLICA = "replica";

  /** The logger's name, of which {@code docs/how-to/observe.md} tells. */
  static final String NAME = "org.mortydb.transactions";

  private static final Logger log = LoggerFactory.getLogger(NAME);

  /** Whether anything would be written. */
  static boolean isWanted() {
    return log.isDebugEnabled();
  }

  /** Names the transaction that an event is about, if it is about one. */
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
      default -> {} // of every transaction, or of none
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
