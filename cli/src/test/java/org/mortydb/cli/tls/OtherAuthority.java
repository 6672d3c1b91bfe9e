package org.mortydb.cli.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.mortydb.config.TlsFiles;

/** A CA that is not the one of {@code morty certs}, and may be an intermediate one. */
record OtherAuthority(String name, KeyPair keys, List<X509Certificate> chain) {

  /** A certificate with its key, and the certificates of intermediate CAs. */
  record Issued(PrivateKey key, List<X509Certificate> chain) {
    TlsFiles write(Path folder, OtherAuthority... trusted) throws Exception {
      List<X509Certificate> roots = Stream.of(trusted).map(one -> one.chain().getFirst()).toList();
      return new TlsFiles(
          pem(folder.resolve("other.crt"), chain),
          Files.writeString(folder.resolve("other.key"), block("PRIVATE KEY", key.getEncoded())),
          pem(folder.resolve("other-ca.crt"), roots));
    }
  }

  static OtherAuthority create(String name, String algorithm) throws Exception {
    KeyPair keys = newKeys(algorithm);
    return new OtherAuthority(
        name, keys, List.of(certificate(name, keys, name, keys, null, new String[0])));
  }

  OtherAuthority intermediate() throws Exception {
    KeyPair below = newKeys(keys.getPublic().getAlgorithm());
    X509Certificate signed = certificate("intermediate", below, name, keys, null, new String[0]);
    return new OtherAuthority("intermediate", below, List.of(signed));
  }

  Issued issue(String algorithm, KeyPurposeId purpose, String... uris) throws Exception {
    KeyPair own = newKeys(algorithm);
    List<X509Certificate> all = new ArrayList<>();
    all.add(certificate("process", own, name, keys, purpose, uris));
    all.addAll(chain);
    return new Issued(own.getPrivate(), all);
  }

  private static X509Certificate certificate(
      String subject,
      KeyPair own,
      String issuer,
      KeyPair signer,
      KeyPurposeId purpose,
      String[] uris)
      throws GeneralSecurityException, IOException, OperatorCreationException {
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            new X500Name("CN=" + issuer),
            BigInteger.valueOf(System.nanoTime()),
            Date.from(Instant.now().minusSeconds(60)),
            Date.from(Instant.now().plusSeconds(3_600)),
            new X500Name("CN=" + subject),
            own.getPublic());
    builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(uris.length == 0));
    if (purpose != null) {
      builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
      builder.addExtension(
          Extension.subjectAlternativeName,
          false,
          new GeneralNames(
              Stream.of(uris)
                  .map(uri -> new GeneralName(GeneralName.uniformResourceIdentifier, uri))
                  .toArray(GeneralName[]::new)));
    }
    String signature =
        signer.getPublic().getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA";
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(new JcaContentSignerBuilder(signature).build(signer.getPrivate())));
  }

  private static KeyPair newKeys(String algorithm) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    generator.initialize(algorithm.equals("RSA") ? 2_048 : 256);
    return generator.generateKeyPair();
  }

  private static Path pem(Path file, List<X509Certificate> certificates) throws Exception {
    StringBuilder text = new StringBuilder();
    for (X509Certificate certificate : certificates) {
      text.append(block("CERTIFICATE", certificate.getEncoded()));
    }
    return Files.writeString(file, text);
  }

  private static String block(String type, byte[] content) {
    return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
        .formatted(type, Base64.getMimeEncoder().encodeToString(content));
  }
}
