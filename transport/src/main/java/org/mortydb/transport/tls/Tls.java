package org.mortydb.transport.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of a process: version 1.3 only, with certificates on both sides. All connections of the
 * process share it; safe for use by several threads.
 *
 * <p>Changed files are read again, so that certificates can be renewed without a restart. A new
 * connection checks the files if the last check is older than the interval. If changed files cannot
 * be used, the old credentials stay in use and the log gives the reason. Existing connections are
 * not affected.
 */
public final class Tls {
  private static final Logger log = LoggerFactory.getLogger(Tls.class);
  private static final String VERSION = "TLSv1.3";
  private static final long CLOSE_MILLIS = 1_000;

  /** The properties by which a change of a file is detected. */
  private record Stamp(long modifiedMicros, long bytes, @Nullable Object key) {}

  private record Loaded(
      Identity identity, SslContext whenAccepting, SslContext whenConnecting, List<Stamp> stamps) {}

  private final TlsFiles files;
  private final long intervalNanos;
  private final AtomicLong lastLookNanos = new AtomicLong(System.nanoTime());
  private volatile Loaded loaded;

  /** The state of the files when they were last read, usable or not. */
  private volatile List<Stamp> tried;

  private Tls(TlsFiles files, Duration interval, Loaded loaded) {
    this.files = files;
    this.intervalNanos = interval.toNanos();
    this.loaded = loaded;
    this.tried = loaded.stamps;
  }

  /**
   * Reads the credentials of a process.
   *
   * @param interval the longest time in which a changed file may go unnoticed; 0 or more
   * @throws InvalidCredentialsException when they cannot be used
   */
  public static Tls load(TlsFiles files, Duration interval) throws InvalidCredentialsException {
    Tls tls = new Tls(files, interval, read(files));
    log.info(
        "TLS by {} as {}",
        provider() == SslProvider.JDK ? "the JDK" : OpenSsl.versionString(),
        tls.identity());
    return tls;
  }

  private static Loaded read(TlsFiles files) throws InvalidCredentialsException {
    List<Stamp> stamps = stamps(files);
    Credentials credentials = Credentials.load(files);
    X509Certificate[] chain = credentials.chain().toArray(X509Certificate[]::new);
    try {
      SslContext accepting =
          SslContextBuilder.forServer(credentials.key(), chain)
              .sslProvider(provider())
              .protocols(VERSION)
              .trustManager(credentials.trust())
              .clientAuth(ClientAuth.REQUIRE)
              .build();
      // Certificates identify peers by a name of our own, because addresses change.
      SslContext connecting =
          SslContextBuilder.forClient()
              .sslProvider(provider())
              .protocols(VERSION)
              .keyManager(credentials.key(), chain)
              .trustManager(credentials.trust())
              .endpointIdentificationAlgorithm(null)
              .build();
      return new Loaded(credentials.identity(), accepting, connecting, stamps);
    } catch (SSLException e) {
      throw new InvalidCredentialsException(
          "the certificate " + files.certificate() + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static SslProvider provider() {
    return OpenSsl.isAvailable() && SslProvider.isTlsv13Supported(SslProvider.OPENSSL)
        ? SslProvider.OPENSSL
        : SslProvider.JDK;
  }

  /** The identity of this process. */
  public Identity identity() {
    return loaded.identity;
  }

  // ---- connections --------------------------------------------------------------------------

  /** The handler that encrypts an outgoing connection. */
  public SslHandler whenConnecting(ByteBufAllocator allocator, Duration handshakeTimeout) {
    return limited(current().whenConnecting.newHandler(allocator), handshakeTimeout);
  }

  /** The context that encrypts the next accepted connection. */
  public SslContext acceptingContext() {
    return current().whenAccepting;
  }

  /** Sets a handler's limits. */
  public static SslHandler limited(SslHandler handler, Duration handshakeTimeout) {
    handler.setHandshakeTimeoutMillis(handshakeTimeout.toMillis());
    handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
    return handler;
  }

  /**
   * The identity of a peer whose handshake is complete.
   *
   * @throws CertificateException when its certificate gives no identity, with the reason
   */
  public static Identity peer(SslHandler handler) throws CertificateException {
    Certificate[] chain;
    try {
      chain = handler.engine().getSession().getPeerCertificates();
    } catch (SSLPeerUnverifiedException e) {
      throw new CertificateException("it presented no certificate", e);
    }
    Identity identity =
        chain.length > 0 && chain[0] instanceof X509Certificate x509 ? Identity.of(x509) : null;
    if (identity == null) {
      throw new CertificateException(
          "its certificate has no subject alternative name " + Identity.form());
    }
    return identity;
  }

  // ---- renewal ------------------------------------------------------------------------------

  private Loaded current() {
    long nowNanos = System.nanoTime();
    long lastNanos = lastLookNanos.get();
    // One thread checks the files; the others continue with the current credentials.
    if (nowNanos - lastNanos >= intervalNanos && lastLookNanos.compareAndSet(lastNanos, nowNanos)) {
      renew();
    }
    return loaded;
  }

  private void renew() {
    try {
      List<Stamp> now = stamps(files);
      if (now.equals(tried)) {
        return;
      }
      tried = now;
      Loaded next = read(files);
      if (!next.identity.equals(loaded.identity)) {
        throw new InvalidCredentialsException(
            "the certificate "
                + files.certificate()
                + " is now that of "
                + next.identity
                + ": it must stay that of "
                + loaded.identity);
      }
      loaded = next;
      log.info("the TLS credentials of {} were renewed", next.identity);
    } catch (InvalidCredentialsException e) {
      log.error(
          "the changed TLS files cannot be used, so the old credentials stay in use: {}",
          e.getMessage());
    }
  }

  private static List<Stamp> stamps(TlsFiles files) {
    List<Stamp> stamps = new ArrayList<>();
    for (Path file : List.of(files.certificate(), files.key(), files.trust())) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        stamps.add(
            new Stamp(
                attributes.lastModifiedTime().to(TimeUnit.MICROSECONDS),
                attributes.size(),
                attributes.fileKey()));
      } catch (IOException e) {
        stamps.add(new Stamp(0, 0, null)); // reading it will say why
      }
    }
    return stamps;
  }

  /** Why a certificate is not accepted, as a clause to follow a colon. */
  public static String why(CertificateException refusal) {
    return Credentials.why(refusal);
  }
}
