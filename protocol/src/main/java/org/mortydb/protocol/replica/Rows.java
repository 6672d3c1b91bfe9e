package org.mortydb.protocol.replica;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.table.ByteCursor;

/** How the rows of a replica hold what the model is made of. */
final class Rows {
  /** The most bytes of a number that {@link ByteCursor#writeCount} writes. */
  static final int COUNT_BYTES = 5;

  /** The most bytes of a transaction's id. */
  static final int TXN_BYTES = 2 * Long.BYTES + COUNT_BYTES;

  /** How many bits of the number before a value say its size; the others say its form. */
  private static final int SIZE_BITS = 24;

  private Rows() {}

  static void writeTxn(TxnId txn, ByteCursor to) {
    if (txn.equals(TxnId.INITIAL)) {
      to.writeCount(0);
      return;
    }
    to.writeCount(txn.home() + 1);
    to.writeLong(txn.timeMicros());
    to.writeLong(txn.clientId());
  }

  /** Goes past the id of a transaction. */
  static void skipTxn(ByteCursor from) {
    if (from.readCount() > 0) {
      from.moveTo(from.at() + 2 * Long.BYTES);
    }
  }

  /**
   * Goes past the id of a transaction, and says whether it is another one. The initial one is not.
   */
  static boolean skipsTxnEqual(TxnId other, ByteCursor from) {
    int home = from.readCount() - 1;
    return home >= 0 && isEqual(from.readLong(), from.readLong(), home, other);
  }

  /** Goes past the id of a transaction, and says whether it is after another one. */
  static boolean skipsTxnAfter(TxnId other, ByteCursor from) {
    int home = from.readCount() - 1;
    if (home < 0) {
      return false; // the initial one
    }
    long timeMicros = from.readLong();
    long clientId = from.readLong();
    return !isEqual(timeMicros, clientId, home, other)
        && !TxnId.isBefore(timeMicros, clientId, home, other);
  }

  private static boolean isEqual(long timeMicros, long clientId, int home, TxnId other) {
    return timeMicros == other.timeMicros() && clientId == other.clientId() && home == other.home();
  }

  /**
   * Goes past the id of a transaction, and says whether it is before another one. The initial one
   * is not.
   */
  static boolean skipsTxnBefore(TxnId other, ByteCursor from) {
    int home = from.readCount() - 1;
    return home >= 0 && TxnId.isBefore(from.readLong(), from.readLong(), home, other);
  }

  /** Goes past the id of the initial transaction; false if the next id is another one. */
  static boolean skipsInitial(ByteCursor from) {
    return from.readCount() == 0;
  }

  static TxnId readTxn(ByteCursor from) {
    int home = from.readCount() - 1;
    return home < 0 ? TxnId.INITIAL : new TxnId(from.readLong(), from.readLong(), home);
  }

  static void writeVersion(WriteId version, ByteCursor to) {
    writeTxn(version.writer(), to);
    to.writeCount(version.valueId());
  }

  static WriteId readVersion(ByteCursor from) {
    return new WriteId(readTxn(from), from.readCount());
  }

  static void writeKey(Key key, ByteCursor to) {
    to.writeCount(key.size());
    to.writeBytes(key.bytes());
  }

  static Key readKey(ByteCursor from) {
    return Key.wrap(from.readBytes(from.readCount()));
  }

  static void writeValue(Value value, ByteCursor to) {
    to.writeCount(sizeAndForm(value));
    to.writeBytes(value.bytes());
  }

  static Value readValue(ByteCursor from) {
    int sizeAndForm = from.readCount();
    return readValue(sizeAndForm, from);
  }

  /** Size and form of a value in one number; 0 if it is absent. */
  static int sizeAndForm(Value value) {
    return value.isAbsent() ? 0 : value.form() << SIZE_BITS | value.size() + 1;
  }

  /** The size of a value, from what {@link #sizeAndForm} has told. */
  static int sizeOf(int sizeAndForm) {
    return Math.max(0, (sizeAndForm & (1 << SIZE_BITS) - 1) - 1);
  }

  /** Whether a value is plain, from what {@link #sizeAndForm} has told. */
  static boolean isPlain(int sizeAndForm) {
    return sizeAndForm > 0 && sizeAndForm >>> SIZE_BITS == 0;
  }

  /** Reads the bytes of a value whose size and form are known. */
  static Value readValue(int sizeAndForm, ByteCursor from) {
    if (sizeAndForm == 0) {
      return Value.ABSENT;
    }
    byte[] bytes = from.readBytes(sizeOf(sizeAndForm));
    return isPlain(sizeAndForm)
        ? Value.wrap(bytes)
        : Value.ofForm(sizeAndForm >>> SIZE_BITS, bytes);
  }

  static void writePartitions(List<Integer> partitions, ByteCursor to) {
    to.writeCount(partitions.size());
    for (int i = 0; i < partitions.size(); i++) {
      to.writeCount(partitions.get(i));
    }
  }

  static List<Integer> readPartitions(ByteCursor from) {
    Integer[] partitions = new Integer[from.readCount()];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = from.readCount();
    }
    return Arrays.asList(partitions);
  }

  // ---- outcomes -----------------------------------------------------------------------------

  /** An upper bound of what {@link #writeOutcome} writes, in bytes. */
  static int mostBytesOf(@Nullable Outcome outcome) {
    return outcome instanceof Outcome.Commit commit
        ? (3 + commit.participants().size()) * COUNT_BYTES
        : COUNT_BYTES;
  }

  /** Writes an outcome; null if there is none. */
  static void writeOutcome(@Nullable Outcome outcome, ByteCursor to) {
    switch (outcome) {
      case null -> to.writeCount(0);
      case Outcome.Abort() -> to.writeCount(1);
      case Outcome.Commit(int execution, List<Integer> participants) -> {
        to.writeCount(2);
        to.writeCount(execution);
        writePartitions(participants, to);
      }
    }
  }

  static @Nullable Outcome readOutcome(ByteCursor from) {
    return switch (from.readCount()) {
      case 0 -> null;
      case 1 -> Outcome.ABORT;
      default -> Outcome.commit(from.readCount(), readPartitions(from));
    };
  }

  static void skipOutcome(ByteCursor from) {
    if (from.readCount() == 2) {
      from.readCount();
      for (int left = from.readCount(); left > 0; left--) {
        from.readCount();
      }
    }
  }
}
