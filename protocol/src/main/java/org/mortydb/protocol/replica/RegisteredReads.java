package org.mortydb.protocol.replica;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.table.ByteCursor;

/**
 * The registered reads of one key, for rule 6 (docs/protocol.md, section 3). A replica does not
 * hear which of their readers have committed. But a reader that gives an execution up says so, and
 * then its reads must not abandon writers any more.
 *
 * <p>So the reads of the latest readers are kept one by one, each with its execution, and can be
 * taken back. Older ones only count with the latest reader of their version, as committed reads do,
 * and stay until the fence passes them.
 */
final class RegisteredReads {
  /**
   * So many reads of a key can be taken back. The hottest keys have some thousand reads in a second
   * if clients are near, and some hundred if a reader needs a tenth of a second to give one up.
   */
  static final int MOST_RECENT = 256;

  /**
   * A read that can be taken back.
   *
   * @param upTo nothing between the version and this transaction has been read; not above the
   *     reader; see {@link KeyState.PreparedRead}
   */
  private record Recent(TxnId reader, int execution, TxnId version, TxnId upTo) {
    boolean isAbsence() {
      return version.equals(TxnId.INITIAL);
    }
  }

  /** By readers, ascending: a hot key has many, and only those above a writer matter to it. */
  private final ArrayList<Recent> recent = new ArrayList<>(1);

  /** The reads that cannot be taken back. */
  private @Nullable CommittedReads lasting;

  boolean isEmpty() {
    return recent.isEmpty() && lasting == null;
  }

  /**
   * Adds a read.
   *
   * @param upTo the reader, or the writer of the next version that its value is made of
   */
  void add(TxnId reader, int execution, TxnId version, TxnId upTo) {
    Recent read = new Recent(reader, execution, version, upTo);
    int at = endOf(reader);
    for (int i = at - 1; i >= 0 && recent.get(i).reader.equals(reader); i--) {
      if (recent.get(i).equals(read)) {
        return; // asked again
      }
    }
    recent.add(at, read);
    if (recent.size() > MOST_RECENT) {
      makeLasting(recent.removeFirst());
    }
  }

  /** The index behind the last read whose reader is not above this one. */
  private int endOf(TxnId reader) {
    int low = 0;
    int high = recent.size();
    if (high > 0 && !recent.getLast().reader.isAfter(reader)) {
      low = high; // readers come about in the order of their ids
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (recent.get(middle).reader.isAfter(reader)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The reader has given up an execution, and so those before it: their reads do not count. */
  void takeBack(TxnId reader, int execution) {
    for (int i = endOf(reader) - 1; i >= 0 && recent.get(i).reader.equals(reader); i--) {
      if (recent.get(i).execution <= execution) {
        recent.remove(i);
      }
    }
  }

  /** See {@link CommittedReads#isReadPast}. */
  boolean isReadPast(TxnId writer) {
    for (int i = recent.size() - 1; i >= 0 && recent.get(i).reader.isAfter(writer); i--) {
      Recent read = recent.get(i);
      if (read.upTo.isAfter(writer) && read.version.isBefore(writer) && !read.isAbsence()) {
        return true;
      }
    }
    return lasting != null && lasting.isReadPast(writer);
  }

  /** See {@link CommittedReads#isReadAsAbsentPast}. */
  boolean isReadAsAbsentPast(TxnId writer) {
    for (int i = recent.size() - 1; i >= 0 && recent.get(i).reader.isAfter(writer); i--) {
      if (recent.get(i).isAbsence() && recent.get(i).upTo.isAfter(writer)) {
        return true;
      }
    }
    return lasting != null && lasting.isReadAsAbsentPast(writer);
  }

  /** See {@link CommittedReads#prune}. */
  void prune(TxnId fence) {
    recent.removeIf(read -> !read.upTo.isAfter(fence));
    if (lasting != null) {
      lasting.prune(fence);
      lasting = lasting.size() == 0 ? null : lasting;
    }
  }

  /** See {@link CommittedReads#dropBelow}. */
  void dropBelow(TxnId floor) {
    prune(floor);
  }

  private void makeLasting(Recent read) {
    if (lasting == null) {
      lasting = new CommittedReads();
    }
    lasting.add(read.version, read.upTo);
  }

  // ---- rows: as CommittedReads; no read can be taken back after it was in a row ---------------

  /** An upper bound of what {@link #save} writes, in bytes. */
  static int mostBytes(@Nullable RegisteredReads reads) {
    return reads == null
        ? CommittedReads.mostBytes(null)
        : CommittedReads.mostBytes(reads.lasting)
            + Integer.BYTES
            + 2 * reads.recent.size() * Rows.TXN_BYTES;
  }

  /** Writes the reads of a key as committed ones; null if it has none. */
  static void save(@Nullable RegisteredReads reads, ByteCursor to) {
    if (reads != null) {
      reads.recent.forEach(reads::makeLasting);
      reads.recent.clear();
    }
    CommittedReads.save(reads == null ? null : reads.lasting, to);
  }

  /** Reads what {@link #save} has written. */
  static @Nullable RegisteredReads load(ByteCursor from, SavedRow row) {
    CommittedReads lasting = CommittedReads.load(from, row);
    if (lasting == null) {
      return null;
    }
    RegisteredReads reads = new RegisteredReads();
    reads.lasting = lasting;
    return reads;
  }
}
