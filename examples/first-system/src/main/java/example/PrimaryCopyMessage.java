package example;

import java.util.List;
import org.mortydb.protocol.message.ClientMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The messages of primary copy. Each may be lost, repeated and reordered. */
sealed interface PrimaryCopyMessage extends Message.OfSystem {

  /** A message that clients send to primaries. */
  sealed interface ToPrimary extends PrimaryCopyMessage, ClientMessage {
    @Override
    default Access access() {
      return Access.READ;
    }
  }

  /** A message that primaries send to clients. */
  sealed interface ToClient extends PrimaryCopyMessage {}

  /** A message between the primary and the backups of a partition. */
  sealed interface OfLog extends PrimaryCopyMessage {
    @Override
    default TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  /** Locks a key for reading, and reads it. */
  record Get(TxnId txn, int request, Key key) implements ToPrimary {}

  /** Answers a {@link Get}. */
  record Got(TxnId txn, int request, WriteId version, Value value) implements ToClient {}

  /** Requests a promise to commit. */
  record Prepare(TxnId txn, List<Write> writes) implements ToPrimary {
    @Override
    public Access access() {
      return writes.isEmpty() ? Access.READ : Access.WRITE;
    }
  }

  /**
   * Answers a {@link Prepare}: the primary commits if the client decides so.
   *
   * @param leastMicros the least commit time that the primary accepts
   */
  record Promised(TxnId txn, long leastMicros) implements ToClient {}

  /** Answers a {@link Get} or {@link Prepare}: the primary has aborted the transaction. */
  record Denied(TxnId txn) implements ToClient {}

  /** The client has decided to commit. */
  record Commit(TxnId txn, long commitMicros) implements ToPrimary {}

  /** The client has decided to abort. */
  record Abort(TxnId txn) implements ToPrimary {}

  /** Answers {@link Commit} and {@link Abort}. */
  record Ended(TxnId txn) implements ToClient {}

  /**
   * Appends an entry to a backup's log.
   *
   * @param startMicros when the primary started, which identifies its log
   * @param index the place of the entry, from 1
   */
  record Append(long startMicros, long index, Entry entry) implements OfLog {}

  /**
   * Answers an {@link Append}.
   *
   * @param startMicros the log that the backup follows
   * @param last the backup holds all entries up to this index
   */
  record Appended(long startMicros, long last) implements OfLog {}

  /** An entry of a partition's log. */
  sealed interface Entry {

    /** The first entry of a log. */
    record Start() implements Entry {}

    /** The transaction will write this if it commits. */
    record Prepared(TxnId txn, List<Write> writes) implements Entry {}

    /** The transaction has ended. */
    record Decided(TxnId txn, boolean committed) implements Entry {}
  }
}
