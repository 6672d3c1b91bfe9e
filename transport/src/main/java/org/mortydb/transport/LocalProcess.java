package org.mortydb.transport;

import org.jspecify.annotations.Nullable;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.WireFormat;

/**
 * This process, as it shows itself to others.
 *
 * @param cluster the cluster that it belongs to, or wants to talk to
 * @param format the form of the cluster's messages
 * @param info what it tells of itself in its handshakes
 * @param tls its credentials, with which all its connections are encrypted; null for plain text
 */
public record LocalProcess(String cluster, WireFormat format, PeerInfo info, @Nullable Tls tls) {

  /** A process that talks plain text. */
  public LocalProcess(String cluster, WireFormat format, PeerInfo info) {
    this(cluster, format, info, null);
  }
}
