package org.mortydb.transport.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.config.TlsFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process's certificate, key and trusted CAs, read from files and checked. A check here names the
 * file; otherwise the first connection would fail.
 */
record Credentials(
    List<X509Certificate> chain, PrivateKey key, TrustManagerFactory trust, Identity identity) {
  private static final Logger log = LoggerFactory.getLogger(Credentials.class);
  private static final long MOST_BYTES = 1024 * 1024;
  private static final Pattern PEM_BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  static Credentials load(TlsFiles files) throws InvalidCredentialsException {
    Path certificate = files.certificate();
    List<X509Certificate> chain = certificates("certificate", certificate);
    X509Certificate own = chain.getFirst();
    PrivateKey key = key(files.key(), certificate, own.getPublicKey());
    List<X509Certificate> cas = certificates("trust", files.trust());
    for (X509Certificate one : chain) {
      requireValidNow("certificate", certificate, one);
    }
    for (X509Certificate ca : cas) {
      requireValidNow("trust", files.trust(), ca);
      if (ca.getBasicConstraints() < 0) {
        throw bad("trust", files.trust(), "holds '" + subject(ca) + "', which is no CA", null);
      }
    }
    Identity identity = identity(certificate, own);
    TrustManagerFactory trust = trust(files.trust(), cas);
    requireTrusted(files, chain, trust, identity);
    return new Credentials(chain, key, trust, identity);
  }

  // ---- certificates -------------------------------------------------------------------------

  private static List<X509Certificate> certificates(String what, Path file)
      throws InvalidCredentialsException {
    byte[] bytes = read(what, file);
    List<X509Certificate> certificates = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Certificate one : factory.generateCertificates(new ByteArrayInputStream(bytes))) {
        if (one instanceof X509Certificate x509) {
          certificates.add(x509);
        }
      }
    } catch (CertificateException e) {
      throw bad(what, file, "holds no readable certificate: it must be X.509 in PEM", e);
    }
    if (certificates.isEmpty()) {
      throw bad(what, file, "holds no certificate: it must be X.509 in PEM", null);
    }
    return List.copyOf(certificates);
  }

  private static void requireValidNow(String what, Path file, X509Certificate certificate)
      throws InvalidCredentialsException {
    String subject = "holds '" + subject(certificate) + "', which ";
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException e) {
      String since = "expired at " + certificate.getNotAfter().toInstant() + ": renew it";
      throw bad(what, file, subject + since, e);
    } catch (CertificateNotYetValidException e) {
      String from =
          "is not valid before "
              + certificate.getNotBefore().toInstant()
              + ": compare this machine's clock with that of the machine that issued it";
      throw bad(what, file, subject + from, e);
    }
  }

  private static Identity identity(Path file, X509Certificate own)
      throws InvalidCredentialsException {
    Identity identity;
    try {
      identity = Identity.of(own);
    } catch (CertificateParsingException e) {
      throw bad("certificate", file, "cannot be used: " + e.getMessage(), e);
    }
    if (identity == null) {
      String text =
          "names no process: it needs the subject alternative name " + Identity.form() + " as URI";
      throw bad("certificate", file, text, null);
    }
    return identity;
  }

  private static String subject(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }

  // ---- key ----------------------------------------------------------------------------------

  private static PrivateKey key(Path file, Path certificate, PublicKey publicKey)
      throws InvalidCredentialsException {
    String pem = new String(read("key", file), StandardCharsets.US_ASCII);
    warnIfOpen(file);
    Matcher block = PEM_BLOCK.matcher(pem);
    String found = "nothing in PEM";
    while (block.find()) {
      found = "'" + block.group(1) + "'";
      if (block.group(1).equals("PRIVATE KEY")) {
        return matching(file, certificate, publicKey, block.group(2));
      }
    }
    throw bad(
        "key",
        file,
        "holds "
            + found
            + ": the key must be unencrypted PKCS#8 ('PRIVATE KEY'); convert it with: openssl pkcs8"
            + " -topk8 -nocrypt",
        null);
  }

  private static PrivateKey matching(
      Path file, Path certificate, PublicKey publicKey, String base64)
      throws InvalidCredentialsException {
    String algorithm = publicKey.getAlgorithm();
    String signature =
        switch (algorithm) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default ->
              throw bad(
                  "certificate",
                  certificate,
                  "has a key of " + algorithm + ": use EC or RSA",
                  null);
        };
    String mismatch =
        "does not match the certificate " + certificate + ": give the key it was made for";
    try {
      byte[] encoded = Base64.getMimeDecoder().decode(base64);
      PrivateKey key =
          KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      byte[] probe = "morty".getBytes(StandardCharsets.US_ASCII);
      Signature signing = Signature.getInstance(signature);
      signing.initSign(key);
      signing.update(probe);
      byte[] signed = signing.sign();
      Signature verifying = Signature.getInstance(signature);
      verifying.initVerify(publicKey);
      verifying.update(probe);
      if (!verifying.verify(signed)) {
        throw bad("key", file, mismatch, null);
      }
      return key;
    } catch (IllegalArgumentException e) {
      throw bad("key", file, "is damaged: its Base64 cannot be read", e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    } catch (GeneralSecurityException e) {
      // The file is damaged, or, more likely, its key is for another algorithm.
      throw bad("key", file, "is no " + algorithm + " key, or damaged, and so " + mismatch, e);
    }
  }

  private static void warnIfOpen(Path file) {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    try {
      Set<PosixFilePermission> permissions = view.readAttributes().permissions();
      if (permissions.contains(PosixFilePermission.OTHERS_READ)) {
        log.warn("every user of this machine can read the private key {}: chmod 600", file);
      }
    } catch (IOException e) {
      log.debug("the permissions of {} are not known", file, e);
    }
  }

  // ---- trust --------------------------------------------------------------------------------

  private static TrustManagerFactory trust(Path file, List<X509Certificate> cas)
      throws InvalidCredentialsException {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (int i = 0; i < cas.size(); i++) {
        store.setCertificateEntry("ca-" + i, cas.get(i));
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw bad("trust", file, "cannot be used: " + e.getMessage(), e);
    }
  }

  /** Checks the own certificate as a peer with the same trusted CAs does. */
  private static void requireTrusted(
      TlsFiles files, List<X509Certificate> chain, TrustManagerFactory trust, Identity identity)
      throws InvalidCredentialsException {
    X509Certificate[] certificates = chain.toArray(X509Certificate[]::new);
    for (TrustManager manager : trust.getTrustManagers()) {
      if (manager instanceof X509TrustManager x509) {
        try {
          x509.checkClientTrusted(certificates, "UNKNOWN");
          if (identity.role() == Identity.Role.SERVER) {
            x509.checkServerTrusted(certificates, "UNKNOWN");
          }
        } catch (CertificateException e) {
          throw bad(
              "certificate",
              files.certificate(),
              "would be refused by peers that trust " + files.trust() + ": " + why(e),
              e);
        }
      }
    }
  }

  /** Why a certificate chain is not accepted, as a clause to follow a colon. */
  static String why(CertificateException refusal) {
    for (Throwable cause = refusal; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateExpiredException) {
        return "it has expired (" + cause.getMessage() + ")";
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "it is not valid yet (" + cause.getMessage() + ")";
      }
    }
    String message = String.valueOf(refusal.getMessage());
    return message.contains("unable to find valid certification path")
            || message.contains("signature check failed")
            || message.contains("Path does not chain")
        ? "it was not signed by a trusted CA"
        : message;
  }

  // ---- files --------------------------------------------------------------------------------

  private static byte[] read(String what, Path file) throws InvalidCredentialsException {
    try {
      if (Files.isDirectory(file)) {
        throw bad(what, file, "is a folder: a file is wanted", null);
      }
      if (Files.size(file) > MOST_BYTES) {
        throw bad(what, file, "is longer than 1 MiB: a file in PEM is wanted", null);
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw bad(what, file, "does not exist", e);
    } catch (AccessDeniedException e) {
      throw bad(what, file, "cannot be read by this process: permission denied", e);
    } catch (InvalidCredentialsException e) {
      throw e;
    } catch (IOException e) {
      throw bad(what, file, "cannot be read: " + e.getMessage(), e);
    }
  }

  private static InvalidCredentialsException bad(
      String what, Path file, String text, @Nullable Throwable cause) {
    return new InvalidCredentialsException(
        "tls." + what + ": " + file.toAbsolutePath() + " " + text, cause);
  }
}
