package org.mortydb.cli.certs;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Map;
import org.mortydb.config.Identity;

/**
 * The credentials of a process.
 *
 * @param key the certificate's private key
 */
public record IssuedCertificate(Identity identity, X509Certificate certificate, PrivateKey key) {

  /** The file of an identity's certificate, such as {@code server-a.crt}. */
  public static String certificateFile(Identity identity) {
    return stem(identity.role(), identity.name()) + ".crt";
  }

  /** The file of an identity's key, such as {@code server-a.key}. */
  public static String keyFile(Identity identity) {
    return stem(identity.role(), identity.name()) + ".key";
  }

  private static String stem(Identity.Role role, String name) {
    return role + "-" + name;
  }

  /**
   * The texts of both files, in PEM.
   *
   * @return the texts by the files' names
   */
  public Map<String, String> texts() throws IOException {
    return Map.of(
        certificateFile(identity),
        PemFiles.text(certificate),
        keyFile(identity),
        PemFiles.text(key));
  }

  /**
   * Writes both files; only this user can read the key.
   *
   * @throws IOException when a file cannot be written, or exists already
   */
  public void write(Path folder) throws IOException {
    PemFiles.write(folder.resolve(certificateFile(identity)), certificate);
    PemFiles.write(folder.resolve(keyFile(identity)), key);
  }
}
