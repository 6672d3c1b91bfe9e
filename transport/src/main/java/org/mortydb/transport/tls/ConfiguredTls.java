package org.mortydb.transport.tls;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.config.SecurityConfig;
import org.mortydb.config.TlsFiles;

/** Reads the credentials that the cluster file names. */
public final class ConfiguredTls {

  private ConfiguredTls() {}

  /**
   * Reads the credentials of a server; null when TLS is off.
   *
   * @throws InvalidCredentialsException when they cannot be used, or belong to another process
   */
  public static @Nullable Tls ofServer(SecurityConfig security, String name)
      throws InvalidCredentialsException {
    if (!security.tls() || security.serverFiles() == null) {
      return null;
    }
    TlsFiles files = security.serverFiles().named(name);
    Tls loaded = load("server '" + name + "'", "server.tls", files, security.reloadInterval());
    Identity wanted = new Identity(security.cluster(), Identity.Role.SERVER, name);
    if (!loaded.identity().equals(wanted)) {
      throw notThatOf(loaded, files, wanted.toString());
    }
    return loaded;
  }

  /**
   * Reads the credentials of a client; null when TLS is off.
   *
   * @param own the client's own files; null for those of the cluster file
   * @throws InvalidCredentialsException when there are none, or they cannot be used
   */
  public static @Nullable Tls ofClient(SecurityConfig security, @Nullable TlsFiles own)
      throws InvalidCredentialsException {
    if (!security.tls()) {
      return null;
    }
    TlsFiles files = own == null ? security.clientFiles() : own;
    if (files == null) {
      throw new InvalidCredentialsException(
          "cluster '"
              + security.cluster()
              + "' uses TLS and this client has no credentials: set client.tls.certificate and"
              + " client.tls.key, or ClientOptions.withTls");
    }
    Tls loaded = load("a client", "client.tls", files, security.reloadInterval());
    Identity identity = loaded.identity();
    if (identity.role() != Identity.Role.CLIENT || !identity.cluster().equals(security.cluster())) {
      throw notThatOf(loaded, files, "a client of cluster '" + security.cluster() + "'");
    }
    return loaded;
  }

  private static Tls load(String whose, String section, TlsFiles files, Duration reloadInterval)
      throws InvalidCredentialsException {
    try {
      return Tls.load(files, reloadInterval);
    } catch (InvalidCredentialsException e) {
      throw new InvalidCredentialsException(
          "the TLS credentials of "
              + whose
              + " cannot be used ("
              + section
              + "): "
              + e.getMessage(),
          e);
    }
  }

  private static InvalidCredentialsException notThatOf(Tls loaded, TlsFiles files, String wanted) {
    return new InvalidCredentialsException(
        "the certificate "
            + files.certificate().toAbsolutePath()
            + " is that of "
            + loaded.identity()
            + ", and must be that of "
            + wanted);
  }
}
