package org.mortydb.protocol.machine;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;

/** Everything that can happen to a machine. */
public sealed interface Event {

  /** A message arrived. */
  record Received(Endpoint from, Message message) implements Event {}

  /** A timer has run out. A machine must tolerate a timer that it has cancelled meanwhile. */
  record TimerFired(Timer timer) implements Event {}

  /**
   * All messages that arrived together have been handled. Hosts step it once after {@link
   * CoordinatorEffects#awaitBatchEnd}; replicas never see it.
   */
  record BatchEnded() implements Event {}

  /**
   * Another transaction of this client, below this one, has asked for votes on a write of a key, or
   * has withdrawn it (docs/protocol.md, section 14). Hosts step it after {@link
   * CoordinatorEffects#follow}; replicas never see it.
   *
   * @param value null if the version is withdrawn
   */
  record Forwarded(Key key, WriteId version, @Nullable Value value) implements Event {}

  /**
   * The client would rather run the transaction under another id, although the application has
   * asked to commit (docs/protocol.md, section 12). A coordinator of Morty aborts if no outcome was
   * proposed yet; others ignore it. Hosts may step it at any time; replicas never see it.
   */
  record Renumber() implements Event {}

  /**
   * The host has lost the connections to some replicas, or they stay silent, or it has found some
   * again (docs/protocol.md, section 7, Loss). That is a hint, possibly late or wrong: it decides
   * whom a coordinator asks and for whom it waits, and nothing else. Hosts step it whenever the set
   * changes; replicas never see it.
   *
   * @param replicas all replicas that count as lost or silent now
   */
  record Unreachable(Set<ReplicaId> replicas) implements Event {}

  /** A call of the application, through the client's driver. Only coordinators see it. */
  sealed interface Call extends Event {
    /** The execution that calls. A coordinator ignores the calls of a superseded execution. */
    int execution();
  }

  /**
   * Reads keys in parallel. One {@link CoordinatorEffects#resume} answers with all values.
   *
   * @param keys at least one key
   */
  record CallGet(int execution, List<Key> keys) implements Call {}

  /**
   * Scans a range. One {@link CoordinatorEffects#resumeScan} answers with all rows.
   *
   * @param limit the most keys with a value to return, from 1 to {@link Limits#MAX_SCAN_ROWS}
   */
  record CallScan(int execution, KeyRange range, int limit) implements Call {}

  /** Writes a key; {@link Value#ABSENT} deletes it. There is no answer. */
  record CallPut(int execution, Key key, Value value) implements Call {}

  /**
   * Ends the application's turn: the application calls again only after a resume, or after a while.
   * The coordinator now shows the writes that it held back to send them with a Prepare.
   */
  record CallYield(int execution) implements Call {}

  /** Commits. {@link CoordinatorEffects#complete} answers, possibly after further resumes. */
  record CallCommit(int execution) implements Call {}

  /**
   * Commits what the execution has read, and none of its writes: an application that gives up knows
   * then that it did not do so because of values that no serial order shows. {@link
   * CoordinatorEffects#complete} answers as to {@link CallCommit}; an execution that has read
   * nothing aborts.
   */
  record CallCommitReads(int execution) implements Call {}

  /** Aborts. {@link CoordinatorEffects#complete} answers. */
  record CallAbort(int execution) implements Call {}
}
