package org.mortydb.cli.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.certs.IssuedCertificate;
import org.mortydb.config.ServerSpec;

/** A peer over the JDK's TLS that believes everybody and shows whatever certificate it is given. */
final class RawTls implements AutoCloseable {
  private final SSLSocket socket;

  RawTls(ServerSpec server, @Nullable IssuedCertificate own)
      throws IOException, GeneralSecurityException {
    this(server, own, "TLSv1.3");
  }

  RawTls(ServerSpec server, @Nullable IssuedCertificate own, String version)
      throws IOException, GeneralSecurityException {
    SSLContext context = SSLContext.getInstance(version);
    context.init(keys(own), new TrustManager[] {new Credulous()}, new SecureRandom());
    socket = (SSLSocket) context.getSocketFactory().createSocket(server.host(), server.port());
    socket.setEnabledProtocols(new String[] {version});
    socket.setSoTimeout(10_000);
  }

  private static KeyManager @Nullable [] keys(@Nullable IssuedCertificate own)
      throws IOException, GeneralSecurityException {
    if (own == null) {
      return null;
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    char[] none = new char[0];
    store.setKeyEntry("own", own.key(), none, new Certificate[] {own.certificate()});
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, none);
    return factory.getKeyManagers();
  }

  /** The certificate that the server shows. */
  X509Certificate serverCertificate() throws IOException {
    socket.startHandshake();
    return (X509Certificate) socket.getSession().getPeerCertificates()[0];
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Reads until the connection ends; the alert, if there was one, and else what was read. */
  String end() throws IOException {
    try {
      InputStream in = socket.getInputStream();
      return "read " + in.readAllBytes().length;
    } catch (SSLException e) {
      return String.valueOf(e.getMessage());
    } catch (java.net.SocketException e) {
      return "reset";
    }
  }

  /** Reads until a socket without TLS ends; how many bytes came. */
  static int drain(Socket plain) throws IOException {
    try {
      return plain.getInputStream().readAllBytes().length;
    } catch (java.net.SocketException e) {
      return 0;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private static final class Credulous implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
