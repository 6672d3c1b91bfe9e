package org.mortydb.config;

import java.net.Inet6Address;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A host and a port, written {@code host:port}, or {@code [host]:port} when the host has colons.
 *
 * @param host a name, or an address
 * @param port 1 to 65535
 */
public record Address(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("(?:([A-Za-z0-9._-]+)|\\[([0-9A-Fa-f:.]+)\\]):(\\d{1,5})");

  /** An IPv6 address with a port, without brackets; may be in quotes. */
  private static final Pattern BARE =
      Pattern.compile("'?[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*'?");

  private static final int MOST = 65_535;

  /** Returns the address in {@code text}, or null if it is not an address. */
  public static @Nullable Address parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    int port = Integer.parseInt(matcher.group(3));
    boolean isName = matcher.group(1) != null;
    String host = isName ? matcher.group(1) : matcher.group(2);
    boolean isValid = port >= 1 && port <= MOST && (isName || isIpv6(host));
    return isValid ? new Address(host, port) : null;
  }

  private static boolean isIpv6(String literal) {
    try {
      var _ = Inet6Address.ofLiteral(literal);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** What to add to an error about a text that is no address; empty if there is nothing to add. */
  public static String hint(String text) {
    return BARE.matcher(text).matches() ? "; an IPv6 address needs brackets, as in [::1]:7400" : "";
  }

  /** Whether this is every address of the machine, where one can listen but not connect. */
  public boolean isWildcard() {
    return host.matches("0+(\\.0+){0,3}|[0:]*:[0:]*(0\\.0\\.0\\.0)?");
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
