package org.mortydb.protocol.log;

import java.util.List;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * What a replica has to remember across a restart, in the order in which it happened
 * (docs/protocol.md, section 8). The same records make up its log, its checkpoints and the
 * snapshots that peers take of it. Applying a record twice does no harm.
 */
public sealed interface LogRecord {

  /**
   * The replica voted to commit this execution.
   *
   * @param onCondition whether that was on condition, which the outcomes in the log fulfil or not
   */
  record Prepared(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants,
      boolean onCondition)
      implements LogRecord {

    /** Of an execution that has scanned nothing. */
    public Prepared(
        ExecutionId execution,
        List<Read> reads,
        List<Write> writes,
        List<Integer> participants,
        boolean onCondition) {
      this(execution, reads, List.of(), writes, participants, onCondition);
    }
  }

  /**
   * The vote to commit a lower execution was taken back, because {@code execution} exists. Without
   * it a vote that others were validated without would stand again after a restart.
   */
  record Dropped(TxnId txn, int execution) implements LogRecord {}

  /** The replica promised a recovery's view. */
  record Promised(TxnId txn, View view) implements LogRecord {}

  /** The replica accepted an outcome for a transaction that is homed here. */
  record Accepted(TxnId txn, View view, Outcome value) implements LogRecord {}

  /** The replica learnt an outcome. */
  record Decided(TxnId txn, Outcome outcome) implements LogRecord {}

  /**
   * The outcome of a transaction of which nothing else is left to do: what came of it is among the
   * versions.
   */
  record Settled(TxnId txn, Outcome outcome) implements LogRecord {}

  /** The execution that committed, where it is not the one that was prepared here. */
  record Executed(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      implements LogRecord {

    /** Of an execution that has scanned nothing. */
    public Executed(
        ExecutionId execution, List<Read> reads, List<Write> writes, List<Integer> participants) {
      this(execution, reads, List.of(), writes, participants);
    }
  }

  /** No vote is given any more to transactions at or below the fence. */
  record Fenced(TxnId fence) implements LogRecord {}

  /**
   * Everything at or below the watermark is decided, and known here (section 6).
   *
   * @param forgotten outcomes at or below it are not kept any more
   */
  record Truncated(TxnId watermark, TxnId forgotten) implements LogRecord {}

  /** A committed version. In checkpoints and snapshots only, where it stands for what led to it. */
  record Version(Key key, WriteId version, Value value) implements LogRecord {}

  /**
   * The floor of a key's history: what is below it is refused. In checkpoints and snapshots only.
   */
  record Floor(Key key, TxnId floor) implements LogRecord {}

  /**
   * The replica, which remembers nothing, has locked on founding the partition together with these
   * incarnations of all its replicas (section 9). Whoever finds this again and nothing later has
   * forgotten nothing. An empty list takes the lock back: the replica is no founder, or has
   * forgotten what it did as one.
   */
  record Locked(List<Long> incarnations) implements LogRecord {}

  /**
   * Whether the replica serves: what came before makes it whole, or it has to join (section 9).
   * Without any such record it has to join as well.
   */
  record Serving(boolean serving) implements LogRecord {}
}
