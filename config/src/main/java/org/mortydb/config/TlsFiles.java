package org.mortydb.config;

import java.nio.file.Path;

/**
 * The files with the credentials of a process, all in PEM.
 *
 * @param certificate its certificate, followed by any intermediate certificates
 * @param key the private key of that certificate, PKCS#8, not encrypted
 * @param trust the certificates of the CAs whose signatures are accepted
 */
public record TlsFiles(Path certificate, Path key, Path trust) {
  private static final String NAME = "{name}";

  /** The same files with every {@code {name}} in their paths replaced. */
  public TlsFiles named(String name) {
    return new TlsFiles(named(certificate, name), named(key, name), named(trust, name));
  }

  private static Path named(Path path, String name) {
    return path.getFileSystem().getPath(path.toString().replace(NAME, name));
  }
}
