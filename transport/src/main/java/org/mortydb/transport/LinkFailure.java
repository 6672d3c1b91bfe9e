package org.mortydb.transport;

/**
 * Why a link is not up, or not any more.
 *
 * @param detail one sentence for the operator
 */
public record LinkFailure(Kind kind, String detail) {

  /** What an observer can make a difference of. */
  public enum Kind {
    /** This side closed the link. */
    CLOSED,
    /** The connection could not be made, was lost, or was closed by the peer. */
    LOST,
    /** One side refused the other: wrong cluster, version, name or certificate. */
    REFUSED,
    /** The peer sent what is no frame. */
    MALFORMED,
    /** The peer reads too slowly: more is waiting for it than the link's limit. */
    OVERFLOW,
    /** The listener failed. */
    INTERNAL
  }

  @Override
  public String toString() {
    return detail;
  }
}
