package org.mortydb.experiments.chain;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * A step of a chain: from the moment at which the first {@code Prepare} with the predecessor's
 * final value left its client to the same moment of the reader that wrote next. If the reader's
 * final value left before, the step has no length.
 *
 * @param predecessor the writer of the version read
 * @param writer the reader of that version, which wrote the next one
 * @param fromRegion the region of the predecessor's client
 * @param toRegion the region of the writer's client
 * @param fromNanos its begin, in virtual time
 * @param toNanos its end
 * @param forwarded whether the client of both told the reader of the version, before a replica did
 * @param obstacle why the replica that had the version did not show it at once; null if it did, or
 *     if the reader asked later
 * @param segments where its time went, from begin to end
 */
record Step(
    TxnId predecessor,
    TxnId writer,
    int fromRegion,
    int toRegion,
    long fromNanos,
    long toNanos,
    boolean forwarded,
    @Nullable Obstacle obstacle,
    List<Segment> segments) {

  /**
   * Why a replica did not show a version at once.
   *
   * @param part the part of the step that it belongs to
   * @param reason for an aborted neighbour why that aborted, otherwise the replica's vote on the
   *     first {@code Prepare} with the version
   */
  record Obstacle(Part part, String reason) {}

  Step {
    segments = List.copyOf(segments);
  }

  long nanos() {
    return toNanos - fromNanos;
  }

  /** Whether the version went from one region to another. */
  boolean crosses() {
    return fromRegion != toRegion;
  }

  /** The time of a part. */
  long nanos(Part part) {
    return segments.stream().filter(s -> s.part() == part).mapToLong(Segment::nanos).sum();
  }

  /** The time of a part that a medium has taken. */
  long nanos(Part part, Medium medium) {
    return segments.stream()
        .filter(s -> s.part() == part && s.medium() == medium)
        .mapToLong(Segment::nanos)
        .sum();
  }
}
