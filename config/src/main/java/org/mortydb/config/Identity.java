package org.mortydb.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a process in its certificate: the subject alternative name {@code
 * morty://<cluster>/server/<name>} or {@code morty://<cluster>/client/<name>}. Host names and
 * addresses in certificates are ignored, because processes move.
 *
 * @param cluster the name of the cluster of the process
 * @param name unique among the servers, or clients, of the cluster
 */
public record Identity(String cluster, Role role, String name) {
  private static final String SCHEME = "morty://";
  private static final Pattern URI =
      Pattern.compile("morty://([A-Za-z0-9._-]{1,64})/(server|client)/([A-Za-z0-9._-]{1,64})");

  /** The tag of URIs in {@link X509Certificate#getSubjectAlternativeNames}. */
  private static final int URI_TAG = 6;

  /** How many upper bits of a client id derive from the identity; the others are random. */
  private static final int BOUND_BITS = 24;

  private static final int FREE_BITS = Long.SIZE - BOUND_BITS;

  /** Kinds of processes. */
  public enum Role {
    /** Holds replicas. */
    SERVER,
    /** Runs transactions. */
    CLIENT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Returns the identity in a certificate, or null if it has none.
   *
   * @throws CertificateParsingException when the certificate has several identities, or its names
   *     cannot be read
   */
  public static @Nullable Identity of(X509Certificate certificate)
      throws CertificateParsingException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    Identity found = null;
    for (List<?> name : names == null ? List.<List<?>>of() : names) {
      if (name.get(0) instanceof Integer tag
          && tag == URI_TAG
          && name.get(1) instanceof String text
          && text.startsWith(SCHEME)) {
        Matcher matcher = URI.matcher(text);
        if (found != null || !matcher.matches()) {
          throw new CertificateParsingException(
              found == null
                  ? "its name '" + printable(text) + "' is not of the form " + form()
                  : "it has two names of the form " + form());
        }
        Role role = matcher.group(2).equals("server") ? Role.SERVER : Role.CLIENT;
        found = new Identity(matcher.group(1), role, matcher.group(3));
      }
    }
    return found;
  }

  /** Returns the form of identities in certificates, for messages. */
  public static String form() {
    return "morty://CLUSTER/server/NAME or morty://CLUSTER/client/NAME";
  }

  /** Returns the identity as in a certificate. */
  public String uri() {
    return SCHEME + cluster + "/" + role + "/" + name;
  }

  /**
   * Returns a client id that this client may use. Its upper bits derive from the name, so that no
   * client can take over transactions of a client with another name. The lower bits are random.
   */
  public long clientId(long random) {
    return boundBits() << FREE_BITS | random & (1L << FREE_BITS) - 1;
  }

  /** Whether a client id is one that {@link #clientId} can make. */
  public boolean mayUse(long clientId) {
    return role == Role.CLIENT && clientId >>> FREE_BITS == boundBits();
  }

  private long boundBits() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(uri().getBytes(StandardCharsets.UTF_8));
      long bits = 0;
      for (int i = 0; i < BOUND_BITS / Byte.SIZE; i++) {
        bits = bits << Byte.SIZE | hash[i] & 0xFF;
      }
      return bits;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }

  @Override
  public String toString() {
    return role + " '" + name + "' of cluster '" + cluster + "'";
  }
}
