package org.mortydb.transport.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;

/**
 * The credentials of a process for libraries of the JDK: TLS 1.3 with certificates on both sides. A
 * peer is known by the identity in its certificate, and not by its address.
 *
 * @param context the context, for connections in both directions
 * @param identity the own identity
 */
public record JavaTls(SSLContext context, Identity identity) {
  /** The only version. */
  public static final String VERSION = "TLSv1.3";

  /**
   * Reads credentials.
   *
   * @param refusal the reason for refusing a peer, as a clause to follow a colon; null if the peer
   *     is admitted; any thread may call it
   * @throws InvalidCredentialsException when the files cannot be used
   */
  public static JavaTls load(TlsFiles files, Function<Identity, @Nullable String> refusal)
      throws InvalidCredentialsException {
    Credentials credentials = Credentials.load(files);
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setKeyEntry(
          "own",
          credentials.key(),
          new char[0],
          credentials.chain().toArray(X509Certificate[]::new));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, new char[0]);
      SSLContext context = SSLContext.getInstance(VERSION);
      context.init(
          keys.getKeyManagers(),
          new TrustManager[] {new ByIdentity(trust(credentials), refusal)},
          null);
      return new JavaTls(context, credentials.identity());
    } catch (GeneralSecurityException | IOException e) {
      throw new InvalidCredentialsException(
          "the certificate " + files.certificate() + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static X509TrustManager trust(Credentials credentials) {
    for (TrustManager manager : credentials.trust().getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        return x509;
      }
    }
    throw new IllegalStateException("every Java platform has a trust manager for X.509");
  }

  /**
   * Checks a peer's chain of certificates, and its identity in place of its host's name. The JDK
   * adds no check of host names to a trust manager of this type.
   */
  private static final class ByIdentity extends X509ExtendedTrustManager {
    private final X509TrustManager chains;
    private final Function<Identity, @Nullable String> refusal;

    ByIdentity(X509TrustManager chains, Function<Identity, @Nullable String> refusal) {
      this.chains = chains;
      this.refusal = refusal;
    }

    private void checkIdentity(X509Certificate[] chain) throws CertificateException {
      Identity identity;
      try {
        identity = Identity.of(chain[0]);
      } catch (CertificateParsingException e) {
        throw new CertificateException("its certificate cannot be used: " + e.getMessage(), e);
      }
      String reason =
          identity == null
              ? "its certificate has no subject alternative name " + Identity.form()
              : refusal.apply(identity);
      if (reason != null) {
        throw new CertificateException(reason);
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      chains.checkClientTrusted(chain, type);
      checkIdentity(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      chains.checkServerTrusted(chain, type);
      checkIdentity(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return chains.getAcceptedIssuers();
    }
  }
}
