package org.mortydb.config;

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
  private static final int MOST = 65_535;

  /** Returns the address in {@code text}, or null if it is not an address. */
  public static @Nullable Address parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    int port = Integer.parseInt(matcher.group(3));
    String host = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
    return port < 1 || port > MOST ? null : new Address(host, port);
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
