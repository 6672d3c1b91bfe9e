package org.mortydb.transport;

/**
 * Why a link is down.
 *
 * @param detail one sentence for the operator
 */
public record LinkFailure(Kind kind, String detail) {

  /** The kinds of failure that an observer can tell apart. */
  public enum Kind {
    /** This side closed the link. */
    CLOSED,
    /** The connection could not be made, was lost, or was closed by the peer. */
    LOST,
    /** One side refused the other: wrong cluster, version, name or certificate. */
    REFUSED,
    /** The peer sent bytes that are no valid frame. */
    MALFORMED,
    /** The peer reads too slowly: its backlog exceeds the link's limit. */
    OVERFLOW,
    /** The listener failed. */
    INTERNAL
  }

  @Override
  public String toString() {
    return detail;
  }
}
