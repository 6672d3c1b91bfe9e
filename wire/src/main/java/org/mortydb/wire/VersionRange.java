package org.mortydb.wire;

import org.mortydb.protocol.model.Limits;

/**
 * The versions of the wire contract that a process speaks, all from the oldest to the newest.
 *
 * @param oldest at least 1
 * @param newest at least {@code oldest}, at most {@link Limits#MAX_NUMBER}
 */
public record VersionRange(int oldest, int newest) {
  /** The result of {@link #highestCommon} if two ranges have no version in common. */
  public static final int NONE = 0;

  /**
   * @throws IllegalArgumentException when the bounds are not as documented
   */
  public VersionRange {
    if (oldest < 1 || newest < oldest || newest > Limits.MAX_NUMBER) {
      throw new IllegalArgumentException("no range of versions: " + oldest + " to " + newest);
    }
  }

  /** Whether a process with this range speaks a version. */
  public boolean includes(int version) {
    return oldest <= version && version <= newest;
  }

  /** The highest version that both speak, or {@link #NONE}. */
  public int highestCommon(VersionRange other) {
    int version = Math.min(newest, other.newest);
    return includes(version) && other.includes(version) ? version : NONE;
  }

  /** The versions as words: "version 3", or "versions 3 to 5". */
  public String words() {
    return oldest == newest ? "version " + newest : "versions " + oldest + " to " + newest;
  }

  @Override
  public String toString() {
    return oldest == newest ? Integer.toString(newest) : oldest + " to " + newest;
  }
}
