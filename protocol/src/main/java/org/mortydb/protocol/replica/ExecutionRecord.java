package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.table.ByteCursor;

/**
 * The reads and writes of one execution at this partition, with the keys looked up once. Until it
 * is released, it pins the states of its keys, so that none of them is forgotten and created again.
 */
final class ExecutionRecord {
  private static final KeyState[] RELEASED = new KeyState[0];

  private final int number;
  private final List<Read> reads;
  private final List<KeyRange> ranges;
  private final List<Write> writes;
  private final List<Integer> participants;
  private final boolean registers;
  private final boolean async;
  private final int scannedUnder;
  private KeyState[] readKeys;
  private KeyState[] writeKeys;

  /**
   * @param number the number of the execution
   * @param reads its read set here
   * @param ranges the ranges that it has scanned here
   * @param writes its write set here
   * @param participants all its participants
   * @param registers whether its reads are to be registered: it writes nothing, and nothing of it
   *     is logged or told to peers
   * @param async whether its coordinator hears of a vote to commit before it is durable
   * @param scannedUnder the number of the map under which it has scanned several buckets; -1 if
   *     that is not known
   * @param readKeys the key states of {@code reads}, in the same order
   * @param writeKeys the key states of {@code writes}, in the same order
   */
  ExecutionRecord(
      int number,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants,
      boolean registers,
      boolean async,
      int scannedUnder,
      KeyState[] readKeys,
      KeyState[] writeKeys) {
    this.number = number;
    this.reads = reads;
    this.ranges = ranges;
    this.writes = writes;
    this.participants = participants;
    this.registers = registers;
    this.async = async;
    this.scannedUnder = scannedUnder;
    this.readKeys = readKeys;
    this.writeKeys = writeKeys;
    for (KeyState key : readKeys) {
      key.pin();
    }
    for (KeyState key : writeKeys) {
      key.pin();
    }
  }

  /** An execution as it was saved, with the key states released. */
  private ExecutionRecord(
      int number,
      List<Integer> participants,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes) {
    this.number = number;
    this.reads = reads;
    this.ranges = ranges;
    this.writes = writes;
    this.participants = participants;
    this.registers = false;
    this.async = false;
    this.scannedUnder = -1;
    this.readKeys = RELEASED;
    this.writeKeys = RELEASED;
  }

  int number() {
    return number;
  }

  List<Read> reads() {
    return reads;
  }

  List<KeyRange> ranges() {
    return ranges;
  }

  List<Write> writes() {
    return writes;
  }

  List<Integer> participants() {
    return participants;
  }

  /**
   * The upper end of the gap in which an entry of the read set says that there is no other version.
   * Without merges, that is the reader. A value made of merges has one entry for each version
   * (section 17), and each gap ends at the next:
   *
   * <pre>
   *  put ── gap of put ── +1 ── gap of +1 ── +2 ── gap of +2 ── reader
   * </pre>
   */
  TxnId upTo(int read, TxnId reader) {
    int next = read + 1;
    return next < reads.size() && reads.get(next).key().equals(reads.get(read).key())
        ? reads.get(next).version().writer()
        : reader;
  }

  /** Whether its read set has a version of a key. */
  boolean hasRead(Key key, TxnId writer) {
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).version().writer().equals(writer) && reads.get(i).key().equals(key)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it has read a version of a transaction above {@code from}, up to {@code upTo}. */
  boolean hasReadWithin(TxnId from, TxnId upTo) {
    for (int i = 0; i < reads.size(); i++) {
      TxnId writer = reads.get(i).version().writer();
      if (writer.isAfter(from) && !writer.isAfter(upTo)) {
        return true;
      }
    }
    return false;
  }

  /** The number of the map under which it has scanned several buckets; -1 if that is not known. */
  int scannedUnder() {
    return scannedUnder;
  }

  /** Whether its reads are to be registered instead of prepared. */
  boolean registers() {
    return registers;
  }

  /** Whether its coordinator hears of a vote to commit before it is durable. */
  boolean isAsync() {
    return async;
  }

  /** Empty once released. */
  KeyState[] readKeys() {
    return readKeys;
  }

  /** Empty once released. */
  KeyState[] writeKeys() {
    return writeKeys;
  }

  /** The log's record of a vote to commit this execution. */
  LogRecord.Prepared prepared(TxnId txn, boolean onCondition) {
    return new LogRecord.Prepared(
        new ExecutionId(txn, number), reads, ranges, writes, participants, onCondition);
  }

  /** The log's record of this execution as the committed one. */
  LogRecord.Executed executed(TxnId txn) {
    return new LogRecord.Executed(
        new ExecutionId(txn, number), reads, ranges, writes, participants);
  }

  // ---- rows: see RecordRows -----------------------------------------------------------------

  /** An upper bound of what {@link #save} writes, in bytes. */
  int mostBytes() {
    long bytes = (5L + participants.size()) * Rows.COUNT_BYTES;
    for (int i = 0; i < reads.size(); i++) {
      bytes += reads.get(i).key().size() + Rows.TXN_BYTES + 2 * Rows.COUNT_BYTES;
    }
    for (int i = 0; i < ranges.size(); i++) {
      Key end = ranges.get(i).to();
      bytes += ranges.get(i).from().size() + (end == null ? 0 : end.size()) + 3 * Rows.COUNT_BYTES;
    }
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      bytes += write.key().size() + write.value().size() + 3 * Rows.COUNT_BYTES;
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE / 2);
  }

  /** Writes the sets of a committed execution. */
  void save(ByteCursor to) {
    to.writeCount(number);
    Rows.writePartitions(participants, to);
    to.writeCount(reads.size());
    for (int i = 0; i < reads.size(); i++) {
      Rows.writeKey(reads.get(i).key(), to);
      Rows.writeVersion(reads.get(i).version(), to);
    }
    to.writeCount(ranges.size());
    for (int i = 0; i < ranges.size(); i++) {
      Key end = ranges.get(i).to();
      Rows.writeKey(ranges.get(i).from(), to);
      to.writeByte(end == null ? 0 : 1);
      if (end != null) {
        Rows.writeKey(end, to);
      }
    }
    to.writeCount(writes.size());
    for (int i = 0; i < writes.size(); i++) {
      Write write = writes.get(i);
      Rows.writeKey(write.key(), to);
      to.writeCount(write.valueId());
      Rows.writeValue(write.value(), to);
    }
  }

  /** Reads what {@link #save} has written. */
  static ExecutionRecord load(ByteCursor from) {
    int number = from.readCount();
    List<Integer> participants = Rows.readPartitions(from);
    Read[] reads = new Read[from.readCount()];
    for (int i = 0; i < reads.length; i++) {
      reads[i] = new Read(Rows.readKey(from), Rows.readVersion(from));
    }
    KeyRange[] ranges = new KeyRange[from.readCount()];
    for (int i = 0; i < ranges.length; i++) {
      Key begin = Rows.readKey(from);
      ranges[i] = new KeyRange(begin, from.readByte() == 0 ? null : Rows.readKey(from));
    }
    Write[] writes = new Write[from.readCount()];
    for (int i = 0; i < writes.length; i++) {
      writes[i] = new Write(Rows.readKey(from), from.readCount(), Rows.readValue(from));
    }
    return new ExecutionRecord(
        number, participants, Arrays.asList(reads), Arrays.asList(ranges), Arrays.asList(writes));
  }

  /** Releases the key states; the sets stay for peers that fetch the execution. */
  void release() {
    for (KeyState key : readKeys) {
      key.unpin();
    }
    for (KeyState key : writeKeys) {
      key.unpin();
    }
    readKeys = RELEASED;
    writeKeys = RELEASED;
  }
}
