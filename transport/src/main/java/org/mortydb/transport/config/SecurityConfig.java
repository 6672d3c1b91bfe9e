package org.mortydb.transport.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.mortydb.transport.tls.Identity;
import org.mortydb.transport.tls.InvalidCredentialsException;
import org.mortydb.transport.tls.Tls;
import org.mortydb.transport.tls.TlsFiles;

/**
 * Whether and how the processes of a cluster prove who they are, and what clients may do.
 * Immutable.
 *
 * @param cluster the cluster's name
 * @param tls whether all connections are encrypted and authenticated
 * @param serverFiles the servers' credentials, {@code {name}} in their paths being the server's
 *     name; null without TLS
 * @param clientFiles the credentials of clients that are given no others; null if there are none
 * @param reloadInterval how long changed files may stay unnoticed, at most
 * @param authorization what clients may do
 */
public record SecurityConfig(
    String cluster,
    boolean tls,
    @Nullable TlsFiles serverFiles,
    @Nullable TlsFiles clientFiles,
    Duration reloadInterval,
    Authorization authorization) {

  /**
   * Reads the credentials of a server; null when TLS is off.
   *
   * @throws InvalidCredentialsException when they cannot be used, or are those of somebody else
   */
  public @Nullable Tls serverTls(String name) throws InvalidCredentialsException {
    if (!tls || serverFiles == null) {
      return null;
    }
    TlsFiles files = serverFiles.named(name);
    Tls loaded = load("server '" + name + "'", "server.tls", files);
    Identity wanted = new Identity(cluster, Identity.Role.SERVER, name);
    if (!loaded.identity().equals(wanted)) {
      throw notThatOf(loaded, files, wanted.toString());
    }
    return loaded;
  }

  /**
   * Reads the credentials of a client; null when TLS is off.
   *
   * @param own the client's own files; null for those of the configuration
   * @throws InvalidCredentialsException when there are none, or they cannot be used
   */
  public @Nullable Tls clientTls(@Nullable TlsFiles own) throws InvalidCredentialsException {
    if (!tls) {
      return null;
    }
    TlsFiles files = own == null ? clientFiles : own;
    if (files == null) {
      throw new InvalidCredentialsException(
          "cluster '"
              + cluster
              + "' uses TLS and this client has no credentials: give the settings"
              + " client.tls.certificate and client.tls.key, or ClientOptions.withTls");
    }
    Tls loaded = load("a client", "client.tls", files);
    Identity identity = loaded.identity();
    if (identity.role() != Identity.Role.CLIENT || !identity.cluster().equals(cluster)) {
      throw notThatOf(loaded, files, "a client of cluster '" + cluster + "'");
    }
    return loaded;
  }

  private Tls load(String whose, String section, TlsFiles files)
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
