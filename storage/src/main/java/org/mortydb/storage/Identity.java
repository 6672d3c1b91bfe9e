package org.mortydb.storage;

/** The owner of a data directory. Names must not contain line breaks. */
public record Identity(String cluster, String server) {
  public Identity {
    if (cluster.indexOf('\n') >= 0 || server.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("a name holds a line break");
    }
  }

  @Override
  public String toString() {
    return "server '" + server + "' of cluster '" + cluster + "'";
  }
}
