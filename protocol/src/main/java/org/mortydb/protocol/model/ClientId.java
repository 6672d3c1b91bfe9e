package org.mortydb.protocol.model;

/**
 * One client process, which hosts coordinators.
 *
 * @param id unique per incarnation of the process
 */
public record ClientId(long id) implements Endpoint {
  @Override
  public String toString() {
    return "c" + Long.toHexString(id);
  }
}
