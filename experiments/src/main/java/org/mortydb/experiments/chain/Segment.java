package org.mortydb.experiments.chain;

/**
 * A segment of a step. Segments of a step follow each other without a gap.
 *
 * @param part the part of the step
 * @param medium what passes the time
 * @param fromNanos its begin, in virtual time
 * @param toNanos its end, not before the begin
 * @param region the number of the region in which it ends
 * @param event what happens at its end
 */
record Segment(Part part, Medium medium, long fromNanos, long toNanos, int region, String event) {

  long nanos() {
    return toNanos - fromNanos;
  }
}
