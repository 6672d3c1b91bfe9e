package org.mortydb.bench.simulated;

/**
 * The costs of a server's log, in nanoseconds. All but {@code device} are processor time.
 *
 * @param record the cost of a record for the event loop: encoding, checksum and copy
 * @param flush the cost of waking the writing thread, for the event loop
 * @param write the cost of a write for the writing thread, with its wake-up
 * @param force the cost of a force for the writing thread
 * @param device how long a force takes beyond its processor time
 */
public record StorageCosts(double record, double flush, double write, double force, double device) {

  /** No costs, as while records are filled. */
  static final StorageCosts NONE = new StorageCosts(0, 0, 0, 0, 0);
}
