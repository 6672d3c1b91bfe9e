package org.mortydb.transport;

import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.mortydb.transport.tls.Tls;

/** Explains failures of TLS in one sentence for the operator, for any TLS implementation. */
final class TlsFailures {
  private static final String SAME =
      ": server.tls.enabled must be the same for all processes of the cluster";

  /** This side is encrypted, the peer is not. */
  static final String PEER_PLAIN = "this process requires TLS, and the peer uses plain text" + SAME;

  /** The peer is encrypted, this side is not. */
  static final String PEER_ENCRYPTED =
      "the peer requires TLS, and this process uses plain text" + SAME;

  /** The first bytes of a TLS connection: a handshake record of any version. */
  private static final int HANDSHAKE_RECORD = 0x1603;

  /** Examples: "Received fatal alert: bad_certificate", "SSLV3_ALERT_BAD_CERTIFICATE". */
  private static final Pattern ALERT = Pattern.compile("(?:fatal alert: |_ALERT_)([A-Za-z0-9_]+)");

  private TlsFailures() {}

  /** Whether a connection's first bytes are those of TLS. */
  static boolean isTls(int firstTwoBytes) {
    return firstTwoBytes == HANDSHAKE_RECORD;
  }

  static LinkFailure of(Throwable failure) {
    CertificateException certificate = find(failure, CertificateException.class);
    if (certificate != null) {
      return refused("the peer's certificate is not accepted: " + Tls.why(certificate));
    }
    if (find(failure, NotSslRecordException.class) != null) {
      return refused(PEER_PLAIN);
    }
    String message = innermost(failure);
    Matcher alert = ALERT.matcher(message);
    if (alert.find()) {
      return refused(
          "the peer refused the TLS connection (alert "
              + alert.group(1).toLowerCase(Locale.ROOT)
              + "), most likely because of this side's certificate: see the log of the peer");
    }
    if (message.contains("DID_NOT_RETURN_A_CERTIFICATE")
        || message.contains("Empty client certificate chain")) {
      return refused(
          "the peer presented no certificate: every process needs one of this cluster's CA");
    }
    if (find(failure, ClosedChannelException.class) != null
        || message.contains("onnection closed while SSL")) {
      return new LinkFailure(
          LinkFailure.Kind.LOST, "the connection was closed during the TLS handshake");
    }
    boolean lost = find(failure, SSLException.class) == null && failure instanceof IOException;
    return new LinkFailure(
        lost ? LinkFailure.Kind.LOST : LinkFailure.Kind.MALFORMED, "TLS failed: " + message);
  }

  private static LinkFailure refused(String detail) {
    return new LinkFailure(LinkFailure.Kind.REFUSED, detail);
  }

  private static String innermost(Throwable failure) {
    Throwable inner = failure;
    while (inner.getCause() != null) {
      inner = inner.getCause();
    }
    return String.valueOf(inner.getMessage());
  }

  private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
    }
    return null;
  }
}
