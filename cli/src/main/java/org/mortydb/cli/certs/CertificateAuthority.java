package org.mortydb.cli.certs;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.mortydb.config.Identity;

/**
 * The CA of one test cluster. All keys are of the curve P-256. A production cluster should use a CA
 * whose key is kept safe.
 */
public final class CertificateAuthority {
  /** The file of the certificate in a CA's folder. */
  public static final String CERTIFICATE_FILE = "ca.crt";

  /** The file of the private key in a CA's folder. */
  public static final String KEY_FILE = "ca.key";

  private static final SecureRandom random = new SecureRandom();
  private static final int SERIAL_BITS = 127;

  /** Certificates are valid from this long ago, for machines whose clocks are behind. */
  private static final Duration BACKDATED = Duration.ofHours(1);

  private static final String PREFIX = "Morty test CA of ";

  private final String cluster;
  private final X509CertificateHolder certificate;
  private final PrivateKey key;

  private CertificateAuthority(String cluster, X509CertificateHolder certificate, PrivateKey key) {
    this.cluster = cluster;
    this.certificate = certificate;
    this.key = key;
  }

  /**
   * Creates a CA.
   *
   * @param until when its certificate expires
   */
  public static CertificateAuthority create(String cluster, Instant until) {
    try {
      KeyPair pair = newKeyPair();
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              new X500NameBuilder().addRDN(BCStyle.CN, PREFIX + cluster).build(),
              newSerial(),
              Date.from(Instant.now().minus(BACKDATED)),
              Date.from(until),
              new X500NameBuilder().addRDN(BCStyle.CN, PREFIX + cluster).build(),
              pair.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(
          Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      builder.addExtension(
          Extension.subjectKeyIdentifier,
          false,
          new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()));
      return new CertificateAuthority(cluster, sign(builder, pair.getPrivate()), pair.getPrivate());
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new IllegalStateException("the CA of cluster '" + cluster + "' cannot be made", e);
    }
  }

  /**
   * Reads a CA that {@link #write} wrote.
   *
   * @throws IOException when the files are missing, or are not those of such a CA
   */
  public static CertificateAuthority load(Path folder) throws IOException {
    Path file = folder.resolve(CERTIFICATE_FILE);
    X509CertificateHolder certificate = PemFiles.readCertificate(file);
    PrivateKey key =
        new JcaPEMKeyConverter().getPrivateKey(PemFiles.readKey(folder.resolve(KEY_FILE)));
    String name = certificate.getSubject().getRDNs(BCStyle.CN)[0].getFirst().getValue().toString();
    if (!name.startsWith(PREFIX)) {
      throw new IOException(file + " is that of '" + name + "', and not of a '" + PREFIX + "...'");
    }
    return new CertificateAuthority(name.substring(PREFIX.length()), certificate, key);
  }

  /**
   * Writes certificate and key; only this user can read the key.
   *
   * @throws IOException when a file cannot be written, or exists already
   */
  public void write(Path folder) throws IOException {
    PemFiles.write(folder.resolve(CERTIFICATE_FILE), converted(certificate));
    PemFiles.write(folder.resolve(KEY_FILE), key);
  }

  /** Returns the text of its certificate, in PEM. */
  public String certificateText() throws IOException {
    return PemFiles.text(converted(certificate));
  }

  /** Returns the cluster of this CA. */
  public String cluster() {
    return cluster;
  }

  /** Returns when its certificate, and so every certificate that it signs, expires. */
  public Instant until() {
    return certificate.getNotAfter().toInstant();
  }

  /** Creates a key and a certificate for a process, valid from an hour ago. */
  public IssuedCertificate issue(Identity identity, Instant until) {
    return issue(identity, Instant.now().minus(BACKDATED), until);
  }

  /** Creates a key and a certificate for a process, valid in a period. */
  public IssuedCertificate issue(Identity identity, Instant from, Instant until) {
    try {
      KeyPair pair = newKeyPair();
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              certificate.getSubject(),
              newSerial(),
              Date.from(from),
              Date.from(until),
              new X500NameBuilder().addRDN(BCStyle.CN, identity.toString()).build(),
              pair.getPublic());
      addExtensions(builder, identity, pair.getPublic());
      return new IssuedCertificate(identity, converted(sign(builder, key)), pair.getPrivate());
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new IllegalStateException("the certificate of " + identity + " cannot be made", e);
    }
  }

  private void addExtensions(
      X509v3CertificateBuilder builder, Identity identity, PublicKey publicKey)
      throws GeneralSecurityException, IOException {
    JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
    // Servers connect to each other, so they need both purposes.
    KeyPurposeId[] purposes =
        switch (identity.role()) {
          case SERVER ->
              new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth};
          case CLIENT -> new KeyPurposeId[] {KeyPurposeId.id_kp_clientAuth};
        };
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
    builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
    builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes));
    builder.addExtension(
        Extension.subjectAlternativeName,
        false,
        new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, identity.uri())));
    builder.addExtension(
        Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(publicKey));
    builder.addExtension(
        Extension.authorityKeyIdentifier,
        false,
        identifiers.createAuthorityKeyIdentifier(certificate));
  }

  private static X509CertificateHolder sign(X509v3CertificateBuilder builder, PrivateKey key)
      throws OperatorCreationException {
    return builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key));
  }

  private static X509Certificate converted(X509CertificateHolder holder) {
    try {
      return new JcaX509CertificateConverter().getCertificate(holder);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate that was just made cannot be read", e);
    }
  }

  private static KeyPair newKeyPair() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    return generator.generateKeyPair();
  }

  private static BigInteger newSerial() {
    return new BigInteger(SERIAL_BITS, random).setBit(0);
  }
}
