package org.mortydb.workloads.ycsb;

/**
 * One operation, with all that chance decides drawn.
 *
 * @param record of which record; of a scan the first
 * @param length how many records a scan reads, else 1
 * @param text what is written, empty when nothing is
 */
record YcsbOperation(Kind kind, int record, int length, String text) {

  /** What it does. */
  enum Kind {
    /** Reads a record. */
    READ,
    /** Writes a record without having read it. */
    UPDATE,
    /** Writes a record that was not there. */
    INSERT,
    /** Reads records that follow one another. */
    SCAN,
    /** Reads a record, and writes it with its counter one higher. */
    READ_MODIFY_WRITE;

    /** Whether it writes. */
    boolean writes() {
      return this != READ && this != SCAN;
    }
  }
}
