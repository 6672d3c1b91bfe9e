package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

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
      KeyState[] readKeys,
      KeyState[] writeKeys) {
    this.number = number;
    this.reads = ofOwnReads(reads, readKeys);
    this.ranges = ranges;
    this.writes = ofOwnWrites(writes, writeKeys);
    this.participants = participants;
    this.registers = registers;
    this.readKeys = readKeys;
    this.writeKeys = writeKeys;
    for (KeyState key : readKeys) {
      key.pin();
    }
    for (KeyState key : writeKeys) {
      key.pin();
    }
  }

  /**
   * The same reads with the replica's own keys and versions. A record is kept for the retention
   * time, so the collector copies what it holds; the keys and ids that came with the message are
   * garbage at once.
   */
  private static List<Read> ofOwnReads(List<Read> reads, KeyState[] keys) {
    if (keys.length == 0) {
      return List.of();
    }
    Read[] own = new Read[keys.length];
    for (int i = 0; i < own.length; i++) {
      own[i] = new Read(keys[i].key(), ofOwnVersion(reads.get(i).version(), keys[i]));
    }
    return Arrays.asList(own);
  }

  private static WriteId ofOwnVersion(WriteId read, KeyState key) {
    Version version = read.isInitial() ? null : key.versions().find(read.writer());
    return version != null && version.id().equals(read) ? version.id() : read;
  }

  /** The same writes with the replica's own keys. */
  private static List<Write> ofOwnWrites(List<Write> writes, KeyState[] keys) {
    if (keys.length == 0) {
      return List.of();
    }
    Write[] own = new Write[keys.length];
    for (int i = 0; i < own.length; i++) {
      Write write = writes.get(i);
      own[i] = new Write(keys[i].key(), write.valueId(), write.value());
    }
    return Arrays.asList(own);
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

  /** Whether its reads are to be registered instead of prepared. */
  boolean registers() {
    return registers;
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
