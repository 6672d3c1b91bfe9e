package org.mortydb.protocol.machine;

import java.util.List;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;

/** Everything that can happen to a machine. */
public sealed interface Event {

  /** A message arrived. */
  record Received(Endpoint from, Message message) implements Event {}

  /** A timer that was armed ran out. A machine must bear one that it has cancelled meanwhile. */
  record TimerFired(Timer timer) implements Event {}

  /**
   * All messages that arrived together have been handled. Comes after {@link
   * CoordinatorEffects#awaitBatchEnd}, to a coordinator only.
   */
  record BatchEnded() implements Event {}

  /** The application, through the client's driver, wants something of a coordinator. */
  sealed interface Call extends Event {
    /** The execution in whose name the application calls; calls of a superseded one are ignored. */
    int execution();
  }

  /**
   * Reads keys in parallel; answered by one {@link CoordinatorEffects#resume} with all values.
   *
   * @param keys at least one key
   */
  record CallGet(int execution, List<Key> keys) implements Call {}

  /**
   * Scans a range; answered by one {@link CoordinatorEffects#resumeScan}.
   *
   * @param limit how many keys with a value to see at most, from 1 to {@link Limits#MAX_SCAN_ROWS}
   */
  record CallScan(int execution, KeyRange range, int limit) implements Call {}

  /** Writes a key, {@link Value#ABSENT} to delete it. Not answered. */
  record CallPut(int execution, Key key, Value value) implements Call {}

  /**
   * The application's turn is over: it will call again only after a resume, or after a while.
   * Writes that were held back to travel with a Prepare are sent now.
   */
  record CallYield(int execution) implements Call {}

  /** Commits; answered by {@link CoordinatorEffects#complete}, or by a resume first. */
  record CallCommit(int execution) implements Call {}

  /** Aborts by the application's will; answered by {@link CoordinatorEffects#complete}. */
  record CallAbort(int execution) implements Call {}
}
