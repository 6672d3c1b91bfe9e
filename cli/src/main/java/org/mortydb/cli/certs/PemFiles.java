package org.mortydb.cli.certs;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Set;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;

/** Certificates and keys in PEM files. Nothing is ever overwritten. */
final class PemFiles {
  private PemFiles() {}

  /**
   * Writes a certificate.
   *
   * @throws IOException when the file cannot be written, or exists already
   */
  static void write(Path file, X509Certificate certificate) throws IOException {
    create(file, "rw-r--r--", text(certificate));
  }

  /**
   * Writes a private key in PKCS#8 that only this user can read.
   *
   * @throws IOException when the file cannot be written, or exists already
   */
  static void write(Path file, PrivateKey key) throws IOException {
    create(file, "rw-------", text(key));
  }

  /** A certificate in PEM. */
  static String text(X509Certificate certificate) throws IOException {
    return pem(certificate);
  }

  /** A private key in PEM and PKCS#8. */
  static String text(PrivateKey key) throws IOException {
    return pem(new JcaPKCS8Generator(key, null));
  }

  private static String pem(Object object) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
      pem.writeObject(object);
    }
    return text.toString();
  }

  private static void create(Path file, String mode, String text) throws IOException {
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] attributes =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
            }
            : new FileAttribute<?>[0];
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
      ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /**
   * Reads a certificate.
   *
   * @throws IOException when the file has none
   */
  static X509CertificateHolder readCertificate(Path file) throws IOException {
    if (readObject(file) instanceof X509CertificateHolder certificate) {
      return certificate;
    }
    throw new IOException(file + " holds no certificate in PEM");
  }

  /**
   * Reads a private key.
   *
   * @throws IOException when the file has none in PKCS#8
   */
  static PrivateKeyInfo readKey(Path file) throws IOException {
    if (readObject(file) instanceof PrivateKeyInfo key) {
      return key;
    }
    throw new IOException(file + " holds no private key in PEM and PKCS#8");
  }

  private static Object readObject(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(file + " does not exist or is not readable");
    }
    try (PEMParser parser = new PEMParser(Files.newBufferedReader(file))) {
      return parser.readObject();
    }
  }
}
