package org.mortydb.transport;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.WireFormat;

/**
 * This process, as it introduces itself to others.
 *
 * @param cluster the cluster that it belongs to
 * @param format the form of the cluster's messages
 * @param info its name or client id, and its region
 * @param tls its credentials, which encrypt all its connections; null for plain text
 * @param clockMicros its clock, in microseconds since 1970, which it sends with each Pong
 */
public record LocalProcess(
    String cluster, WireFormat format, PeerInfo info, @Nullable Tls tls, LongSupplier clockMicros) {

  /** A process with the system clock. */
  public LocalProcess(String cluster, WireFormat format, PeerInfo info, @Nullable Tls tls) {
    this(
        cluster,
        format,
        info,
        tls,
        () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
  }

  /** A process without TLS. */
  public LocalProcess(String cluster, WireFormat format, PeerInfo info) {
    this(cluster, format, info, null);
  }
}
