package org.mortydb.transport;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Layout;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.VersionRange;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.WireFormat;

/**
 * This process, as it introduces itself to others.
 *
 * @param cluster the cluster that it belongs to
 * @param format the form of the cluster's messages
 * @param info its name or client id, and its region
 * @param tls its credentials, which encrypt all its connections; null for plain text
 * @param clockMicros its clock, in microseconds since 1970, which it sends with each Pong
 * @param layout what it believes of the cluster; null if it does not tell
 * @param versions the versions of the wire contract that it speaks
 * @param clusterVersion the version that the cluster uses, 0 if it does not know; for any thread
 */
public record LocalProcess(
    String cluster,
    WireFormat format,
    PeerInfo info,
    @Nullable Tls tls,
    LongSupplier clockMicros,
    @Nullable Layout layout,
    VersionRange versions,
    IntSupplier clusterVersion) {

  /** A process that was started with the configuration of its cluster. */
  public static LocalProcess of(
      ClusterConfig config, PeerInfo info, @Nullable Tls tls, LongSupplier clockMicros) {
    return new LocalProcess(
        config.name(),
        new WireFormat(config.system()),
        info,
        tls,
        clockMicros,
        config.layout(),
        WireContract.VERSIONS,
        () -> 0);
  }

  /** The same process with other versions. */
  public LocalProcess withVersions(VersionRange speaks, IntSupplier cluster) {
    return new LocalProcess(this.cluster, format, info, tls, clockMicros, layout, speaks, cluster);
  }

  /** A process with the system clock that was started with the configuration of its cluster. */
  public static LocalProcess of(ClusterConfig config, PeerInfo info, @Nullable Tls tls) {
    return of(config, info, tls, LocalProcess::systemMicros);
  }

  private static long systemMicros() {
    return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  }

  /** A process with the system clock that does not tell its layout. */
  public LocalProcess(String cluster, WireFormat format, PeerInfo info, @Nullable Tls tls) {
    this(
        cluster,
        format,
        info,
        tls,
        LocalProcess::systemMicros,
        null,
        WireContract.VERSIONS,
        () -> 0);
  }

  /** A process without TLS. */
  public LocalProcess(String cluster, WireFormat format, PeerInfo info) {
    this(cluster, format, info, null);
  }
}
