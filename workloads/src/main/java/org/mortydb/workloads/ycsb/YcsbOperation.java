package org.mortydb.workloads.ycsb;

/**
 * One operation with all random choices made.
 *
 * @param record the record; for a scan the first one
 * @param length the number of records that a scan reads, else 1
 * @param text the text to write; empty when the operation writes none
 */
record YcsbOperation(Kind kind, int record, int length, String text) {

  /** The kind of operation. */
  enum Kind {
    /** Reads a record. */
    READ,
    /** Writes a record without having read it. */
    UPDATE,
    /** Writes a new record. */
    INSERT,
    /** Reads consecutive records. */
    SCAN,
    /** Reads a record, and writes it with its counter incremented. */
    READ_MODIFY_WRITE;

    /** Whether it writes. */
    boolean writes() {
      return this != READ && this != SCAN;
    }
  }
}
